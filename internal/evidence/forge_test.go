// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"encoding/json"
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

// A forger has all files and no key. It writes lines anew, with right links,
// numbers, content hashes and heads, as far as that can be done without a key.
type forger struct {
	t    *testing.T
	at   *cursor
	prev *predecessor
	out  map[string][]byte

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
	data, err := writePayload(payload)
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
			data, err := writePayload(&r)
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
