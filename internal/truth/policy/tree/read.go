// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxBytes bounds the text of a document: thousands of tools fit, and a wrong
// file is refused before it is parsed.
const MaxBytes = 4 << 20

// MaxValues bounds how many values a document is when every alias is written
// out. It stops aliases that multiply each other.
const MaxValues = 1 << 20

// maxNesting bounds how many containers may be nested, the root among them. The
// vectors of the declared digest have it so.
const maxNesting = 128

var byteOrderMark = []byte("\uFEFF")

// Read reads text, one YAML 1.2 or JSON document whose root is a mapping, by
// the rules of spec section 2. The error is an *Error or, when the document
// parses and has several faults, Errors; file is only what they call it.
func Read(file string, text []byte) (*Node, error) {
	if len(text) > MaxBytes {
		return nil, &Error{File: file, Msg: fmt.Sprintf("document of %d bytes, at most %d are read", len(text), MaxBytes)}
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	if pos, msg := badCharacter(text); msg != "" {
		return nil, &Error{File: file, Line: pos.Line, Column: pos.Column, Msg: msg}
	}
	text, hidden := hideSlashes(text)
	root, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	c := converter{file: file, marks: nonSpecificTags(text), slashes: hidden}
	n := c.document(root)
	if err := c.errs.Err(); err != nil {
		return nil, err
	}
	return n, nil
}

// badCharacter finds the first character that a document must not contain, so
// that what is accepted does not depend on the parser.
func badCharacter(text []byte) (Pos, string) {
	pos := Pos{1, 1}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return pos, "text that is not UTF-8"
		case !allowed(r):
			return pos, fmt.Sprintf("character U+%04X is not allowed in a document", r)
		case r == '\n':
			pos = Pos{pos.Line + 1, 0}
		}
		pos.Column++
		i += size
	}
	return Pos{}, ""
}

// allowed reports whether r is printable as YAML 1.2 defines it.
func allowed(r rune) bool {
	switch {
	case r < ' ':
		return r == '\t' || r == '\n' || r == '\r'
	case r < 0x7F, r == 0x85:
		return true
	}
	return r >= 0xA0 && r != 0xFFFE && r != 0xFFFF
}

// parse returns the nodes of the only document in text.
func parse(file string, text []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, &Error{File: file, Msg: "the document cannot be parsed"}
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(withoutVersion(text)))
	var first, second yaml.Node
	switch err := d.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, &Error{File: file, Line: 1, Column: 1, Msg: "the document is empty, a policy is a mapping"}
	case err != nil:
		return nil, syntaxError(file, text, err)
	}
	switch err := d.Decode(&second); {
	case err == nil:
		return nil, &Error{File: file, Line: second.Line, Column: second.Column, Msg: "a second document, a policy is one"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(file, text, err)
	}
	return &first, nil
}

var (
	versionLine = regexp.MustCompile(`(?m)\A((?:[ \t]*(?:#.*)?\r?\n)*%YAML[ \t]+1\.)2`)
	messageLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)
	anchorName  = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// withoutVersion turns a directive for YAML 1.2 into one for 1.1, which alone
// the parser takes. The differences between the two are in the scalars, and
// those are read here.
func withoutVersion(text []byte) []byte {
	return versionLine.ReplaceAll(text, []byte("${1}1"))
}

// syntaxError passes on what the parser says. It names places, characters and
// anchors, never values. It has no line for what is on the first, and none for
// an anchor.
func syntaxError(file string, text []byte, err error) *Error {
	m := messageLine.FindStringSubmatch(err.Error())
	if m == nil {
		return &Error{File: file, Msg: "the document cannot be parsed"}
	}
	line, _ := strconv.Atoi(m[1])
	if anchor := anchorName.FindStringSubmatch(m[2]); anchor != nil {
		before, _, _ := bytes.Cut(text, []byte("*"+anchor[1]))
		line = 1 + bytes.Count(before, []byte("\n"))
	}
	return &Error{File: file, Line: max(line, 1), Msg: m[2]}
}
