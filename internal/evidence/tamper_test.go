// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
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

// A forger has all files and no key. It writes lines anew, with right links,
// numbers, content hashes and heads, as far as that can be done without a key.
type forger struct {
	t     *testing.T
	chain *chain
	at    *cursor
	prev  *predecessor
	out   map[string][]byte

	onHead       func(*head) // changes a head that would be right
	onCheckpoint func(*checkpointRecord)
}

// forge writes the journal of s again, each line as change returns it. Lines
// that change drops are left out.
func forge(t *testing.T, s *sample, change func(e *carrier.Event) bool) map[string][]byte {
	t.Helper()
	return (&forger{t: t}).journal(s, change)
}

func (f *forger) journal(s *sample, change func(e *carrier.Event) bool) map[string][]byte {
	t := f.t
	t.Helper()
	f.out = map[string][]byte{}
	var err error
	f.at, err = newCursor("", treeState{})
	require.NoError(t, err)
	for i, name := range s.names {
		f.segment(uint64(i+1), s.lines(name), change)
	}
	return f.out
}

func (f *forger) segment(number uint64, lines [][]byte, change func(*carrier.Event) bool) {
	f.at.enter(number, f.at.began)
	var text []byte
	for _, raw := range lines {
		l, ok := parseLine(bytes.TrimSuffix(raw, newline))
		require.True(f.t, ok)
		e, err := carrier.ParseEvent(string(l.event) + "}")
		require.NoError(f.t, err)
		if !change(&e) {
			continue
		}
		f.rewrite(&e)
		event, err := appendEvent(nil, &e)
		require.NoError(f.t, err)
		text = f.at.append(text, event)
	}
	f.out[segmentName(number)] = text
	f.prev = &predecessor{Bytes: f.at.offset, Digest: digestText(f.at.chain.digest()), Segment: number, State: leftSealed}
}

// rewrite makes the journal's own records fit. The signature of a checkpoint
// stays: it cannot be made.
func (f *forger) rewrite(e *carrier.Event) {
	var payload any
	switch e.Type {
	case TypeHead:
		var h head
		require.NoError(f.t, readPayload(e.Data, &h))
		if h.Previous != nil {
			f.prev.Journal = h.Journal
			h.Previous = f.prev
		}
		h.Range, h.Size, payload = f.at.tree.state().hexHashes(), f.at.seq(), &h
		f.at.journal = h.Journal
		if f.onHead != nil {
			f.onHead(&h)
		}
	case TypeCheckpoint, TypeSeal:
		var r checkpointRecord
		require.NoError(f.t, readPayload(e.Data, &r))
		c, err := ParseCheckpoint(r.Note, nil)
		var unknown *Finding
		require.ErrorAs(f.t, err, &unknown)
		_, signatures, _ := strings.Cut(r.Note, "\n\n")
		c.Size, c.Root = f.at.seq(), f.at.tree.root()
		r.Note, r.Range = c.noteText()+"\n"+signatures, f.at.tree.state().hexHashes()
		payload = &r
		if f.onCheckpoint != nil {
			f.onCheckpoint(&r)
		}
	default:
		require.NoError(f.t, e.SetData(e.Type, string(e.Data)))
		return
	}
	data, err := appendPayload(nil, payload)
	require.NoError(f.t, err)
	require.NoError(f.t, e.SetData(e.Type, string(data)))
}

func TestAForgerWithoutTheKeyIsFoundAtTheNextCheckpoint(t *testing.T) {
	s := sampleJournal(t)
	for name, change := range map[string]func(*carrier.Event) bool{
		"a verdict changed": func(e *carrier.Event) bool {
			if e.RunID == "run-1" && e.Seq == 12 {
				e.Data = bytes.Replace(e.Data, []byte(`"decision_verdict":"match"`), []byte(`"decision_verdict":"mismatch"`), 1)
			}
			return true
		},
		"a record removed": func(e *carrier.Event) bool { return e.RunID != "run-1" || e.Seq != 12 },
		"a record moved to another run": func(e *carrier.Event) bool {
			if e.RunID == "run-1" && e.Seq == 12 {
				e.RunID = "run-2"
			}
			return true
		},
		"a time changed": func(e *carrier.Event) bool {
			if e.RunID == "run-1" && e.Seq == 12 {
				e.Time = "2020-01-01T00:00:00Z"
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := forge(t, s, change)
			r := s.verify(t, files)
			require.Equal(t, Unsound, r.Outcome)
			assert.Equal(t, FaultSignature, r.First().Fault, "%v", r.First())
			lines := bytes.SplitAfter(files[r.First().File], newline)
			line := string(lines[r.First().Line-1])
			assert.True(t, strings.Contains(line, TypeCheckpoint) || strings.Contains(line, TypeSeal))
		})
	}
	t.Run("a forger who signs with another key cannot be verified", func(t *testing.T) {
		mallory, err := NewMAC("other", []byte("mallory's secret of some length"))
		require.NoError(t, err)
		files := forge(t, s, func(e *carrier.Event) bool { return true })
		dir := writeDir(t, resign(t, files, mallory))
		r, err := Verify(dir, VerifyOptions{Keys: testKeys(t)})
		require.NoError(t, err)
		assert.Equal(t, CannotVerify, r.Outcome, "%v", r.First())
		assert.NotEmpty(t, r.UnknownSigners)
	})
	t.Run("nothing changed", func(t *testing.T) {
		files := forge(t, s, func(e *carrier.Event) bool { return true })
		for _, name := range s.names {
			assert.Equal(t, string(s.files[name]), string(files[name]), "the forger of this test writes as the journal does")
		}
	})
}

// resign writes a journal with the checkpoints signed by another key.
func resign(t *testing.T, files map[string][]byte, signer note.Signer) map[string][]byte {
	t.Helper()
	s := &sample{files: files, names: slices.Sorted(maps.Keys(files))}
	f := &forger{t: t, out: map[string][]byte{}}
	var err error
	f.at, err = newCursor("", treeState{})
	require.NoError(t, err)
	for i, name := range s.names {
		f.segment(uint64(i+1), s.lines(name), func(e *carrier.Event) bool {
			if e.Type != TypeCheckpoint && e.Type != TypeSeal {
				return true
			}
			var r checkpointRecord
			require.NoError(t, json.Unmarshal(e.Data, &r))
			c := Checkpoint{Origin: origin(f.at.journal), Size: f.at.seq(), Root: f.at.tree.root()}
			require.NoError(t, c.sign([]note.Signer{signer}))
			r.Note = c.Note
			data, err := appendPayload(nil, &r)
			require.NoError(t, err)
			require.NoError(t, e.SetData(e.Type, string(data)))
			return true
		})
	}
	return f.out
}

// TestHeadsAndCheckpointsThatDoNotFit has the journal's own records say what is
// not so, in lines whose links are right.
func TestHeadsAndCheckpointsThatDoNotFit(t *testing.T) {
	s := sampleJournal(t)
	stranger, err := NewMAC("stranger", []byte("a secret that nobody knows"))
	require.NoError(t, err)
	second := func(change func(*head)) func(*head) {
		return func(h *head) {
			if h.Segment == 2 {
				change(h)
			}
		}
	}
	signed := func(change func(*Checkpoint)) func(*checkpointRecord) {
		return func(r *checkpointRecord) {
			c, _ := ParseCheckpoint(r.Note, nil)
			change(&c)
			require.NoError(t, c.sign([]note.Signer{stranger}))
			r.Note = c.Note
		}
	}
	for name, tt := range map[string]struct {
		head       func(*head)
		checkpoint func(*checkpointRecord)
		want       Fault
		segment    int
	}{
		"a head of another segment":       {second(func(h *head) { h.Segment = 3 }), nil, FaultHead, 1},
		"a head without predecessor":      {second(func(h *head) { h.Previous = nil }), nil, FaultHead, 1},
		"a head of another journal":       {second(func(h *head) { h.Journal, h.Previous.Journal = "x", "x" }), nil, FaultHead, 1},
		"a predecessor of another":        {second(func(h *head) { h.Previous.Journal = "x" }), nil, FaultHead, 1},
		"a predecessor of another number": {second(func(h *head) { h.Previous.Segment = 7 }), nil, FaultHead, 1},
		"another digest":                  {second(func(h *head) { h.Previous.Digest = canon.Sum(nil) }), nil, FaultSegmentChanged, 0},
		"another length":                  {second(func(h *head) { h.Previous.Bytes-- }), nil, FaultSegmentChanged, 0},
		"left earlier than it was": {
			second(func(h *head) { h.Previous.Bytes, h.Previous.State = h.Previous.Bytes-1, leftAbandoned }), nil, FaultTornTail, 0,
		},
		"another size":               {second(func(h *head) { h.Size++; h.Range = append(h.Range, h.Range[0]) }), nil, FaultHead, 1},
		"another tree":               {second(func(h *head) { h.Range[0] = strings.Repeat("00", 32) }), nil, FaultRoot, 1},
		"a tree that is none":        {second(func(h *head) { h.Range[0] = "00" }), nil, FaultHead, 1},
		"a first head that is later": {func(h *head) { h.Size, h.Range = 1, []string{strings.Repeat("00", 32)} }, nil, FaultHead, 0},
		"another schema of a head":   {second(func(h *head) { h.Schema = "x" }), nil, FaultHead, 1},
		"found corrupt, and is not":  {second(func(h *head) { h.Previous.State = leftCorrupt }), nil, FaultHead, 1},

		"a checkpoint of another journal":  {nil, signed(func(c *Checkpoint) { c.Origin = "x" }), FaultRoot, 0},
		"a checkpoint of fewer lines":      {nil, signed(func(c *Checkpoint) { c.Size-- }), FaultRoot, 0},
		"a checkpoint of other lines":      {nil, signed(func(c *Checkpoint) { c.Root[0] ^= 1 }), FaultRoot, 0},
		"a checkpoint with another range":  {nil, func(r *checkpointRecord) { r.Range[0] = strings.Repeat("00", 32) }, FaultRoot, 0},
		"a checkpoint of another segment":  {nil, func(r *checkpointRecord) { r.Segment = 9 }, FaultMalformed, 0},
		"another schema of a checkpoint":   {nil, func(r *checkpointRecord) { r.Schema = "x" }, FaultMalformed, 0},
		"a checkpoint that is no note":     {nil, func(r *checkpointRecord) { r.Note = "x" }, FaultMalformed, 0},
		"a checkpoint without a signature": {nil, func(r *checkpointRecord) { r.Note, _, _ = strings.Cut(r.Note, "\n\n") }, FaultMalformed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := &forger{t: t, onHead: tt.head, onCheckpoint: tt.checkpoint}
			files := f.journal(s, func(*carrier.Event) bool { return true })
			r, err := Verify(writeDir(t, files), VerifyOptions{})
			require.NoError(t, err)
			require.NotEmpty(t, r.Findings)
			assert.Equal(t, tt.want, r.First().Fault, "%v", r.First())
			assert.Equal(t, s.names[tt.segment], r.First().File)
		})
	}
}

func TestAJournalsOwnTypesAreClosed(t *testing.T) {
	s := sampleJournal(t)
	for name, change := range map[string]func(*carrier.Event){
		"a type that it does not write": func(e *carrier.Event) { e.Type = JournalTypes + "note.v0" },
		"a gap that is none":            func(e *carrier.Event) { e.Type = TypeGap },
	} {
		t.Run(name, func(t *testing.T) {
			files := forge(t, s, func(e *carrier.Event) bool {
				if e.Seq == 3 && e.RunID == "run-1" {
					change(e)
				}
				return true
			})
			r, err := Verify(writeDir(t, files), VerifyOptions{})
			require.NoError(t, err)
			assert.Equal(t, FaultMalformed, r.First().Fault)
			assert.Equal(t, 5, r.First().Line)
		})
	}
}

// TestASegmentFoundChangedMustStayAsItWasFound changes it once more.
func TestASegmentFoundChangedMustStayAsItWasFound(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	cfg.OnFailure = PassThrough
	j := openDisk(t, d, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 4))
	closeJournal(t, j)
	f := d.files[segmentName(1)]
	f.data[len(f.data)/2] ^= 1
	j = openDisk(t, d, cfg)
	closeJournal(t, j)
	once, err := Verify(d.copyTo(t), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	require.Len(t, once.Findings, 1)
	f.data[len(f.data)/3] ^= 1
	twice, err := Verify(d.copyTo(t), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	require.Len(t, twice.Findings, 2)
	assert.Equal(t, FaultSegmentChanged, twice.Findings[1].Fault)
	delete(d.files, segmentName(1))
	gone, err := Verify(d.copyTo(t), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	require.NotEmpty(t, gone.Findings)
	assert.Equal(t, FaultSegmentMissing, gone.First().Fault)
	assert.Equal(t, segmentName(1), gone.First().File)
}

func TestThePositionFileShowsAnEndThatWasCutByAccident(t *testing.T) {
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	appendEvents(t, j, testEvents("run-1", 0, 4))
	closeJournal(t, j)
	files := readDir(t, dir)
	lines := bytes.SplitAfter(files[segmentName(1)], newline)
	files[segmentName(1)] = bytes.Join(lines[:3], nil)
	r, err := Verify(writeDir(t, files), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	assert.Equal(t, FaultRecordMissing, r.First().Fault)
	delete(files, segmentName(1))
	r, err = Verify(writeDir(t, files), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	assert.Equal(t, FaultRecordMissing, r.First().Fault)
}

// TestAPayloadWhoseHashSeesAnotherNumber has an integer beyond 2^53.
func TestAPayloadWhoseHashSeesAnotherNumber(t *testing.T) {
	d := newDisk()
	j := openDisk(t, d, diskConfig(t))
	text := strings.Replace(carrierData("x", 0), `"order":0`, `"order":9007199254740993`, 1)
	observed := canon.ObservedInput("x", "hmac-sha256:"+testKeyID+":"+strings.Repeat("0123456789abcdef", 4), 9007199254740993)
	text = strings.ReplaceAll(text, string(canon.ObservedInput("x", "hmac-sha256:"+testKeyID+":"+strings.Repeat("0123456789abcdef", 4), 0)), string(observed))
	rec, err := carrier.Import(text)
	require.NoError(t, err)
	e := testEvent("run-1", 0)
	e.SetRecord(&rec)
	require.Contains(t, string(e.Data), "9007199254740993")
	e.PII, e.Secrets = true, true
	appendEvents(t, j, []carrier.Event{e})
	closeJournal(t, j)
	dir := d.copyTo(t)
	mustBeSound(t, dir, VerifyOptions{Carriers: true})
	assert.Len(t, readAll(t, dir, Filter{}), 1)
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

func TestKeptCheckpointsThatDoNotFit(t *testing.T) {
	s := sampleJournal(t)
	dir := writeDir(t, s.files)
	other := sampleJournal(t)
	mac, err := NewMAC(testKeyID, []byte("another secret under the same id"))
	require.NoError(t, err)
	forged := Checkpoint{Origin: "tdt-journal/x", Size: 3}
	require.NoError(t, forged.sign([]note.Signer{mac}))
	stranger, err := NewMAC("stranger", []byte("a secret that nobody knows"))
	require.NoError(t, err)
	first, err := ParseCheckpoint(s.kept[0], testKeys(t))
	require.NoError(t, err)
	require.NoError(t, first.sign([]note.Signer{stranger}))
	none := Checkpoint{Origin: first.Origin, Root: sha256.Sum256(nil)}
	require.NoError(t, none.sign([]note.Signer{testMAC(t)}))
	for name, tt := range map[string]struct {
		kept    []string
		outcome Outcome
		fault   Fault
	}{
		"all of the journal's own":         {s.kept, Sound, 0},
		"one of no lines":                  {[]string{none.Note}, Sound, 0},
		"one of another journal":           {other.kept[:1], Unsound, FaultCheckpoint},
		"one that is forged":               {[]string{forged.Note}, Unsound, FaultSignature},
		"one of an unknown key that fits":  {[]string{first.Note}, CannotVerify, 0},
		"no checkpoint, only an old claim": {nil, Sound, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Verify(dir, VerifyOptions{Keys: testKeys(t), Checkpoints: tt.kept})
			require.NoError(t, err)
			assert.Equal(t, tt.outcome, r.Outcome, "%+v", r.Findings)
			if tt.fault != 0 {
				assert.Equal(t, tt.fault, r.First().Fault)
			}
		})
	}
	_, err = Verify(dir, VerifyOptions{Checkpoints: []string{"no checkpoint"}})
	require.Error(t, err)
}

func TestVerifyKnowsWhichKeysItKnows(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	old, oldKey := testSigner(t, "journal.example/old")
	young, youngKey := testSigner(t, "journal.example/new")
	for i, signers := range [][]note.Signer{{old}, {old, young}, {young}, {testMAC(t)}} {
		cfg.Signers = signers
		j := openDisk(t, d, cfg)
		appendEvents(t, j, testEvents("run-1", i*3, 3))
		closeJournal(t, j)
	}
	dir := d.copyTo(t)
	secrets := testKeys(t)
	all := testKeys(t)
	all.Add(oldKey)
	all.Add(youngKey)
	wrong := &Keys{}
	require.NoError(t, wrong.AddSecret(testKeyID, []byte("not the secret under this id")))
	for name, tt := range map[string]struct {
		keys                 note.Verifiers
		outcome              Outcome
		checkpoints, unknown uint64
	}{
		"all keys":           {all, Sound, 4, 0},
		"no keys":            {nil, CannotVerify, 0, 4},
		"no keys, as *Keys":  {(*Keys)(nil), CannotVerify, 0, 4},
		"the old one":        {note.VerifierList(oldKey), CannotVerify, 2, 2},
		"the new ones":       {note.VerifierList(youngKey), CannotVerify, 2, 2},
		"the secret alone":   {secrets, CannotVerify, 1, 3},
		"a secret not right": {wrong, Unsound, 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Verify(dir, VerifyOptions{Keys: tt.keys})
			require.NoError(t, err)
			assert.Equal(t, tt.outcome, r.Outcome)
			assert.Equal(t, tt.checkpoints, r.Checkpoints)
			assert.Equal(t, tt.unknown, r.UnknownKeys)
			if tt.outcome == Unsound {
				assert.Equal(t, FaultSignature, r.First().Fault)
			}
		})
	}
}

func TestVerifyNeedsAJournal(t *testing.T) {
	_, err := Verify(t.TempDir(), VerifyOptions{})
	require.ErrorIs(t, err, ErrNoJournal)
	_, err = Verify(journalDir(t), VerifyOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestACarrierThatItsOwnChecksRefuse(t *testing.T) {
	d := newDisk()
	j := openDisk(t, d, diskConfig(t))
	e := testEvent("run-1", 0)
	require.NoError(t, e.SetData(carrier.TypeCarrier, strings.Replace(carrierData("x", 0), `"order":0`, `"order":1`, 1)))
	appendEvents(t, j, []carrier.Event{e})
	closeJournal(t, j)
	dir := d.copyTo(t)
	mustBeSound(t, dir, VerifyOptions{})
	r, err := Verify(dir, VerifyOptions{Keys: testKeys(t), Carriers: true})
	require.NoError(t, err)
	assert.Equal(t, FaultCarrier, r.First().Fault)
	assert.Equal(t, 2, r.First().Line)
}
