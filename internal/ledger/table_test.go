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
		p = b.one("pay", 1, deciding(truth.Mismatch))
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

	reloaded := policyOf(t, "main", `{type: require, tool: pay}`)
	again = b.one("pay", 1, given(`{}`), by(reloaded), deciding(truth.Invalid))
	assert.Equal(t, KindResent, again.Kind)
	b.one("mail", 2, given(`{}`))
	again = b.one("mail", 2, given(`{}`), by(reloaded), deciding(truth.Mismatch))
	assert.Equal(t, KindResent, again.Kind, "what one policy judged, another does not judge again")
	assert.Equal(t, truth.Match, again.Verdict)
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
