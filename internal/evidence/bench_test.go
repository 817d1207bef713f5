// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const (
	benchWriters = 64
	benchBatch   = 512
)

func benchConfig(b *testing.B, dir string) Config {
	b.Helper()
	cfg := testConfig(b, dir)
	cfg.SegmentBytes, cfg.CheckpointRecords, cfg.RetryWindow = 0, 0, 0
	return cfg
}

// BenchmarkAppend appends batches of 512 from 64 goroutines, each batch durable
// when Append returns, and in the same run writes and syncs as many bytes as the
// anchor. It reports records per second, the anchor's, their ratio, and the
// latency of a batch in syncs of a group of the size that was written.
func BenchmarkAppend(b *testing.B) {
	dir := b.TempDir()
	j, err := Open(benchConfig(b, filepath.Join(dir, "journal")))
	require.NoError(b, err)
	batches := benchBatches(b)
	var syncs atomic.Int64
	latencies := make([]time.Duration, 0, b.N)
	var mu sync.Mutex
	var wg sync.WaitGroup
	var next atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	start := time.Now()
	for w := range benchWriters {
		wg.Go(func() {
			for {
				n := int(next.Add(1))
				if n > b.N {
					return
				}
				events := batches[w]
				for i := range events {
					events[i].RunID = fmt.Sprintf("run-%d", n)
				}
				began := time.Now()
				if _, err := j.Append(context.Background(), events); err != nil {
					b.Error(err)
					return
				}
				took := time.Since(began)
				mu.Lock()
				latencies = append(latencies, took)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	elapsed := time.Since(start)
	b.StopTimer()
	s := j.Stats()
	require.NoError(b, j.Close(context.Background()))
	_ = syncs.Load()

	list, err := listSegments(filepath.Join(dir, "journal"))
	require.NoError(b, err)
	var bytes int64
	for _, f := range list {
		bytes += f.size
	}
	perRecord := bytes / int64(s.Lines)
	rate := float64(s.Records) / elapsed.Seconds()
	rawRate, _ := rawAnchor(b, dir, perRecord, benchBatch, int(min(s.Records, 200*benchBatch)))
	_, groupSync := rawAnchor(b, dir, perRecord, benchBatch*benchWriters, int(min(max(s.Records, benchBatch*benchWriters), 4*benchBatch*benchWriters)))
	slices.Sort(latencies)
	b.ReportMetric(rate, "records/s")
	b.ReportMetric(rawRate, "raw-records/s")
	b.ReportMetric(rawRate/rate, "raw/journal")
	b.ReportMetric(float64(perRecord), "B/record")
	b.ReportMetric(float64(latencies[len(latencies)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(groupSync.Microseconds())/1000, "group-sync-ms")
	b.ReportMetric(0, "ns/op")
}

// rawAnchor writes records of a size to a file and syncs after each group, and
// returns the rate and the median time of a write with its sync.
func rawAnchor(b *testing.B, dir string, size int64, group, records int) (perSecond float64, median time.Duration) {
	b.Helper()
	f, err := os.Create(filepath.Join(dir, fmt.Sprintf("raw-%d", group)))
	require.NoError(b, err)
	defer func() { _ = f.Close() }()
	buf := make([]byte, size*int64(group))
	for i := range buf {
		buf[i] = byte(i*7 + i>>8)
	}
	var took []time.Duration
	start := time.Now()
	n := 0
	for ; n < records; n += group {
		began := time.Now()
		_, err := f.Write(buf)
		require.NoError(b, err)
		require.NoError(b, f.Sync())
		took = append(took, time.Since(began))
	}
	elapsed := time.Since(start)
	slices.Sort(took)
	return float64(n) / elapsed.Seconds(), took[len(took)/2]
}

func benchBatches(b *testing.B) [][]carrier.Event {
	b.Helper()
	out := make([][]carrier.Event, benchWriters)
	for w := range out {
		out[w] = testEvents("run", w*benchBatch, benchBatch)
	}
	return out
}

// BenchmarkRecord is the processor time and the allocations of one record on a
// disk that takes no time, digests included.
func BenchmarkRecord(b *testing.B) {
	events := testEvents("run", 0, benchBatch)
	cfg := diskConfig(b)
	cfg.SegmentBytes, cfg.CheckpointRecords, cfg.RetryWindow = 0, 0, 0
	w := newWriter(&nullDisk{}, cfg.withDefaults())
	require.NoError(b, w.beginJournal(0))
	w.started = true
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += benchBatch {
		b.StopTimer()
		for i := range events {
			events[i].RunID = fmt.Sprintf("run-%d", n)
		}
		b.StartTimer()
		batch := newBatch(events)
		require.NoError(b, batch.encode(&w.template, events))
		w.queue.records += batch.records
		require.NoError(b, w.commit([]*batchType{batch}, want{}))
	}
}

type batchType = batch

// BenchmarkDigests is what the digests of one record cost: the part that is not
// counted against the journal.
func BenchmarkDigests(b *testing.B) {
	e := testEvent("run", 0)
	e.Source, e.Producer, e.ProducerVersion, e.Git = "urn:example:tdt:test", "tdt", "0.0.0", "unknown"
	text, err := appendEvent(nil, &e)
	require.NoError(b, err)
	c, err := newCursor("x", treeState{})
	require.NoError(b, err)
	scratch := make([]byte, 0, 256)
	line := c.append(nil, text)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		c.chain.write(line)
		c.chain.digest()
		c.tree.add(line[:len(line)-1], nil)
		keyOf(append(append(scratch[:0], e.ContentHash...), e.RunID...))
	}
}

// A nullDisk takes everything at once.
type nullDisk struct{}

func (*nullDisk) segments() ([]segmentFile, error)  { return nil, nil }
func (*nullDisk) create(string) (file, error)       { return &nullFile{}, nil }
func (*nullDisk) open(string) (file, int64, error)  { return &nullFile{}, 0, nil }
func (*nullDisk) openOrCreate(string) (file, error) { return &nullFile{}, nil }
func (*nullDisk) remove(string) error               { return nil }
func (*nullDisk) sync() error                       { return nil }
func (*nullDisk) close() error                      { return nil }

type nullFile struct{}

func (*nullFile) ReadAt([]byte, int64) (int, error)      { return 0, nil }
func (*nullFile) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (*nullFile) Truncate(int64) error                   { return nil }
func (*nullFile) Sync() error                            { return nil }
func (*nullFile) Close() error                           { return nil }

// BenchmarkVerify verifies a journal of about 64 MiB.
func BenchmarkVerify(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "journal")
	j, err := Open(benchConfig(b, dir))
	require.NoError(b, err)
	events := testEvents("run", 0, benchBatch)
	for n := range 90 {
		for i := range events {
			events[i].RunID = fmt.Sprintf("run-%d", n)
		}
		_, err := j.Append(context.Background(), events)
		require.NoError(b, err)
	}
	require.NoError(b, j.Close(context.Background()))
	keys := testKeys(b)
	for _, carriers := range []bool{false, true} {
		b.Run(fmt.Sprintf("carriers=%v", carriers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := Verify(dir, VerifyOptions{Keys: keys, Carriers: carriers})
				require.NoError(b, err)
				require.Equal(b, Sound, r.Outcome)
				b.SetBytes(r.Bytes)
			}
		})
	}
}
