// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/recognize"
)

const benchTools = `
tools: {allow: [read, pay, mail, log], deny: [wipe]}
schemas:
  read: {type: object, properties: {path: {type: string}}, required: [path]}
  pay: {type: object, properties: {eur: {type: number, maximum: 100}}, required: [eur]}
  mail: {type: object}
  log: {type: object}
`

// tenRules are rules of all kinds.
const tenRules = benchTools + `
sequences:
  - {type: require, tool: read}
  - {type: blocklist, pattern: wipe}
  - {type: before, first: read, then: pay}
  - {type: never_after, trigger: pay, forbidden: mail}
  - {type: max_calls, tool: pay, max: 3}
  - {type: eventually, tool: log, within: 20}
  - {type: after, trigger: read, then: pay, within: 4}
  - {type: sequence, tools: [read, pay, log]}
  - {type: max_calls, tool: {tool: read, args_match: {path: '^/srv/'}}, max: 5}
  - {type: sequence, strict: true, tools: [read, pay]}
`

// A stream makes batches of calls: some of each of many runs, which go on for
// some batches, so that most calls come into a run that is there.
type stream struct {
	td    ptrace.Traces
	spans []ptrace.Span
	first uint64 // its first run
	batch uint64

	each, batches uint64 // calls of a run in a batch, batches of a run
}

func newStream(calls int, first uint64) *stream {
	s := &stream{td: ptrace.NewTraces(), first: first, each: 5, batches: 5}
	rs := s.td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "desk")
	list := rs.ScopeSpans().AppendEmpty().Spans()
	for i := range calls {
		span := list.AppendEmpty()
		tool := []string{"read", "pay", "mail", "log", "read"}[i%5]
		span.SetName("execute_tool " + tool)
		span.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
		span.Attributes().PutStr("gen_ai.tool.name", tool)
		span.Attributes().PutStr("gen_ai.tool.call.id", "call_"+strconv.Itoa(i))
		span.Attributes().PutStr("gen_ai.tool.call.arguments", `{"path":"/srv/data/`+strconv.Itoa(i)+`.txt","eur":`+strconv.Itoa(i%100)+`}`)
		s.spans = append(s.spans, span)
	}
	s.advance()
	return s
}

// runs returns how many runs have calls in a batch.
func (s *stream) runs() int { return len(s.spans) / int(s.each) }

// advance makes the next batch: further calls of its runs, or the first calls of
// other runs.
func (s *stream) advance() {
	for i, span := range s.spans {
		run := s.first + s.batch/s.batches*uint64(s.runs()) + uint64(i)/s.each
		trace := pcommon.TraceID{0: 0x6b}
		binary.BigEndian.PutUint64(trace[8:], run*0x9e3779b97f4a7c15)
		span.SetTraceID(trace)
		var id pcommon.SpanID
		binary.BigEndian.PutUint64(id[:], run<<16|s.batch%s.batches<<8|(uint64(i)%s.each+1))
		span.SetSpanID(id)
		span.SetParentSpanID(pcommon.SpanID{0: 9})
		start := 1_900_000_000_000_000_000 + s.batch*1_000_000 + uint64(i)
		span.SetStartTimestamp(pcommon.Timestamp(start))
		span.SetEndTimestamp(pcommon.Timestamp(start + 500))
	}
	s.batch++
}

func benchEngine(tb testing.TB, runs bool, o ledger.Options) *Engine {
	return newTestEngine(tb, func(s *Settings) {
		s.Key, s.Journal, s.Ledger = nil, nil, nil
		if runs {
			o.SameTool = recognize.SameTool
			s.Ledger = ledger.NewLedger(o)
		}
	})
}

// BenchmarkDecision measures one decision in a batch of 1,000: by itself, in a
// run, and in a run with ten rules. The first is the anchor of the others.
func BenchmarkDecision(b *testing.B) {
	for _, bb := range []struct {
		name, policy string
		runs         bool
	}{
		{"alone", benchTools, false},
		{"in a run", benchTools, true},
		{"in a run with 10 rules", tenRules, true},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var e *Engine
			policies, s := policyOf(b, bb.policy), newStream(1000, 0)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				if n%100 == 0 { // or it would measure how runs are evicted
					e = benchEngine(b, bb.runs, ledger.Options{MaxRuns: 50_000})
				}
				s.advance()
				b.StartTimer()
				got, err := e.Process(context.Background(), noon, policies, s.td)
				if err != nil || len(got.Decisions) != 1000 {
					b.Fatal(len(got.Decisions), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/decision")
		})
	}
}

// BenchmarkOtherSpans measures spans that are no calls, in traces that have
// none: what most telemetry is.
func BenchmarkOtherSpans(b *testing.B) {
	e, policies, s := benchEngine(b, true, ledger.Options{}), policyOf(b, tenRules), newStream(1000, 0)
	for _, span := range s.spans {
		span.SetName("GET /")
		span.Attributes().Clear()
		for i := range 8 {
			span.Attributes().PutStr(fmt.Sprint("http.attribute.", i), "value")
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Process(context.Background(), noon, policies, s.td); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/span")
}

// BenchmarkParallel measures decisions in runs from as many goroutines as there
// are cores: compare -cpu 1 with -cpu 2.
func BenchmarkParallel(b *testing.B) {
	e, policies := benchEngine(b, true, ledger.Options{MaxRuns: 100_000}), policyOf(b, tenRules)
	var streams atomic.Uint64
	b.RunParallel(func(pb *testing.PB) {
		s := newStream(200, streams.Add(1)<<40)
		for pb.Next() {
			s.advance()
			if _, err := e.Process(context.Background(), noon, policies, s.td); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200, "ns/decision")
}

// heap returns the bytes in use, after a collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestALiveRunIsSmallThroughTheEngine measures what a live run of five calls
// costs when it came as spans, with five rules.
func TestALiveRunIsSmallThroughTheEngine(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector changes sizes")
	}
	const runs = 50_000
	policies := policyOf(t, benchTools+`
sequences:
  - {type: require, tool: read}
  - {type: before, first: read, then: pay}
  - {type: never_after, trigger: pay, forbidden: wipe}
  - {type: max_calls, tool: pay, max: 3}
  - {type: sequence, tools: [read, pay, log]}
`)
	e, s := benchEngine(t, true, ledger.Options{MaxRuns: 2 * runs}), newStream(1000, 0)
	s.each, s.batches = 1, 5 // a call in each of five batches
	before := heap()
	for range runs / s.runs() * 5 {
		_, err := e.Process(context.Background(), noon, policies, s.td)
		require.NoError(t, err)
		s.advance()
	}
	require.EqualValues(t, runs, e.set.Ledger.Stats().Open)
	each := float64(heap()-before) / runs
	t.Logf("%.0f bytes a live run", each)
	require.Less(t, each, 600.0)
	runtime.KeepAlive(e)
}

// TestTortureClosingIdleRunsHoldsNoBatchUp closes 100,000 runs while batches
// arrive. It looks at the clock, so it wants a machine that does nothing else.
func TestTortureClosingIdleRunsHoldsNoBatchUp(t *testing.T) {
	if churnTime() == 0 {
		t.Skip("it looks at the clock: make torture")
	}
	const runs = 100_000
	policies := policyOf(t, tenRules)
	e, s := benchEngine(t, true, ledger.Options{MaxRuns: 2 * runs, IdleTimeout: time.Minute}), newStream(1000, 0)
	s.batches = 1
	for range runs / s.runs() {
		_, err := e.Process(context.Background(), noon, policies, s.td)
		require.NoError(t, err)
		s.advance()
	}
	batch := newStream(20, 1<<40)
	measure := func(until func() bool) (took []time.Duration) {
		for !until() {
			batch.advance()
			begin := time.Now()
			_, err := e.Process(context.Background(), noon.Add(time.Hour), policies, batch.td)
			took = append(took, time.Since(begin))
			require.NoError(t, err)
		}
		slices.Sort(took)
		return took
	}
	quiet := measure(func() bool { return batch.batch > 2000 })
	closed, done := 0, make(chan struct{})
	begin := time.Now()
	go func() {
		defer close(done)
		_ = e.Sweep(context.Background(), noon.Add(time.Hour), func(runs []*ClosedRun) { closed += len(runs) })
	}()
	took := measure(func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	require.GreaterOrEqual(t, closed, runs)
	at := func(took []time.Duration, part float64) time.Duration { return took[int(float64(len(took)-1)*part)] }
	t.Logf("closed %d runs in %s; meanwhile %d batches of 20: half took up to %s, 99%% %s, the longest %s; when nothing is closed %s, %s, %s",
		closed, time.Since(begin), len(took), at(took, .5), at(took, .99), at(took, 1), at(quiet, .5), at(quiet, .99), at(quiet, 1))
	require.Greater(t, len(took), 100, "batches go on meanwhile")
	// The longest of all is the system's: it interrupts whom it wants.
	require.Less(t, at(took, .99), 5*time.Millisecond+at(quiet, .99))
}
