// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A healthLog keeps what OnHealth was told.
type healthLog struct {
	mu   sync.Mutex
	told []Reason
}

func (h *healthLog) add(s Health) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, s.Reason)
}

func (h *healthLog) reasons() []Reason {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Reason(nil), h.told...)
}

func appendOne(j *Journal, run string, seq int) error {
	_, err := j.Append(context.Background(), testEvents(run, seq, 1))
	return err
}

func requireReason(t *testing.T, err error, want Reason) *AppendError {
	t.Helper()
	var failed *AppendError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, want, failed.Reason, "%v", err)
	return failed
}

// inBubble runs a test with a clock that moves only when all of it waits.
func inBubble(t *testing.T, f func(t *testing.T, d *disk, cfg Config, health *healthLog)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d, health, cfg := newDisk(), &healthLog{}, diskConfig(t)
		cfg.OnFailure, cfg.OnHealth, cfg.Now, cfg.Wait = PassThrough, health.add, time.Now, 5*time.Second
		f(t, d, cfg, health)
	})
}

func TestAFullDiskIsToldAndRecoversByItself(t *testing.T) {
	inBubble(t, func(t *testing.T, d *disk, cfg Config, health *healthLog) {
		d.capacity = 1 << 20
		j := openDisk(t, d, cfg)
		written, refused := 0, 0
		for i := range 200 {
			_, err := j.Append(t.Context(), testEvents("run-1", i*16, 16))
			if err == nil {
				written += 16
				continue
			}
			failed := requireReason(t, err, ReasonDiskFull)
			assert.ErrorIs(t, err, syscall.ENOSPC)
			assert.False(t, failed.Unsettled)
			refused += 16
			assert.Equal(t, ReasonDiskFull, j.Health().Reason)
		}
		require.Positive(t, written)
		require.Positive(t, refused)
		assert.Equal(t, []Reason{ReasonDiskFull}, health.reasons(), "it does not flap")
		time.Sleep(time.Minute)
		assert.Equal(t, []Reason{ReasonDiskFull}, health.reasons(), "the disk is still full")
		s := j.Stats()
		assert.EqualValues(t, written, s.Records)
		assert.EqualValues(t, refused, s.Refused)
		assert.Zero(t, s.QueueRecords)
		full, err := Verify(d.copyTo(t), VerifyOptions{Keys: testKeys(t)})
		require.NoError(t, err)
		assert.Empty(t, full.Findings, "no part of a line is left")

		d.mu.Lock()
		d.capacity = 16 << 20
		d.mu.Unlock()
		time.Sleep(10 * time.Second)
		assert.True(t, j.Health().OK(), "without anything to write")
		assert.Equal(t, []Reason{ReasonDiskFull, 0}, health.reasons())
		for i := range 200 {
			appendEvents(t, j, testEvents("run-1", i*16, 16))
		}
		closeJournal(t, j)
		r := mustBeSound(t, d.copyTo(t), VerifyOptions{})
		assert.EqualValues(t, 3200, r.Records, "no second record of what was durable")
		require.NotZero(t, r.GapsTotal)
		total := uint64(0)
		for _, g := range r.Gaps {
			assert.Equal(t, ReasonDiskFull, g.Cause)
			total += g.Records
		}
		assert.EqualValues(t, refused, total)
	})
}

func TestAFullDiskBeforeTheFirstLine(t *testing.T) {
	inBubble(t, func(t *testing.T, d *disk, cfg Config, health *healthLog) {
		d.capacity = 300
		strict := cfg
		strict.OnFailure = Block
		_, err := openIn(d, strict.withDefaults())
		require.ErrorIs(t, err, syscall.ENOSPC)
		j := openDisk(t, d, cfg)
		requireReason(t, appendOne(j, "run-1", 0), ReasonDiskFull)
		d.mu.Lock()
		d.capacity = 0
		d.mu.Unlock()
		time.Sleep(10 * time.Second)
		require.NoError(t, appendOne(j, "run-1", 0))
		closeJournal(t, j)
		mustBeSound(t, d.copyTo(t), VerifyOptions{})
	})
}

// TestAnyFailureLeavesAJournalThatGoesOn lets each kind of operation fail, once
// and for a while, at each of the places where it happens.
func TestAnyFailureLeavesAJournalThatGoesOn(t *testing.T) {
	set := map[string]func(*disk, func(string) error){
		"write":        func(d *disk, h func(string) error) { d.onWrite = h },
		"sync":         func(d *disk, h func(string) error) { d.onSync = h },
		"create":       func(d *disk, h func(string) error) { d.onCreate = h },
		"sync of name": func(d *disk, h func(string) error) { d.onDirSync = h },
		"write, and then the file cannot be cut": func(d *disk, h func(string) error) {
			d.onWrite, d.onTruncate = h, func(string) error { return errDisk }
		},
		"sync, and then the segment cannot be removed": func(d *disk, h func(string) error) {
			d.onSync, d.onRemove = h, func(string) error { return errDisk }
		},
	}
	for kind, hook := range set {
		for _, times := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s, %d times", kind, times), func(t *testing.T) {
				for after := range 12 {
					oneFailure(t, hook, after, times)
				}
			})
		}
	}
}

// oneFailure lets an operation fail, after it worked for a number of times.
func oneFailure(t *testing.T, hook func(*disk, func(string) error), after, times int) {
	inBubble(t, func(t *testing.T, d *disk, cfg Config, _ *healthLog) {
		cfg.SegmentBytes = 8 << 10
		j := openDisk(t, d, cfg)
		var calls atomic.Int64
		d.mu.Lock()
		hook(d, func(name string) error {
			if n := calls.Add(1); !strings.HasPrefix(name, segmentPrefix) || n <= int64(after) || n > int64(after+times) {
				return nil
			}
			return syscall.EIO
		})
		d.mu.Unlock()
		durable := map[string]bool{}
		for i := range 30 {
			e := testEvents("run-1", i, 1)
			if _, err := j.Append(t.Context(), e); err == nil {
				durable[e[0].ID()] = true
			} else {
				var failed *AppendError
				require.ErrorAs(t, err, &failed)
				time.Sleep(8 * time.Second)
			}
		}
		d.mu.Lock()
		d.onWrite, d.onSync, d.onCreate, d.onTruncate, d.onRemove, d.onDirSync = nil, nil, nil, nil, nil, nil
		d.mu.Unlock()
		time.Sleep(time.Minute)
		require.True(t, j.Health().OK(), "%v", j.Health())
		require.NoError(t, appendOne(j, "run-2", 0))
		closeJournal(t, j)
		checkDurable(t, d, durable)
	})
}

// checkDurable checks that the journal on a disk is sound and has the records.
func checkDurable(t *testing.T, d *disk, durable map[string]bool) {
	t.Helper()
	dir := d.copyTo(t)
	mustBeSound(t, dir, VerifyOptions{})
	found := map[string]int{}
	for _, rec := range readAll(t, dir, Filter{}) {
		found[rec.ID()]++
	}
	for id := range durable {
		require.Equal(t, 1, found[id], "%s was told to be durable", id)
	}
}

// TestTorturePowerLossKeepsWhatWasDurable cuts the power at any moment of a journal that
// fails now and then, and starts again, many times over.
func TestTorturePowerLossKeepsWhatWasDurable(t *testing.T) {
	for seed := range rounds(12, 500) {
		powerLosses(t, uint64(seed))
	}
}

func powerLosses(t *testing.T, seed uint64) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(seed, 7))
		d, durable, next := newDisk(), map[string]bool{}, 0
		for range 6 {
			cfg := diskConfig(t)
			cfg.OnFailure, cfg.Now, cfg.SegmentBytes = Block, time.Now, 6<<10
			j := openDisk(t, d, cfg)
			require.Nil(t, j.Recovery().Corrupt, "seed %d: a torn write is not taken for a change", seed)
			d.mu.Lock()
			d.onSync = sometimes(seed, 12)
			d.onWrite = sometimes(seed+1000, 12)
			d.mu.Unlock()
			for range rng.IntN(20) {
				events := testEvents("run-1", next, 1+rng.IntN(4))
				next += len(events)
				if _, err := j.Append(t.Context(), events); err != nil {
					time.Sleep(8 * time.Second)
					continue
				}
				for _, e := range events {
					durable[e.ID()] = true
				}
			}
			// The power goes while a batch is on its way: its sync never returns.
			stop := make(chan struct{})
			d.mu.Lock()
			d.onSync = func(string) error { <-stop; return errDisk }
			d.mu.Unlock()
			last := testEvents("run-1", next, 3)
			next += len(last)
			go func() { _, _ = j.Append(t.Context(), last) }()
			synctest.Wait()
			after := d.powerLoss(rng)
			close(stop)
			_ = j.Close(t.Context())
			d = after
		}
		cfg := diskConfig(t)
		cfg.Now = time.Now
		closeJournal(t, openDisk(t, d, cfg))
		checkDurable(t, d, durable)
	})
}

// sometimes returns a hook that fails one time in n.
func sometimes(seed uint64, n int) func(string) error {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 8))
	return func(string) error {
		mu.Lock()
		defer mu.Unlock()
		if rng.IntN(n) == 0 {
			return errDisk
		}
		return nil
	}
}

func TestAStalledDiskHoldsNobodyForLong(t *testing.T) {
	inBubble(t, func(t *testing.T, d *disk, cfg Config, health *healthLog) {
		cfg.QueueRecords = 100
		j := openDisk(t, d, cfg)
		require.NoError(t, appendOne(j, "run-0", 0))
		stalled := make(chan struct{})
		d.mu.Lock()
		d.onSync = func(string) error { <-stalled; return nil }
		d.mu.Unlock()

		start := time.Now()
		var wg sync.WaitGroup
		var reasons sync.Map
		for i := range 150 {
			wg.Go(func() {
				_, err := j.Append(t.Context(), testEvents(fmt.Sprintf("run-%d", i), 1, 10))
				reasons.Store(i, requireReason(t, err, ReasonStalled).Unsettled)
				assert.LessOrEqual(t, time.Since(start), cfg.Wait)
			})
		}
		synctest.Wait()
		assert.LessOrEqual(t, j.Stats().QueueRecords, 100, "the queue is bounded")
		wg.Wait()
		unsettled := 0
		reasons.Range(func(_, u any) bool {
			if u.(bool) {
				unsettled++
			}
			return true
		})
		assert.Positive(t, unsettled, "what was being written may be durable yet")
		assert.LessOrEqual(t, unsettled, 10, "and no more than the queue holds")
		assert.Equal(t, []Reason{ReasonStalled}, health.reasons())

		before := time.Now()
		requireReason(t, appendOne(j, "run-x", 0), ReasonStalled)
		assert.Zero(t, time.Since(before), "nobody waits for a writer that is known to be stuck")

		time.Sleep(30*time.Second - time.Since(start))
		close(stalled)
		synctest.Wait()
		assert.True(t, j.Health().OK())
		require.NoError(t, appendOne(j, "run-y", 0))
		closeJournal(t, j)
		r := mustBeSound(t, d.copyTo(t), VerifyOptions{})
		assert.EqualValues(t, 1+10*unsettled+1, r.Records)
		require.Len(t, r.Gaps, 1)
		assert.Equal(t, ReasonStalled, r.Gaps[0].Cause)
		assert.EqualValues(t, (150-unsettled)*10+1, r.Gaps[0].Records)
		assert.Equal(t, []Reason{ReasonStalled, 0}, health.reasons())
	})
}

func TestAppendReturnsWhenItsContextEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, d *disk, cfg Config, _ *healthLog) {
		j := openDisk(t, d, cfg)
		stalled := make(chan struct{})
		d.mu.Lock()
		d.onSync = func(string) error { <-stalled; return nil }
		d.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() {
				_, err := j.Append(ctx, testEvents("run-1", i, 1))
				failed := requireReason(t, err, ReasonCanceled)
				assert.ErrorIs(t, failed, context.DeadlineExceeded)
			})
			synctest.Wait()
		}
		wg.Wait()
		assert.True(t, j.Health().OK(), "that somebody has no time is not a fault of the journal")
		close(stalled)
		closeJournal(t, j)
	})
}

func TestAQueueThatIsFullIsToldAndKeepsRoomForTheWorst(t *testing.T) {
	inBubble(t, func(t *testing.T, d *disk, cfg Config, _ *healthLog) {
		cfg.QueueRecords = 80
		j := openDisk(t, d, cfg)
		slow := make(chan struct{})
		d.mu.Lock()
		d.onSync = func(string) error { <-slow; return nil }
		d.mu.Unlock()
		var wg sync.WaitGroup
		add := func(run string, events []carrier.Event, want Reason) {
			wg.Go(func() {
				_, err := j.Append(t.Context(), events)
				if want == 0 {
					assert.NoError(t, err, run)
					return
				}
				requireReason(t, err, want)
			})
			synctest.Wait()
		}
		add("first", testEvents("first", 0, 5), 0)
		add("second", testEvents("second", 0, 65), ReasonStalled)
		add("no room", testEvents("flood", 0, 5), ReasonQueueFull)
		severe := testEvents("severe", 0, 5)
		require.NoError(t, severe[4].SetData(carrier.TypeCarrier, strings.Replace(carrierData("x", 4), `"match"`, `"mismatch"`, 1)))
		add("severe", severe, ReasonStalled)
		assert.Equal(t, 75, j.Stats().QueueRecords)

		time.Sleep(4 * time.Second)
		slow <- struct{}{} // the first batch is durable: the writer is slow, not stuck
		synctest.Wait()
		time.Sleep(2 * time.Second)
		close(slow)
		wg.Wait()
		closeJournal(t, j)
	})
}
