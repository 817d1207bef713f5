// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A sample is a journal of several segments with what is needed to verify it.
type sample struct {
	files  map[string][]byte
	kept   []string // checkpoints, as they were told
	names  []string // of the segments
	totals Report
}

func sampleJournal(t *testing.T) *sample {
	t.Helper()
	d := newDisk()
	cfg := diskConfig(t)
	cfg.SegmentBytes = 12 << 10
	cfg.CheckpointRecords = 5
	s := &sample{files: map[string][]byte{}}
	cfg.OnCheckpoint = func(c Checkpoint) { s.kept = append(s.kept, c.Note) }
	j := openDisk(t, d, cfg)
	for i := range 14 {
		appendEvents(t, j, testEvents("run-1", i*2, 2))
	}
	closeJournal(t, j)
	for name, f := range d.files {
		s.files[name] = f.data
		if _, ok := segmentNumber(name); ok {
			s.names = append(s.names, name)
		}
	}
	slices.Sort(s.names)
	require.Greater(t, len(s.names), 3)
	delete(s.files, positionName) // whoever changes a journal removes it
	s.totals = *s.verify(t, s.files)
	require.Equal(t, Sound, s.totals.Outcome, "%+v", s.totals.Findings)
	return s
}

// verify verifies files, with the last checkpoint that was told.
func (s *sample) verify(t *testing.T, files map[string][]byte) *Report {
	t.Helper()
	dir := writeDir(t, files)
	r, err := Verify(dir, VerifyOptions{Keys: testKeys(t), Checkpoints: s.kept[len(s.kept)-1:], Carriers: true})
	require.NoError(t, err)
	return r
}

// with returns the files with one of them replaced; nil removes it.
func (s *sample) with(name string, text []byte) map[string][]byte {
	files := maps.Clone(s.files)
	files[name] = text
	if text == nil {
		delete(files, name)
	}
	return files
}

func (s *sample) lines(name string) [][]byte {
	lines := bytes.SplitAfter(s.files[name], newline)
	return lines[:len(lines)-1]
}

func (s *sample) isLast(name string) bool { return name == s.names[len(s.names)-1] }

// A tampering changes one line of a segment. found is which line is at fault
// then, counted from the changed one.
type tampering struct {
	name  string
	do    func(lines [][]byte, i int) [][]byte
	found int
}

var tamperings = []tampering{
	{"a flipped bit in the first member", flip(func(l []byte) int { return 3 }), 0},
	{"a flipped bit in the payload", flip(func(l []byte) int { return bytes.Index(l, []byte(`"data":{`)) + 20 }), 0},
	{"a flipped bit in the time", flip(func(l []byte) int { return bytes.Index(l, []byte(`"time":"`)) + 10 }), 0},
	{"a flipped bit in the sequence number", flip(func(l []byte) int { return bytes.LastIndex(l, []byte(`"tdtseq":`)) + 9 }), 0},
	{"a flipped bit in the link", flip(func(l []byte) int { return len(l) - 10 }), 0},
	{"a flipped bit at the end", flip(func(l []byte) int { return len(l) - 2 }), 0},
	{"a removed line", func(l [][]byte, i int) [][]byte { return slices.Delete(l, i, i+1) }, 0},
	{"a repeated line", func(l [][]byte, i int) [][]byte { return slices.Insert(l, i+1, l[i]) }, 1},
	{"an inserted line of another kind", func(l [][]byte, i int) [][]byte { return slices.Insert(l, i+1, []byte("{}\n")) }, 1},
	{"an inserted empty line", func(l [][]byte, i int) [][]byte { return slices.Insert(l, i+1, []byte("\n")) }, 1},
	{"a line changed places with the next", func(l [][]byte, i int) [][]byte {
		l[i], l[i+1] = l[i+1], l[i]
		return l
	}, 0},
	{"a line without its newline", func(l [][]byte, i int) [][]byte {
		l[i] = l[i][:len(l[i])-1]
		return l
	}, 0},
	{"a space after a line", func(l [][]byte, i int) [][]byte {
		l[i] = append(slices.Clone(l[i][:len(l[i])-1]), " \n"...)
		return l
	}, 0},
}

func flip(at func([]byte) int) func([][]byte, int) [][]byte {
	return func(lines [][]byte, i int) [][]byte {
		lines[i] = slices.Clone(lines[i])
		lines[i][at(lines[i])] ^= 1
		return lines
	}
}

func TestEachChangeOfALineIsFoundAndNamed(t *testing.T) {
	s := sampleJournal(t)
	for _, tt := range tamperings {
		t.Run(tt.name, func(t *testing.T) {
			cases := 0
			for _, name := range s.names {
				for i := range s.lines(name) {
					lines := s.lines(name)
					last := i == len(lines)-1
					if last && strings.Contains(tt.name, "places") {
						continue
					}
					if last && s.isLast(name) && tt.name == "a removed line" {
						continue // a checkpoint, behind which there is nothing: not missed
					}
					changed := bytes.Join(tt.do(lines, i), nil)
					r := s.verify(t, s.with(name, changed))
					require.Equal(t, Unsound, r.Outcome)
					s.mustName(t, r, tt, name, i, last)
					cases++
				}
			}
			assert.Greater(t, cases, 20)
		})
	}
}

// mustName checks that the first finding is at the line that was changed. Where
// the last line of a segment is missing, the next segment's head shows it.
func (s *sample) mustName(t *testing.T, r *Report, tt tampering, name string, i int, last bool) {
	t.Helper()
	first := r.First()
	switch {
	case last && tt.name == "a removed line" && !s.isLast(name):
		require.Equal(t, FaultSegmentChanged, first.Fault)
		require.Equal(t, name, first.File)
	default:
		require.Equal(t, name, first.File, "line %d: %v", i+1, first)
		require.Equal(t, i+1+tt.found, first.Line, "%v", first)
	}
}

func TestEachChangeOfASegmentIsFoundAndNamed(t *testing.T) {
	s := sampleJournal(t)
	for i, name := range s.names {
		cases := map[string]struct {
			files map[string][]byte
			file  string
			fault []Fault
		}{
			"removed": {s.with(name, nil), name, []Fault{FaultSegmentMissing}},
			"emptied": {s.with(name, []byte{}), name, []Fault{FaultHead}},
			"cut in the middle of a line": {
				s.with(name, s.files[name][:len(s.files[name])/2]), name, []Fault{FaultTornTail},
			},
			"replaced by another": {
				s.with(name, s.files[s.names[(i+1)%len(s.names)]]), name, []Fault{FaultHead, FaultSequence},
			},
			"with its content twice": {
				s.with(name, append(slices.Clone(s.files[name]), s.files[name]...)), name, []Fault{FaultLink, FaultAfterSeal},
			},
		}
		for what, tt := range cases {
			t.Run(what+" "+name, func(t *testing.T) {
				r := s.verify(t, tt.files)
				require.Equal(t, Unsound, r.Outcome)
				first := r.First()
				if what == "removed" && s.isLast(name) {
					assert.Equal(t, FaultNewestMissing, first.Fault, "only the kept checkpoint shows it")
					return
				}
				assert.Contains(t, tt.fault, first.Fault)
				assert.Equal(t, tt.file, first.File)
			})
		}
	}
	for i := range s.names[1:] {
		t.Run(fmt.Sprintf("segments %d and %d changed places", i+1, i+2), func(t *testing.T) {
			files := maps.Clone(s.files)
			files[s.names[i]], files[s.names[i+1]] = files[s.names[i+1]], files[s.names[i]]
			r := s.verify(t, files)
			require.Equal(t, Unsound, r.Outcome)
			assert.Equal(t, s.names[i], r.First().File)
		})
	}
	t.Run("a foreign file", func(t *testing.T) {
		r := s.verify(t, s.with("journal-x.ndjson", []byte("{}\n")))
		assert.Equal(t, FaultForeignFile, r.First().Fault)
	})
	t.Run("the oldest removed, the journal cut down to the rest", func(t *testing.T) {
		r := s.verify(t, s.with(s.names[0], nil))
		assert.Equal(t, FaultSegmentMissing, r.First().Fault)
		assert.Equal(t, s.names[0], r.First().File)
	})
	t.Run("all removed", func(t *testing.T) {
		r := s.verify(t, map[string][]byte{lockName: nil})
		assert.Equal(t, FaultCheckpoint, r.First().Fault)
	})
}

// TestTheEndCutAtALineNeedsAKeptCheckpoint says what a journal alone cannot
// show.
func TestTheEndCutAtALineNeedsAKeptCheckpoint(t *testing.T) {
	s := sampleJournal(t)
	name := s.names[len(s.names)-1]
	lines := s.lines(name)
	require.Greater(t, len(lines), 2)
	for n := 1; n < len(lines)-1; n++ {
		files := s.with(name, bytes.Join(lines[:n], nil))
		r := s.verify(t, files)
		require.Equal(t, Unsound, r.Outcome)
		assert.Equal(t, FaultNewestMissing, r.First().Fault)
		alone, err := Verify(writeDir(t, files), VerifyOptions{Keys: testKeys(t)})
		require.NoError(t, err)
		assert.Equal(t, Sound, alone.Outcome)
	}
}

func TestAnOlderCopyPutBackIsFound(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	var kept []string
	cfg.OnCheckpoint = func(c Checkpoint) { kept = append(kept, c.Note) }
	j := openDisk(t, d, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 4))
	closeJournal(t, j)
	old := copyDisk(d)
	j = openDisk(t, d, cfg)
	appendEvents(t, j, testEvents("run-1", 4, 4))
	closeJournal(t, j)
	require.Len(t, kept, 2)

	r, err := Verify(old.copyTo(t), VerifyOptions{Keys: testKeys(t), Checkpoints: kept})
	require.NoError(t, err)
	assert.Equal(t, FaultNewestMissing, r.First().Fault)

	// Continued from the old copy, it is a journal with another history.
	j = openDisk(t, old, cfg)
	appendEvents(t, j, testEvents("run-1", 100, 8))
	closeJournal(t, j)
	r, err = Verify(old.copyTo(t), VerifyOptions{Keys: testKeys(t), Checkpoints: kept[:2]})
	require.NoError(t, err)
	assert.Equal(t, FaultCheckpoint, r.First().Fault)
	alone, err := Verify(old.copyTo(t), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	assert.Equal(t, Sound, alone.Outcome, "without a checkpoint kept elsewhere nothing shows it")
}
