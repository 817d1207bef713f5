// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func segmentsOf(d *disk) []uint64 {
	list, _ := d.segments()
	out := make([]uint64, len(list))
	for i, s := range list {
		out[i] = s.number
	}
	return out
}

func TestSegmentsEndBySizeAndNameEachOther(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	cfg.SegmentBytes = 10 << 10
	j := openDisk(t, d, cfg)
	for i := range 40 {
		appendEvents(t, j, testEvents("run-1", i, 1))
	}
	closeJournal(t, j)
	list, err := d.segments()
	require.NoError(t, err)
	require.Greater(t, len(list), 4)
	batch := int64(1500)
	for i, s := range list {
		assert.Less(t, s.size, cfg.SegmentBytes+2*batch, "one batch and a seal more at most")
		lines := strings.Split(strings.TrimSuffix(string(d.files[segmentName(s.number)].data), "\n"), "\n")
		assert.Contains(t, lines[0], `"type":"`+TypeHead)
		if i+1 == len(list) {
			continue
		}
		assert.Contains(t, lines[len(lines)-1], `"type":"`+TypeSeal)
		next := string(d.files[segmentName(s.number+1)].data)
		assert.Contains(t, next[:strings.Index(next, "\n")], string(canon.Sum(d.files[segmentName(s.number)].data)), "what sha256sum says of the file")
	}
	mustBeSound(t, d.copyTo(t), VerifyOptions{})
}

func TestABatchLargerThanASegmentStaysInOnePiece(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	cfg.SegmentBytes, cfg.QueueRecords = 4<<10, 10
	j := openDisk(t, d, cfg)
	r := appendEvents(t, j, testEvents("run-1", 0, 2000))
	assert.EqualValues(t, 1999, r.Seqs[1999]-r.Seqs[0])
	closeJournal(t, j)
	mustBeSound(t, d.copyTo(t), VerifyOptions{})
}

func TestSegmentsAndCheckpointsEndByAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		cfg := diskConfig(t)
		cfg.Now, cfg.SegmentAge, cfg.CheckpointAge = time.Now, time.Hour, time.Minute
		var told atomic.Int64
		cfg.OnCheckpoint = func(Checkpoint) { told.Add(1) }
		j := openDisk(t, d, cfg)
		time.Sleep(80 * time.Second)
		assert.EqualValues(t, 1, told.Load(), "the head")
		time.Sleep(time.Hour)
		assert.EqualValues(t, 2, told.Load(), "the segment's age counts from its head, and it had a line more")
		segments := len(segmentsOf(d))
		time.Sleep(10 * time.Hour)
		assert.Len(t, segmentsOf(d), segments, "nothing to write, nothing to begin")
		require.NoError(t, appendOne(j, "run-1", 0))
		synctest.Wait()
		assert.EqualValues(t, 3, told.Load(), "the one before is old")
		require.NoError(t, appendOne(j, "run-1", 1))
		synctest.Wait()
		assert.EqualValues(t, 3, told.Load())
		time.Sleep(75 * time.Second)
		assert.EqualValues(t, 4, told.Load())
		time.Sleep(2 * time.Hour)
		require.NoError(t, appendOne(j, "run-1", 2))
		assert.Equal(t, []uint64{1, 2, 3}, segmentsOf(d))
		closeJournal(t, j)
		mustBeSound(t, d.copyTo(t), VerifyOptions{})
	})
}

func TestTheAgeOfASegmentSurvivesRestarts(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	clock := newTestClock()
	cfg.Now, cfg.SegmentAge = clock.Now, time.Hour
	for i := range 4 {
		j := openDisk(t, d, cfg)
		appendEvents(t, j, testEvents("run-1", i, 1))
		closeJournal(t, j)
		clock.advance(40 * time.Minute)
	}
	assert.Greater(t, len(segmentsOf(d)), 1)
	mustBeSound(t, d.copyTo(t), VerifyOptions{})
}

func TestRetentionRemovesWhatItSaysAndVerifyKnows(t *testing.T) {
	for name, retention := range map[string]Retention{
		"by number": {Segments: 3},
		"by size":   {Bytes: 30 << 10},
		"by age":    {Age: 3 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk()
			cfg := diskConfig(t)
			clock := newTestClock()
			cfg.SegmentBytes, cfg.Retention, cfg.Now = 8<<10, retention, clock.Now
			var kept []string
			cfg.OnCheckpoint = func(c Checkpoint) { kept = append(kept, c.Note) }
			j := openDisk(t, d, cfg)
			for i := range 100 {
				appendEvents(t, j, testEvents("run-1", i, 1))
				clock.advance(10 * time.Minute)
			}
			s := j.Stats()
			closeJournal(t, j)
			left := segmentsOf(d)
			require.Greater(t, left[0], uint64(3))
			assert.Equal(t, left[0]-1, s.Removed)
			assert.True(t, slices.IsSorted(left))
			if retention.Segments > 0 {
				assert.Len(t, left, retention.Segments)
			}
			dir := d.copyTo(t)
			r := mustBeSound(t, dir, VerifyOptions{Checkpoints: kept[len(kept)-1:]})
			assert.Equal(t, left[0]-1, r.Removed)
			old, err := Verify(dir, VerifyOptions{Keys: testKeys(t), Checkpoints: kept[:1]})
			require.NoError(t, err)
			assert.Equal(t, CannotVerify, old.Outcome, "what it covers is gone")
			assert.Equal(t, 1, old.Pruned)

			// A record of the rest can still be proved: the head has what is missing.
			rec := readAll(t, dir, Filter{})[0]
			p, err := Prove(dir, Wanted{Digest: string(canon.Sum(rec.Data))})
			require.NoError(t, err)
			proven, err := VerifyProof(p.String(), testKeys(t))
			require.NoError(t, err)
			assert.Equal(t, rec.JournalSeq, proven.Seq)

			// Another removal than the one that was announced is missed.
			delete(d.files, segmentName(left[0]))
			r, err = Verify(d.copyTo(t), VerifyOptions{Keys: testKeys(t)})
			require.NoError(t, err)
			require.Equal(t, Unsound, r.Outcome)
			assert.Equal(t, FaultSegmentMissing, r.First().Fault)
			assert.Equal(t, segmentName(left[0]), r.First().File)
		})
	}
}

func TestRetentionByAgeWorksWithoutNewRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		cfg := diskConfig(t)
		cfg.Now, cfg.SegmentBytes, cfg.CheckpointAge = time.Now, 4<<10, time.Minute
		cfg.Retention.Age = 24 * time.Hour
		j := openDisk(t, d, cfg)
		for i := range 20 {
			require.NoError(t, appendOne(j, "run-1", i))
		}
		before := segmentsOf(d)
		time.Sleep(25 * time.Hour)
		after := segmentsOf(d)
		assert.Greater(t, after[0], before[0])
		assert.Greater(t, after[0], before[len(before)-2]-1, "all but the last ones, whose seals nothing covers yet")
		closeJournal(t, j)
		mustBeSound(t, d.copyTo(t), VerifyOptions{})
	})
}

func TestRetentionNeverRemovesWhatNoCheckpointCovers(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	cfg.OnFailure, cfg.SegmentBytes = PassThrough, 4<<10
	j := openDisk(t, d, cfg)
	for i := range 8 {
		appendEvents(t, j, testEvents("run-1", i, 1))
	}
	closeJournal(t, j)
	last := segmentsOf(d)[len(segmentsOf(d))-1]
	f := d.files[segmentName(last)]
	f.data[len(f.data)/2] ^= 1
	cfg.Retention = Retention{Segments: 2}
	j = openDisk(t, d, cfg)
	for i := range 40 {
		appendEvents(t, j, testEvents("run-2", i, 1))
	}
	closeJournal(t, j)
	assert.Equal(t, []uint64{last - 1, last}, segmentsOf(d)[:2], "the segment that was changed, and the one whose seal only it covers")
	assert.Greater(t, len(segmentsOf(d)), 5, "and so what comes behind it")
}

func TestWhatRetentionCouldNotRemoveIsRemovedLater(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	cfg.SegmentBytes, cfg.Retention.Segments = 4<<10, 2
	j := openDisk(t, d, cfg)
	d.mu.Lock()
	d.onRemove = func(string) error { return errDisk }
	d.mu.Unlock()
	for i := range 20 {
		appendEvents(t, j, testEvents("run-1", i, 1))
	}
	assert.EqualValues(t, 1, segmentsOf(d)[0])
	mustBeSound(t, d.copyTo(t), VerifyOptions{Live: true})
	d.mu.Lock()
	d.onRemove = nil
	delete(d.files, segmentName(1)) // somebody else was faster
	d.mu.Unlock()
	for i := range 8 {
		appendEvents(t, j, testEvents("run-2", i, 1))
	}
	closeJournal(t, j)
	assert.Len(t, segmentsOf(d), 2)
	mustBeSound(t, d.copyTo(t), VerifyOptions{})
}

func TestRotationWhileManyWriteLosesNothing(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	cfg.SegmentBytes, cfg.Retention.Segments = 64<<10, 0
	j := openJournal(t, cfg)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 60 {
				_, err := j.Append(context.Background(), testEvents(fmt.Sprintf("run-%d", w), i*3, 3))
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	closeJournal(t, j)
	r := mustBeSound(t, dir, VerifyOptions{Carriers: true})
	assert.EqualValues(t, 8*60*3, r.Records)
	assert.Greater(t, r.Segments, 20)
}

// A brokenSigner cannot sign while it is told so.
type brokenSigner struct {
	note.Signer
	broken func() bool
}

func (s *brokenSigner) Sign(msg []byte) ([]byte, error) {
	if s.broken() {
		return nil, errors.New("the signer is out of order")
	}
	return s.Signer.Sign(msg)
}

func TestRecordsDoNotWaitForASigner(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	var broken atomic.Bool
	broken.Store(true)
	cfg.Signers = []note.Signer{&brokenSigner{testMAC(t), broken.Load}}
	cfg.CheckpointRecords, cfg.SegmentBytes = 2, 8<<10
	health := &healthLog{}
	cfg.OnHealth = health.add
	j := openDisk(t, d, cfg)
	for i := range 20 {
		appendEvents(t, j, testEvents("run-1", i, 1))
	}
	assert.Equal(t, ReasonCheckpoint, j.Health().Reason)
	assert.Len(t, segmentsOf(d), 1, "a segment is not left without its seal")
	broken.Store(false)
	appendEvents(t, j, testEvents("run-1", 20, 2))
	assert.True(t, j.Health().OK())
	closeJournal(t, j)
	assert.Equal(t, []Reason{ReasonCheckpoint, 0}, health.reasons())
	mustBeSound(t, d.copyTo(t), VerifyOptions{})
}
