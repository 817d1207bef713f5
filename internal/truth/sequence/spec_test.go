// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"fmt"
	"slices"
	"strings"
)

// This file is a slow evaluator, written from the table of spec section 10 and
// from nothing else: it looks at whole runs, forwards and backwards, and keeps
// no state. The tests compare everything else with it.

// A specRule is a rule as the table knows it: operands are sets of tools.
type specRule struct {
	kind   string
	ops    []string // a letter a tool: "ab" means a or b, "" means none
	text   string   // blocklist
	bound  int      // max, within
	strict bool
}

// A specRecord is an outcome and what it spans.
type specRecord struct {
	outcome string
	spanned []int
}

const allTools = "abc"

func (r specRule) hits(calls string, op int) (at []int) {
	for i := range calls {
		if strings.Contains(r.ops[op], calls[i:i+1]) {
			at = append(at, i)
		}
	}
	return at
}

func every(calls string) (at []int) {
	for i := range calls {
		at = append(at, i)
	}
	return at
}

func (r specRule) evaluate(calls string, complete bool) specRecord {
	switch r.kind {
	case "require":
		return r.require(calls)
	case "blocklist":
		return r.blocklist(calls)
	case "before":
		return r.before(calls)
	case "never_after":
		return r.neverAfter(calls)
	case "max_calls":
		hits := r.hits(calls, 0)
		return specRecord{either(len(hits) > r.bound), hits}
	case "eventually":
		return r.eventually(calls, complete)
	case "after":
		return r.after(calls, complete)
	case "sequence":
		return r.sequence(calls, complete)
	}
	panic(r.kind)
}

func either(violated bool) string {
	if violated {
		return "violated"
	}
	return "held"
}

func (r specRule) require(calls string) specRecord {
	hits := r.hits(calls, 0)
	return specRecord{either(len(hits) == 0), hits}
}

func (r specRule) blocklist(calls string) specRecord {
	var hits []int
	for i := range calls {
		if strings.Contains(calls[i:i+1], r.text) {
			hits = append(hits, i)
		}
	}
	if len(hits) > 0 {
		return specRecord{"violated", hits}
	}
	return specRecord{"held", every(calls)}
}

func (r specRule) before(calls string) specRecord {
	first, then := r.hits(calls, 0), r.hits(calls, 1)
	switch {
	case len(then) == 0:
		return specRecord{outcome: "not_exercised"}
	case len(first) == 0:
		return specRecord{"violated", []int{then[0]}}
	default:
		return specRecord{either(first[0] > then[0]), []int{first[0], then[0]}}
	}
}

func (r specRule) neverAfter(calls string) specRecord {
	triggers := r.hits(calls, 0)
	if len(triggers) == 0 {
		return specRecord{outcome: "not_exercised"}
	}
	for _, f := range r.hits(calls, 1) {
		if f > triggers[0] {
			return specRecord{"violated", []int{triggers[0], f}}
		}
	}
	return specRecord{"held", triggers[:1]}
}

func (r specRule) eventually(calls string, complete bool) specRecord {
	hits := r.hits(calls, 0)
	switch {
	case len(hits) > 0:
		return specRecord{either(hits[0] >= r.bound), hits[:1]}
	case complete || len(calls) >= r.bound:
		return specRecord{"violated", every(calls)}
	default:
		return specRecord{outcome: "not_exercised"}
	}
}

func (r specRule) after(calls string, complete bool) specRecord {
	triggers, thens := r.hits(calls, 0), r.hits(calls, 1)
	if len(triggers) == 0 {
		return specRecord{outcome: "not_exercised"}
	}
	spanned := slices.Clone(triggers)
	for _, t := range triggers {
		i := slices.IndexFunc(thens, func(a int) bool { return t < a && a <= t+r.bound })
		switch {
		case i >= 0:
			spanned = append(spanned, thens[i])
			continue
		case complete || len(calls) > t+r.bound:
			return specRecord{"violated", sortedUnique(spanned)}
		default:
			return specRecord{outcome: "not_exercised"}
		}
	}
	return specRecord{"held", sortedUnique(spanned)}
}

func sortedUnique(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

func (r specRule) sequence(calls string, complete bool) specRecord {
	var members []int
	matches := func(op, i int) bool { return strings.Contains(r.ops[op], calls[i:i+1]) }
	for i := range calls {
		next := len(members)
		if next == len(r.ops) {
			break
		}
		if matches(next, i) {
			members = append(members, i)
			continue
		}
		foreign := r.strict && next > 0
		for later := next + 1; later < len(r.ops) && !r.strict; later++ {
			foreign = foreign || matches(later, i)
		}
		if foreign {
			return specRecord{"violated", append(members, i)}
		}
	}
	switch {
	case len(members) == 0:
		return specRecord{outcome: "not_exercised"}
	case complete && len(members) < len(r.ops):
		return specRecord{"violated", members}
	default:
		return specRecord{"held", members}
	}
}

// operandNames are the members of a rule that take tools, by kind.
var specOperands = map[string][]string{
	"require": {"tool"}, "before": {"first", "then"}, "never_after": {"trigger", "forbidden"},
	"max_calls": {"tool"}, "eventually": {"tool"}, "after": {"trigger", "then"},
}

// aliasOf returns the name by which a policy of the tests means a set of tools.
func aliasOf(op string) string {
	if len(op) == 1 {
		return op
	}
	return "tools_" + op
}

const specAliases = "tools_: [], tools_ab: [a, b], tools_bc: [b, c], tools_abc: [a, b, c]"

// yaml writes the rule as a policy has it.
func (r specRule) yaml() string {
	parts := []string{"type: " + r.kind}
	for i, name := range specOperands[r.kind] {
		parts = append(parts, name+": "+aliasOf(r.ops[i]))
	}
	switch r.kind {
	case "blocklist":
		parts = append(parts, fmt.Sprintf("pattern: %q", r.text))
	case "max_calls":
		parts = append(parts, fmt.Sprintf("max: %d", r.bound))
	case "eventually", "after":
		parts = append(parts, fmt.Sprintf("within: %d", r.bound))
	case "sequence":
		tools := make([]string, len(r.ops))
		for i, op := range r.ops {
			tools[i] = aliasOf(op)
		}
		parts = append(parts, "tools: ["+strings.Join(tools, ", ")+"]", fmt.Sprintf("strict: %t", r.strict))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// specRules is the rich set of rules that the exhaustive tests run.
func specRules() (rules []specRule) {
	ops := []string{"a", "b", "ab", "bc", ""}
	for _, x := range ops {
		rules = append(rules, specRule{kind: "require", ops: []string{x}})
		for _, n := range []int{0, 1, 2, 5} {
			rules = append(rules, specRule{kind: "max_calls", ops: []string{x}, bound: n})
			rules = append(rules, specRule{kind: "eventually", ops: []string{x}, bound: n})
		}
		for _, y := range ops {
			rules = append(rules, specRule{kind: "before", ops: []string{x, y}})
			rules = append(rules, specRule{kind: "never_after", ops: []string{x, y}})
			for n := range 4 {
				rules = append(rules, specRule{kind: "after", ops: []string{x, y}, bound: n})
			}
		}
	}
	for _, text := range []string{"a", "c", "", "ab", "*"} {
		rules = append(rules, specRule{kind: "blocklist", text: text})
	}
	for _, tools := range [][]string{
		{}, {"a"}, {""}, {"a", "b"}, {"a", "a"}, {"ab", "b"}, {"b", "ab"}, {"a", "b", "c"}, {"a", "b", "a"},
		{"a", "ab", "abc"}, {"abc", "ab", "a"}, {"a", "b", "b"}, {"a", "", "b"}, {"a", "b", "c", "a"},
	} {
		for _, strict := range []bool{false, true} {
			rules = append(rules, specRule{kind: "sequence", ops: tools, strict: strict})
		}
	}
	return rules
}

// traces calls do with every run of up to n calls.
func traces(n int, do func(string)) {
	var walk func(string)
	walk = func(calls string) {
		do(calls)
		if len(calls) < n {
			for i := range allTools {
				walk(calls + allTools[i:i+1])
			}
		}
	}
	walk("")
}
