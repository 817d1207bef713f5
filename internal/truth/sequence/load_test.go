// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

func TestAPolicyWithoutRules(t *testing.T) {
	for _, text := range []string{"version: '2'", "sequences: []", "aliases: {}", "aliases: {a: []}\nsequences: []"} {
		r := rules(t, text)
		assert.Zero(t, r.Len())
		assert.Empty(t, r.Evaluate(named("a"), Complete))
	}
}

func TestHowRulesPrint(t *testing.T) {
	r := flow(t, "any: [a, b]",
		"{type: require, tool: any}", "{type: blocklist, pattern: 'x*'}", "{type: before, first: a, then: b}",
		"{type: never_after, trigger: a, forbidden: b}", "{type: max_calls, tool: a, max: 0x10}", "{type: eventually, tool: a, within: 4294967295}",
		"{type: after, trigger: a, then: b}", "{type: after, trigger: a, then: b, within: 0}", "{type: sequence, tools: []}",
		"{type: sequence, tools: [a, b], strict: true, id: order}", "{type: require, tool: {tool: a, args_match: {z: x, É: x, B: x}}}",
		"{type: require, tool: {tool: a, args_match: {}}}", "{type: require, tool: ''}",
	)
	want := []string{
		"require:any", "blocklist:x*", "before:a->b", "never_after:a->b", "max_calls:a<=16", "eventually:a@4294967295", "after:a->b@1",
		"after:a->b@0", "sequence:", "sequence:strict:a>b", "require:a[B,z,É]", "require:a[]", "require:",
	}
	require.Equal(t, len(want), r.Len())
	for i := range want {
		assert.Equal(t, want[i], r.RuleID(i))
		assert.True(t, strings.HasPrefix(want[i], r.Kind(i).String()+":"))
	}
	assert.Equal(t, "order", r.ID(9))
	records := r.Evaluate(nil, Complete)
	assert.Equal(t, "order", records[9].ID)
	assert.Empty(t, records[0].ID)
}

func TestAnAliasStandsForItsMembersAlone(t *testing.T) {
	const aliases = "any_open: [open_a, open_b], outer: [any_open, open_c], me: [me, you], none: []"
	for _, tt := range []struct {
		name, tool, calls, want string
	}{
		{"any member counts", "any_open", "open_b x open_a", "[0 2]"},
		{"the alias is no tool", "any_open", "any_open", "[]"},
		{"an alias in an alias is the tool of that name", "outer", "open_a any_open open_c", "[1 2]"},
		{"an alias that names itself means the tool too", "me", "me you", "[0 1]"},
		{"an alias of nothing matches nothing", "none", "none", "[]"},
		{"any other name is itself", "open_a", "open_b open_a", "[1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := flow(t, aliases, "{type: max_calls, tool: "+tt.tool+", max: 9}")
			assert.Equal(t, "max_calls:"+tt.tool+"<=9 held "+tt.want, brief(r.Evaluate(named(tt.calls), Complete)[0]))
		})
	}
}

// TestFaults lists what is no rule, and what the author is told.
func TestFaults(t *testing.T) {
	const types = "require, blocklist, before, never_after, max_calls, eventually, after, sequence"
	const selector = "the name of a tool or an alias, or {tool, args_match}"
	const bound = "want an integer from 0 to 4294967295"
	for _, tt := range []struct{ name, text, want string }{
		{"rules are a list", "sequences: {}", "1:12: sequences: got a mapping, want a list of rules"},
		{"null declares nothing, and says so nowhere", "sequences: null", "1:12: sequences: got null, want a list of rules; [] declares none"},
		{"a rule is a mapping", "sequences: [require]", "1:13: sequences[0]: got a text, want a rule: a mapping with a type and its operands"},
		{"a rule is no list", "sequences: [[require, a]]", "1:13: sequences[0]: got a list, want a rule: a mapping with a type and its operands"},
		{"no type", "sequences: [{tool: a}]", "1:13: sequences[0]: the rule has no type, known are " + types},
		{"a type that is no text", "sequences: [{type: 1}]", "1:20: sequences[0].type: got 1, known are " + types},
		{"a type misspelt", "sequences: [{type: requires, tool: a}]", `1:20: sequences[0].type: "requires" is no type of rule, did you mean require?`},
		{"a type in capitals", "sequences: [{type: Before}]", `1:20: sequences[0].type: "Before" is no type of rule, did you mean before?`},
		{"a type like no other", "sequences: [{type: xyz}]", `1:20: sequences[0].type: "xyz" is no type of rule, known are ` + types},
		{"an operand is missing", "sequences: [{type: before, then: a}]", `1:13: sequences[0]: a before rule needs "first": ` + selector},
		{"an operand of another kind", "sequences: [{type: require, tool: a, max: 3}]", `1:38: sequences[0].max: a require rule has no such operand, known are type, id, tool`},
		{"an operand misspelt", "sequences: [{type: sequence, tools: [a], Strict: true}]", `1:42: sequences[0].Strict: a sequence rule has no such operand, did you mean strict?`},
		{"a tool that is no text", "sequences: [{type: require, tool: 1}]", "1:35: sequences[0].tool: got 1, want " + selector},
		{"a tool of null", "sequences: [{type: require, tool: ~}]", "1:35: sequences[0].tool: got null, want " + selector},
		{"a list of tools where one is wanted", "sequences: [{type: require, tool: [a]}]", "1:35: sequences[0].tool: got a list, want " + selector},
		{"one tool where a list is wanted", "sequences: [{type: sequence, tools: a}]", "1:37: sequences[0].tools: got a text, want a list of tools"},
		{"a member that is no tool", "sequences: [{type: sequence, tools: [a, 2]}]", "1:41: sequences[0].tools[1]: got 2, want " + selector},
		{"a flag that is no boolean", "sequences: [{type: sequence, tools: [a], strict: yes}]", "1:50: sequences[0].strict: got a text, want true or false"},
		{"a pattern that is no text", "sequences: [{type: blocklist, pattern: 3}]", "1:40: sequences[0].pattern: got 3, want a text that no tool's name may contain"},
		{"a bound below zero", "sequences: [{type: max_calls, tool: a, max: -1}]", "1:45: sequences[0].max: got -1, " + bound},
		{"a bound beyond 32 bits", "sequences: [{type: max_calls, tool: a, max: 4294967296}]", "1:45: sequences[0].max: got 4294967296, " + bound},
		{"a bound that is no integer token", "sequences: [{type: max_calls, tool: a, max: 1.0}]", "1:45: sequences[0].max: got 1.0, " + bound},
		{"a bound in quotes", "sequences: [{type: max_calls, tool: a, max: '1'}]", "1:45: sequences[0].max: got a text, " + bound},
		{"a bound of null", "sequences: [{type: after, trigger: a, then: b, within: null}]", "1:56: sequences[0].within: got null, " + bound},
		{"an id that is no text", "sequences: [{type: require, tool: a, id: 3}]", "1:42: sequences[0].id: got 3, want a text that is not empty"},
		{"an id of nothing", "sequences: [{type: require, tool: a, id: ''}]", "1:42: sequences[0].id: got an empty text, want a text that is not empty"},
		{"a selector without args_match", "sequences: [{type: require, tool: {tool: a}}]", `1:35: sequences[0].tool: a selector needs "args_match": a mapping from argument names to regexes; without it, write the tool's name alone`},
		{"a selector without a tool", "sequences: [{type: require, tool: {args_match: {}}}]", `1:35: sequences[0].tool: a selector needs "tool": the name of a tool or an alias`},
		{"a selector of no tool", "sequences: [{type: require, tool: {tool: true, args_match: {}}}]", "1:42: sequences[0].tool.tool: got true, want the name of a tool or an alias"},
		{"a selector with more", "sequences: [{type: require, tool: {tool: a, args_match: {}, arg_match: {}}}]", `1:61: sequences[0].tool.arg_match: a selector has no such member, did you mean args_match?`},
		{"args_match is a mapping", "sequences: [{type: require, tool: {tool: a, args_match: []}}]", "1:57: sequences[0].tool.args_match: got a list, want a mapping from argument names to regexes"},
		{"a regex that is no text", "sequences: [{type: require, tool: {tool: a, args_match: {my arg: 1}}}]", `1:66: sequences[0].tool.args_match["my arg"]: got 1, want a regex`},
		{"a regex that does not compile", "sequences: [{type: require, tool: {tool: a, args_match: {x: '(?=a)'}}}]", "1:61: sequences[0].tool.args_match.x: the regex does not compile: invalid or unsupported Perl syntax: \"(?=\"; want RE2 syntax"},
		{"aliases are a mapping", "aliases: []", "1:10: aliases: got a list, want a mapping from a name to a list of tools"},
		{"aliases of null", "aliases:", "1:9: aliases: got null, want a mapping from a name to a list of tools"},
		{"an alias is a list", "aliases: {a: b}", "1:14: aliases.a: got a text, want a list of tools"},
		{"an alias of null", "aliases: {a: ~}", "1:14: aliases.a: got null, want a list of tools"},
		{"a member that is no text", "aliases: {a: [b, 1]}", "1:18: aliases.a[1]: got 1, want the name of a tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := policy.Read("policy.yaml", []byte(tt.text))
			require.NoError(t, err)
			_, err = Load("policy.yaml", p)
			require.Error(t, err)
			assert.Equal(t, "policy.yaml:"+tt.want, err.Error())
			var place *policy.Error
			require.True(t, errors.As(err, &place))
			assert.Equal(t, "policy.yaml", place.File)
		})
	}
}

func TestEveryFaultIsReportedInTheOrderOfTheFile(t *testing.T) {
	p, err := policy.Read("p.yaml", []byte(`
sequences:
  - type: require
  - type: max_calls
    tool: {tool: a, args_match: {x: "["}}
    max: many
    min: 2
  - type: eventually
    tool: ok
    within: 2
aliases: {x: 1}
`))
	require.NoError(t, err)
	_, err = Load("p.yaml", p)
	var all policy.Errors
	require.True(t, errors.As(err, &all))
	var lines []int
	for _, e := range all {
		lines = append(lines, e.Line)
	}
	assert.Equal(t, []int{3, 5, 6, 7, 11}, lines)
}

func FuzzLoad(f *testing.F) {
	for _, r := range specRules() {
		f.Add("aliases: {" + specAliases + "}\nsequences: [" + r.yaml() + "]")
	}
	f.Add("sequences: [{type: require, tool: {tool: a, args_match: {x: '[\\W\\d-z]'}}}]")
	f.Add("sequences: [{type: max_calls, tool: a, max: 0x7fffffff, id: x}]\naliases: {a: [a, a]}")
	calls := append(named("a b c a"), withArgs(f, "a", `{"x":[1e99,-0,"é"]}`))
	f.Fuzz(func(t *testing.T, text string) {
		p, err := policy.Read("p", []byte(text))
		if err != nil {
			return
		}
		r, err := Load("p", p)
		if err != nil {
			var place *policy.Error
			require.True(t, errors.As(err, &place), "every fault has its place")
			require.Positive(t, place.Line)
			return
		}
		s := play(r, 2, calls)
		for _, e := range bothExtents {
			for i, record := range r.Evaluate(calls, e) {
				require.Equal(t, record.Outcome, s.Records(e)[i].Outcome)
				require.Equal(t, record.Outcome == Held, record.Reason == NoReason)
			}
		}
		stored(t, s)
		Lint(r, p)
	})
}
