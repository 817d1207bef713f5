// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// More rows of the table in docs/runs.md: one call seen by several spans.

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
