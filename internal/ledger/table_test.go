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

// The tests of this file are the rows of the table in docs/runs.md, which names
// them.

var evidence = Options{Records: DefaultRecords}

func TestACallIsPlacedAndItsRunCloses(t *testing.T) {
	b := newBook(t, evidence, `{type: require, tool: pay}`, `{type: max_calls, tool: pay, max: 1}`)
	first := b.one("pay", 1, given(`{"eur":5}`))
	assert.Equal(t, KindNew, first.Kind)
	assert.True(t, first.Record)
	assert.Empty(t, first.Supersedes)
	second := b.one("pay", 2, deciding(truth.Mismatch))
	assert.Equal(t, []int64{0, 1}, []int64{first.Order, second.Order})
	assert.Equal(t, []truth.Verdict{truth.Match, truth.Mismatch}, []truth.Verdict{first.RunVerdict, second.RunVerdict})
	assert.Equal(t, []string{"max_calls:pay<=1"}, second.Violated)
	b.root(1)

	assert.Empty(t, b.later(59*time.Second), "not idle yet")
	c := b.end()
	assert.Equal(t, WhyIdle, c.Why)
	assert.Equal(t, truth.Mismatch, c.Verdict)
	assert.Equal(t, sequence.Complete, c.Extent)
	assert.Empty(t, c.Caveats)
	assert.Equal(t, int64(2), c.Calls)
	assert.Equal(t, Counts{Match: 1, Mismatch: 1}, c.Counts)
	assert.Equal(t, []string{"require:pay held [0 1]", "max_calls:pay<=1 violated [0 1]"}, outcomes(c))
	assert.Equal(t, []int64{0, 1}, orders(c))
	assert.Equal(t, traceOf(1), c.Trace)
	assert.True(t, c.Supersedes.IsZero())
}

func TestALateSpanGoesIntoTheOpenRun(t *testing.T) {
	b := newBook(t, evidence)
	b.one("a", 5)
	late := b.one("b", 2)
	assert.Equal(t, int64(1), late.Order, "order is that of arrival across batches")
	assert.False(t, late.Late)
	assert.Equal(t, "order_by_arrival", caveatsOf(b.end()))
}

func TestALateSpanReopensAClosedRun(t *testing.T) {
	b := newBook(t, evidence, `{type: never_after, trigger: read, forbidden: mail}`)
	b.one("read", 1)
	b.root(1)
	first := b.end()
	assert.Equal(t, sequence.Complete, first.Extent)
	b.Issued(&first, Sum{1})

	late := b.one("mail", 2, deciding(truth.Mismatch))
	assert.True(t, late.Late)
	assert.Equal(t, KindNew, late.Kind)
	assert.Equal(t, int64(1), late.Order, "the order goes on")
	assert.Equal(t, truth.Mismatch, late.Verdict, "its verdict is its own")
	assert.Equal(t, []string{"never_after:read->mail"}, late.Violated)

	again := b.end()
	assert.Equal(t, Sum{1}, again.Supersedes)
	assert.Equal(t, truth.Mismatch, again.Verdict)
	assert.Equal(t, int64(2), again.Calls)
	assert.Equal(t, sequence.Partial, again.Extent, "what came late once may come late again")
	assert.Equal(t, "late", caveatsOf(again))
	assert.Equal(t, []int64{0, 1}, orders(again), "the new record cites all that stands")
	assert.Equal(t, int64(1), first.Calls, "the old record is as it was")
}

func TestASpanResentIntoAClosedRunChangesNothing(t *testing.T) {
	b := newBook(t, evidence)
	b.one("read", 1)
	b.end()
	again := b.one("read", 1)
	assert.Equal(t, KindResent, again.Kind)
	assert.True(t, again.Late)
	assert.False(t, again.Record)
	assert.Empty(t, b.later(time.Hour), "no second record of the run")
}

func TestASpanResentWithTheSameContent(t *testing.T) {
	b := newBook(t, evidence, `{type: max_calls, tool: pay, max: 0}`)
	first := b.one("pay", 1, deciding(truth.Mismatch))
	for range 3 {
		again := b.one("pay", 1, deciding(truth.Mismatch))
		assert.Equal(t, KindResent, again.Kind)
		assert.False(t, again.Record, "no second record")
		assert.Equal(t, first.Order, again.Order)
		assert.Equal(t, first.Digests, again.Digests)
		assert.Equal(t, first.Violated, again.Violated)
		assert.Equal(t, []any{first.Verdict, first.Detail, first.Policy, first.RunVerdict}, []any{again.Verdict, again.Detail, again.Policy, again.RunVerdict})
	}
	c := b.end()
	assert.Equal(t, int64(1), c.Calls)
	assert.Equal(t, []string{"max_calls:pay<=0 violated [0]"}, outcomes(c))
}

func TestASpanRepeatedWithinABatch(t *testing.T) {
	b := newBook(t, evidence)
	ps := b.place(called("pay", 1), called("pay", 1))
	assert.Equal(t, []Kind{KindNew, KindResent}, []Kind{ps[0].Kind, ps[1].Kind})
	assert.Equal(t, ps[0].Digests, ps[1].Digests, "it is annotated alike")
	assert.False(t, ps[1].Digests.IsZero())
}

func TestASpanResentWithOtherContent(t *testing.T) {
	b := newBook(t, evidence)
	first := b.one("pay", 1, deciding(truth.Mismatch))
	again := b.one("pay", 1, given(`{}`), saying(2))
	assert.Equal(t, KindChanged, again.Kind)
	assert.True(t, again.Record)
	assert.Equal(t, first.Order, again.Order)
	assert.Equal(t, []Sum{first.Digests.Carrier}, again.Supersedes)
	assert.Equal(t, truth.Match, again.Verdict)
	assert.Equal(t, truth.Mismatch, again.RunVerdict, "the run keeps the worse")

	for n := 1; n <= 2; n++ { // both contents are known now
		p := b.one("pay", 1, given(`{}`), saying(2))
		assert.Equal(t, KindResent, p.Kind)
		p = b.one("pay", 1)
		assert.Equal(t, KindResent, p.Kind)
		assert.Equal(t, truth.Match, p.Verdict)
	}
	c := b.end()
	assert.Equal(t, truth.Mismatch, c.Verdict)
	assert.Equal(t, Counts{Match: 1}, c.Counts)
	require.Len(t, c.Cited, 1)
	assert.Equal(t, again.Digests, c.Cited[0].Digests)
	assert.Equal(t, []Superseded{{Order: 0, Carrier: first.Digests.Carrier, By: 0}}, c.Superseded)
}

func TestAWorseDecisionIsNeverDropped(t *testing.T) {
	b := newBook(t, evidence)
	b.one("pay", 1, given(`{}`))
	again := b.one("pay", 1, given(`{}`), deciding(truth.Invalid))
	assert.Equal(t, KindChanged, again.Kind, "though the span says the same")
	assert.Equal(t, truth.Invalid, again.RunVerdict)
}

func TestAnIncompleteRunBecomesAMatchWhenItsCallDoes(t *testing.T) {
	b := newBook(t, evidence)
	first := b.one("pay", 1)
	assert.Equal(t, truth.Incomplete, first.RunVerdict)
	again := b.one("pay", 1, given(`{}`), saying(2))
	assert.Equal(t, truth.Match, again.RunVerdict)
	b.one("mail", 2)
	assert.Equal(t, truth.Incomplete, b.end().Verdict)
}

func TestInnerBeforeOuter(t *testing.T) {
	inner := called("pay", 2, as(LayerMCPServer), below(1), at(2))
	for _, tt := range []struct {
		name         string
		inner, outer []edit
		kind         Kind
		verdict, run truth.Verdict
	}{
		{
			name: "the inner has the arguments: the outer joins", inner: []edit{given(`{"a":1}`)}, outer: nil,
			kind: KindJoined, verdict: truth.Match, run: truth.Match,
		},
		{
			name: "the outer brings the arguments: it decides", inner: nil, outer: []edit{given(`{"a":1}`)},
			kind: KindReplaced, verdict: truth.Match, run: truth.Match,
		},
		{
			name: "both have none: the outer joins", inner: nil, outer: nil,
			kind: KindJoined, verdict: truth.Incomplete, run: truth.Incomplete,
		},
		{
			name: "both have the same: the outer joins", inner: []edit{given(`{"a":1}`)}, outer: []edit{given(`{"a":1}`)},
			kind: KindJoined, verdict: truth.Match, run: truth.Match,
		},
		{
			name: "both have the same and the outer judges otherwise: it decides", inner: []edit{given(`{"a":1}`)},
			outer: []edit{given(`{"a":1}`), deciding(truth.Mismatch)},
			kind:  KindReplaced, verdict: truth.Mismatch, run: truth.Mismatch,
		},
		{
			name: "the outer is denied without arguments: it decides", inner: []edit{given(`{"a":1}`)},
			outer: []edit{deciding(truth.Mismatch)},
			kind:  KindReplaced, verdict: truth.Mismatch, run: truth.Mismatch,
		},
		{
			name: "the inner is a mismatch: nothing that was missing undoes it", inner: []edit{deciding(truth.Mismatch)},
			outer: []edit{given(`{"a":1}`)},
			kind:  KindJoined, verdict: truth.Mismatch, run: truth.Mismatch,
		},
		{
			name: "they have different arguments: two calls", inner: []edit{given(`{"a":1}`)}, outer: []edit{given(`{"a":2}`)},
			kind: KindNew, verdict: truth.Match, run: truth.Match,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, evidence)
			g := inner
			g.Members = append([]Member(nil), inner.Members...)
			for _, e := range tt.inner {
				e(&g)
			}
			first := b.place(g)[0]
			p := b.one("pay", 1, append(tt.outer, lasting(5))...)
			assert.Equal(t, tt.kind, p.Kind)
			assert.Equal(t, tt.verdict, p.Verdict)
			assert.Equal(t, tt.run, p.RunVerdict)
			switch tt.kind {
			case KindNew:
				assert.Equal(t, int64(1), p.Order)
			case KindReplaced:
				assert.Equal(t, int64(0), p.Order)
				assert.Equal(t, []Sum{first.Digests.Carrier}, p.Supersedes)
				assert.Equal(t, spanOf(1), p.Primary)
			default:
				assert.Equal(t, int64(0), p.Order)
				assert.False(t, p.Record)
				assert.Equal(t, first.Digests, p.Digests, "it cites the record of the decision")
				assert.Equal(t, spanOf(2), p.Primary, "and names its span")
				assert.Equal(t, first.Detail, p.Detail)
			}
		})
	}
}

func TestOuterBeforeInner(t *testing.T) {
	b := newBook(t, evidence, `{type: require, tool: {tool: pay, args_match: {eur: "^5$"}}}`)
	outer := b.one("pay", 1, lasting(5))
	inner := b.one("pay", 2, as(LayerMCPClient), below(1), given(`{"eur":5}`))
	assert.Equal(t, KindReplaced, inner.Kind)
	assert.Equal(t, int64(0), inner.Order)
	assert.Equal(t, []Sum{outer.Digests.Carrier}, inner.Supersedes)
	deeper := b.one("pay", 3, as(LayerMCPServer), below(2), given(`{"eur":5}`))
	assert.Equal(t, KindJoined, deeper.Kind)
	assert.Equal(t, inner.Digests, deeper.Digests)

	for _, resent := range []Placement{b.one("pay", 1, lasting(5)), b.one("pay", 3, as(LayerMCPServer), below(2), given(`{"eur":5}`))} {
		assert.Equal(t, KindResent, resent.Kind)
		assert.Equal(t, inner.Digests, resent.Digests, "all observations cite the decision that stands")
		assert.Equal(t, truth.Match, resent.Verdict)
	}
	c := b.end()
	assert.Equal(t, int64(1), c.Calls)
	assert.Equal(t, []string{"require:pay[eur] held [0]"}, outcomes(c), "rules see the arguments once they are known")
}

func TestAnInnerObservationIsJudgedUnderTheOuterName(t *testing.T) {
	same := func(a, b string) bool { return a == "mcp__bank__"+b }
	b := newBook(t, Options{SameTool: same})
	b.one("mcp__bank__pay", 1, lasting(5))
	inner := called("pay", 2, as(LayerMCPServer), below(1), given(`{}`), by(b.policy))
	name, ok := b.KnownAs(&inner)
	assert.True(t, ok)
	assert.Equal(t, "mcp__bank__pay", name)

	stranger := called("pay", 3, as(LayerMCPServer), below(9))
	_, ok = b.KnownAs(&stranger)
	assert.False(t, ok)
	outer := called("mcp__bank__pay", 1, lasting(5))
	_, ok = b.KnownAs(&outer)
	assert.False(t, ok, "an outer observation is judged under its own name")
}

func TestAncestorsAreFollowedThroughSpansThatAreNoCalls(t *testing.T) {
	hop := func(span, parent int) []Seen {
		return []Seen{{Run: runOf(1), Trace: traceOf(1), Hops: []Hop{{spanOf(span), spanOf(parent)}}}}
	}
	outer := called("pay", 1, lasting(9))
	inner := called("pay", 4, as(LayerMCPServer), below(3), given(`{}`))
	t.Run("outer first", func(t *testing.T) {
		b := newBook(t, evidence)
		b.place(outer)
		b.placeSeen(hop(2, 1))
		b.placeSeen(hop(3, 2))
		assert.Equal(t, KindReplaced, b.place(inner)[0].Kind)
	})
	t.Run("inner first", func(t *testing.T) {
		b := newBook(t, evidence)
		b.place(inner)
		b.placeSeen(hop(3, 2))
		b.placeSeen(hop(2, 1))
		assert.Equal(t, KindJoined, b.place(outer)[0].Kind)
	})
	t.Run("in one batch with the outer", func(t *testing.T) {
		for _, innerFirst := range []bool{false, true} {
			b := newBook(t, evidence)
			if innerFirst {
				b.place(inner)
			}
			p := b.placeSeen([]Seen{{Run: runOf(1), Trace: traceOf(1), Hops: []Hop{{spanOf(2), spanOf(1)}, {spanOf(3), spanOf(1)}}}}, outer)[0]
			if !innerFirst {
				p = b.place(inner)[0]
			}
			assert.Equal(t, map[bool]Kind{false: KindReplaced, true: KindJoined}[innerFirst], p.Kind)
		}
	})
	t.Run("a chain that ends in a root joins nothing", func(t *testing.T) {
		b := newBook(t, evidence)
		b.place(inner)
		b.placeSeen(hop(3, 0))
		assert.Equal(t, KindNew, b.place(outer)[0].Kind)
	})
	t.Run("a circle ends", func(t *testing.T) {
		b := newBook(t, evidence)
		b.place(outer)
		b.placeSeen(hop(2, 1))
		b.placeSeen(hop(3, 2))
		b.placeSeen(hop(2, 3))
		assert.Equal(t, KindNew, b.place(inner)[0].Kind)
	})
}

func TestSpansOfTwoLayersThatAreTwoCalls(t *testing.T) {
	for _, tt := range []struct {
		name  string
		inner []edit
	}{
		{"another name", []edit{func(g *Group) { g.Call.Name = "mail" }}},
		{"another call id", []edit{withID("call-2")}},
		{"below another span", []edit{below(7)}},
		{"an agent's span below an agent's is a tool that calls a tool", []edit{as(LayerAgent)}},
		{"a layer that is none", []edit{as(0)}},
		{"another trace", []edit{inTrace(2)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, evidence)
			b.one("pay", 1, withID("call-1"), lasting(5))
			p := b.one("pay", 2, append([]edit{as(LayerMCPClient), below(1)}, tt.inner...)...)
			assert.Equal(t, KindNew, p.Kind)
			assert.Equal(t, int64(1), p.Order)
		})
	}
}

func TestARetryBelowOneSpanIsAnotherCall(t *testing.T) {
	first := called("pay", 2, as(LayerMCPClient), below(1), given(`{}`))
	second := called("pay", 3, as(LayerMCPClient), below(1), given(`{}`))
	outer := called("pay", 1, lasting(9))
	for name, batches := range map[string][]Group{"outer first": {outer, first, second}, "inner first": {first, second, outer}} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, evidence)
			for _, g := range batches {
				b.place(g)
			}
			assert.Equal(t, int64(2), b.end().Calls)
		})
	}
}

func TestWhatABatchKeepsApartStaysApart(t *testing.T) {
	outer := called("pay", 1, lasting(9))
	first := called("pay", 2, as(LayerMCPClient), below(1), given(`{}`))
	second := called("pay", 3, as(LayerMCPClient), below(1), given(`{}`))
	same := called("pay", 4, withID("c"), at(4))
	again := called("pay", 5, withID("c"), at(4))
	for name, batch := range map[string][]Group{
		"outer first":   {outer, first, second, same, again},
		"inner earlier": {called("pay", 1, at(8)), first, second, same, again},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, evidence)
			for range 2 {
				for _, p := range b.place(batch...) {
					assert.Equal(t, p.Kind == KindNew, p.Record)
				}
			}
			assert.Equal(t, int64(5), b.end().Calls, "the recognizer saw them all at once and folded none")
		})
	}
}

func TestTheSameCallUnderAnotherSpanID(t *testing.T) {
	for _, tt := range []struct {
		name  string
		again []edit
		kind  Kind
	}{
		{"at the same time: two instrumentations saw one call", []edit{withID("c"), at(1)}, KindJoined},
		{"later: a retry", []edit{withID("c"), at(60)}, KindNew},
		{"in another trace: call ids are unique in none but their own", []edit{withID("c"), at(1), inTrace(2)}, KindNew},
		{"with another call id: the model asked again", []edit{withID("d"), at(1)}, KindNew},
		{"without a call id: nothing proves it", []edit{at(1)}, KindNew},
		{"with another name", []edit{withID("c"), at(1), func(g *Group) { g.Call.Name = "mail" }}, KindNew},
		{"with other arguments", []edit{withID("c"), at(1), given(`{"a":2}`)}, KindNew},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(t, evidence)
			b.one("pay", 1, withID("c"), given(`{"a":1}`))
			p := b.one("pay", 2, tt.again...)
			assert.Equal(t, tt.kind, p.Kind)
		})
	}
	t.Run("later, after the call waited: it goes on", func(t *testing.T) {
		b := newBook(t, evidence)
		b.one("pay", 1, withID("c"), waiting)
		p := b.one("pay", 2, withID("c"), at(600), given(`{}`))
		assert.Equal(t, KindReplaced, p.Kind)
		assert.Equal(t, int64(1), b.end().Calls)
	})
}

func TestSiblingsStayApart(t *testing.T) {
	b := newBook(t, evidence)
	ps := b.place(called("pay", 1, below(9)), called("pay", 2, below(9)), called("pay", 3, below(9), at(2)))
	assert.Equal(t, []Kind{KindNew, KindNew, KindNew}, []Kind{ps[0].Kind, ps[1].Kind, ps[2].Kind})
}

func TestOneSpanThatCoversSeveralCalls(t *testing.T) {
	part := func(n uint8) edit { return func(g *Group) { g.Part = n } }
	b := newBook(t, evidence)
	for range 2 {
		ps := b.place(called("pay", 1, part(1)), called("mail", 1, part(2)), called("pay", 1, part(3)))
		for i, p := range ps {
			assert.Equal(t, int64(i), p.Order)
			assert.Equal(t, spanOf(1), p.Primary)
		}
	}
	below := b.one("pay", 2, as(LayerMCPServer), below(1), at(2))
	assert.Equal(t, KindNew, below.Kind, "which of them it would be cannot be told")
	assert.Equal(t, int64(4), b.end().Calls)
}

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
	b := newBook(t, Options{Complete: true}, `{type: eventually, tool: mail, within: 9}`)
	b.one("a", 1)
	ended := b.CloseAll(b.now, WhyEnd, 100)
	require.Len(t, ended.Closed, 1)
	c := ended.Closed[0]
	assert.Equal(t, sequence.Complete, c.Extent)
	assert.Equal(t, sequence.Violated, c.Policies[0].Records[0].Outcome)
	assert.Equal(t, []Caveat{CaveatRootUnseen}, c.Caveats, "what is known stays said")
}
