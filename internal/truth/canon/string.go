// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// stringValue reads the string at i as a value.
func (r *reader) stringValue(i int, n node) int {
	val, decoded, i := r.str(i)
	if i == failed {
		return failed
	}
	n.kind, n.val = KindString, val
	if decoded {
		n.flags |= valDecoded
	}
	r.scalar(n)
	return i
}

// str reads the string whose quote opens at i. A string without escapes is the
// part of the text between its quotes, another one is decoded.
func (r *reader) str(i int) (s span, decoded bool, next int) {
	start := i + 1
	end := start + plainPrefix(r.text[start:])
	switch r.peek(end) {
	case '"':
		return span{uint32(start), uint32(end - start)}, false, end + 1
	case '\\':
		s, next = r.decode(start, end)
		return s, true, next
	}
	return span{}, false, r.unexpected(end)
}

// decode reads a string that starts at start and has its first escape at i.
func (r *reader) decode(start, i int) (s span, next int) {
	out := &r.doc.decoded
	if out.Cap() == 0 {
		out.Grow(min(len(r.text)-start, 1<<10))
	}
	at := out.Len()
	for {
		out.WriteString(r.text[start:i])
		switch r.peek(i) {
		case '"':
			return span{uint32(at), uint32(out.Len() - at)}, i + 1
		case '\\':
			if start = r.escape(i); start == failed {
				return span{}, failed
			}
		default:
			return span{}, r.unexpected(i)
		}
		i = start + plainPrefix(r.text[start:])
	}
}

// escape decodes the escape whose backslash is at i.
func (r *reader) escape(i int) int {
	c := r.peek(i + 1)
	if c == 'u' {
		return r.unicodeEscape(i)
	}
	const letters, meant = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	k := strings.IndexByte(letters, c)
	if k < 0 {
		return r.unexpected(i + 1)
	}
	r.doc.decoded.WriteByte(meant[k])
	return i + 2
}

// unicodeEscape decodes \uXXXX at i, and the second half of a pair behind it.
func (r *reader) unicodeEscape(i int) int {
	high, next := r.hex4(i + 2)
	if next == failed {
		return failed
	}
	if !utf16.IsSurrogate(high) {
		r.doc.decoded.WriteRune(high)
		return next
	}
	for k := range len(`\u`) {
		switch c := r.peek(next + k); {
		case next+k == len(r.text):
			return r.unexpected(next + k)
		case c != `\u`[k]:
			return r.fail(FaultSurrogate, i)
		}
	}
	low, next := r.hex4(next + 2)
	if next == failed {
		return failed
	}
	pair := utf16.DecodeRune(high, low)
	if pair == utf8.RuneError {
		return r.fail(FaultSurrogate, i)
	}
	r.doc.decoded.WriteRune(pair)
	return next
}

func (r *reader) hex4(i int) (v rune, next int) {
	for k := i; k < i+4; k++ {
		c := r.peek(k)
		switch {
		case '0' <= c && c <= '9':
			v = v<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, r.unexpected(k)
		}
	}
	return v, i + 4
}
