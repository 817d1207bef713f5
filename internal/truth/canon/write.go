// SPDX-License-Identifier: Apache-2.0

package canon

import "unicode/utf8"

// AppendJCS appends n in the canonical form of RFC 8785. No value appends
// nothing. It allocates only what dst needs to grow, and a little for a number
// that strconv cannot be trusted with (see parseDouble).
func (n Node) AppendJCS(dst []byte) []byte {
	return n.appendTo(dst, writer{})
}

// AppendJCSWithoutSecrets is AppendJCS over what is left of n when every object
// member with a secret-like name is dropped, at every depth (spec section 4).
func (n Node) AppendJCSWithoutSecrets(dst []byte) []byte {
	return n.appendTo(dst, writer{dropSecrets: true})
}

func (n Node) appendTo(dst []byte, w writer) []byte {
	if n.Kind() == KindNone {
		return dst
	}
	w.doc = n.doc
	return w.value(dst, n.i)
}

// A writer writes nodes of one Doc. It recurses as deep as the Doc is nested,
// which is at most maxDepth.
type writer struct {
	doc         *Doc
	dropSecrets bool
}

func (w writer) value(dst []byte, i uint32) []byte {
	switch n := &w.doc.nodes[i]; n.kind {
	case KindBool:
		if n.flags&isTrue != 0 {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case KindNumber:
		text := w.doc.str(n.val, false)
		if n.flags&canonicalText != 0 {
			return append(dst, text...)
		}
		return AppendNumber(dst, parseDouble(text))
	case KindString:
		return w.str(dst, n.val, n.flags&valDecoded != 0)
	case KindArray:
		return w.array(dst, i)
	case KindObject:
		return w.object(dst, n)
	}
	return append(dst, "null"...)
}

// str writes a string. What was written without an escape holds nothing that
// needs one: the characters that need one cannot be written without.
func (w writer) str(dst []byte, s span, decoded bool) []byte {
	if decoded {
		return AppendString(dst, w.doc.str(s, true))
	}
	// The quotes are in the text, on both sides.
	return append(dst, w.doc.text[s.at-1:s.at+s.n+1]...)
}

func (w writer) array(dst []byte, self uint32) []byte {
	dst = append(dst, '[')
	end := w.doc.nodes[self].next
	for i := self + 1; i < end; i = w.doc.nodes[i].next {
		if i > self+1 {
			dst = append(dst, ',')
		}
		dst = w.value(dst, i)
	}
	return append(dst, ']')
}

func (w writer) object(dst []byte, n *node) []byte {
	dst = append(dst, '{')
	first := true
	for _, i := range w.doc.members(n) {
		if w.dropSecrets && SecretKey(w.doc.key(i)) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		member := &w.doc.nodes[i]
		dst = w.str(dst, member.key, member.flags&keyDecoded != 0)
		dst = append(dst, ':')
		dst = w.value(dst, i)
	}
	return append(dst, '}')
}

// AppendString appends s as a JSON string in the canonical form of RFC 8785
// section 3.2.2.2, for templates written by hand. A byte that is not UTF-8
// becomes U+FFFD, so that the result is JSON whatever s is.
func AppendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	dst = append(dst, '"')
	for {
		n := plainPrefix(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return append(dst, '"')
		}
		dst = appendEscape(dst, s[n])
		s = s[n+1:]
	}
}

// shortEscapes holds the letter after the backslash for each character that
// has a short escape.
var shortEscapes = [...]byte{'\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'}

// appendEscape escapes a quote, a backslash or a control character.
func appendEscape(dst []byte, c byte) []byte {
	if letter := shortEscapes[c]; letter != 0 {
		return append(dst, '\\', letter)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xF])
}
