// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

func dataEvent(t *testing.T, run string, seq int, eventType, data string) carrier.Event {
	t.Helper()
	e := carrier.Event{RunID: run, Seq: int64(seq), Time: "2026-01-02T03:04:05Z"}
	require.NoError(t, e.SetData(eventType, data))
	return e
}

// rowEvent is the row that cites a carrier.
func rowEvent(t *testing.T, of carrier.Event, seq int) carrier.Event {
	t.Helper()
	c, err := carrier.Cite(string(of.Data))
	require.NoError(t, err)
	row, err := carrier.BuildRow(c, truth.Mismatch, carrier.EventRef(of.RunID, of.Seq))
	require.NoError(t, err)
	e := carrier.Event{RunID: of.RunID, Seq: int64(seq), Time: "2026-01-02T04:00:00Z"}
	e.SetRow(&row)
	return e
}

func ids(records []*Record) []string {
	out := []string{}
	for _, r := range records {
		out = append(out, r.ID())
	}
	return out
}

func TestReaderFilters(t *testing.T) {
	other := canon.Sum([]byte("another policy"))
	usual := canon.Sum([]byte("policy"))
	strange := "run \"x\"\n"
	match := testEvent("a", 0)
	mismatch := testEvent("a", 1)
	require.NoError(t, mismatch.SetData(carrier.TypeCarrier, strings.Replace(carrierData("x", 1), `"match"`, `"mismatch"`, 1)))
	mismatch.Time = "2026-01-02T04:00:00+00:30"
	elsewhere := testEvent("b", 0)
	require.NoError(t, elsewhere.SetData(carrier.TypeCarrier, strings.ReplaceAll(carrierData("x", 0), string(usual), string(other))))
	tricky := dataEvent(t, "b", 1, typeNote, fmt.Sprintf(`{"tool_name":",\"declared_policy_digest\":\"%s\""}`, other))
	run := dataEvent(t, strange, 0, typeOther, `{}`)
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	appendEvents(t, j, []carrier.Event{match, mismatch, elsewhere, tricky, run, rowEvent(t, match, 2), rowEvent(t, mismatch, 3)})
	closeJournal(t, j)
	at := func(s string) time.Time {
		out, err := time.Parse(time.RFC3339, s)
		require.NoError(t, err)
		return out
	}
	for name, tt := range map[string]struct {
		filter Filter
		want   []string
	}{
		"all":                     {Filter{}, []string{"a:0", "a:1", "b:0", "b:1", strange + ":0", "a:2", "a:3"}},
		"a run":                   {Filter{RunID: "a"}, []string{"a:0", "a:1", "a:2", "a:3"}},
		"a run to be escaped":     {Filter{RunID: strange}, []string{strange + ":0"}},
		"no such run":             {Filter{RunID: "c"}, []string{}},
		"since":                   {Filter{Since: at("2026-01-02T03:30:00Z")}, []string{"a:1", "a:2", "a:3"}},
		"until":                   {Filter{Until: at("2026-01-02T03:30:00Z")}, []string{"a:0", "b:0", "b:1", strange + ":0"}},
		"since and until":         {Filter{Since: at("2026-01-02T03:30:00Z"), Until: at("2026-01-02T03:31:00Z")}, []string{"a:1"}},
		"a policy, with its rows": {Filter{Policy: usual}, []string{"a:0", "a:1", "a:2", "a:3"}},
		"another policy":          {Filter{Policy: other}, []string{"b:0"}},
		"a verdict":               {Filter{Verdicts: []truth.Verdict{truth.Mismatch}}, []string{"a:1", "a:3"}},
		"verdicts":                {Filter{Verdicts: []truth.Verdict{truth.Mismatch, truth.Match}, RunID: "b"}, []string{"b:0"}},
		"types":                   {Filter{Types: []string{typeNote, typeOther}}, []string{"b:1", strange + ":0"}},
		"rows":                    {Filter{Types: []string{carrier.TypeRow}}, []string{"a:2", "a:3"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, ids(readAll(t, dir, tt.filter)))
		})
	}
	own := readAll(t, dir, Filter{Types: []string{TypeHead, TypeCheckpoint}})
	require.Len(t, own, 2)
	assert.EqualValues(t, 0, own[0].JournalSeq)
	assert.Equal(t, 9, own[1].Line)
	for _, rec := range readAll(t, dir, Filter{}) {
		again, err := carrier.ParseEvent(rec.Text)
		require.NoError(t, err)
		assert.Equal(t, rec.ID(), again.ID())
		assert.Equal(t, string(again.Data), string(rec.Data))
	}
}

// TestAReaderFollowsAJournalThatIsWritten reads while segments are written,
// sealed and removed, and sees nothing before it is durable.
func TestAReaderFollowsAJournalThatIsWritten(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	cfg.SegmentBytes = 32 << 10
	j := openJournal(t, cfg)
	var durable sync.Map
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 150 {
			events := testEvents("run-1", i*4, 4)
			if _, err := j.Append(context.Background(), events); !assert.NoError(t, err) {
				return
			}
			for _, e := range events {
				durable.Store(e.ID(), true)
			}
		}
	}()
	r, err := OpenReader(dir, Filter{})
	require.NoError(t, err)
	seen := 0
	for seen < 600 {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			continue
		}
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("run-1:%d", seen), rec.ID())
		seen++
	}
	<-done
	_, err = r.Next()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, r.Close())
	closeJournal(t, j)
}

func TestAReaderStopsAtTheLastDurableLine(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	j := openJournal(t, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 3))
	durable := readDir(t, dir)
	appendEvents(t, j, testEvents("run-1", 3, 2))
	written := readDir(t, dir)
	closeJournal(t, j)

	// The lines of the second batch are in the file, but their sync has not
	// returned.
	live := writeDir(t, map[string][]byte{segmentName(1): written[segmentName(1)], positionName: durable[positionName]})
	assert.Len(t, readAll(t, live, Filter{}), 3)
	report, err := Verify(live, VerifyOptions{Live: true})
	require.NoError(t, err)
	assert.EqualValues(t, 3, report.Records)
	assert.EqualValues(t, len(written[segmentName(1)])-len(durable[segmentName(1)]), report.Unsettled)

	half := written[segmentName(1)][:len(written[segmentName(1)])-5]
	live = writeDir(t, map[string][]byte{segmentName(1): half, positionName: durable[positionName]})
	report, err = Verify(live, VerifyOptions{Live: true})
	require.NoError(t, err)
	assert.Empty(t, report.Findings)
	assert.Len(t, readAll(t, writeDir(t, map[string][]byte{segmentName(1): half}), Filter{}), 4, "in a copy without a position all whole lines")

	r, err := OpenReader(live, Filter{})
	require.NoError(t, err)
	for range 3 {
		_, err := r.Next()
		require.NoError(t, err)
	}
	_, err = r.Next()
	require.ErrorIs(t, err, io.EOF)
	for name, text := range written {
		require.NoError(t, os.WriteFile(filepath.Join(live, name), text, 0o600))
	}
	for range 2 {
		_, err := r.Next()
		require.NoError(t, err)
	}
	_, err = r.Next()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, r.Close())
}

func TestAReaderGoesOnBehindSegmentsThatWereRemoved(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	cfg.SegmentBytes, cfg.Retention.Segments = 4<<10, 2
	j := openJournal(t, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 1))
	r, err := OpenReader(dir, Filter{})
	require.NoError(t, err)
	first, err := r.Next()
	require.NoError(t, err)
	for i := range 20 {
		appendEvents(t, j, testEvents("run-1", 1+i, 1))
	}
	last := first
	for rec, err := range r.All() {
		require.NoError(t, err)
		require.Greater(t, rec.JournalSeq, last.JournalSeq)
		last = rec
	}
	assert.Equal(t, "run-1:20", last.ID())
	require.NoError(t, r.Close())
	closeJournal(t, j)
}

// TestReadersLeaveOutWhatAFailedSyncHasLeft has lines behind the place at which
// a segment was left.
func TestReadersLeaveOutWhatAFailedSyncHasLeft(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	cfg.OnFailure = PassThrough
	j := openDisk(t, d, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 2))
	left := 1
	d.mu.Lock()
	d.onSync, d.onTruncate = failFor(&left, segmentPrefix), func(string) error { return errDisk }
	d.mu.Unlock()
	_, err := j.Append(context.Background(), testEvents("run-1", 2, 2))
	requireReason(t, err, ReasonSync)
	d.mu.Lock()
	d.onTruncate = nil
	d.mu.Unlock()
	require.Eventually(t, func() bool { return j.Health().OK() }, 5*time.Second, 10*time.Millisecond)
	appendEvents(t, j, testEvents("run-1", 4, 2))
	closeJournal(t, j)
	dir := d.copyTo(t)
	assert.Equal(t, []string{"run-1:0", "run-1:1", "run-1:4", "run-1:5"}, ids(readAll(t, dir, Filter{})))
	r := mustBeSound(t, dir, VerifyOptions{})
	assert.Positive(t, r.Abandoned)
	require.Len(t, r.Gaps, 1)
	assert.Equal(t, ReasonSync, r.Gaps[0].Cause)
	p, err := Prove(dir, Wanted{Digest: string(canon.Sum(testEvent("run-1", 4).Data))})
	require.NoError(t, err)
	_, err = VerifyProof(p.String(), testKeys(t))
	require.NoError(t, err)
}

func TestAReaderNamesALineThatIsNone(t *testing.T) {
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	appendEvents(t, j, testEvents("run-1", 0, 3))
	closeJournal(t, j)
	files := readDir(t, dir)
	lines := strings.SplitAfter(string(files[segmentName(1)]), "\n")
	for name, tt := range map[string]struct {
		line string
		want Fault
	}{
		"no line":          {"{}\n", FaultMalformed},
		"changed contents": {strings.Replace(lines[2], "send_mail", "sent_mail", 1), FaultContent},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Join([]string{lines[0], lines[1], tt.line, lines[3], lines[4]}, "")
			r, err := OpenReader(writeDir(t, map[string][]byte{segmentName(1): []byte(changed)}), Filter{})
			require.NoError(t, err)
			_, err = r.Next()
			require.NoError(t, err)
			_, err = r.Next()
			var f *Finding
			require.ErrorAs(t, err, &f)
			assert.Equal(t, tt.want, f.Fault)
			assert.Equal(t, 3, f.Line)
			require.NoError(t, r.Close())
		})
	}
}

func TestAReaderNeedsAJournal(t *testing.T) {
	_, err := OpenReader(t.TempDir(), Filter{})
	require.ErrorIs(t, err, ErrNoJournal)
	_, err = OpenReader(journalDir(t), Filter{})
	require.Error(t, err)
}
