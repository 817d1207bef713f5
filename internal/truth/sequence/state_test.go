// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTakeTellsNewViolationsFromRepeatedOnes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rule  string
		calls string
		want  []string // a letter a call: v violates, a again, - neither
	}{
		{"a require rule is never turned violated by a call", "{type: require, tool: x}", "a b", []string{"-", "-"}},
		{"every blocked name violates", "{type: blocklist, pattern: a}", "a b a", []string{"v", "-", "a"}},
		{"every call too many violates", "{type: max_calls, tool: a, max: 1}", "a a b a", []string{"-", "v", "-", "a"}},
		{"the forbidden call violates each time", "{type: never_after, trigger: a, forbidden: b}", "b a b b", []string{"-", "-", "v", "a"}},
		{"then without first violates until first comes", "{type: before, first: a, then: b}", "b b a b", []string{"v", "a", "-", "-"}},
		{"the call that ends the time violates", "{type: eventually, tool: a, within: 2}", "b b b a", []string{"-", "v", "-", "-"}},
		{"a time of no calls is over before any call", "{type: eventually, tool: a, within: 0}", "b a", []string{"-", "-"}},
		{"the call that closes a window violates", "{type: after, trigger: a, then: b, within: 2}", "a c c b a c c", []string{"-", "-", "v", "-", "-", "-", "-"}},
		{"a window of no calls is closed by its trigger", "{type: after, trigger: a, then: b, within: 0}", "b a", []string{"-", "v"}},
		{"the call out of turn violates", "{type: sequence, tools: [a, b, c]}", "a c b", []string{"-", "v", "-"}},
		{"the foreign call violates", "{type: sequence, tools: [a, b], strict: true}", "c a c", []string{"-", "-", "v"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := flow(t, "", tt.rule).NewState(0)
			var got []string
			for _, c := range named(tt.calls) {
				word := "-"
				for _, v := range s.Take(nil, c) {
					require.Equal(t, 0, v.Rule)
					word = map[bool]string{false: "v", true: "a"}[v.Again]
				}
				got = append(got, word)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestReasons(t *testing.T) {
	for _, tt := range []struct {
		rule, calls string
		extent      Extent
		want        string
	}{
		{"{type: require, tool: a}", "b", Partial, "require:a violated [] never_called"},
		{"{type: blocklist, pattern: b}", "a ab", Partial, "blocklist:b violated [1] blocked_name"},
		{"{type: before, first: a, then: b}", "a", Complete, "before:a->b not_exercised [] vacuous"},
		{"{type: before, first: a, then: b}", "b", Partial, "before:a->b violated [0] first_missing"},
		{"{type: before, first: a, then: b}", "b a", Partial, "before:a->b violated [1 0] first_late"},
		{"{type: never_after, trigger: a, forbidden: b}", "b", Complete, "never_after:a->b not_exercised [] vacuous"},
		{"{type: never_after, trigger: a, forbidden: b}", "a b", Partial, "never_after:a->b violated [0 1] forbidden_after_trigger"},
		{"{type: max_calls, tool: a, max: 0}", "a", Partial, "max_calls:a<=0 violated [0] too_many_calls"},
		{"{type: eventually, tool: a, within: 1}", "", Partial, "eventually:a@1 not_exercised [] open"},
		{"{type: eventually, tool: a, within: 1}", "b a", Partial, "eventually:a@1 violated [1] too_late"},
		{"{type: eventually, tool: a, within: 1}", "b", Partial, "eventually:a@1 violated [0] not_in_time"},
		{"{type: after, trigger: a, then: b}", "", Complete, "after:a->b@1 not_exercised [] vacuous"},
		{"{type: after, trigger: a, then: b}", "a", Partial, "after:a->b@1 not_exercised [] open"},
		{"{type: after, trigger: a, then: b}", "a", Complete, "after:a->b@1 violated [0] ended_open"},
		{"{type: after, trigger: a, then: b}", "a c", Partial, "after:a->b@1 violated [0] unanswered"},
		{"{type: sequence, tools: []}", "a", Complete, "sequence: not_exercised [] no_members"},
		{"{type: sequence, tools: [a, b]}", "c", Complete, "sequence:a>b not_exercised [] vacuous"},
		{"{type: sequence, tools: [a, b]}", "a", Complete, "sequence:a>b violated [0] ended_halfway"},
		{"{type: sequence, tools: [a, b]}", "b", Partial, "sequence:a>b violated [0] out_of_turn"},
		{"{type: sequence, tools: [a, b], strict: true}", "a c", Partial, "sequence:strict:a>b violated [0 1] foreign_call"},
		{"{type: sequence, tools: [a, b]}", "a b", Complete, "sequence:a>b held [0 1]"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			records := play(flow(t, "", tt.rule), 0, named(tt.calls)).Records(tt.extent)
			require.Len(t, records, 1)
			assert.Equal(t, tt.want, brief(records[0]))
		})
	}
}

func TestARecordSaysThatItLeavesIndicesOut(t *testing.T) {
	r := flow(t, "", "{type: require, tool: a}", "{type: blocklist, pattern: zz}", "{type: sequence, tools: [a, a, a, a]}")
	records := play(r, 2, named("a a a a a")).Records(Complete)
	assert.Equal(t, []int{0, 1}, records[0].Spanned)
	assert.Equal(t, 5, records[0].SpannedTotal)
	assert.True(t, records[0].Truncated())
	assert.Equal(t, []int{0, 1}, records[1].Spanned)
	assert.Equal(t, 5, records[1].SpannedTotal)
	assert.Equal(t, []int{0, 1, 2, 3}, records[2].Spanned, "what the policy bounds is kept whole")
	assert.False(t, records[2].Truncated())
}

func TestAnUnknownExtentIsPartial(t *testing.T) {
	r := flow(t, "", "{type: after, trigger: a, then: b}")
	assert.Equal(t, r.Evaluate(named("a"), Partial), r.Evaluate(named("a"), Extent(0)))
	assert.Equal(t, r.Evaluate(named("a"), Partial), r.Evaluate(named("a"), Extent(9)))
}

func TestAZeroStateHasNoRules(t *testing.T) {
	var s State
	assert.Empty(t, s.Add(Call{Name: "a"}))
	assert.Empty(t, s.Records(Complete))
	assert.Equal(t, 1, s.Calls())
	_, err := s.Replace(0, Call{Name: "a"})
	require.NoError(t, err)
	require.ErrorIs(t, s.UnmarshalBinary(nil), ErrOtherRules)
	_, err = s.MarshalBinary()
	require.NoError(t, err)
}

// tenRules has every kind, in the policy that the benchmarks and the tests of
// cost use.
func tenRules(t testing.TB) *Rules {
	return flow(t, "read_any: [read_file, read_secret, list_dir]",
		"{type: require, tool: verify_identity}",
		"{type: blocklist, pattern: delete_}",
		"{type: before, first: approve, then: pay}",
		"{type: never_after, trigger: read_secret, forbidden: send_mail}",
		"{type: max_calls, tool: refund, max: 3}",
		"{type: eventually, tool: audit, within: 100}",
		"{type: after, trigger: pay, then: receipt, within: 4}",
		"{type: sequence, tools: [plan, read_any, write_file, commit]}",
		"{type: sequence, tools: [lock, write_file, unlock], strict: true}",
		"{type: max_calls, tool: {tool: pay, args_match: {amount: '^[0-9]{5,}'}}, max: 1}",
	)
}

func tenRulesCalls(t testing.TB) []Call {
	calls := named("verify_identity plan read_file approve search read_secret receipt refund list_dir write_file other")
	return append(calls, withArgs(t, "pay", `{"to":"acme","amount":12000}`), Call{Name: "receipt"})
}

func TestACallCostsNoAllocation(t *testing.T) {
	if racing {
		t.Skip("the race detector makes pools forget")
	}
	s := tenRules(t).NewState(0)
	calls := tenRulesCalls(t)
	violations := make([]Violation, 0, 16)
	for range 200 {
		for _, c := range calls {
			violations = s.Take(violations[:0], c)
		}
	}
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		for _, c := range calls {
			violations = s.Take(violations[:0], c)
		}
	}))
}

// size is what a state takes in memory, its slices by their capacity.
func size(s *State) int {
	n := int(unsafe.Sizeof(*s)) + sizeOfCore(&s.core)
	if s.past != nil {
		n += int(unsafe.Sizeof(*s.past)) + cap(s.past.tape)
		if s.past.base != nil {
			n += int(unsafe.Sizeof(*s.past.base)) + sizeOfCore(s.past.base)
		}
	}
	return n
}

func sizeOfCore(k *core) int { return cap(k.cells)*int(unsafe.Sizeof(cell{})) + cap(k.log) }

func fiveRules(t testing.TB, last string) *Rules {
	return flow(t, "",
		"{type: before, first: approve, then: pay}",
		"{type: never_after, trigger: read_secret, forbidden: send_mail}",
		"{type: after, trigger: pay, then: receipt}",
		"{type: blocklist, pattern: delete}",
		last,
	)
}

const (
	lastByName = "{type: max_calls, tool: pay, max: 3}"
	lastByArgs = "{type: max_calls, tool: {tool: pay, args_match: {amount: '[0-9]{5}'}}, max: 3}"
)

func TestAStateIsSmall(t *testing.T) {
	calls := named("approve pay receipt read_secret search")
	for name, last := range map[string]string{"by name": lastByName, "by arguments": lastByArgs} {
		s := play(fiveRules(t, last), 0, calls)
		t.Logf("five rules %s, five calls: %d bytes", name, size(s))
		assert.LessOrEqual(t, size(s), 250, name)
	}
}

func TestAStateDoesNotGrowWithTheRun(t *testing.T) {
	r := tenRules(t)
	calls := tenRulesCalls(t)
	s := r.NewState(0)
	grow := func(n int) int {
		for range n {
			for _, c := range calls {
				s.Add(c)
			}
		}
		return size(s)
	}
	assert.Equal(t, grow(500), grow(5000))
	assert.Less(t, size(s), 4096)
}

func TestALongNameOrManyRulesAreNoTrouble(t *testing.T) {
	lines := make([]string, 300)
	for i := range lines {
		lines[i] = "{type: max_calls, tool: " + strings.Repeat("t", i+1) + ", max: 0}"
	}
	r := flow(t, "", lines...)
	assert.Equal(t, []int{199}, r.NewState(0).Add(Call{Name: strings.Repeat("t", 200)}))
}
