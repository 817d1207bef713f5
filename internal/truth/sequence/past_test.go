// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// argRules read arguments in every kind, beside rules that do not.
func argRules(t testing.TB) *Rules {
	return flow(t, "both: [a, b]",
		"{type: require, tool: {tool: a, args_match: {x: '1'}}}",
		"{type: blocklist, pattern: c}",
		"{type: before, first: {tool: a, args_match: {x: '1'}}, then: b}",
		"{type: before, first: a, then: {tool: both, args_match: {x: '2'}}}",
		"{type: never_after, trigger: {tool: both, args_match: {x: '1'}}, forbidden: c}",
		"{type: max_calls, tool: {tool: a, args_match: {x: '1'}}, max: 2}",
		"{type: max_calls, tool: both, max: 3}",
		"{type: eventually, tool: {tool: b, args_match: {x: '2'}}, within: 3}",
		"{type: after, trigger: a, then: {tool: b, args_match: {x: '.'}}, within: 2}",
		"{type: after, trigger: {tool: both, args_match: {x: '1'}}, then: c, within: 2}",
		"{type: sequence, tools: [a, {tool: b, args_match: {x: '1'}}, both]}",
		"{type: sequence, tools: [{tool: both, args_match: {}}, c], strict: true}",
	)
}

// TestALateArgumentCountsAsIfItHadBeenThere replaces calls whose arguments were
// absent, in any order, and compares with the run as it then is.
func TestALateArgumentCountsAsIfItHadBeenThere(t *testing.T) {
	r := argRules(t)
	random := rand.New(rand.NewPCG(5, 6))
	kinds := []Call{
		{Name: "a"}, {Name: "b"}, {Name: "c"},
		withArgs(t, "a", `{"x":1}`), withArgs(t, "a", `{"x":2}`), withArgs(t, "b", `{"x":"1"}`), withArgs(t, "b", `{"x":2}`),
	}
	late := map[string][]Call{"a": kinds[3:5], "b": kinds[5:], "c": {withArgs(t, "c", `{}`)}}
	for range 80 {
		calls := make([]Call, 1+random.IntN(2*ReplaceWindow-1))
		s := r.NewState(5)
		for i := range calls {
			calls[i] = kinds[random.IntN(len(kinds))]
			s.Add(calls[i])
		}
		for range 4 {
			i := random.IntN(len(calls))
			calls[i] = late[calls[i].Name][random.IntN(len(late[calls[i].Name]))]
			was := s.Records(Partial)
			violated, err := s.Replace(i, calls[i])
			require.NoError(t, err)
			want := play(r, 5, calls)
			for _, e := range bothExtents {
				require.Equal(t, briefs(want.Records(e)), briefs(s.Records(e)))
			}
			var turned []int
			for j, now := range s.Records(Partial) {
				if now.Outcome == Violated && was[j].Outcome != Violated {
					turned = append(turned, j)
				}
			}
			require.Equal(t, turned, violated)
			s = stored(t, s)
		}
	}
}

func TestTheWindowOfReplacement(t *testing.T) {
	r := flow(t, "", "{type: max_calls, tool: {tool: a, args_match: {x: '1'}}, max: 0}")
	one := withArgs(t, "a", `{"x":1}`)
	calls := make([]Call, 5*ReplaceWindow+7)
	for i := range calls {
		calls[i] = Call{Name: "a"}
	}
	s := play(r, 0, calls)

	_, err := s.Replace(len(calls), one)
	require.ErrorIs(t, err, ErrNoCall)
	_, err = s.Replace(-1, one)
	require.ErrorIs(t, err, ErrNoCall)
	_, err = s.Replace(len(calls)-2*ReplaceWindow-1, one)
	require.ErrorIs(t, err, ErrTooOld)
	assert.Equal(t, Held, s.Records(Complete)[0].Outcome, "what was refused changes nothing")

	for _, i := range []int{len(calls) - ReplaceWindow, len(calls) - 1} {
		_, err = s.Replace(i, one)
		require.NoError(t, err)
	}
	got := s.Records(Complete)[0]
	assert.Equal(t, []int{len(calls) - ReplaceWindow, len(calls) - 1}, got.Spanned)
	assert.Equal(t, briefs(s.Records(Complete)), briefs(stored(t, s).Records(Complete)))
}

func TestReplaceCanMendARule(t *testing.T) {
	r := flow(t, "", "{type: after, trigger: pay, then: {tool: receipt, args_match: {ok: 'true'}}}")
	s := play(r, 0, named("pay receipt search"))
	require.Equal(t, Violated, s.Records(Partial)[0].Outcome)
	violated, err := s.Replace(1, withArgs(t, "receipt", `{"ok":true}`))
	require.NoError(t, err)
	assert.Empty(t, violated)
	assert.Equal(t, "after:pay->receipt[ok]@1 held [0 1]", brief(s.Records(Complete)[0]))
}

func TestReplaceIsForArgumentsOnly(t *testing.T) {
	r := flow(t, "", "{type: before, first: b, then: {tool: a, args_match: {x: '1'}}}", "{type: max_calls, tool: c, max: 0}")
	s := play(r, 0, named("b c"))
	was := briefs(s.Records(Partial))

	_, err := s.Replace(0, withArgs(t, "a", `{"x":1}`))
	require.ErrorIs(t, err, ErrOtherTool, "a rule that reads arguments saw tool b")
	_, err = s.Replace(1, withArgs(t, "c", `{"x":1}`))
	require.NoError(t, err, "no rule reads the arguments of c")
	assert.Equal(t, was, briefs(s.Records(Partial)))
}

func TestWhichRulesDependOnArguments(t *testing.T) {
	r := flow(t, "both: [a, b]", "{type: require, tool: a}", "{type: require, tool: {tool: both, args_match: {x: '1'}}}",
		"{type: require, tool: {tool: c, args_match: {}}}", "{type: blocklist, pattern: a}")
	for tool, want := range map[string][]bool{
		"a": {false, true, false, false}, "b": {false, true, false, false}, "both": {false, false, false, false},
		"c": {false, false, false, false}, "": {false, false, false, false},
	} {
		for i := range r.Len() {
			assert.Equal(t, want[i], r.RuleDependsOnArgs(i, tool), "%s of %q", r.RuleID(i), tool)
		}
		assert.Equal(t, want[1], r.DependsOnArgs(tool))
	}
}
