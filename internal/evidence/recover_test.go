// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// writeDir makes a directory with the files.
func writeDir(tb testing.TB, files map[string][]byte) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "journal")
	require.NoError(tb, os.Mkdir(dir, 0o700))
	for name, text := range files {
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return dir
}

// readDir returns the files of a directory, the lock aside.
func readDir(tb testing.TB, dir string) map[string][]byte {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(tb, err)
	files := map[string][]byte{}
	for _, e := range entries {
		if e.Name() == lockName {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(tb, err)
		files[e.Name()] = text
	}
	return files
}

// TestAFileCutAnywhereInItsLastRecordIsContinued cuts the journal at each byte
// of its last record, with the position file and without it, as after a crash
// whose last write was torn, and as after an end that was cut off.
func TestAFileCutAnywhereInItsLastRecordIsContinued(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	j := openJournal(t, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 3))
	before := readDir(t, dir) // what is durable now
	appendEvents(t, j, []carrier.Event{dataEvent(t, "r", 3, typeNote, "{}")})
	after := readDir(t, dir)
	closeJournal(t, j)

	name := segmentName(1)
	start, end := len(before[name]), len(after[name])
	require.Less(t, start, end)
	for _, tt := range []struct {
		name     string
		position []byte
		missing  uint64
	}{
		{"a write that was torn", before[positionName], 0},
		{"an end that was cut off", after[positionName], 1},
		{"no position", nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for cut := start; cut < end; cut++ {
				files := map[string][]byte{name: after[name][:cut]}
				if tt.position != nil {
					files[positionName] = tt.position
				}
				checkCut(t, dir, files, cut-start, tt.missing)
			}
		})
	}
}

func checkCut(t *testing.T, dir string, files map[string][]byte, torn int, missing uint64) {
	t.Helper()
	d := diskOf(files)
	j := openDisk(t, d, diskConfig(t))
	r := appendEvents(t, j, []carrier.Event{dataEvent(t, "r", 3, typeNote, "{}"), dataEvent(t, "r", 4, typeNote, `{"a":1}`)})
	recovery := j.Recovery()
	stats := j.Stats()
	closeJournal(t, j)

	d.copyInto(t, dir)
	report := mustBeSound(t, dir, VerifyOptions{Carriers: true})
	require.EqualValues(t, 5, report.Records, "whole records stay, and the cut one is written again")
	if torn == 0 && missing == 0 {
		require.Empty(t, recovery.Torn)
		require.Equal(t, []uint64{4, 5}, r.Seqs)
		return
	}
	require.Equal(t, []uint64{5, 6}, r.Seqs, "numbering continues behind the gap's own record")
	require.Len(t, recovery.Torn, 1)
	require.Len(t, report.Gaps, 1)
	require.EqualValues(t, 1, stats.Torn)
	gap := report.Gaps[0].Gap
	require.Equal(t, recovery.Torn[0], gap)
	require.Equal(t, Gap{
		Cause: ReasonTornTail, Bytes: int64(torn), Records: missing, Schema: TypeGap, Segment: 1, File: gap.File,
	}, gap)
	if torn == 0 {
		require.Empty(t, gap.File)
		return
	}
	all := files[segmentName(1)]
	require.Equal(t, string(all[len(all)-torn:]), string(d.files[gap.File].data))
}

func TestATornHeadIsSetAsideAndItsSegmentBegunAgain(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	cfg.SegmentBytes = 1 // each batch seals its segment
	j := openJournal(t, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 1))
	before := readDir(t, dir)
	appendEvents(t, j, testEvents("run-1", 1, 1))
	after := readDir(t, dir)
	closeJournal(t, j)
	newest := segmentName(uint64(len(before)))
	require.Contains(t, after, newest)
	require.NotContains(t, before, newest)
	head := bytes.IndexByte(after[newest], '\n') + 1
	for _, cut := range []int{0, 1, 100, head - 2, head - 1} {
		t.Run(fmt.Sprintf("cut at %d", cut), func(t *testing.T) {
			files := map[string][]byte{newest: after[newest][:cut]}
			for name, text := range before {
				files[name] = text
			}
			dir := writeDir(t, files)
			cfg.Directory = dir
			j := openJournal(t, cfg)
			appendEvents(t, j, testEvents("run-1", 1, 1))
			closeJournal(t, j)
			r := mustBeSound(t, dir, VerifyOptions{})
			assert.EqualValues(t, 2, r.Records)
			if cut > 0 {
				require.Len(t, r.Gaps, 1)
				assert.EqualValues(t, cut, r.Gaps[0].Bytes)
			}
		})
	}
	t.Run("the only segment", func(t *testing.T) {
		dir := writeDir(t, map[string][]byte{segmentName(1): before[segmentName(1)][:50]})
		cfg.Directory = dir
		closeJournal(t, openJournal(t, cfg))
		mustBeSound(t, dir, VerifyOptions{})
	})
}

// changes are what can be done to a segment in the middle, as tools and people
// do it.
var changes = map[string]func([]byte) []byte{
	"a flipped bit": func(b []byte) []byte {
		b[len(b)/2] ^= 1
		return b
	},
	"a removed line": func(b []byte) []byte {
		lines := bytes.SplitAfter(b, newline)
		return bytes.Join(append(lines[:2:2], lines[3:]...), nil)
	},
	"a repeated line": func(b []byte) []byte {
		lines := bytes.SplitAfter(b, newline)
		return bytes.Join(append(lines[:3:3], lines[2:]...), nil)
	},
	"a page of zeros": func(b []byte) []byte {
		clear(b[len(b)/2 : len(b)/2+200])
		return b
	},
	"a changed head": func(b []byte) []byte {
		b[300] ^= 1
		return b
	},
}

func TestACorruptMiddleRefusesOrBeginsANewJournal(t *testing.T) {
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	appendEvents(t, j, testEvents("run-1", 0, 6))
	closeJournal(t, j)
	whole := readDir(t, dir)
	for name, change := range changes {
		for _, position := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, position %v", name, position), func(t *testing.T) {
				files := map[string][]byte{segmentName(1): change(bytes.Clone(whole[segmentName(1)]))}
				if position {
					files[positionName] = whole[positionName]
				}
				dir := writeDir(t, files)
				cfg := testConfig(t, dir)
				_, err := Open(cfg)
				var corrupt *CorruptError
				require.ErrorAs(t, err, &corrupt)
				assert.Equal(t, segmentName(1), corrupt.Finding.File)
				assert.Equal(t, files[segmentName(1)], readDir(t, dir)[segmentName(1)], "nothing was touched")

				var told []Health
				cfg.OnFailure, cfg.OnHealth = PassThrough, func(h Health) { told = append(told, h) }
				j := openJournal(t, cfg)
				assert.Equal(t, corrupt.Finding, *j.Recovery().Corrupt)
				assert.True(t, j.Recovery().NewJournal)
				r := appendEvents(t, j, testEvents("run-1", 6, 1))
				assert.Equal(t, []uint64{1}, r.Seqs, "a new journal")
				assert.Equal(t, ReasonCorrupt, j.Health().Reason, "it stays")
				closeJournal(t, j)
				require.Len(t, told, 1)
				assert.Equal(t, ReasonCorrupt, told[0].Reason)

				report, err := Verify(dir, VerifyOptions{Keys: testKeys(t)})
				require.NoError(t, err)
				assert.Equal(t, Unsound, report.Outcome)
				assert.Equal(t, 1, report.FindingsTotal, "%+v", report.Findings)
				assert.Equal(t, corrupt.Finding, *report.First())

				closeJournal(t, openJournal(t, testConfig(t, dir))) // what is written now is sound
			})
		}
	}
}

func TestAChangedSegmentBeforeTheLastIsFound(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	cfg.SegmentBytes = 4 << 10
	j := openJournal(t, cfg)
	for i := range 6 {
		appendEvents(t, j, testEvents("run-1", i*3, 3))
	}
	closeJournal(t, j)
	list, err := listSegments(dir)
	require.NoError(t, err)
	name := segmentName(list[len(list)-2].number)
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text[len(text)/2] ^= 1
	require.NoError(t, os.WriteFile(path, text, 0o600))
	_, err = Open(cfg)
	var corrupt *CorruptError
	require.ErrorAs(t, err, &corrupt)
	assert.Equal(t, name, corrupt.Finding.File)
	cfg.OnFailure = PassThrough
	j = openJournal(t, cfg)
	assert.False(t, j.Recovery().NewJournal, "the end is good")
	assert.Equal(t, ReasonCorrupt, j.Health().Reason)
	appendEvents(t, j, testEvents("run-1", 100, 1))
	closeJournal(t, j)
}

func TestRemovedSegmentsAreFoundWhenTheJournalIsOpened(t *testing.T) {
	build := func(t *testing.T) (string, Config, []segmentFile) {
		dir := journalDir(t)
		cfg := testConfig(t, dir)
		cfg.SegmentBytes = 4 << 10
		j := openJournal(t, cfg)
		for i := range 6 {
			appendEvents(t, j, testEvents("run-1", i*3, 3))
		}
		closeJournal(t, j)
		list, err := listSegments(dir)
		require.NoError(t, err)
		require.Greater(t, len(list), 3)
		return dir, cfg, list
	}
	for _, tt := range []struct {
		name   string
		remove func([]segmentFile) []segmentFile
		want   Fault
	}{
		{"the newest", func(l []segmentFile) []segmentFile { return l[len(l)-1:] }, FaultNewestMissing},
		{"one in the middle", func(l []segmentFile) []segmentFile { return l[1:2] }, FaultSegmentMissing},
		{"all", func(l []segmentFile) []segmentFile { return l }, FaultNewestMissing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, cfg, list := build(t)
			for _, s := range tt.remove(list) {
				require.NoError(t, os.Remove(filepath.Join(dir, segmentName(s.number))))
			}
			_, err := Open(cfg)
			var corrupt *CorruptError
			require.ErrorAs(t, err, &corrupt)
			assert.Equal(t, tt.want, corrupt.Finding.Fault)
			cfg.OnFailure = PassThrough
			j := openJournal(t, cfg)
			appendEvents(t, j, testEvents("run-2", 0, 1))
			assert.Equal(t, ReasonCorrupt, j.Health().Reason)
			closeJournal(t, j)
			report, err := Verify(dir, VerifyOptions{Keys: testKeys(t)})
			require.NoError(t, err)
			assert.Equal(t, Unsound, report.Outcome)
		})
	}
}

func TestGarbageBehindASealIsSetAside(t *testing.T) {
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	cfg.SegmentBytes = 1
	j := openJournal(t, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 1))
	closeJournal(t, j)
	list, err := listSegments(dir)
	require.NoError(t, err)
	last := filepath.Join(dir, segmentName(list[len(list)-1].number))
	text, err := os.ReadFile(last)
	require.NoError(t, err)
	require.Contains(t, string(text), TypeSeal)
	require.NoError(t, os.WriteFile(last, append(text, "garbage"...), 0o600))
	j = openJournal(t, cfg)
	require.Len(t, j.Recovery().Torn, 1)
	assert.EqualValues(t, 7, j.Recovery().Torn[0].Bytes)
	closeJournal(t, j)
	mustBeSound(t, dir, VerifyOptions{})
}

func TestAnInterruptedRecoveryIsDoneAgain(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	j := openDisk(t, d, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 2))
	closeJournal(t, j)
	name := segmentName(1)
	f := d.files[name]
	f.data = append(f.data, "a torn tail"...)
	for step, hook := range map[string]func(n *int) func(string) error{
		"when the side file is written":  func(n *int) func(string) error { return failFor(n, tornPrefix) },
		"when the segment is cut":        func(n *int) func(string) error { return failFor(n, segmentPrefix) },
		"when the side file is synced":   func(n *int) func(string) error { return failFor(n, tornPrefix) },
		"when the segment is synced":     func(n *int) func(string) error { return failFor(n, segmentPrefix) },
		"when the gap cannot be written": func(n *int) func(string) error { return failFor(n, segmentPrefix) },
	} {
		t.Run(step, func(t *testing.T) {
			left := 1
			copied := copyDisk(d)
			switch step {
			case "when the side file is written":
				copied.onWrite = hook(&left)
			case "when the segment is cut":
				copied.onTruncate = hook(&left)
			case "when the gap cannot be written":
				copied.onWrite = hook(&left)
			default:
				copied.onSync = hook(&left)
			}
			_, err := openIn(copied, cfg.withDefaults())
			require.ErrorIs(t, err, errDisk)
			copied.onWrite, copied.onSync, copied.onTruncate = nil, nil, nil
			j := openDisk(t, copied, cfg)
			appendEvents(t, j, testEvents("run-1", 2, 1))
			closeJournal(t, j)
			r := mustBeSound(t, copied.copyTo(t), VerifyOptions{})
			assert.EqualValues(t, 3, r.Records)
		})
	}
}
