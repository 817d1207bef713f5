// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"sync"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// An Outcome is what a check comes to. The zero Outcome is none, and is not
// Valid.
type Outcome uint8

// The outcomes. Append only.
const (
	Valid     Outcome = iota + 1 // the arguments keep to the schema
	Violated                     // they do not
	Malformed                    // the schema is none, so nothing can be said
)

var outcomeNames = [...]string{"malformed", "valid", "violated", "malformed"}

// String returns the name of o; what is no outcome is malformed.
func (o Outcome) String() string {
	if int(o) >= len(outcomeNames) {
		return outcomeNames[0]
	}
	return outcomeNames[o]
}

// A Result is what one check found. It has no word of the arguments in it.
type Result struct {
	Outcome Outcome

	// Location is, for Violated, a JSON pointer into the declared schema, shared
	// definitions merged into it: to the first of the keywords that do not hold,
	// in the order of the pointers' bytes. Under required and its like it goes on
	// to the name that is missing. For Malformed it is where the schema is: the
	// whole of it, if the check ran out of its budget.
	Location string

	// Keyword is the keyword of Violated; the schema false has none and says
	// "false". For Malformed it is the name of the Reason.
	Keyword string
}

// maxEvaluations bounds how many schemas one check may apply. Only alternatives
// that double at every level come near it: a schema that needs more for some
// arguments is malformed for them.
const maxEvaluations = 1 << 22

// maxDepth bounds how deep the schemas that one check applies may lie within
// each other, so that the stack is bounded whatever is declared.
const maxDepth = 1 << 16

// A Schema is the schema of one tool, safe for concurrent use.
type Schema struct {
	root    *node
	fault   *Fault
	dynamic bool // what a reference means depends on the way to it
	doc     *tree.Node
	uses    []PatternUse
	pool    sync.Pool // of *checker
}

// A PatternUse is a regular expression of a schema.
type PatternUse struct {
	Location string // JSON pointer into the declared schema
	Pos      tree.Pos
	Regexp   *regex.Regexp
}

// Patterns returns the regular expressions of s in the order of their
// locations: those that a check can come to.
func (s *Schema) Patterns() []PatternUse { return s.uses }

// Fault returns why s is malformed, nil when it is not.
func (s *Schema) Fault() *Fault { return s.fault }

// Pos returns where in the document a location of s stands or, if there is no
// such thing, the last place on the way to it.
func (s *Schema) Pos(location string) tree.Pos {
	found, _ := lookup(s.doc, location)
	return found.Pos()
}

// Check checks arguments. Valid says that they keep to the schema as declared,
// and nothing about what the tool does with them.
func (s *Schema) Check(args canon.Node) Result {
	if s.fault != nil {
		return Result{Outcome: Malformed, Location: s.fault.Location, Keyword: s.fault.Reason.String()}
	}
	c, _ := s.pool.Get().(*checker)
	if c == nil {
		c = &checker{dynamic: s.dynamic}
	}
	r := c.check(s.root, value{node: args})
	c.reset()
	s.pool.Put(c)
	return r
}

// check makes the check. If it fails it is made again, to find out where: a
// check that only has to say yes or no can stop at the first no.
func (c *checker) check(root *node, v value) Result {
	valid := c.eval(root, v, nil)
	switch {
	case c.evaluations > maxEvaluations:
		return Result{Outcome: Malformed, Keyword: TooLarge.String()}
	case valid:
		return Result{Outcome: Valid}
	}
	c.reset()
	var r report
	c.explain(root, v, &r)
	return Result{Outcome: Violated, Location: r.location, Keyword: r.keyword}
}

// A checker makes one check.
type checker struct {
	evaluations int
	depth       int
	name        string      // what a named value is
	active      []visit     // recurring schemas being applied, each to what
	dynamic     bool        // keep scope
	scope       []*resource // the resources on the way, outermost first
}

// reset readies c for another check. It holds on to nothing that was checked.
func (c *checker) reset() {
	clear(c.active[:cap(c.active)])
	*c = checker{active: c.active[:0], dynamic: c.dynamic, scope: c.scope[:0]}
}

// A visit is a schema applied to a value.
type visit struct {
	schema *node
	value  value
}

// eval reports whether v keeps to n.
func (c *checker) eval(n *node, v value, ev *evaluated) bool {
	if n.leaf { // nothing below it, so nothing to count or to remember
		return c.holds(n, v, ev)
	}
	if n.never || !c.descend() {
		return false
	}
	held := c.apply(n, v, ev)
	c.depth--
	return held
}

// descend counts one more schema that is applied, within those that are. It
// reports false when there may be no more of them: the check has then failed.
func (c *checker) descend() bool {
	if c.evaluations++; c.depth >= maxDepth {
		c.evaluations = maxEvaluations + 1
	}
	if c.evaluations > maxEvaluations {
		return false
	}
	c.depth++
	return true
}

// apply is eval for a schema that is not false. What it comes upon again while
// it is being found out holds for that purpose: a cycle of references alone
// matches (spec section 5).
func (c *checker) apply(n *node, v value, ev *evaluated) bool {
	if n.recurring {
		if !c.enter(n, v) {
			return true
		}
		defer c.leave()
	}
	if c.dynamic {
		defer c.leaveScope(len(c.scope))
		c.scope = append(c.scope, n.resource)
	}
	if !n.tracks {
		return c.holds(n, v, ev)
	}
	// What was evaluated is asked of the schema itself, and not of its neighbors.
	own := &evaluated{}
	if !c.holds(n, v, own) {
		return false
	}
	ev.merge(own)
	return true
}

// holds reports whether v keeps to the keywords of n.
func (c *checker) holds(n *node, v value, ev *evaluated) bool {
	kind := v.kind()
	if !n.types.allows(kind, v) {
		return false
	}
	for _, b := range n.rules[kind] {
		if !b.rule.holds(c, v, ev) {
			return false
		}
	}
	return true
}

// enter notes that n is applied to v, unless it already is.
func (c *checker) enter(n *node, v value) bool {
	here := visit{n, v}
	for i := len(c.active) - 1; i >= 0; i-- {
		if c.active[i] == here {
			return false
		}
	}
	c.active = append(c.active, here)
	return true
}

func (c *checker) leave() { c.active = c.active[:len(c.active)-1] }

func (c *checker) leaveScope(n int) { c.scope = c.scope[:n] }
