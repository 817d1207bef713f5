// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

// atomEscape reads what follows a backslash outside of a class.
func (p *parser) atomEscape() *node {
	switch r := p.peek(); {
	case r == 'b' || r == 'B':
		p.at++
		p.note(WordBoundary)
		return &node{kind: kindWord, negated: r == 'B'}
	case r == 'k':
		p.at++
		p.note(NamedReference)
		return p.namedReference()
	case r >= '1' && r <= '9':
		return p.backReference()
	}
	if !p.legacyEscape(false) { // before \p looks for its braces
		if s, ok := p.classEscape(); ok {
			return &node{kind: kindSet, set: s}
		}
	}
	r := p.characterEscape(false)
	return &node{kind: kindSet, set: set{{r, r}}}
}

// backReference reads the number of a group.
func (p *parser) backReference() *node {
	n, at := &node{kind: kindBack}, p.at
	n.index = p.bound()
	p.pending = append(p.pending, reference{at: at, node: n})
	return n
}

func (p *parser) namedReference() *node {
	n, at := &node{kind: kindBack}, p.at
	p.expect("<", "a reference without a name")
	p.pending = append(p.pending, reference{at, n, p.groupName()})
	return n
}

// groupName reads a name and the bracket that closes it.
func (p *parser) groupName() string {
	var b strings.Builder
	for !p.accept(">") {
		if p.done() {
			p.fail("a name is not closed")
		}
		r := p.next()
		if r == '\\' {
			p.expect("u", "a name with a character that names cannot have")
			r = p.unicodeEscape()
		}
		if !nameCharacter(r, b.Len() == 0) {
			p.at--
			p.fail("a name with a character that names cannot have")
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		p.fail("an empty name")
	}
	return b.String()
}

// nameCharacter reports whether r may stand in an identifier of ECMAScript.
func nameCharacter(r rune, first bool) bool {
	switch {
	case r == '$' || r == '_', unicode.IsLetter(r), unicode.Is(unicode.Nl, r), unicode.Is(unicode.Other_ID_Start, r):
		return true
	case first:
		return false
	}
	return r == 0x200C || r == 0x200D ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

// classEscape reads an escape that stands for several characters, if it is one.
func (p *parser) classEscape() (set, bool) {
	r := p.peek()
	switch r {
	case 'd', 'D':
		p.note(Digit)
	case 'w', 'W':
		p.note(Word)
	case 's', 'S':
		p.note(Space)
	case 'p', 'P':
		p.at++
		return p.property(r == 'P'), true
	default:
		return nil, false
	}
	p.at++
	s := map[rune]set{'d': digitSet, 'w': wordSet, 's': spaceSet}[unicode.ToLower(r)]
	if unicode.IsUpper(r) {
		s = s.negate()
	}
	return s, true
}

// property reads the braces of \p.
func (p *parser) property(negated bool) set {
	p.expect("{", "a property without its braces")
	start := p.at
	for p.peek() != '}' {
		if p.done() {
			p.fail("a property without its braces")
		}
		p.at++
	}
	s, ok := p.props.lookup(string(p.src[start:p.at]))
	if !ok {
		p.at = start
		p.fail("an unknown property")
	}
	p.at++
	if negated {
		return s.negate()
	}
	return s
}

var controlEscapes = map[rune]rune{'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// characterEscape reads an escape that stands for one character.
func (p *parser) characterEscape(inClass bool) rune {
	if p.done() {
		p.fail("a backslash at the end")
	}
	legacy := p.legacyEscape(inClass)
	r, at := p.next(), p.at
	if c, ok := controlEscapes[r]; ok {
		return c
	}
	switch {
	case r == 'c':
		if c := p.next(); c < unicode.MaxASCII && unicode.IsLetter(c) {
			return c % 32
		}
	case r == '0':
		if c := p.peek(); c < '0' || c > '9' {
			p.note(NulEscape)
			return 0
		}
	case r == 'x':
		if c, ok := p.hex(2); ok {
			return c
		}
	case r == 'u':
		return p.unicodeEscape()
	case legacy, isSyntax(r):
		return r
	}
	p.at = at - 1
	p.fail("an escape without a meaning")
	return 0
}

// unicodeEscape reads what follows \u. Two escapes that are a surrogate pair
// are one character; half of one is a character that no text has.
func (p *parser) unicodeEscape() rune {
	if p.accept("{") {
		return p.codePoint()
	}
	r, ok := p.utf16Escape()
	if !ok {
		p.fail("an escape without a meaning")
	}
	return r
}

// utf16Escape reads four digits, and the other half of a pair if there is one.
func (p *parser) utf16Escape() (rune, bool) {
	r, ok := p.hex(4)
	if !ok {
		return 0, false
	}
	at := p.at
	if utf16.IsSurrogate(r) && p.accept(`\u`) {
		if low, ok := p.hex(4); ok {
			if pair := utf16.DecodeRune(r, low); pair != unicode.ReplacementChar {
				p.note(SurrogateEscape)
				return pair, true
			}
		}
		p.at = at
	}
	return r, true
}

// codePoint reads the rest of \u{...}.
func (p *parser) codePoint() rune {
	r := rune(0)
	for start := p.at; ; p.at++ {
		digit, ok := hexDigit(p.peek())
		if !ok {
			if p.at == start {
				p.fail("an escape without a meaning")
			}
			break
		}
		if r = r*16 + digit; r > unicode.MaxRune {
			p.fail("a character beyond Unicode")
		}
	}
	p.expect("}", "an escape without a meaning")
	return r
}

// hex reads n hexadecimal digits, if they are there.
func (p *parser) hex(n int) (rune, bool) {
	if p.at+n > len(p.src) {
		return 0, false
	}
	r := rune(0)
	for _, c := range p.src[p.at : p.at+n] {
		digit, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		r = r*16 + digit
	}
	p.at += n
	return r, true
}

func hexDigit(r rune) (rune, bool) {
	switch {
	case '0' <= r && r <= '9':
		return r - '0', true
	case 'a' <= r && r <= 'f':
		return r - 'a' + 10, true
	case 'A' <= r && r <= 'F':
		return r - 'A' + 10, true
	}
	return 0, false
}
