// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// translate returns n for Go's regexp, which then matches exactly the same
// texts, or nil when it has no words for n.
func translate(n *node) *regexp.Regexp {
	if n.contains(kindLook) || n.contains(kindBack) {
		return nil
	}
	var b strings.Builder
	write(&b, n)
	if b.Len() > maxTranslation {
		return nil
	}
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil // too many repetitions
	}
	return re
}

// maxTranslation bounds the text given to Go's regexp. The few patterns that
// need more name large properties many times.
const maxTranslation = 1 << 20

// write writes n, always as something that can be repeated or put next to
// something else.
func write(b *strings.Builder, n *node) {
	if b.Len() > maxTranslation {
		return
	}
	switch n.kind {
	case kindSet:
		writeSet(b, n.set)
	case kindBegin:
		b.WriteString(`\A`)
	case kindEnd:
		b.WriteString(`\z`)
	case kindWord:
		b.WriteString(map[bool]string{false: `\b`, true: `\B`}[n.negated])
	case kindRepeat:
		write(b, n.subs[0])
		writeBounds(b, n)
	default:
		separator := ""
		if n.kind == kindAlt {
			separator = "|"
		}
		b.WriteString("(?:")
		for i, sub := range n.subs {
			if i > 0 {
				b.WriteString(separator)
			}
			write(b, sub)
		}
		b.WriteByte(')')
	}
}

func writeBounds(b *strings.Builder, n *node) {
	switch {
	case n.max == unlimited:
		fmt.Fprintf(b, "{%d,}", n.min)
	default:
		fmt.Fprintf(b, "{%d,%d}", n.min, n.max)
	}
	if n.lazy {
		b.WriteByte('?')
	}
}

// writeSet leaves out surrogates: no text has them.
func writeSet(b *strings.Builder, s set) {
	if len(s) == 1 && s[0].lo == s[0].hi && s[0].lo < unicode.MaxASCII {
		b.WriteString(regexp.QuoteMeta(string(s[0].lo)))
		return
	}
	b.WriteByte('[')
	empty := true
	for _, e := range s {
		for _, part := range [...]span{{e.lo, min(e.hi, 0xD7FF)}, {max(e.lo, 0xE000), e.hi}} {
			if part.lo <= part.hi {
				fmt.Fprintf(b, `\x{%x}-\x{%x}`, part.lo, part.hi)
				empty = false
			}
		}
	}
	if empty {
		b.WriteString(`^\x{0}-\x{10ffff}`)
	}
	b.WriteByte(']')
}
