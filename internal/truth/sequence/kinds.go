// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"strconv"
	"strings"
)

// A kindSpec says how one kind of rule is written in a policy and what it
// becomes.
type kindSpec struct {
	operands []operand
	grows    bool // what its record spans grows with the run

	// build makes the machine; operands are complete and in their order.
	build func(given) machine

	// label prints the operands as they stand in rule_id.
	label func(given) string
}

// A form is what an operand looks like in a policy.
type form uint8

const (
	formSelector  form = iota + 1 // a tool, or a tool with args_match
	formSelectors                 // a list of those
	formText                      // a text
	formBound                     // an unsigned integer of 32 bits
	formFlag                      // true or false
)

// An operand is one member of a rule, beside type and id.
type operand struct {
	name     string
	form     form
	optional bool
	fallback uint32 // of an optional bound
}

// kinds is every kind of rule (spec section 10).
var kinds = [...]kindSpec{
	KindRequire: {
		operands: []operand{{name: "tool", form: formSelector}},
		grows:    true,
		build:    func(g given) machine { return requireRule{g.selectors[0]} },
		label:    func(g given) string { return g.labels[0] },
	},
	KindBlocklist: {
		operands: []operand{{name: "pattern", form: formText}},
		grows:    true,
		build:    func(g given) machine { return blocklistRule{g.selectors[0]} },
		label:    func(g given) string { return g.labels[0] },
	},
	KindBefore: {
		operands: []operand{{name: "first", form: formSelector}, {name: "then", form: formSelector}},
		build:    func(g given) machine { return beforeRule{g.selectors[0], g.selectors[1]} },
		label:    func(g given) string { return g.labels[0] + "->" + g.labels[1] },
	},
	KindNeverAfter: {
		operands: []operand{{name: "trigger", form: formSelector}, {name: "forbidden", form: formSelector}},
		build:    func(g given) machine { return neverAfterRule{g.selectors[0], g.selectors[1]} },
		label:    func(g given) string { return g.labels[0] + "->" + g.labels[1] },
	},
	KindMaxCalls: {
		operands: []operand{{name: "tool", form: formSelector}, {name: "max", form: formBound}},
		grows:    true,
		build:    func(g given) machine { return maxCallsRule{g.selectors[0], g.bound} },
		label:    func(g given) string { return g.labels[0] + "<=" + decimal(g.bound) },
	},
	KindEventually: {
		operands: []operand{{name: "tool", form: formSelector}, {name: "within", form: formBound}},
		build:    func(g given) machine { return eventuallyRule{g.selectors[0], g.bound} },
		label:    func(g given) string { return g.labels[0] + "@" + decimal(g.bound) },
	},
	KindAfter: {
		operands: []operand{
			{name: "trigger", form: formSelector}, {name: "then", form: formSelector},
			{name: "within", form: formBound, optional: true, fallback: 1},
		},
		grows: true,
		build: func(g given) machine { return afterRule{g.selectors[0], g.selectors[1], g.bound} },
		label: func(g given) string { return g.labels[0] + "->" + g.labels[1] + "@" + decimal(g.bound) },
	},
	KindSequence: {
		operands: []operand{{name: "tools", form: formSelectors}, {name: "strict", form: formFlag, optional: true}},
		build:    func(g given) machine { return inOrderRule{g.selectors, g.strict} },
		label:    labelSequence,
	},
}

func labelSequence(g given) string {
	members := strings.Join(g.labels, ">")
	if g.strict {
		return "strict:" + members
	}
	return members
}

func decimal(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// ruleID prints a rule as records name it.
func ruleID(k Kind, g given) string { return k.String() + ":" + kinds[k].label(g) }

// operandNames lists what a rule of the kind may have.
func (k *kindSpec) operandNames() []string {
	names := []string{"type", "id"}
	for _, o := range k.operands {
		names = append(names, o.name)
	}
	return names
}
