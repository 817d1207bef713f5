// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A Call is one observed tool call of a run, in the run's order.
type Call struct {
	Name    string
	Args    canon.Node
	HasArgs bool // false: the arguments are absent or unusable
}

// Rules are the sequence rules of one policy. They are immutable and safe for
// concurrent use.
type Rules struct {
	rules     []rule
	aliases   []alias
	selectors []selector

	byName    map[string]nameMatch // what a name alone decides, for every name that some selector means
	texts     []int                // selectors by text, which names cannot be looked up for
	dependent []int                // rules that some argument can change
	taped     []int                // the selectors that dependent rules read
	print     [printSize]byte      // of all that evaluation depends on
	scratch   sync.Pool            // of *scratch
}

// A rule is one entry of sequences.
type rule struct {
	machine
	kind      Kind
	id        string // as given, or ""
	ruleID    string
	given     given
	at        position
	dependent bool // some selector reads arguments
	grows     bool // what it keeps grows with the run, so a State bounds it
}

// given holds the operands of one rule.
type given struct {
	selectors []int    // in the order of the kind's operands
	labels    []string // how they print
	bound     uint32   // max or within
	strict    bool
}

// An alias is one entry of aliases.
type alias struct {
	name    string
	members []string
	at      position
}

type position struct{ line, column int }

// A nameMatch holds what a tool's name decides: the selectors it matches, and
// those it matches if the arguments do.
type nameMatch struct {
	certain     symbol
	conditional []int
}

// scratch is what reading a call needs, kept from call to call.
type scratch struct {
	symbol symbol
	text   []byte
}

// Len returns how many rules there are.
func (r *Rules) Len() int { return len(r.rules) }

// RuleID returns the rule_id of the rule with index i.
func (r *Rules) RuleID(i int) string { return r.rules[i].ruleID }

// ID returns the id that the policy gives the rule with index i, or "".
func (r *Rules) ID(i int) string { return r.rules[i].id }

// Kind returns the kind of the rule with index i.
func (r *Rules) Kind(i int) Kind { return r.rules[i].kind }

// DependsOnArgs reports whether any rule reads the arguments of the tool: only
// then can arguments that become known later change a record, and only then
// does State.Replace do anything.
func (r *Rules) DependsOnArgs(tool string) bool { return len(r.byName[tool].conditional) > 0 }

// RuleDependsOnArgs reports whether the rule with index i reads the arguments
// of the tool.
func (r *Rules) RuleDependsOnArgs(i int, tool string) bool {
	return slices.ContainsFunc(r.byName[tool].conditional, func(s int) bool {
		return slices.Contains(r.rules[i].given.selectors, s)
	})
}

// Evaluate returns a record for every rule, in the policy's order, over the
// calls of a run. Spanned indices are all there.
func (r *Rules) Evaluate(calls []Call, e Extent) []Record {
	s := r.NewState(math.MaxInt)
	s.past = nil // nothing will be replaced
	var violations []Violation
	for i := range calls {
		violations = s.Take(violations[:0], calls[i])
	}
	return s.Records(e)
}

// read finds the selectors that c matches. The symbol is part of x.
func (r *Rules) read(c *Call, x *scratch) symbol {
	clear(x.symbol)
	if known, ok := r.byName[c.Name]; ok {
		copy(x.symbol, known.certain)
		for _, n := range known.conditional {
			if r.selectors[n].matchArgs(c, &x.text) {
				x.symbol.add(n)
			}
		}
	}
	for _, n := range r.texts {
		if strings.Contains(c.Name, r.selectors[n].text) {
			x.symbol.add(n)
		}
	}
	return x.symbol
}

func (r *Rules) borrow() *scratch {
	if x, ok := r.scratch.Get().(*scratch); ok {
		return x
	}
	return &scratch{symbol: make(symbol, symbolWords(len(r.selectors)))}
}

// maxScratch bounds the buffer that is kept for the next call, so that one
// large argument does not stay paid for.
const maxScratch = 64 << 10

func (r *Rules) giveBack(x *scratch) {
	if cap(x.text) > maxScratch {
		x.text = nil
	}
	r.scratch.Put(x)
}
