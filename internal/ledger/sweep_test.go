// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSweepStaysWithinItsBudget(t *testing.T) {
	b := newBook(t, Options{MaxRuns: 100_000, Shards: 8})
	for i := range 1000 {
		b.one("a", 1, inRun(i+1))
	}
	b.now = b.now.Add(time.Hour)
	seen := map[ID]bool{}
	for _, budget := range []int{1, 63, 64, 65, 200, 1, 300, 1000} {
		closed := b.Sweep(b.now, budget).Closed
		assert.LessOrEqual(t, len(closed), budget)
		for _, c := range closed {
			assert.False(t, seen[c.Run])
			seen[c.Run] = true
		}
	}
	assert.Len(t, seen, 1000)
	assert.Empty(t, b.Sweep(b.now, 1000).Closed)
}

func TestClosedRunsAreForgottenInTime(t *testing.T) {
	b := newBook(t, Options{Remember: 10 * time.Minute, Stored: true})
	b.one("a", 1)
	b.later(time.Minute)
	b.later(9 * time.Minute)
	assert.Equal(t, Stats{Closed: 1, Bytes: b.Stats().Bytes}, b.Stats())
	ended := b.Sweep(b.now.Add(time.Minute), 10)
	assert.Equal(t, []ID{runOf(1)}, ended.Forgotten)
	assert.Equal(t, Stats{}, b.Stats())
}

func TestACallKeepsARunOpen(t *testing.T) {
	b := newBook(t, Options{})
	for i := range 10 {
		b.one("a", i+1)
		assert.Empty(t, b.later(50*time.Second))
	}
	assert.Len(t, b.later(10*time.Second), 1)
}

func TestARunIsNeverIdleWithoutATimeout(t *testing.T) {
	b := newBook(t, Options{IdleTimeout: -1})
	b.one("a", 1)
	assert.Empty(t, b.later(1000*time.Hour))
}

// BenchmarkClosingManyRuns closes 100,000 idle runs. A batch waits for a lock,
// and a lock is held for one chunk: so the time of a chunk is what counts, and
// is to stay below 5 ms.
func BenchmarkClosingManyRuns(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		book := newBook(b, Options{MaxRuns: 200_000}, fiveRules...)
		for call := range 5 {
			for run := range 100_000 {
				book.one(toolNames[call], call+1, inRun(run+1))
			}
		}
		book.now = book.now.Add(time.Hour)
		var held []time.Duration
		b.StartTimer()
		for n := 0; n < 100_000; {
			began := time.Now()
			closed := len(book.Sweep(book.now, sweepChunk).Closed)
			held = append(held, time.Since(began))
			require.Positive(b, closed)
			n += closed
		}
		slices.Sort(held)
		b.ReportMetric(float64(held[len(held)/2].Nanoseconds()), "ns/chunk")
		b.ReportMetric(float64(held[len(held)*95/100].Nanoseconds()), "p95-ns/chunk")
	}
}

// TestEverythingAtOnce is for the race detector: batches, records, sweeps,
// storage and closing, over runs that are shared.
func TestEverythingAtOnce(t *testing.T) {
	b := newBook(t, Options{Records: 16, MaxRuns: 50, Shards: 4, Window: 8, Stored: true, IdleTimeout: time.Second}, lawRules...)
	var workers sync.WaitGroup
	for worker := range 8 {
		workers.Go(func() {
			for i := range 400 {
				now := noon.Add(time.Duration(i) * 100 * time.Millisecond)
				groups := []Group{
					called("pay", 1+i%40, inRun(1+i%60), as(Layer(1+i%3)), below(i%41), by(b.policy)),
					called("read", 50+worker, inRun(1+i%60), by(b.policy)),
				}
				ps, ended := b.Place(now, Batch{Groups: groups, Seen: rootOf(1 + i%70)})
				b.settle(groups, ps)
				assert.NoError(t, b.Await(t.Context(), ps))
				for j := range ended.Closed {
					b.Issued(&ended.Closed[j], Sum{1})
				}
				switch i % 20 {
				case 3:
					b.Sweep(now, 20)
				case 7:
					b.AppendRun(nil, runOf(1+i%60))
				case 11:
					b.Close(now, WhyBatch, Runs(ps))
				case 13:
					b.KnownAs(&groups[0])
				case 17:
					b.Stats()
				}
			}
		})
	}
	workers.Wait()
	for len(b.CloseAll(noon, WhyShutdown, 10).Closed) > 0 {
	}
	require.Zero(t, b.Stats().Open)
	total := int64(0)
	for _, s := range b.shards {
		for _, r := range s.runs {
			assert.Zero(t, r.flying)
			total += r.size()
		}
	}
	assert.Equal(t, total, b.Stats().Bytes)
}
