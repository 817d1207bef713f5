// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"maps"
	"slices"
)

// A Construct is a part of a pattern that other engines read otherwise, most
// of all the one of the system whose verdicts these are compared with. A
// pattern that has one may be judged differently there.
type Construct uint8

// The constructs. Append only.
const (
	Dot             Construct = iota + 1 // . leaves out \r, U+2028 and U+2029 here
	Digit                                // \d is ASCII here, sometimes all of Unicode there
	Word                                 // \w is ASCII here, sometimes all of Unicode there
	Space                                // \s is all of ECMAScript's spaces here
	WordBoundary                         // \b knows ASCII words here
	NamedReference                       // \k<name> is an error there
	NulEscape                            // \0 is an error there
	BackspaceClass                       // [\b] is an error there
	EmptyClass                           // [] and [^] are errors there
	SurrogateEscape                      // a surrogate pair in escapes is an error there
	SetOperation                         // [[, &&, -- and ~~ in a class are operators there
	Legacy                               // one of the few spellings beyond Unicode mode that are read
)

var constructNames = [...]string{
	"", `.`, `\d`, `\w`, `\s`, `\b`, `\k<name>`, `\0`, `[\b]`, `[] or [^]`, `a surrogate pair in \u escapes`, `[[, &&, -- or ~~ in a class`,
	`an escape or bracket that Unicode mode refuses`,
}

// String returns the construct as it is written.
func (c Construct) String() string {
	if int(c) >= len(constructNames) {
		return ""
	}
	return constructNames[c]
}

func (p *parser) note(c Construct) { p.noted[c] = true }

// noteSetOperation looks at the next character of a class.
func (p *parser) noteSetOperation() {
	r := p.peek()
	twice := p.at+1 < len(p.src) && p.src[p.at+1] == r
	if r == '[' || twice && (r == '&' || r == '-' || r == '~') {
		p.note(SetOperation)
	}
}

// constructs returns what was noted, in order. Digits and words are read alike
// everywhere unless the pattern makes the other engine backtrack.
func (p *parser) constructs(n *node) []Construct {
	if !n.contains(kindLook) && !n.contains(kindBack) {
		delete(p.noted, Digit)
		delete(p.noted, Word)
	}
	return slices.Sorted(maps.Keys(p.noted))
}
