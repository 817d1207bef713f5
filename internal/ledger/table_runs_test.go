// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// More rows of the table in docs/runs.md: what becomes of whole runs.

func TestCallsThatBeganAtTheSameTime(t *testing.T) {
	b := newBook(t, evidence)
	ps := b.place(called("b", 2, at(1)), called("a", 1, at(1)))
	assert.Equal(t, []int64{1, 0}, []int64{ps[0].Order, ps[1].Order}, "in the order of span ids")
	assert.Equal(t, "order_ambiguous", caveatsOf(b.end()))
}

func TestAClockThatIsBehind(t *testing.T) {
	b := newBook(t, evidence)
	b.one("a", 100)
	ps := b.place(called("c", 3), called("b", 2))
	assert.Equal(t, []int64{2, 1}, []int64{ps[0].Order, ps[1].Order}, "by time in a batch, behind what came before")
	b.root(1)
	c := b.end()
	assert.Equal(t, "order_by_arrival", caveatsOf(c))
	assert.Equal(t, sequence.Complete, c.Extent, "a doubt about order is none about extent")
	assert.Equal(t, uint64(noon.UnixNano())+100e9, c.Last)
}

// TestARuleThatReadsArgumentsNobodyHas runs a call without arguments past rules
// that hold where it does not match.
func TestARuleThatReadsArgumentsNobodyHas(t *testing.T) {
	for _, rule := range []string{
		`{type: max_calls, tool: {tool: pay, args_match: {to: "^evil"}}, max: 0}`,
		`{type: never_after, trigger: a, forbidden: {tool: pay, args_match: {to: "^evil"}}}`,
		`{type: before, first: mail, then: {tool: pay, args_match: {to: "^evil"}}}`,
	} {
		b := newBook(t, evidence, rule)
		b.one("a", 1)
		b.one("pay", 2)
		b.root(1)
		c := b.end()
		assert.Equal(t, "arguments_unread", caveatsOf(c), rule)
		assert.Equal(t, sequence.Complete, c.Extent, "a doubt about what was seen is none about extent")
	}
	b := newBook(t, evidence, `{type: max_calls, tool: {tool: pay, args_match: {to: "^evil"}}, max: 0}`)
	b.one("a", 1)
	b.place(called("pay", 2, given(`{"to":"good"}`)))
	b.root(1)
	assert.Empty(t, caveatsOf(b.end()), "what a rule reads is there")
}

func TestARunOverTwoInstancesIsPartial(t *testing.T) {
	one, other := newBook(t, evidence), newBook(t, evidence)
	one.one("a", 1)
	one.root(1)
	other.one("b", 2)
	assert.Equal(t, sequence.Complete, one.end().Extent, "who has the root cannot know better")
	c := other.end()
	assert.Equal(t, sequence.Partial, c.Extent)
	assert.Equal(t, []Caveat{CaveatRootUnseen}, c.Caveats)
}

func TestTheRootMayComeAtAnyTime(t *testing.T) {
	for name, play := range map[string]func(b *book){
		"before the first call": func(b *book) { b.root(1); b.one("a", 1) },
		"with it": func(b *book) {
			b.placeSeen([]Seen{{Run: runOf(1), Trace: traceOf(1), Root: true}}, called("a", 1))
		},
		"after it": func(b *book) { b.one("a", 1); b.root(1) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, evidence)
			play(b)
			assert.Equal(t, sequence.Complete, b.end().Extent)
		})
	}
	t.Run("of a trace that has no call in the run", func(t *testing.T) {
		b := newBook(t, evidence)
		b.one("a", 1)
		b.placeSeen([]Seen{{Run: runOf(1), Trace: traceOf(2), Root: true}})
		assert.Equal(t, sequence.Partial, b.end().Extent)
	})
	t.Run("every trace of a session has one", func(t *testing.T) {
		session := func(g *Group) { g.Run = runOf(77) }
		root := func(b *book, n int) { b.placeSeen([]Seen{{Run: runOf(77), Trace: traceOf(n), Root: true}}) }
		b := newBook(t, evidence)
		root(b, 2)
		b.one("a", 1, session)
		b.one("a", 2, inTrace(2), session)
		b.one("a", 3, inTrace(3), session)
		root(b, 1)
		c := b.end()
		assert.Equal(t, sequence.Partial, c.Extent)
		assert.Equal(t, traceOf(3), c.Trace)
		root(b, 3)
		b.one("a", 4, inTrace(3), session)
		c = b.end()
		assert.Equal(t, "late", caveatsOf(c))
		assert.NotContains(t, c.Caveats, CaveatRootUnseen)
	})
}

func TestASampledRunIsPartial(t *testing.T) {
	for name, seen := range map[string]func(b *book){
		"told before the first call": func(b *book) {
			b.placeSeen([]Seen{{Run: runOf(1), Trace: traceOf(1), Sampled: true, Root: true}})
			b.one("a", 1)
		},
		"told after it": func(b *book) {
			b.one("a", 1)
			b.placeSeen([]Seen{{Run: runOf(1), Trace: traceOf(1), Sampled: true, Root: true}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, evidence)
			seen(b)
			c := b.end()
			assert.Equal(t, sequence.Partial, c.Extent)
			assert.Equal(t, []Caveat{CaveatSampled}, c.Caveats)
		})
	}
}

func TestARestartWithoutStorage(t *testing.T) {
	o := Options{Start: noon, MaxLifetime: time.Hour}
	for _, tt := range []struct {
		name string
		edit edit
		lost bool
	}{
		{"a call that began after the start", at(1), false},
		{"a call that began before it", at(-10), true},
		{"a call too old for its run to have been open", at(-4000), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, o)
			p := b.one("a", 1, given(`{}`), tt.edit)
			b.root(1)
			c := b.end()
			assert.Equal(t, tt.lost, c.Extent == sequence.Partial)
			assert.Equal(t, map[bool]string{true: "state_lost"}[tt.lost], caveatsOf(c))
			want := map[bool]truth.Verdict{true: truth.Incomplete, false: truth.Match}[tt.lost]
			assert.Equal(t, want, c.Verdict, "never a match")
			assert.Equal(t, want, p.RunVerdict)
			assert.Equal(t, truth.Match, p.Verdict, "the call's own verdict does not depend on the run")
		})
	}
	t.Run("a root that began before it", func(t *testing.T) {
		b := newBook(t, o)
		b.one("a", 1, given(`{}`))
		b.placeSeen([]Seen{{Run: runOf(1), Trace: traceOf(1), Root: true, Start: uint64(noon.Add(-time.Minute).UnixNano())}})
		assert.Equal(t, truth.Incomplete, b.end().Verdict)
	})
}

func TestARestartWithStorage(t *testing.T) {
	rules := []string{`{type: never_after, trigger: read, forbidden: mail}`, `{type: max_calls, tool: pay, max: 1}`}
	calls := []Group{
		called("read", 1, given(`{}`)), called("pay", 2), called("pay", 3, as(LayerMCPServer), below(2), given(`{"a":1}`)),
		called("pay", 4, deciding(truth.Mismatch)), called("pay", 2), called("mail", 5),
	}
	play := func(t *testing.T, restartAfter int) (record string, placed []string) {
		b := newBook(t, Options{Records: 10, Stored: true}, rules...)
		for i, g := range calls {
			placed = append(placed, say(b.place(g)[0]))
			if i == restartAfter {
				stored, ok := b.AppendRun(nil, runOf(1))
				require.True(t, ok)
				b.Ledger = NewLedger(b.options)
				id, err := b.Restore(b.now, stored, []*Policy{b.policy})
				require.NoError(t, err)
				require.Equal(t, runOf(1), id)
				again, _ := b.AppendRun(nil, id)
				require.Equal(t, stored, again)
			}
		}
		b.root(1)
		return tell(b.end()), placed
	}
	want, placed := play(t, -1)
	for i := range calls {
		got, again := play(t, i)
		assert.Equal(t, want, got, "restarted after call %d", i)
		assert.Equal(t, placed, again)
	}
}

func TestARestartWithAnotherPolicy(t *testing.T) {
	b := newBook(t, evidence, `{type: max_calls, tool: pay, max: 1}`)
	b.one("pay", 1)
	stored, _ := b.AppendRun(nil, runOf(1))
	b.Ledger = NewLedger(b.options)
	b.policy = policyOf(t, "main", `{type: max_calls, tool: pay, max: 2}`)
	_, err := b.Restore(b.now, stored, []*Policy{b.policy})
	require.NoError(t, err)
	p := b.one("pay", 2)
	assert.Equal(t, int64(1), p.Order)
	c := b.end()
	assert.Equal(t, "policy_changed rules_behind", caveatsOf(c))
	require.Len(t, c.Policies, 2)
	assert.Equal(t, []int64{1, 1}, []int64{c.Policies[0].Calls, c.Policies[1].Calls})
	assert.Nil(t, c.Policies[0].Records, "its rules are gone")
	assert.Equal(t, int64(0), c.Policies[0].Seen)
	assert.Equal(t, int64(1), c.Policies[1].Seen)
}

func TestEviction(t *testing.T) {
	b := newBook(t, Options{MaxRuns: 2, Records: 10}, `{type: max_calls, tool: pay, max: 1}`)
	b.one("pay", 1, inRun(1), given(`{}`))
	b.one("pay", 2, inRun(2), given(`{}`))
	b.one("pay", 3, inRun(1), given(`{"a":2}`))
	b.one("pay", 4, inRun(3), given(`{}`))
	require.Len(t, b.ended.Closed, 1, "the third run needs room")
	c := b.ended.Closed[0]
	assert.Equal(t, runOf(2), c.Run, "the one that was idle for longest")
	assert.Equal(t, WhyEvicted, c.Why)
	assert.Equal(t, sequence.Partial, c.Extent)
	assert.Equal(t, "evicted", caveatsOf(c))
	assert.Equal(t, truth.Incomplete, c.Verdict, "never a match")
	assert.Len(t, c.Cited, 1)
	b.Issued(&c, Sum{9})

	p := b.one("pay", 5, inRun(2), given(`{}`), deciding(truth.Mismatch))
	assert.Equal(t, int64(1), p.Order, "the order goes on")
	assert.True(t, p.Late)
	assert.Equal(t, int64(2), b.Stats().Open)
	var again Closed
	for _, c := range b.later(time.Hour) {
		if c.Run == runOf(2) {
			again = c
		}
	}
	assert.Equal(t, Sum{9}, again.Supersedes)
	assert.Equal(t, int64(2), again.Calls)
	assert.Equal(t, Counts{Match: 1, Mismatch: 1}, again.Counts)
	assert.Equal(t, "evicted late", caveatsOf(again))
	assert.Equal(t, int64(1), again.Policies[0].Seen, "rules began anew, and say so")
	assert.Equal(t, int64(2), again.Policies[0].Calls)
	assert.Equal(t, int64(1), again.Uncited)
}

func TestClosedRunsAreForgottenBeforeOpenOnesAreEvicted(t *testing.T) {
	b := newBook(t, Options{MaxRuns: 10, MaxBytes: 2000, Stored: true})
	b.one("a", 1, inRun(1))
	b.later(time.Hour)
	for n := 2; b.Stats().Closed > 0; n++ {
		b.one("a", 1, inRun(n))
		require.Less(t, n, 20)
	}
	assert.Empty(t, b.ended.Closed)
	assert.Equal(t, []ID{runOf(1)}, b.ended.Forgotten)

	p := b.one("a", 2, inRun(1), given(`{}`))
	assert.Equal(t, int64(0), p.Order)
	assert.Equal(t, truth.Incomplete, p.RunVerdict, "what was forgotten is lost, and the run says so")
}

func TestARunThatOutlivesItsTime(t *testing.T) {
	b := newBook(t, Options{IdleTimeout: time.Hour, MaxLifetime: 90 * time.Minute})
	b.one("a", 1)
	assert.Empty(t, b.later(50*time.Minute))
	b.one("a", 2)
	b.now = b.now.Add(50 * time.Minute)
	p := b.one("a", 3)
	require.Len(t, b.ended.Closed, 1)
	c := b.ended.Closed[0]
	assert.Equal(t, WhyLifetime, c.Why)
	assert.Equal(t, "lifetime", caveatsOf(c))
	assert.Equal(t, int64(2), c.Calls)
	assert.True(t, p.Late)
	assert.Equal(t, int64(2), p.Order)
	again := b.end()
	assert.Equal(t, int64(3), again.Calls)
	assert.Equal(t, "late", caveatsOf(again))
}

func TestAPolicyThatChangesWithinARun(t *testing.T) {
	b := newBook(t, evidence, `{type: max_calls, tool: pay, max: 1}`)
	b.one("pay", 1, given(`{}`))
	reloaded := policyOf(t, "main", `{type: max_calls, tool: pay, max: 1}`)
	b.one("pay", 2, given(`{"a":2}`), by(reloaded))
	b.root(1)
	c := b.end()
	require.Len(t, c.Policies, 1, "loaded again and the same")
	assert.Equal(t, []string{"max_calls:pay<=1 violated [0 1]"}, outcomes(c))

	b = newBook(t, evidence, `{type: max_calls, tool: pay, max: 1}`)
	b.one("pay", 1, given(`{}`))
	changed := policyOf(t, "main", `{type: max_calls, tool: pay, max: 2}`)
	b.one("pay", 2, given(`{"a":2}`), by(changed))
	b.one("pay", 3, given(`{"a":3}`), by(changed))
	resent := b.one("pay", 1, given(`{}`), by(changed))
	assert.Equal(t, KindResent, resent.Kind)
	assert.Equal(t, b.policy, resent.Policy, "what was judged stays judged by what judged it")
	b.root(1)
	c = b.end()
	require.Len(t, c.Policies, 2, "both forms are listed")
	assert.Equal(t, sequence.Partial, c.Extent)
	assert.Equal(t, "policy_changed", caveatsOf(c))
	assert.Equal(t, int64(1), c.Policies[0].Calls)
	assert.Equal(t, int64(2), c.Policies[1].Calls)
	assert.Equal(t, sequence.Held, c.Policies[0].Records[0].Outcome, "each over the calls that it judged")
	assert.Equal(t, sequence.Held, c.Policies[1].Records[0].Outcome)
}

func TestOneTraceWithSeveralPolicies(t *testing.T) {
	b := newBook(t, evidence, `{type: max_calls, tool: pay, max: 1}`)
	other := policyOf(t, "other", `{type: require, tool: mail}`)
	b.one("pay", 1, given(`{}`))
	b.one("mail", 2, given(`{"b":1}`), by(other))
	b.one("pay", 3, given(`{"a":3}`))
	b.root(1)
	c := b.end()
	assert.Equal(t, sequence.Complete, c.Extent, "two policies are no change of one")
	assert.Empty(t, c.Caveats)
	require.Len(t, c.Policies, 2)
	assert.Equal(t, []int64{2, 1}, []int64{c.Policies[0].Calls, c.Policies[1].Calls})
	assert.Equal(t, []int{0, 1}, c.Policies[0].Records[0].Spanned, "indices count the policy's calls")
	assert.Equal(t, []int{0}, c.Policies[1].Records[0].Spanned)
	assert.Equal(t, []*Policy{b.policy, other, b.policy}, []*Policy{c.Cited[0].Policy, c.Cited[1].Policy, c.Cited[2].Policy})
}

func TestShutdown(t *testing.T) {
	b := newBook(t, evidence)
	for n := range 200 {
		b.one("a", 1, inRun(n+1), given(`{}`))
		b.root(n + 1)
	}
	seen := map[ID]bool{}
	for {
		ended := b.CloseAll(b.now, WhyShutdown, 70)
		if len(ended.Closed) == 0 {
			break
		}
		assert.LessOrEqual(t, len(ended.Closed), 70)
		for _, c := range ended.Closed {
			seen[c.Run] = true
			assert.Equal(t, sequence.Partial, c.Extent)
			assert.Equal(t, "shutdown", caveatsOf(c))
			assert.Equal(t, truth.Match, c.Verdict)
		}
	}
	assert.Len(t, seen, 200)
}

func TestBatchScope(t *testing.T) {
	b := newBook(t, evidence, `{type: require, tool: mail}`)
	ps := b.placeSeen([]Seen{{Run: runOf(1), Trace: traceOf(1), Root: true}}, called("a", 1, given(`{}`)), called("b", 2, inRun(2)))
	ended := b.Close(b.now, WhyBatch, Runs(ps))
	require.Len(t, ended.Closed, 2)
	c := ended.Closed[0]
	assert.Equal(t, sequence.Complete, c.Extent)
	assert.Equal(t, WhyBatch, c.Why)
	assert.Equal(t, sequence.Partial, ended.Closed[1].Extent, "its root is not in the batch")

	p := b.one("c", 3)
	assert.True(t, p.Late, "the batch did not hold the whole run")
	ended = b.Close(b.now, WhyBatch, []ID{runOf(1), runOf(99)})
	require.Len(t, ended.Closed, 1)
	assert.Equal(t, sequence.Partial, ended.Closed[0].Extent)
}

func TestTheOperatorsWordOnExtent(t *testing.T) {
	b := newBook(t, Options{Extent: sequence.Complete}, `{type: eventually, tool: mail, within: 9}`)
	b.one("a", 1)
	ended := b.CloseAll(b.now, WhyEnd, 100)
	require.Len(t, ended.Closed, 1)
	c := ended.Closed[0]
	assert.Equal(t, sequence.Complete, c.Extent)
	assert.Equal(t, sequence.Violated, c.Policies[0].Records[0].Outcome)
	assert.Equal(t, []Caveat{CaveatRootUnseen}, c.Caveats, "what is known stays said")
}
