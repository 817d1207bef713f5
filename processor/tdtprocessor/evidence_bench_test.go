// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
)

// The load that the journal is measured with: so many batches at a time, of so
// many calls each, and how long a record is.
const (
	benchWriters = 64
	benchCalls   = 512
	benchLine    = 1270
)

// BenchmarkEvidence is what evidence costs, through all of the processor. What a
// disk can do at all is measured in the same run: records/s of write_and_sync is
// what one writer reaches that writes the lines of one batch and syncs.
//
//   - throughput: 64 batches of 512 calls at a time, with and without a journal;
//   - latency: one batch of 20 calls at a time. Its p99 must not exceed that
//     without a journal by more than two syncs.
func BenchmarkEvidence(b *testing.B) {
	b.Run("write_and_sync", benchDisk)
	b.Run("throughput/without", func(b *testing.B) { benchThroughput(b, "") })
	b.Run("throughput/journal", func(b *testing.B) { benchThroughput(b, benchEvidence(b)) })
	b.Run("latency/without", func(b *testing.B) { benchLatency(b, "") })
	b.Run("latency/journal", func(b *testing.B) { benchLatency(b, benchEvidence(b)) })
}

func benchEvidence(b *testing.B) string {
	return "\nevidence: {directory: " + filepath.Join(b.TempDir(), "journal") + "}"
}

// benchDisk writes what a batch writes, and syncs.
func benchDisk(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "file"))
	require.NoError(b, err)
	defer f.Close()
	lines := make([]byte, benchCalls*benchLine)
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := f.Write(lines); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	b.ReportMetric(benchCalls*float64(b.N)/b.Elapsed().Seconds(), "records/s")
	reportLatency(b, took)
}

func reportLatency(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// benchConsumer is a processor that must keep evidence where it has a journal.
func benchConsumer(b *testing.B, evidence, more string) func(ptrace.Traces) {
	consume := benchProcessor(b, "hmac: {key: "+evidenceKey+", key_id: bench}\n"+more+evidence)
	want := "recorded"
	if evidence == "" {
		want = "disabled"
	}
	return func(td ptrace.Traces) {
		if err := consume(b.Context(), td); err != nil {
			b.Error(err)
		}
		span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		if got := engine.Text(span.Attributes(), attrEvidence); got != want {
			b.Errorf("evidence is %s, want %s", got, want)
		}
	}
}

func benchThroughput(b *testing.B, evidence string) {
	consume := benchConsumer(b, evidence, "runs: {idle_timeout: 1s}")
	var round atomic.Int64
	var writers sync.WaitGroup
	batches := make(chan struct{})
	for range benchWriters {
		writers.Go(func() {
			for range batches {
				consume(benchCallBatch(round.Add(1), benchCalls))
			}
		})
	}
	b.ResetTimer()
	for range b.N {
		batches <- struct{}{}
	}
	close(batches)
	writers.Wait()
	b.ReportMetric(benchCalls*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

func benchLatency(b *testing.B, evidence string) {
	consume := benchConsumer(b, evidence, "runs: {idle_timeout: 1h}")
	var took []time.Duration
	round := int64(0)
	for b.Loop() {
		round++
		td := benchCallBatch(round, 20)
		began := time.Now()
		consume(td)
		took = append(took, time.Since(began))
	}
	reportLatency(b, took)
}

// benchCallBatch makes a batch of calls, eight a trace, in traces of its own.
func benchCallBatch(round int64, calls int) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	spans.EnsureCapacity(calls)
	for i := range calls {
		span := spans.AppendEmpty()
		fillCall(span, 1, i, "read_file", benchArguments)
		var trace pcommon.TraceID
		binary.BigEndian.PutUint64(trace[:], uint64(round))
		binary.BigEndian.PutUint64(trace[8:], uint64(i/8+1))
		span.SetTraceID(trace)
	}
	return td
}
