// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"fmt"
	"math"
	"strings"
)

// maxPattern bounds a pattern's length, and maxNesting its groups in groups.
const (
	maxPattern = 1 << 16
	maxNesting = 200
)

// A SyntaxError says why a pattern is none, and where. It does not repeat the
// pattern.
type SyntaxError struct {
	Offset int // in characters
	Msg    string
}

// Error returns the reason and the place.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("regular expression: %s at character %d", e.Msg, e.Offset)
}

// A parser reads a pattern by the grammar of ECMA-262 with its parameter
// UnicodeMode, which knows no leniency: an escape without a meaning, or a
// bracket without its other half, is an error. The few exceptions are in
// legacy.go. It panics with a *SyntaxError, which parse recovers.
type parser struct {
	src     []rune
	at      int
	nesting int
	groups  int            // how many captures there are so far
	names   map[string]int // of captures
	pending []reference    // to be resolved when all groups are known
	props   Properties
	noted   map[Construct]bool
}

// A reference is a back-reference and where it stands.
type reference struct {
	at   int
	node *node
	name string // empty: by index
}

// parse returns the parsed pattern, or a *SyntaxError.
func parse(pattern string, props Properties) (n *node, p *parser, err error) {
	p = &parser{names: map[string]int{}, props: props, noted: map[Construct]bool{}}
	defer func() {
		if r := recover(); r != nil {
			syntax, ok := r.(*SyntaxError)
			if !ok {
				panic(r)
			}
			n, err = nil, syntax
		}
	}()
	if len(pattern) > maxPattern {
		p.fail("too long")
	}
	p.src = []rune(pattern)
	n = p.disjunction()
	if !p.done() {
		p.fail("a parenthesis too many")
	}
	p.resolve()
	return n, p, nil
}

func (p *parser) fail(format string, args ...any) {
	panic(&SyntaxError{p.at, fmt.Sprintf(format, args...)})
}

func (p *parser) done() bool { return p.at >= len(p.src) }

// peek returns the next character, or -1 at the end.
func (p *parser) peek() rune {
	if p.done() {
		return -1
	}
	return p.src[p.at]
}

func (p *parser) next() rune {
	r := p.peek()
	p.at++
	return r
}

// accept moves over s if it comes next.
func (p *parser) accept(s string) bool {
	i := p.at
	for _, r := range s {
		if i >= len(p.src) || p.src[i] != r {
			return false
		}
		i++
	}
	p.at = i
	return true
}

func (p *parser) expect(s, msg string) {
	if !p.accept(s) {
		p.fail("%s", msg)
	}
}

func (p *parser) disjunction() *node {
	if p.nesting++; p.nesting > maxNesting {
		p.fail("groups nested too deep")
	}
	alternatives := []*node{p.alternative()}
	for p.accept("|") {
		alternatives = append(alternatives, p.alternative())
	}
	p.nesting--
	if len(alternatives) == 1 {
		return alternatives[0]
	}
	return &node{kind: kindAlt, subs: alternatives}
}

func (p *parser) alternative() *node {
	seq := &node{kind: kindSeq}
	for !p.done() && p.peek() != '|' && p.peek() != ')' {
		seq.subs = append(seq.subs, p.term())
	}
	if len(seq.subs) == 1 {
		return seq.subs[0]
	}
	return seq
}

func (p *parser) term() *node {
	atom := p.atom()
	switch atom.kind {
	case kindBegin, kindEnd, kindWord, kindLook:
		if p.atQuantifier() {
			p.fail("nothing to repeat")
		}
		return atom
	}
	return p.quantified(atom)
}

// atQuantifier reports whether a repetition comes next.
func (p *parser) atQuantifier() bool {
	switch p.peek() {
	case '*', '+', '?', '{':
		return true
	}
	return false
}

func (p *parser) atom() *node {
	r := p.next()
	switch r {
	case '^':
		return &node{kind: kindBegin}
	case '$':
		return &node{kind: kindEnd}
	case '.':
		p.note(Dot)
		return &node{kind: kindSet, set: dotSet}
	case '(':
		return p.group()
	case '[':
		return &node{kind: kindSet, set: p.class()}
	case '\\':
		return p.atomEscape()
	case '*', '+', '?', '{':
		p.at--
		p.fail("a character that must be escaped")
	case '}', ']':
		p.note(Legacy) // closing nothing: see legacy.go
	}
	return &node{kind: kindSet, set: set{{r, r}}}
}

func (p *parser) group() *node {
	for _, look := range []struct {
		opening         string
		behind, negated bool
	}{{"?=", false, false}, {"?!", false, true}, {"?<=", true, false}, {"?<!", true, true}} {
		if p.accept(look.opening) {
			n := &node{kind: kindLook, behind: look.behind, negated: look.negated}
			n.subs = []*node{p.inner()}
			return n
		}
	}
	if p.accept("?:") {
		return &node{kind: kindSeq, subs: []*node{p.inner()}}
	}
	p.groups++
	n := &node{kind: kindGroup, index: p.groups}
	if p.accept("?") {
		p.expect("<", "a group of an unknown kind")
		name := p.groupName()
		if _, taken := p.names[name]; taken {
			p.fail("two groups of one name")
		}
		p.names[name] = n.index
	}
	n.subs = []*node{p.inner()}
	return n
}

func (p *parser) inner() *node {
	n := p.disjunction()
	p.expect(")", "a parenthesis is not closed")
	return n
}

func (p *parser) quantified(atom *node) *node {
	n := &node{kind: kindRepeat, subs: []*node{atom}}
	switch {
	case p.accept("*"):
		n.min, n.max = 0, unlimited
	case p.accept("+"):
		n.min, n.max = 1, unlimited
	case p.accept("?"):
		n.min, n.max = 0, 1
	case p.accept("{"):
		p.braces(n)
	default:
		return atom
	}
	n.lazy = p.accept("?")
	return n
}

// braces reads the bounds of a repetition after its opening brace.
func (p *parser) braces(n *node) {
	n.min = p.bound()
	n.max = n.min
	if p.accept(",") {
		n.max = unlimited
		if p.peek() != '}' {
			n.max = p.bound()
		}
	}
	p.expect("}", "a brace that is no repetition")
	if n.max != unlimited && n.max < n.min {
		p.fail("a repetition from more to fewer")
	}
}

// bound reads decimal digits. What no text is long enough for is as good as
// the largest number.
func (p *parser) bound() int {
	if r := p.peek(); r < '0' || r > '9' {
		p.fail("a brace that is no repetition")
	}
	n := 0
	for r := p.peek(); r >= '0' && r <= '9'; r = p.peek() {
		n = min(n*10+int(r-'0'), math.MaxInt32)
		p.at++
	}
	return n
}

// resolve gives the back-references the groups that they mean.
func (p *parser) resolve() {
	for _, ref := range p.pending {
		p.at = ref.at
		if ref.name != "" {
			index, ok := p.names[ref.name]
			if !ok {
				p.fail("a reference to no group")
			}
			ref.node.index = index
		}
		if ref.node.index > p.groups {
			p.fail("a reference to no group")
		}
	}
}

// syntaxCharacters may be escaped with themselves as the meaning.
const syntaxCharacters = `^$\.*+?()[]{}|/`

func isSyntax(r rune) bool { return strings.ContainsRune(syntaxCharacters, r) }
