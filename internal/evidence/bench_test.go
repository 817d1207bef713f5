// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const (
	benchWriters = 64
	benchBatch   = 512
)

// benchConfig returns a configuration with the defaults for all that counts.
func benchConfig(b *testing.B, dir string) Config {
	b.Helper()
	cfg := testConfig(b, dir)
	cfg.SegmentBytes, cfg.CheckpointRecords, cfg.RetryWindow = 0, 0, 0
	return cfg
}

// BenchmarkAppend appends batches of 512 from 64 goroutines, each of them
// durable when Append returns. In the same run it writes and syncs records of
// the same size, 512 at a time, as the anchor. It reports the records per second
// of both and their ratio, and the 99th percentile of a batch's latency against
// the time that writing and syncing one group of all 64 batches takes.
func BenchmarkAppend(b *testing.B) {
	dir := b.TempDir()
	j, err := Open(benchConfig(b, filepath.Join(dir, "journal")))
	require.NoError(b, err)
	var events [benchWriters][]carrier.Event
	for w := range events {
		events[w] = testEvents("run", w*benchBatch, benchBatch)
	}
	b.ReportAllocs()
	b.ResetTimer()
	start := time.Now()
	latencies := appendFromMany(b, j, events)
	elapsed := time.Since(start)
	b.StopTimer()
	stats := j.Stats()
	closeJournal(b, j)

	size := sizeOf(b, filepath.Join(dir, "journal")) / int64(stats.Lines)
	rate := float64(stats.Records) / elapsed.Seconds()
	raw, _ := rawAnchor(b, dir, size*benchBatch, min(b.N, 200))
	_, group := rawAnchor(b, dir, size*benchBatch*benchWriters, 5)
	slices.Sort(latencies)
	p99 := latencies[len(latencies)*99/100]
	b.ReportMetric(rate, "records/s")
	b.ReportMetric(raw*benchBatch, "raw-records/s")
	b.ReportMetric(raw*benchBatch/rate, "raw/journal")
	b.ReportMetric(float64(size), "B/record")
	b.ReportMetric(float64(p99)/float64(group), "p99/group-sync")
	b.ReportMetric(float64(elapsed.Nanoseconds())/float64(stats.Records), "ns/record")
}

// appendFromMany appends b.N batches and returns how long each took.
func appendFromMany(b *testing.B, j *Journal, events [benchWriters][]carrier.Event) []time.Duration {
	b.Helper()
	latencies := make([]time.Duration, b.N)
	next := make(chan int, b.N)
	for n := range b.N {
		next <- n
	}
	close(next)
	var wg sync.WaitGroup
	for _, events := range events {
		wg.Go(func() {
			for n := range next {
				setRun(events, n)
				began := time.Now()
				if _, err := j.Append(context.Background(), events); err != nil {
					b.Error(err)
				}
				latencies[n] = time.Since(began)
			}
		})
	}
	wg.Wait()
	return latencies
}

// setRun makes events those of another run, so that they are no retries.
func setRun(events []carrier.Event, n int) {
	run := fmt.Sprintf("run-%d", n)
	for i := range events {
		events[i].RunID = run
	}
}

func sizeOf(b *testing.B, dir string) (bytes int64) {
	b.Helper()
	list, err := listSegments(dir)
	require.NoError(b, err)
	for _, s := range list {
		bytes += s.size
	}
	return bytes
}

// rawAnchor writes and syncs a file, size bytes at a time, and returns how often
// a second that goes and what it takes in the median.
func rawAnchor(b *testing.B, dir string, size int64, times int) (perSecond float64, median time.Duration) {
	b.Helper()
	f, err := os.CreateTemp(dir, "raw")
	require.NoError(b, err)
	buf := make([]byte, size)
	for i := range buf {
		buf[i] = byte(i*7 + i>>8)
	}
	took := make([]time.Duration, times)
	start := time.Now()
	for i := range took {
		began := time.Now()
		_, err := f.Write(buf)
		require.NoError(b, err)
		require.NoError(b, f.Sync())
		took[i] = time.Since(began)
	}
	perSecond = float64(times) / time.Since(start).Seconds()
	require.NoError(b, f.Close())
	slices.Sort(took)
	return perSecond, took[times/2]
}

// BenchmarkLatency appends batches of 64 from 8 goroutines that pause between
// them, and reports the 99th percentile of a batch's latency in syncs: the 99th
// percentile of what the journal's own groups took to write and sync, in the
// same run. A batch that comes while one group is synced waits for that and for
// its own.
func BenchmarkLatency(b *testing.B) {
	const writers, size, times = 8, 64, 200
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "journal")
		held, err := holdDirectory(path)
		require.NoError(b, err)
		disk := &timedDirectory{directory: held}
		j, err := openIn(disk, benchConfig(b, path).withDefaults())
		require.NoError(b, err)
		latencies := make([][]time.Duration, writers)
		var wg sync.WaitGroup
		for w := range writers {
			events := testEvents("run", w*size, size)
			wg.Go(func() {
				for n := range times {
					setRun(events, w*times+n)
					began := time.Now()
					if _, err := j.Append(context.Background(), events); err != nil {
						b.Error(err)
					}
					latencies[w] = append(latencies[w], time.Since(began))
					time.Sleep(pause(n))
				}
			})
		}
		wg.Wait()
		closeJournal(b, j)
		reportLatency(b, slices.Concat(latencies...), disk.syncs)
	}
}

func reportLatency(b *testing.B, batches, syncs []time.Duration) {
	b.Helper()
	slices.Sort(batches)
	slices.Sort(syncs)
	p99, sync := batches[len(batches)*99/100], syncs[len(syncs)*99/100]
	b.ReportMetric(float64(batches[len(batches)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(syncs[len(syncs)/2].Microseconds())/1000, "sync-p50-ms")
	b.ReportMetric(float64(sync.Microseconds())/1000, "sync-p99-ms")
	b.ReportMetric(float64(p99)/float64(sync), "p99/sync-p99")
}

func pause(n int) time.Duration { return time.Duration(n*7919%20_000) * time.Microsecond }

// A timedDirectory notes how long each group takes to write and sync.
type timedDirectory struct {
	directory
	syncs []time.Duration
}

func (d *timedDirectory) create(name string) (file, error) {
	f, err := d.directory.create(name)
	return &timedFile{file: f, in: d}, err
}

type timedFile struct {
	file
	in    *timedDirectory
	began time.Time
}

func (f *timedFile) WriteAt(p []byte, at int64) (int, error) {
	if f.began.IsZero() {
		f.began = time.Now()
	}
	return f.file.WriteAt(p, at)
}

func (f *timedFile) Sync() error {
	err := f.file.Sync()
	f.in.syncs = append(f.in.syncs, time.Since(f.began))
	f.began = time.Time{}
	return err
}

// BenchmarkRecord is the processor time and the allocations of one record on a
// disk that takes no time, its digests included. What is beyond the digests it
// reports apart, and takes as many digests as records in the same run for it.
func BenchmarkRecord(b *testing.B) {
	events := testEvents("run", 0, benchBatch)
	w := newWriter(nullDisk{}, benchConfig(b, "").withDefaults())
	require.NoError(b, w.beginJournal(0))
	w.started = true
	write := func(n int) {
		setRun(events, n)
		added := newBatch(events)
		require.NoError(b, added.encode(&w.template, events))
		w.queue.records += added.records
		require.NoError(b, w.commit([]*batch{added}, want{}))
	}
	for n := range DefaultRetryWindow / benchBatch {
		write(-n - 1)
	}
	b.ReportAllocs()
	b.ResetTimer()
	start := time.Now()
	for n := 0; n < b.N; n += benchBatch {
		write(n)
	}
	records := time.Since(start)
	b.StopTimer()
	digest, _ := digestsOfRecord(b)
	start = time.Now()
	for range b.N {
		digest()
	}
	b.ReportMetric(float64(records-time.Since(start))/float64(b.N), "beyond-digests-ns/op")
}

// BenchmarkDigests is the digests of one record alone: link, leaf with its share
// of the tree, and the key of retries. The content hash is its caller's.
func BenchmarkDigests(b *testing.B) {
	digest, size := digestsOfRecord(b)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		digest()
	}
}

// digestsOfRecord returns what takes the digests of one record, and how long its
// line is.
func digestsOfRecord(b *testing.B) (digest func(), size int) {
	b.Helper()
	e := testEvent("run", 0)
	e.Source, e.Producer, e.ProducerVersion, e.Git = "urn:example:tdt:test", "tdt", "0.0.0", "unknown"
	text, err := appendEvent(nil, &e)
	require.NoError(b, err)
	c, err := newCursor("x", treeState{})
	require.NoError(b, err)
	line := c.append(nil, text)
	scratch := make([]byte, 0, 256)
	return func() {
		c.chain.write(line)
		c.chain.digest()
		c.tree.add(line[:len(line)-1], nil)
		keyOf(append(append(scratch, e.ContentHash...), e.RunID...))
	}, len(line)
}

// A nullDisk takes everything at once and keeps nothing.
type nullDisk struct{}

func (nullDisk) segments() ([]segmentFile, error)       { return nil, nil }
func (nullDisk) create(string) (file, error)            { return nullDisk{}, nil }
func (nullDisk) open(string) (file, int64, error)       { return nullDisk{}, 0, nil }
func (nullDisk) openOrCreate(string) (file, error)      { return nullDisk{}, nil }
func (nullDisk) remove(string) error                    { return nil }
func (nullDisk) sync() error                            { return nil }
func (nullDisk) close() error                           { return nil }
func (nullDisk) ReadAt([]byte, int64) (int, error)      { return 0, nil }
func (nullDisk) Truncate(int64) error                   { return nil }
func (nullDisk) Sync() error                            { return nil }
func (nullDisk) Close() error                           { return nil }
func (nullDisk) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }

// BenchmarkVerify verifies a journal of about 64 MiB.
func BenchmarkVerify(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "journal")
	j, err := Open(benchConfig(b, dir))
	require.NoError(b, err)
	events := testEvents("run", 0, benchBatch)
	for n := range 90 {
		setRun(events, n)
		appendEvents(b, j, events)
	}
	closeJournal(b, j)
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
