// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

func lintOf(t testing.TB, text string) []Finding {
	t.Helper()
	p, err := policy.Read("policy.yaml", []byte(text))
	require.NoError(t, err)
	r, err := Load("policy.yaml", p)
	require.NoError(t, err)
	return Lint(r, p)
}

func TestLints(t *testing.T) {
	for _, tt := range []struct {
		name  string
		head  string
		rules []string
		want  []string
	}{
		{"rules that make sense have none", "aliases: {read: [a, b]}", []string{
			"{type: before, first: approve, then: pay}", "{type: max_calls, tool: pay, max: 3}", "{type: never_after, trigger: read, forbidden: mail}",
			"{type: sequence, tools: [plan, pay, plan]}", "{type: require, tool: audit}", "{type: max_calls, tool: delete, max: 0}"}, nil},
		{"nothing to put in order", "", []string{"{type: sequence, tools: []}"}, []string{"never_exercised sequences[0] -1"}},
		{"a trigger that stands for nothing", "aliases: {none: []}", []string{"{type: never_after, trigger: none, forbidden: a}"}, []string{"never_exercised sequences[0] -1"}},
		{"an answer that stands for nothing", "aliases: {none: []}", []string{"{type: after, trigger: a, then: none}"}, []string{"never_held sequences[0] -1"}},
		{"a first that stands for nothing", "aliases: {none: []}", []string{"{type: before, first: none, then: a}"}, []string{"never_held sequences[0] -1"}},
		{"required is nothing", "aliases: {none: []}", []string{"{type: require, tool: none}"}, []string{"always_violated sequences[0] -1"}},
		{"limited is nothing", "aliases: {none: []}", []string{"{type: max_calls, tool: none, max: 1}"}, []string{"never_violated sequences[0] -1"}},
		{"before itself", "", []string{"{type: before, first: a, then: a}"}, []string{"never_violated sequences[0] -1"}},
		{"before more than itself", "aliases: {any: [a, b]}", []string{"{type: before, first: any, then: {tool: a, args_match: {x: y}}}"}, []string{"never_violated sequences[0] -1"}},
		{"one in order", "", []string{"{type: sequence, tools: [a]}"}, []string{"never_violated sequences[0] -1"}},
		{"among the first none", "", []string{"{type: eventually, tool: a, within: 0}"}, []string{"always_violated sequences[0] -1"}},
		{"an answer within no calls", "", []string{"{type: after, trigger: a, then: b, within: 0}"}, []string{"never_held sequences[0] -1"}},
		{"the empty pattern", "", []string{"{type: blocklist, pattern: ''}"}, []string{"blocks_everything sequences[0] -1"}},

		{"twice the same", "aliases: {x: [a]}", []string{"{type: require, tool: a}", "{type: require, tool: x}"}, []string{"duplicate sequences[1] 0"}},
		{"a limit below a limit", "", []string{"{type: max_calls, tool: a, max: 3}", "{type: max_calls, tool: a, max: 2}"}, []string{"shadowed sequences[0] 1"}},
		{"a pattern in a pattern", "", []string{"{type: blocklist, pattern: delete_all}", "{type: blocklist, pattern: delete}"}, []string{"shadowed sequences[0] 1"}},
		{"a limit of what is blocked", "", []string{"{type: max_calls, tool: delete_all, max: 2}", "{type: blocklist, pattern: delete}"}, []string{"shadowed sequences[0] 1"}},
		{"forbidden is what is blocked anyway", "", []string{"{type: never_after, trigger: a, forbidden: rm}", "{type: max_calls, tool: rm, max: 0}"}, []string{"shadowed sequences[0] 1"}},
		{"required and blocked", "", []string{"{type: require, tool: delete_all}", "{type: blocklist, pattern: delete}"}, []string{"contradictory sequences[0] 1"}},
		{"required and allowed zero times", "", []string{"{type: max_calls, tool: a, max: 0}", "{type: require, tool: a}"}, []string{"contradictory sequences[1] 0"}},
		{"before and never after", "", []string{"{type: before, first: a, then: b}", "{type: never_after, trigger: a, forbidden: b}"}, []string{"contradictory sequences[0] 1"}},
		{"before each other", "", []string{"{type: before, first: a, then: b}", "{type: before, first: b, then: a}"}, []string{"contradictory sequences[0] 1"}},
		{"an answer that is forbidden", "", []string{"{type: after, trigger: a, then: b}", "{type: never_after, trigger: a, forbidden: b}"}, []string{"contradictory sequences[0] 1"}},
		{"an order of more calls than may be", "", []string{"{type: sequence, tools: [a, b, a]}", "{type: max_calls, tool: a, max: 1}"}, []string{"contradictory sequences[0] 1"}},
		{"an order that is forbidden", "", []string{"{type: sequence, tools: [a, b, c]}", "{type: never_after, trigger: a, forbidden: c}"}, []string{"contradictory sequences[0] 1"}},

		{"required and denied", "tools: {deny: [delete*]}", []string{"{type: require, tool: delete_all}"}, []string{"held_by_denied sequences[0] -1"}},
		{"required and not allowed", "tools: {allow: [read]}", []string{"{type: require, tool: write}", "{type: eventually, tool: read, within: 9}"}, []string{"held_by_denied sequences[0] -1"}},
		{"required and on no list", "enforcement: {unconstrained_tools: deny}", []string{"{type: require, tool: write}"}, []string{"held_by_denied sequences[0] -1"}},
		{"the trigger is denied", "tools: {deny: [rm]}", []string{"{type: never_after, trigger: rm, forbidden: mail}"}, []string{"exercised_by_denied sequences[0] -1"}},
		{"what is limited is denied", "tools: {deny: [rm]}", []string{"{type: max_calls, tool: rm, max: 2}"}, []string{"violated_by_denied sequences[0] -1"}},
		{"an alias is denied in part", "tools: {deny: [rm]}\naliases: {x: [rm, mv]}", []string{"{type: require, tool: x}"}, nil},

		{"two that print alike", "", []string{"{type: require, tool: {tool: a, args_match: {x: '1'}}}", "{type: require, tool: {tool: a, args_match: {x: '2'}}}"}, []string{"same_rule_id sequences[1] 0"}},
		{"ids tell them apart", "", []string{"{type: require, tool: {tool: a, args_match: {x: '1'}}}", "{type: require, tool: {tool: a, args_match: {x: '2'}}, id: two}"}, nil},
		{"one id twice", "", []string{"{type: require, tool: a, id: x}", "{type: require, tool: b, id: x}"}, []string{"same_id sequences[1] 0"}},
		{"a star in a tool", "", []string{"{type: max_calls, tool: delete_*, max: 2}", "{type: blocklist, pattern: 'rm*'}"}, []string{"literal_star sequences[0] -1", "literal_star sequences[1] -1"}},
		{"an ASCII boundary", "", []string{`{type: require, tool: {tool: a, args_match: {x: 'a(b|\bc)+', y: '\\b'}}}`}, []string{"ascii_boundary sequences[0] -1"}},
		{"an alias that no rule names", "aliases: {x: [a]}", []string{"{type: blocklist, pattern: x}"}, []string{"unused_alias aliases.x -1"}},
		{"an alias in an alias", "aliases: {x: [y, x], y: [a]}", []string{"{type: require, tool: x}", "{type: max_calls, tool: {tool: y, args_match: {}}, max: 1}"}, []string{"nested_alias aliases.x -1"}},
		{"an alias named like a tool", "tools: {allow: [x, z, a]}\naliases: {x: [a], z: [z, a]}", []string{"{type: require, tool: x}", "{type: before, first: z, then: q}"},
			[]string{"hiding_alias aliases.x -1", "exercised_by_denied sequences[1] -1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range lintOf(t, tt.head+"\nsequences: [\n"+strings.Join(tt.rules, ",\n")+"\n]") {
				got = append(got, fmt.Sprintf("%s %s %d", f.Code, f.Path, f.Other))
				assert.Positive(t, f.Line)
				assert.Positive(t, f.Column)
			}
			assert.ElementsMatch(t, tt.want, got)
		})
	}
}

func TestAFindingCitesWhatItIsAbout(t *testing.T) {
	found := lintOf(t, "tools:\n  deny: [rm]\nsequences:\n- {type: require, tool: rm}\n- {type: max_calls, tool: rm, max: 0}\n")
	require.Len(t, found, 3)
	assert.Equal(t, Finding{LintHeldByDenied, 4, 3, "sequences[0]", 0, -1,
		`it holds only with a call that the policy denies: "rm", tools.deny[0], line 2, denies it`}, found[0])
	assert.Equal(t, Finding{LintContradictory, 4, 3, "sequences[0]", 0, 1,
		"no complete run is fine with both: where it holds, sequences[1] (max_calls:rm<=0, line 5) is violated"}, found[1])
	assert.Equal(t, LintViolatedByDenied, found[2].Code)
}

// TestEveryLintIsTrue lints a rich set of rules, each beside each, and looks
// for a run that proves a finding wrong among all short ones.
func TestEveryLintIsTrue(t *testing.T) {
	lines := []string{
		"{type: max_calls, tool: {tool: a, args_match: {x: '1'}}, max: 1}", "{type: max_calls, tool: {tool: tools_ab, args_match: {x: '1'}}, max: 0}",
		"{type: require, tool: {tool: a, args_match: {x: '1'}}}", "{type: require, tool: {tool: a, args_match: {x: '1', y: '2'}}}",
		"{type: never_after, trigger: {tool: tools_ab, args_match: {x: '1'}}, forbidden: b}", "{type: before, first: {tool: a, args_match: {x: '1'}}, then: a}",
		"{type: require, tool: a}", "{type: after, trigger: {tool: a, args_match: {x: '1'}}, then: a, within: 2}", "{type: eventually, tool: {tool: a, args_match: {x: '1'}}, within: 2}",
	}
	for _, r := range specRules() {
		lines = append(lines, r.yaml())
	}
	var runs []provingRun
	seen := map[LintCode]int{}
	for _, tools := range []string{"", "tools: {deny: [a]}\n", "tools: {allow: [b, c]}\n", "tools: {allow: [a]}\n", "enforcement: {unconstrained_tools: deny}\n"} {
		p, err := policy.Read("p", []byte(tools+"aliases: {"+specAliases+"}\nsequences: ["+strings.Join(lines, ",\n")+"]"))
		require.NoError(t, err)
		r, err := Load("p", p)
		require.NoError(t, err)
		if runs == nil {
			runs = allRuns(t, r)
		}
		for i := range runs {
			runs[i].denied = slices.ContainsFunc(strings.Split(runs[i].calls, ""), func(name string) bool {
				_, denied := toolGate{p}.denies(name)
				return name != "" && denied
			})
		}
		for _, f := range Lint(r, p) {
			claim, ok := claims[f.Code]
			for i := range runs {
				if ok && !claim(&runs[i], f) {
					t.Fatalf("%s, %s on %q: %s", r.RuleID(f.Rule), f.Code, runs[i].calls, f.Msg)
				}
			}
			seen[f.Code]++
		}
	}
	for code := range claims {
		assert.Contains(t, seen, code, "no rule of the test has it")
	}
}

// A provingRun is a run with what became of every rule.
type provingRun struct {
	calls             string
	partial, complete []Record
	denied            bool // the policy denies one of the calls
}

func allRuns(t testing.TB, r *Rules) (runs []provingRun) {
	alphabet := append(named("a b c"), withArgs(t, "a", `{"x":1}`), withArgs(t, "a", `{"x":1,"y":2}`), withArgs(t, "b", `{"x":1}`))
	var walk func([]Call)
	walk = func(calls []Call) {
		run := provingRun{partial: r.Evaluate(calls, Partial), complete: r.Evaluate(calls, Complete)}
		for _, c := range calls {
			run.calls += c.Name
		}
		runs = append(runs, run)
		if len(calls) < 4 {
			for _, c := range alphabet {
				walk(append(slices.Clone(calls), c))
			}
		}
	}
	walk(nil)
	return runs
}

// claims is what each lint says of one run.
var claims = map[LintCode]func(*provingRun, Finding) bool{
	LintNeverExercised: func(r *provingRun, f Finding) bool {
		return r.partial[f.Rule].Outcome == NotExercised && r.complete[f.Rule].Outcome == NotExercised
	},
	LintNeverViolated: func(r *provingRun, f Finding) bool {
		return r.partial[f.Rule].Outcome != Violated && r.complete[f.Rule].Outcome != Violated
	},
	LintAlwaysViolated: func(r *provingRun, f Finding) bool {
		return r.partial[f.Rule].Outcome == Violated && r.complete[f.Rule].Outcome == Violated
	},
	LintNeverHeld: func(r *provingRun, f Finding) bool { return r.complete[f.Rule].Outcome != Held },
	LintBlocksEverything: func(r *provingRun, f Finding) bool {
		return r.calls == "" || r.partial[f.Rule].Outcome == Violated
	},
	LintDuplicate: func(r *provingRun, f Finding) bool {
		same := func(rs []Record) bool {
			a, b := rs[f.Rule], rs[f.Other]
			return a.Outcome == b.Outcome && slices.Equal(a.Spanned, b.Spanned)
		}
		return same(r.partial) && same(r.complete)
	},
	LintShadowed: func(r *provingRun, f Finding) bool {
		covered := func(rs []Record) bool { return rs[f.Rule].Outcome != Violated || rs[f.Other].Outcome == Violated }
		return covered(r.partial) && covered(r.complete)
	},
	LintContradictory: func(r *provingRun, f Finding) bool {
		return r.complete[f.Rule].Outcome != Held || r.complete[f.Other].Outcome == Violated
	},
	LintExercisedByDenied: func(r *provingRun, f Finding) bool {
		return r.denied || r.partial[f.Rule].Outcome == NotExercised && r.complete[f.Rule].Outcome == NotExercised
	},
	LintHeldByDenied: func(r *provingRun, f Finding) bool { return r.denied || r.complete[f.Rule].Outcome != Held },
	LintViolatedByDenied: func(r *provingRun, f Finding) bool {
		return r.denied || r.partial[f.Rule].Outcome != Violated && r.complete[f.Rule].Outcome != Violated
	},
}
