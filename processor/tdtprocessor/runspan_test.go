// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A runRig is a processor whose runs are closed at will, with the next consumer
// in the test's hand.
type runRig struct {
	*tdtProcessor
	rig  rig
	next error // what it answers
}

func newRunRig(t *testing.T, config string) *runRig {
	t.Helper()
	r := &runRig{rig: rig{sink: &consumertest.TracesSink{}}}
	var err error
	r.tdtProcessor, err = newProcessor(r.rig.settings(t), readConfig(t, withPolicy(t, storedPolicy, config)))
	require.NoError(t, err)
	r.every = time.Hour
	r.emit = func(ctx context.Context, td ptrace.Traces) error {
		if r.next != nil {
			return r.next
		}
		return r.rig.sink.ConsumeTraces(ctx, td)
	}
	require.NoError(t, r.start(context.Background(), componenttest.NewNopHost()))
	return r
}

// runs judges one call in each of so many runs, and closes them.
func (r *runRig) runs(t *testing.T, amount int) {
	t.Helper()
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range amount {
		span := spans.AppendEmpty()
		toolCall(span, i+1, "read", `{}`)
		span.SetTraceID(pcommon.TraceID{0: 7, 14: byte(i >> 8), 15: byte(i)})
	}
	_, err := r.processTraces(context.Background(), td)
	require.NoError(t, err)
	require.NoError(t, r.engine.CloseAll(context.Background(), r.now(), ledger.WhyEnd, func(runs []*engine.ClosedRun) {
		r.closed(context.Background(), runs)
	}))
}

func (r *runRig) end(t *testing.T) {
	t.Helper()
	require.NoError(t, r.shutdown(context.Background()))
}

func TestARunHasOneSpanThatGoesOnAsItIs(t *testing.T) {
	r := newRunRig(t, "")
	defer r.end(t)
	r.runs(t, 1)
	require.Equal(t, 1, r.rig.sink.SpanCount())
	td := r.rig.sink.AllTraces()[0]
	span := firstSpan(td)
	assert.Equal(t, "tdt.run", span.Name())
	assert.Equal(t, pcommon.TraceID{0: 7}, span.TraceID(), "that of its calls")
	assert.False(t, span.SpanID().IsEmpty())
	assert.True(t, span.ParentSpanID().IsEmpty())
	assert.Equal(t, span.StartTimestamp(), span.EndTimestamp())
	assert.Equal(t, pcommon.Timestamp(1e18+1), span.StartTimestamp(), "when its last call began")
	assert.Equal(t, map[string]any{
		"assay.claim_class": "derived", "assay.tdt.run": "07000000000000000000000000000000",
		"assay.tdt.run_verdict": "match", "assay.tdt.run_extent": "complete", "assay.tdt.run_closed": "end",
		"assay.tdt.run_calls": int64(1), "assay.tdt.run_calls_match": int64(1), "assay.tdt.run_calls_incomplete": int64(0),
		"assay.tdt.run_calls_mismatch": int64(0), "assay.tdt.run_calls_invalid": int64(0),
		"assay.tdt.rules_held": int64(1), "assay.tdt.rules_violated": int64(0), "assay.tdt.rules_not_exercised": int64(0),
		"assay.tdt.held_rules":   []any{"never_after:read->mail"},
		"assay.tdt.run_policies": []any{"policy"},
	}, span.Attributes().AsRaw())

	page, err := os.ReadFile("../../docs/runs.md")
	require.NoError(t, err)
	for key := range span.Attributes().All() {
		assert.Contains(t, string(page), "`"+key+"`", "docs/runs.md has every attribute")
	}

	other := newRig(t, withPolicy(t, storedPolicy, ""))
	again := other.consume(t, td)
	assert.Empty(t, verdictOf(firstSpan(again)), "it is no tool call, for another instance either")
}

func TestRunsWithoutTraceOrTime(t *testing.T) {
	r := newRunRig(t, "")
	defer r.end(t)
	for _, id := range []int{1, 2} {
		_, err := r.processTraces(context.Background(), batchOf(func(span ptrace.Span) {
			toolCall(span, id, "read", `{}`)
			span.SetTraceID(pcommon.TraceID{})
			span.SetStartTimestamp(0)
		}))
		require.NoError(t, err)
	}
	require.NoError(t, r.engine.CloseAll(context.Background(), r.now(), ledger.WhyEnd, func(runs []*engine.ClosedRun) {
		require.Len(t, runs, 2, "spans without a trace id belong to nobody's run")
		for _, span := range spansOf(runSpans(runs, r.now(), "")) {
			assert.False(t, span.TraceID().IsEmpty())
			assert.WithinDuration(t, time.Now(), span.StartTimestamp().AsTime(), time.Minute)
		}
	}))
}

func TestARunThatIsRecordedAgainHasAnotherSpan(t *testing.T) {
	run := func(calls int64) *engine.ClosedRun {
		return &engine.ClosedRun{Record: &engine.RunRecord{
			Run: "r", Calls: calls, Verdict: truth.Match, Extent: sequence.Partial, Closed: ledger.WhyIdle,
		}, Closed: &ledger.Closed{}}
	}
	assert.Equal(t, runSpanID(run(1)), runSpanID(run(1)), "the same record is the same span")
	assert.NotEqual(t, runSpanID(run(1)), runSpanID(run(2)))
}

func TestTheSpanOfARunIsBounded(t *testing.T) {
	record := &engine.RunRecord{Run: "r", Verdict: truth.Match, Extent: sequence.Partial, Closed: ledger.WhyIdle}
	closed := &ledger.Closed{}
	for i := range 5000 {
		rule := engine.RunRule{Record: sequence.Record{RuleID: fmt.Sprintf("%d%s", i, strings.Repeat("x", 1000)), Outcome: sequence.Outcome(1 + i%3)}}
		record.Rules = append(record.Rules, rule)
		record.Policies = append(record.Policies, engine.RunPolicy{Name: fmt.Sprint(i)})
		closed.Cited = append(closed.Cited, ledger.Cited{Digests: ledger.Digests{Carrier: ledger.Sum{1}}})
	}
	td := runSpans([]*engine.ClosedRun{{Record: record, Closed: closed, Digest: "sha256:x"}}, time.Now(), "v")
	assert.Less(t, (&ptrace.ProtoMarshaler{}).TracesSize(td), 48<<10)
	attrs := firstSpan(td).Attributes()
	for _, key := range []string{attrRunCarriers, attrRunPolicies} {
		list, ok := attrs.Get(key)
		require.True(t, ok, key)
		assert.Equal(t, maxListed, list.Slice().Len(), key)
	}
	held, _ := attrs.Get("assay.tdt.rules_held")
	assert.EqualValues(t, 1667, held.Int(), "the count is of all")
}

func TestSpansOfRunsThatAreRefused(t *testing.T) {
	t.Run("for now: they are sent again", func(t *testing.T) {
		r := newRunRig(t, "")
		r.next = errors.New("queue is full")
		r.runs(t, 3)
		assert.Zero(t, r.rig.sink.SpanCount())
		r.sweep(context.Background())
		assert.Zero(t, r.rig.sink.SpanCount())
		r.next = nil
		r.sweep(context.Background())
		r.sweep(context.Background())
		assert.Equal(t, 3, r.rig.sink.SpanCount(), "and once")
		assert.Zero(t, r.rig.sum(t, "run_spans_dropped"))
		r.end(t)
	})
	t.Run("for good: they are dropped and counted", func(t *testing.T) {
		r := newRunRig(t, "")
		r.next = consumererror.NewPermanent(errors.New("no such thing"))
		r.runs(t, 3)
		r.next = nil
		r.sweep(context.Background())
		assert.Zero(t, r.rig.sink.SpanCount())
		assert.EqualValues(t, 3, r.rig.sum(t, "run_spans_dropped"))
		r.end(t)
	})
	t.Run("for too long: the oldest give way", func(t *testing.T) {
		r := newRunRig(t, "")
		r.next = errors.New("queue is full")
		r.runs(t, maxUnsent+600)
		dropped := r.rig.sum(t, "run_spans_dropped")
		assert.Positive(t, dropped)
		assert.LessOrEqual(t, r.unsent.count, maxUnsent)
		assert.EqualValues(t, maxUnsent+600, int64(r.unsent.count)+dropped)
		r.end(t)
		assert.EqualValues(t, maxUnsent+600, r.rig.sum(t, "run_spans_dropped"), "at the end all that is left")
	})
}
