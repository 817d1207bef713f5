// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"regexp"
	"sync"
)

// A Regexp is a compiled pattern, safe for concurrent use.
type Regexp struct {
	pattern    string
	constructs []Construct

	// One of the ways to match, the first that is there.
	greedy    greedy
	native    *regexp.Regexp
	simulated *program
	tracked   *program

	pool sync.Pool // of *simulation or *backtracker
}

// Compile returns the meaning of pattern, or a *SyntaxError. Patterns that are
// compiled one after the other may share props, which may be empty but not nil.
func Compile(pattern string, props Properties) (*Regexp, error) {
	n, p, err := parse(pattern, props)
	if err != nil {
		return nil, err
	}
	re := &Regexp{pattern: pattern, constructs: p.constructs(n)}
	if re.greedy = asGreedy(n); re.greedy != nil {
		return re, nil
	}
	if re.native = translate(n); re.native != nil {
		return re, nil
	}
	tracking := n.contains(kindBack)
	prog, ok := compile(n, p.groups, tracking)
	switch {
	case !ok:
		return nil, &SyntaxError{Msg: "too large when its repetitions are written out"}
	case tracking:
		re.tracked = prog
		re.pool.New = func() any { return &backtracker{program: prog} }
	default:
		re.simulated = prog
		re.pool.New = func() any { return &simulation{program: prog} }
	}
	return re, nil
}

// String returns the pattern.
func (re *Regexp) String() string { return re.pattern }

// Constructs returns the parts of the pattern that other engines read
// otherwise, in order.
func (re *Regexp) Constructs() []Construct { return re.constructs }

// Backtracks reports whether a match may take many steps, and may not be found
// because of that: only a pattern with back-references does.
func (re *Regexp) Backtracks() bool { return re.tracked != nil }

// MatchString reports whether the pattern matches somewhere in s, which must be
// UTF-8. The answer depends on the two alone. A pattern whose match would take
// more steps than are allowed does not match.
func (re *Regexp) MatchString(s string) bool {
	switch {
	case re.greedy != nil:
		return re.greedy.match(s)
	case re.native != nil:
		return re.native.MatchString(s)
	case re.simulated != nil:
		m := re.pool.Get().(*simulation)
		defer re.pool.Put(m)
		matched := m.match(s)
		m.text = ""
		return matched
	default:
		m := re.pool.Get().(*backtracker)
		defer re.pool.Put(m)
		matched := m.match(s)
		m.text = ""
		return matched
	}
}
