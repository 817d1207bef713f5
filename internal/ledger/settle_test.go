// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// begin places groups without settling, as a batch that waits for the disk.
func (b *book) begin(groups ...Group) ([]Group, []Placement) {
	groups = b.groups(groups)
	ps, ended := b.Place(b.now, Batch{Groups: groups})
	b.ended.Closed = append(b.ended.Closed, ended.Closed...)
	return groups, ps
}

func TestARecordThatCouldNotBeWritten(t *testing.T) {
	b := newBook(t, evidence)
	b.written = false
	p := b.one("pay", 1, given(`{}`))
	assert.True(t, p.Record)
	assert.True(t, p.Digests.IsZero(), "a span never cites what is not there")
	p = b.one("pay", 1, given(`{}`))
	assert.Equal(t, KindResent, p.Kind)
	assert.True(t, p.Record, "it is asked for again")
	b.written = true
	p = b.one("pay", 1, given(`{}`))
	assert.True(t, p.Record)
	assert.Equal(t, int64(0), p.Order, "at the order it has")
	assert.False(t, p.Digests.IsZero())
	p = b.one("pay", 1, given(`{}`))
	assert.False(t, p.Record)
	c := b.end()
	assert.Equal(t, int64(1), c.Calls)
	assert.Equal(t, []int64{0}, orders(c))
}

func TestADecisionWhoseRecordFailedIsNotCited(t *testing.T) {
	b := newBook(t, evidence)
	first := b.one("pay", 1)
	b.written = false
	p := b.one("pay", 1, saying(2), deciding(truth.Mismatch))
	assert.Equal(t, []Sum{first.Digests.Carrier}, p.Supersedes)
	joined := b.one("pay", 2, as(LayerMCPClient), below(1))
	assert.True(t, joined.Digests.IsZero(), "the older record is of another decision")
	c := b.end()
	assert.Empty(t, c.Cited)
	assert.Equal(t, int64(1), c.Uncited)
}

func TestABatchThatWasRefusedAndComesAgain(t *testing.T) {
	b := newBook(t, evidence, `{type: max_calls, tool: pay, max: 1}`)
	b.written = false
	b.place(called("pay", 1), called("mail", 2))
	b.written = true
	ps := b.place(called("pay", 1), called("mail", 2))
	assert.Equal(t, []bool{true, true}, []bool{ps[0].Record, ps[1].Record})
	assert.Empty(t, ps[0].Violated, "it counts once")
	assert.Equal(t, []int64{0, 1}, orders(b.end()))
}

func TestWithoutEvidenceNoRecordIsAskedFor(t *testing.T) {
	b := newBook(t, Options{})
	assert.False(t, b.one("pay", 1).Record)
	p := b.one("pay", 1, saying(2))
	assert.Equal(t, KindChanged, p.Kind)
	assert.False(t, p.Record)
	assert.Empty(t, p.Supersedes)
	c := b.end()
	assert.Empty(t, c.Cited)
	assert.Equal(t, int64(1), c.Uncited)
}

func TestAnObservationWaitsForTheRecordOfAnotherBatch(t *testing.T) {
	b := newBook(t, evidence)
	inner, first := b.begin(called("pay", 2, as(LayerMCPServer), below(1), given(`{}`)))
	outer, second := b.begin(called("pay", 1, lasting(9)))
	b.settle(outer, second)
	assert.Equal(t, KindJoined, second[0].Kind)
	assert.True(t, second[0].Digests.IsZero())

	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, b.Await(stopped, second), context.Canceled)

	var waiter sync.WaitGroup
	waiter.Go(func() { assert.NoError(t, b.Await(t.Context(), second)) })
	time.Sleep(time.Millisecond)
	b.settle(inner, first)
	waiter.Wait()
	assert.Equal(t, first[0].Digests, second[0].Digests)
	assert.False(t, second[0].Digests.IsZero())
}

func TestAwaitEndsWhenTheOtherBatchFailed(t *testing.T) {
	b := newBook(t, evidence)
	inner, first := b.begin(called("pay", 2, as(LayerMCPServer), below(1), given(`{}`)))
	outer, second := b.begin(called("pay", 1, lasting(9)))
	b.settle(outer, second)
	b.written = false
	b.settle(inner, first)
	require.NoError(t, b.Await(t.Context(), second))
	assert.True(t, second[0].Digests.IsZero())
}

func TestBatchesThatSettleInAnotherOrder(t *testing.T) {
	b := newBook(t, evidence)
	one, first := b.begin(called("pay", 1))
	two, second := b.begin(called("mail", 2))
	three, third := b.begin(called("pay", 1, saying(3), deciding(truth.Mismatch)))
	b.settle(three, third)
	b.settle(two, second)
	b.settle(one, first)
	c := b.end()
	require.Equal(t, []int64{0, 1}, orders(c))
	assert.Equal(t, third[0].Digests, c.Cited[0].Digests, "the later decision stands, whichever was written first")
	assert.Equal(t, []Superseded{{Order: 0, Carrier: first[0].Digests.Carrier, By: 0}}, c.Superseded)
}

func TestARunWithRecordsUnderWayIsNeitherClosedNorEvicted(t *testing.T) {
	b := newBook(t, Options{Records: 9, MaxRuns: 1, MaxLifetime: time.Minute})
	groups, ps := b.begin(called("pay", 1))
	b.one("pay", 2, inRun(2))
	assert.Empty(t, b.ended.Closed)
	assert.Equal(t, int64(2), b.Stats().Open, "a run more than there is room for")
	b.now = b.now.Add(time.Hour)
	closed := b.later(0)
	require.Len(t, closed, 1)
	assert.Equal(t, runOf(2), closed[0].Run)
	b.settle(groups, ps)
	c := b.end()
	assert.Equal(t, runOf(1), c.Run)
	assert.Len(t, c.Cited, 1)
}

func TestCallsThatTurnOutToBeOne(t *testing.T) {
	outer := called("pay", 1, lasting(9))
	server := called("pay", 3, as(LayerMCPServer), below(2), given(`{"a":1}`))
	client := called("pay", 2, as(LayerMCPClient), below(1), lasting(9))
	b := newBook(t, evidence, `{type: max_calls, tool: pay, max: 1}`)
	first := b.place(outer)[0]
	second := b.place(server)[0]
	assert.Equal(t, int64(1), second.Order, "nothing connects them yet")
	assert.Equal(t, []string{"max_calls:pay<=1"}, second.Violated)

	p := b.place(client)[0]
	assert.Equal(t, KindJoined, p.Kind)
	assert.Equal(t, int64(1), p.Order, "the one with the arguments stands")
	assert.Equal(t, second.Digests, p.Digests)
	for _, g := range []Group{outer, server, client} {
		assert.Equal(t, int64(1), b.place(g)[0].Order)
	}
	c := b.end()
	assert.Equal(t, int64(1), c.Calls)
	assert.Equal(t, int64(2), c.Next, "both orders stay taken")
	assert.Equal(t, Counts{Match: 1}, c.Counts)
	assert.Equal(t, truth.Match, c.Verdict, "what was incomplete has become known")
	assert.Equal(t, []int64{1}, orders(c))
	assert.Equal(t, []Superseded{{Order: 0, Carrier: first.Digests.Carrier, By: 1}}, c.Superseded)
	assert.Equal(t, "calls_merged", caveatsOf(c))
	assert.Equal(t, []string{"max_calls:pay<=1 held [0]"}, outcomes(c), "the rules count it once")
}

func TestMergedCallsWhoseRecordsAreUnderWay(t *testing.T) {
	b := newBook(t, evidence)
	one, first := b.begin(called("pay", 1, lasting(9)))
	b.place(called("pay", 3, as(LayerMCPServer), below(2), given(`{"a":1}`)))
	b.place(called("pay", 2, as(LayerMCPClient), below(1), lasting(9)))
	b.settle(one, first)
	c := b.end()
	assert.Equal(t, []int64{1}, orders(c))
	assert.Equal(t, []Superseded{{Order: 0, Carrier: first[0].Digests.Carrier, By: 1}}, c.Superseded)
}

func TestARecordNamesTheCarriersOfMergedCalls(t *testing.T) {
	b := newBook(t, evidence)
	first := b.one("pay", 1, lasting(9))
	second := b.one("pay", 3, as(LayerMCPServer), below(2))
	p := b.one("pay", 2, as(LayerMCPClient), below(1), given(`{"a":1}`))
	assert.Equal(t, KindReplaced, p.Kind)
	assert.Equal(t, []Sum{first.Digests.Carrier, second.Digests.Carrier}, p.Supersedes)
}

func TestARecordThatIsWrittenTooLateToBeKept(t *testing.T) {
	b := newBook(t, Options{Records: 8, Window: 8})
	groups, ps := b.begin(called("pay", 1))
	for i := 2; i <= 12; i++ {
		b.one("pay", i)
	}
	b.settle(groups, ps)
	assert.False(t, ps[0].Digests.IsZero(), "the span can cite it all the same")
	c := b.end()
	assert.NotContains(t, orders(c), int64(0))
	assert.Equal(t, c.Calls, int64(len(c.Cited))+c.Uncited)
	assert.LessOrEqual(t, len(c.Cited), 8)
}

func TestRecordsThatOvertakeEachOther(t *testing.T) {
	b := newBook(t, Options{Records: 100})
	var groups [][]Group
	var ps [][]Placement
	for i := range 10 {
		g, p := b.begin(called("pay", i+1))
		groups, ps = append(groups, g), append(ps, p)
	}
	for i := range 10 {
		b.settle(groups[9-i], ps[9-i])
	}
	b.Settle(ps[0], nil) // once is enough
	assert.Equal(t, []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, orders(b.end()))
}

func TestABatchLargerThanTheWindow(t *testing.T) {
	b := newBook(t, Options{Records: 1000, Window: 16})
	var groups []Group
	for i := range 200 {
		groups = append(groups, called("pay", i+1))
	}
	b.place(groups...)
	c := b.end()
	assert.Len(t, c.Cited, 200)
	assert.Equal(t, int64(0), c.Uncited)
}
