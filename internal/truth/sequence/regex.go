// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// compileRegex compiles an args_match regex: RE2 syntax, in which \d \w \s and
// their negations are the Unicode classes of UTS 18, where RE2 itself knows
// ASCII (spec section 10). \b and \B stay ASCII: RE2 has no other.
func compileRegex(pattern string) (*regexp.Regexp, error) {
	// First as it is written, so that an error speaks of the author's text and
	// what follows may trust its shape.
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
		return nil, err
	}
	return regexp.Compile(widenClasses(pattern))
}

// A perlClass is what stands for a Perl class outside and inside brackets.
// Inside it begins and ends with something that cannot be taken for an end of
// a range.
type perlClass struct{ outside, inside string }

// The members of \w and \s, for use inside brackets. \p{L}, \p{Nl} and the
// last four ranges are the property Alphabetic, \p{M} holding the rest of it;
// \p{Z} and the others are White_Space.
const (
	wordMembers  = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200C}-\x{200D}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}`
	spaceMembers = `\p{Z}\x{9}-\x{D}\x{85}-\x{85}`
)

// perlClasses returns what stands for each Perl class. A negation inside
// brackets has to be spelled out, since brackets do not nest.
var perlClasses = sync.OnceValue(func() map[byte]perlClass {
	return map[byte]perlClass{
		'd': {`\p{Nd}`, `\p{Nd}`},
		'D': {`\P{Nd}`, `\P{Nd}`},
		's': {`[` + spaceMembers + `]`, spaceMembers},
		'S': {`[^` + spaceMembers + `]`, `\p{L}` + complement(isSpace) + `\p{L}`},
		'w': {`[` + wordMembers + `]`, wordMembers},
		'W': {`[^` + wordMembers + `]`, `\p{Zs}` + complement(isWord) + `\p{Zs}`},
	}
})

func isSpace(r rune) bool { return unicode.Is(unicode.White_Space, r) }

func isWord(r rune) bool {
	return unicode.IsOneOf([]*unicode.RangeTable{
		unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Join_Control, unicode.Other_Alphabetic,
	}, r)
}

// complement lists the ranges of runes that are not in a class.
func complement(in func(rune) bool) string {
	var b strings.Builder
	for lo := rune(0); lo <= unicode.MaxRune; lo++ {
		if in(lo) {
			continue
		}
		hi := lo
		for hi < unicode.MaxRune && !in(hi+1) {
			hi++
		}
		writeRange(&b, lo, hi)
		lo = hi
	}
	return b.String()
}

// widenClasses writes the Unicode classes in the place of Perl's. The pattern
// must be one that RE2 accepts.
func widenClasses(pattern string) string {
	if !strings.Contains(pattern, `\`) {
		return pattern
	}
	w := widener{rest: pattern}
	for w.rest != "" {
		w.next()
	}
	return w.out.String()
}

// A widener walks a pattern.
type widener struct {
	rest  string
	out   strings.Builder
	class bool // inside brackets
}

func (w *widener) next() {
	switch {
	case !w.class && strings.HasPrefix(w.rest, `\Q`):
		w.copyThrough(`\E`)
	case w.class && strings.HasPrefix(w.rest, `[:`) && strings.Contains(w.rest, `:]`):
		w.copyThrough(`:]`)
	case w.rest[0] == '\\' && len(w.rest) > 1:
		w.escape()
	case !w.class && w.rest[0] == '[':
		w.class = true
		w.copy(1)
		w.copyPrefix("^")
		w.copyPrefix("]") // one that comes first is a member
	case w.class && w.rest[0] == ']':
		w.class = false
		w.copy(1)
	default:
		w.copy(1)
	}
}

func (w *widener) escape() {
	class, ok := perlClasses()[w.rest[1]]
	switch {
	case !ok:
		w.copy(2)
		return
	case w.class:
		w.out.WriteString(class.inside)
	default:
		w.out.WriteString(class.outside)
	}
	w.rest = w.rest[2:]
}

func (w *widener) copy(n int) {
	w.out.WriteString(w.rest[:n])
	w.rest = w.rest[n:]
}

func (w *widener) copyPrefix(p string) {
	if strings.HasPrefix(w.rest, p) {
		w.copy(len(p))
	}
}

// copyThrough copies up to and with end, or everything.
func (w *widener) copyThrough(end string) {
	if i := strings.Index(w.rest, end); i >= 0 {
		w.copy(i + len(end))
		return
	}
	w.copy(len(w.rest))
}

func writeRange(b *strings.Builder, lo, hi rune) {
	for i, r := range [...]rune{lo, hi} {
		if i == 1 {
			b.WriteByte('-')
		}
		b.WriteString(`\x{`)
		b.WriteString(strings.ToUpper(strconv.FormatInt(int64(r), 16)))
		b.WriteByte('}')
	}
}
