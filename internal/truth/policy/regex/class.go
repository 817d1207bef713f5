// SPDX-License-Identifier: Apache-2.0

package regex

// class reads a character class after its opening bracket.
func (p *parser) class() set {
	negated := p.accept("^")
	var spans []span
	if p.peek() == ']' {
		p.note(EmptyClass)
	}
	for !p.accept("]") {
		if p.done() {
			p.fail("a bracket is not closed")
		}
		spans = p.classRange(spans)
	}
	s := normal(spans)
	if negated {
		return s.negate()
	}
	return s
}

// classRange reads one character, one range or one escape of a class.
func (p *parser) classRange(spans []span) []span {
	low, many := p.classAtom()
	if p.peek() != '-' || p.at+1 < len(p.src) && p.src[p.at+1] == ']' {
		return append(spans, many.or(low)...)
	}
	p.at++
	if p.done() {
		p.fail("a bracket is not closed")
	}
	high, manyHigh := p.classAtom()
	switch {
	case many != nil || manyHigh != nil:
		p.fail("a range from or to what is not one character")
	case high < low:
		p.fail("a range from a higher character to a lower")
	}
	return append(spans, span{low, high})
}

// or returns s, or r alone where s is nil.
func (s set) or(r rune) set {
	if s == nil {
		return set{{r, r}}
	}
	return s
}

// classAtom reads one character, or an escape for several.
func (p *parser) classAtom() (rune, set) {
	p.noteSetOperation()
	r := p.next()
	if r != '\\' {
		return r, nil
	}
	switch p.peek() {
	case 'b':
		p.at++
		p.note(BackspaceClass)
		return '\b', nil
	case '-':
		p.at++
		return '-', nil
	}
	if s, ok := p.classEscape(); ok {
		if s == nil {
			s = set{}
		}
		return 0, s
	}
	return p.characterEscape(true), nil
}
