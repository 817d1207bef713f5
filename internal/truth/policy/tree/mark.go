// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

var bareMark = regexp.MustCompile(`(?m)(?:&[^ \t\r\n,\[\]{}]+[ \t]+)?!(?:[ \t\r\n]|$)`)

// nonSpecificTags finds the places where a value may begin with the tag "!",
// which the parser drops: it asks for a meaning that only the reader's own
// program has. Most documents have none; a place inside of a string is never
// looked up, as no value begins there.
func nonSpecificTags(text []byte) map[Pos]bool {
	if !bytes.Contains(text, []byte{'!'}) {
		return nil
	}
	found := bareMark.FindAllIndex(text, -1)
	if found == nil {
		return nil
	}
	marks := make(map[Pos]bool, len(found))
	pos, at := Pos{1, 1}, 0
	for _, f := range found {
		for at < f[0] {
			r, size := utf8.DecodeRune(text[at:])
			if pos.Column++; r == '\n' {
				pos = Pos{pos.Line + 1, 1}
			}
			at += size
		}
		marks[pos] = true
	}
	return marks
}
