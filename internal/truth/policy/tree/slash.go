// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"fmt"
	"strings"
)

// The parser does not know the escape \/, which YAML 1.2 has because JSON has.
// So each is given another escape of the same length before the parser sees
// it, one that the document makes no use of, and is put back in the values.
type slashes struct {
	letter byte // of the escape in use; 0: none
	char   rune // what that escape means
}

// hideSlashes returns text without the escape \/. A document that uses all the
// candidates is left as it is, for the parser to refuse.
func hideSlashes(text []byte) ([]byte, slashes) {
	if !bytes.Contains(text, []byte(`\/`)) {
		return text, slashes{}
	}
	for _, s := range []slashes{{'v', '\v'}, {'a', '\a'}, {'e', '\x1b'}, {'b', '\b'}} {
		if s.unused(text) {
			return s.hide(text), s
		}
	}
	return text, slashes{}
}

// unused reports whether text has no way to write the character of s.
func (s slashes) unused(text []byte) bool {
	if bytes.Contains(text, []byte{'\\', s.letter}) {
		return false
	}
	lower := bytes.ToLower(text)
	for _, format := range []string{`\x%02x`, `\u%04x`, `\u%08x`} {
		if bytes.Contains(lower, fmt.Appendf(nil, format, s.char)) {
			return false
		}
	}
	return true
}

// hide replaces each \/ whose backslash is not itself escaped.
func (s slashes) hide(text []byte) []byte {
	text = bytes.Clone(text)
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; text[i] == '/' {
			text[i] = s.letter
		}
	}
	return text
}

// restore puts the slashes of a value back. Where escapes mean nothing, a
// backslash and a slash had been just that.
func (s slashes) restore(value string, escapes bool) string {
	switch {
	case s.letter == 0:
		return value
	case escapes:
		return strings.ReplaceAll(value, string(s.char), "/")
	}
	return strings.ReplaceAll(value, `\`+string(s.letter), `\/`)
}
