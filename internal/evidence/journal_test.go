// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// mustBeSound verifies a journal with the test's keys.
func mustBeSound(tb testing.TB, dir string, o VerifyOptions) *Report {
	tb.Helper()
	if o.Keys == nil {
		o.Keys = testKeys(tb)
	}
	r, err := Verify(dir, o)
	require.NoError(tb, err)
	require.Equal(tb, Sound, r.Outcome, "findings: %+v", r.Findings)
	return r
}

func readAll(tb testing.TB, dir string, f Filter) []*Record {
	tb.Helper()
	r, err := OpenReader(dir, f)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, r.Close()) }()
	var out []*Record
	for rec, err := range r.All() {
		require.NoError(tb, err)
		out = append(out, rec)
	}
	return out
}

func TestLinesAreEventsWithAPlaceAndALink(t *testing.T) {
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	r := appendEvents(t, j, testEvents("run-1", 0, 3))
	assert.Equal(t, Receipt{Seqs: []uint64{1, 2, 3}}, r)
	closeJournal(t, j)

	text := readSegment(t, dir, 1)
	types := []string{TypeHead, carrier.TypeCarrier, carrier.TypeCarrier, carrier.TypeCarrier, TypeCheckpoint}
	at := 0
	for i, line := range strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n") {
		e, err := carrier.ParseEvent(strings.TrimSuffix(line, "\n"))
		require.NoError(t, err)
		assert.Equal(t, types[i], e.Type)
		assert.Contains(t, line, fmt.Sprintf(`,"tdtseq":%d,"tdtlink":"sha256:`, i))

		digits := at + strings.Index(line, `"tdtlink":"sha256:`) + len(`"tdtlink":"sha256:`)
		sum := sha256.Sum256([]byte(text[:digits]))
		assert.Equal(t, hex.EncodeToString(sum[:]), text[digits:digits+64], "what sha256sum says of the bytes before")
		at += len(line)
	}
	mustBeSound(t, dir, VerifyOptions{Carriers: true})
}

func TestALineWithoutItsPlaceIsTheEventOfABundle(t *testing.T) {
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	e := testEvent("run-1", 0)
	appendEvents(t, j, []carrier.Event{e})
	closeJournal(t, j)
	line := strings.Split(readSegment(t, dir, 1), "\n")[1]
	event, _, ok := strings.Cut(line, `,"tdtseq":`)
	require.True(t, ok)
	e.Source, e.Producer, e.ProducerVersion, e.Git = "urn:example:tdt:test", "tdt", "0.0.0", "unknown"
	want, err := carrier.AppendEvent(nil, &e)
	require.NoError(t, err)
	assert.Equal(t, string(want), event+"}")
}

func TestConcurrentBatchesDoNotMix(t *testing.T) {
	defer goleak.VerifyNone(t)
	const writers, batches, size = 64, 10, 16
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	cfg.SegmentBytes = 1 << 20
	cfg.CheckpointRecords = 500
	j := openJournal(t, cfg)
	var wg sync.WaitGroup
	receipts := make([][]Receipt, writers)
	for w := range writers {
		wg.Go(func() {
			for b := range batches {
				r, err := j.Append(context.Background(), testEvents(fmt.Sprintf("run-%d", w), b*size, size))
				if !assert.NoError(t, err) {
					return
				}
				receipts[w] = append(receipts[w], r)
			}
		})
	}
	wg.Wait()
	closeJournal(t, j)
	r := mustBeSound(t, dir, VerifyOptions{Carriers: true})
	assert.EqualValues(t, writers*batches*size, r.Records)
	assert.Greater(t, r.Segments, 3)

	bySeq := map[uint64]*Record{}
	for _, rec := range readAll(t, dir, Filter{}) {
		bySeq[rec.JournalSeq] = rec
	}
	require.Len(t, bySeq, writers*batches*size)
	for w := range writers {
		for b, receipt := range receipts[w] {
			for i, seq := range receipt.Seqs {
				assert.Equal(t, receipt.Seqs[0]+uint64(i), seq, "a batch is in one piece")
				assert.Equal(t, fmt.Sprintf("run-%d:%d", w, b*size+i), bySeq[seq].ID())
			}
		}
	}
}

func TestARetriedBatchMakesNoSecondRecord(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	j := openJournal(t, cfg)
	events := testEvents("run-1", 0, 5)
	first := appendEvents(t, j, events)
	again := testEvents("run-1", 3, 4) // two that are there, two that are not
	for i := range again {
		again[i].Time = "2026-01-02T03:04:06Z"
	}
	second := appendEvents(t, j, again)
	assert.Equal(t, 2, second.Duplicates)
	assert.Equal(t, first.Seqs[3:], second.Seqs[:2])
	other := appendEvents(t, j, testEvents("run-2", 0, 1))
	assert.Zero(t, other.Duplicates, "the same carrier in another run is another record")
	ofSpan := testEvents("run-1", 0, 1)
	ofSpan[0].TraceParent = "00-0af7651916cd43dd8448eb211c80319c-00000000000000aa-01"
	assert.Zero(t, appendEvents(t, j, ofSpan).Duplicates, "the same carrier of another span is another call")
	assert.Equal(t, 1, appendEvents(t, j, ofSpan).Duplicates)
	twice := testEvents("run-3", 0, 1)
	within := appendEvents(t, j, append(twice, twice...))
	assert.Equal(t, 1, within.Duplicates)
	assert.Equal(t, within.Seqs[0], within.Seqs[1])
	closeJournal(t, j)

	j = openJournal(t, cfg)
	reopened := appendEvents(t, j, events)
	assert.Equal(t, 5, reopened.Duplicates)
	assert.Equal(t, first.Seqs, reopened.Seqs)
	assert.Equal(t, 1, appendEvents(t, j, ofSpan).Duplicates)
	closeJournal(t, j)
	assert.EqualValues(t, 10, mustBeSound(t, dir, VerifyOptions{}).Records)
}

func TestTheRetryWindowIsBoundedAndSpansTwoSegments(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	cfg.SegmentBytes = 20 << 10
	cfg.RetryWindow = 20
	j := openJournal(t, cfg)
	for i := range 30 {
		appendEvents(t, j, testEvents("run-1", i, 1))
	}
	assert.Zero(t, appendEvents(t, j, testEvents("run-1", 9, 1)).Duplicates, "out of the window: written again")
	assert.Equal(t, 1, appendEvents(t, j, testEvents("run-1", 29, 1)).Duplicates)
	closeJournal(t, j)
	list, err := listSegments(dir)
	require.NoError(t, err)
	require.Greater(t, len(list), 2)
	j = openJournal(t, cfg)
	assert.Equal(t, 1, appendEvents(t, j, testEvents("run-1", 29, 1)).Duplicates)
	assert.Zero(t, appendEvents(t, j, testEvents("run-1", 1, 1)).Duplicates)
	closeJournal(t, j)
}

func TestEventsThatCannotBeWrittenAreNamed(t *testing.T) {
	long := testEvent("run-1", 0)
	require.NoError(t, long.SetData("x", `{"a":"`+strings.Repeat("x", carrier.MaxEventBytes)+`"}`))
	own := testEvent("run-1", 0)
	own.Type = TypeHead
	anonymous := testEvent("", 0)
	broken := testEvent("run-1", 0)
	broken.Data = []byte("{\"a\":1}\n{}")
	open := dataEvent(t, "run-1", 0, typeNote, "{}")
	open.Data = []byte(`{"a":"}`)
	short := dataEvent(t, "run-1", 0, typeNote, "{}")
	short.Data = []byte(`{"a":{}}}`)
	list := testEvent("run-1", 0)
	list.Data = []byte(`[1]`)
	empty := testEvent("run-1", 0)
	empty.Data = nil
	for name, e := range map[string]carrier.Event{
		"too long": long, "a type of the journal": own, "no run": anonymous, "two lines": broken,
		"no end": open, "an end too early": short, "a list": list, "nothing": empty, "a run with a colon": testEvent("a:b", 0),
	} {
		t.Run(name, func(t *testing.T) {
			dir := journalDir(t)
			j := openJournal(t, testConfig(t, dir))
			_, err := j.Append(context.Background(), []carrier.Event{testEvent("run-1", 1), e})
			var bad *EventError
			require.ErrorAs(t, err, &bad)
			assert.Equal(t, 1, bad.Index)
			appendEvents(t, j, testEvents("run-1", 2, 1))
			closeJournal(t, j)
			assert.EqualValues(t, 1, mustBeSound(t, dir, VerifyOptions{}).Records, "nothing of the batch was written")
		})
	}
}

func TestAnEmptyBatchIsDurable(t *testing.T) {
	j := openJournal(t, testConfig(t, journalDir(t)))
	r, err := j.Append(context.Background(), nil)
	require.NoError(t, err)
	assert.Empty(t, r.Seqs)
	closeJournal(t, j)
}

func TestCloseAgainAndAppendAfterIt(t *testing.T) {
	defer goleak.VerifyNone(t)
	j := openJournal(t, testConfig(t, journalDir(t)))
	closeJournal(t, j)
	closeJournal(t, j)
	_, err := j.Append(context.Background(), testEvents("run-1", 0, 1))
	var failed *AppendError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, ReasonClosed, failed.Reason)
	expired, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, j.Close(expired), "it is closed already")
}

func TestCloseWhileBatchesWaitWritesThem(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	var written sync.Map
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := 0; ; i++ {
				e := testEvent(fmt.Sprintf("run-%d", w), i)
				if _, err := j.Append(context.Background(), []carrier.Event{e}); err != nil {
					return
				}
				written.Store(e.ID(), true)
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	closeJournal(t, j)
	wg.Wait()
	found := map[string]bool{}
	for _, rec := range readAll(t, dir, Filter{}) {
		found[rec.ID()] = true
	}
	written.Range(func(id, _ any) bool { return assert.True(t, found[id.(string)], id) })
	mustBeSound(t, dir, VerifyOptions{})
}

func TestFilesBelongToTheirOwnerAlone(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	cfg.SegmentBytes = 4 << 10
	j := openJournal(t, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 20))
	appendEvents(t, j, testEvents("run-1", 20, 20))
	closeJournal(t, j)
	truncateLast(t, dir, 10)
	closeJournal(t, openJournal(t, cfg))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Greater(t, len(files), 4, "segments, lock, position and a side file")
	for _, f := range files {
		info, err := os.Stat(f)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), f)
	}
}

// truncateLast takes n bytes off the end of the newest segment.
func truncateLast(tb testing.TB, dir string, n int64) {
	tb.Helper()
	list, err := listSegments(dir)
	require.NoError(tb, err)
	last := list[len(list)-1]
	require.NoError(tb, os.Truncate(filepath.Join(dir, segmentName(last.number)), last.size-n))
}

func TestValidateReportsAllThatIsWrong(t *testing.T) {
	_, err := Open(Config{Retention: Retention{Segments: 1, Age: -1}, QueueBytes: -1})
	require.Error(t, err)
	for _, part := range []string{
		"directory must be set", "on_failure", "source must be a URI", "signers must not be empty", "now must be set",
		"retention age must be at least 0", "queue_bytes", "retention of 1 segment",
	} {
		assert.Contains(t, err.Error(), part)
	}
}

func TestStatsCount(t *testing.T) {
	cfg := testConfig(t, journalDir(t))
	var told []Checkpoint
	cfg.OnCheckpoint = func(c Checkpoint) { told = append(told, c) }
	cfg.CheckpointRecords = 4
	j := openJournal(t, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 4))
	appendEvents(t, j, testEvents("run-1", 3, 2))
	s := j.Stats()
	closeJournal(t, j)
	assert.Equal(t, Stats{Records: 5, Duplicates: 1, Checkpoints: 1, Segments: 1, Lines: 7}, s)
	require.Len(t, told, 2, "the second one when it was closed")
	assert.EqualValues(t, 5, told[0].Size)
	assert.EqualValues(t, 7, told[1].Size)
	for _, c := range told {
		got, err := ParseCheckpoint(c.Note, testKeys(t))
		require.NoError(t, err)
		assert.Equal(t, c, got)
	}
}
