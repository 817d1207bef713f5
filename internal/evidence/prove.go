// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// Prove makes the proof that the journal in dir has the record that is wanted.
// The proof leads to the latest checkpoint. The journal may be written at the
// same time.
//
// It reads the journal twice, in constant memory, and checks it on the way. The
// error is an *AmbiguousError where several records fit, and else a *Finding:
// FaultNoSuchRecord, FaultNoCheckpoint, or what is wrong with the journal.
func Prove(dir string, wanted Wanted) (*Proof, error) {
	s := search{wanted: newFitter(wanted)}
	fault, err := eachLine(dir, newWalker(nil), s.line)
	if err != nil {
		return nil, err
	}
	if s.fit.Total > 1 {
		return nil, &s.fit
	}
	if s.text == "" || s.checkpoint == nil {
		return nil, s.missed(fault)
	}
	hashes, fault, err := collect(dir, &s)
	if err != nil {
		return nil, err
	}
	p := &Proof{Line: s.text, Index: s.seq, Hashes: hashes, Checkpoint: s.checkpoint.Note}
	if err := p.lead(s.checkpoint); err != nil {
		if fault != nil {
			return nil, fault
		}
		return nil, err
	}
	return p, nil
}

// A search looks for a record, and for the last checkpoint that covers it.
type search struct {
	wanted     *fitter
	fit        AmbiguousError // the records that fit; one of them is no error
	text       string
	seq        uint64
	journal    string
	name       string
	lineNo     int
	checkpoint *Checkpoint
}

func (s *search) line(k *walker, l *line, text []byte) error {
	if s.text != "" && k.checkpoint != nil && k.at.journal == s.journal {
		s.checkpoint = k.checkpoint
	}
	if !s.wanted.fits(l) {
		return nil
	}
	e, err := k.decoder.Parse(string(text))
	if err != nil {
		return k.finding(FaultContent, "")
	}
	e.Data = nil // it is the decoder's
	s.fit.Add(&Record{Event: e, JournalSeq: l.seq, File: k.name, Line: k.lineNo})
	if s.text == "" {
		s.text, s.seq, s.journal, s.name, s.lineNo = string(text), l.seq, k.at.journal, k.name, k.lineNo
	}
	return nil
}

// missed says why there is no proof: what is wrong with the journal, if
// something is.
func (s *search) missed(fault *Finding) error {
	switch {
	case fault != nil:
		return fault
	case s.text == "":
		return &Finding{Fault: FaultNoSuchRecord}
	}
	return &Finding{Fault: FaultNoCheckpoint, File: s.name, Line: s.lineNo, Seq: s.seq}
}

// collect returns the hashes that lead from the record to the checkpoint's root,
// as far as they are there.
func collect(dir string, s *search) ([][hashSize]byte, *Finding, error) {
	nodes, err := proof.Inclusion(s.seq, s.checkpoint.Size)
	if err != nil {
		return nil, nil, fmt.Errorf("prove: %w", err)
	}
	c := collector{walker: newWalker(nil), journal: s.journal, size: s.checkpoint.Size, hashes: map[compact.NodeID][]byte{}}
	for _, id := range nodes.IDs {
		c.hashes[id] = make([]byte, hashSize)
	}
	c.walker.visit = c.visit
	fault, err := eachLine(dir, c.walker, c.line)
	if err != nil && !errors.Is(err, errEnough) {
		return nil, fault, err
	}
	list := make([][]byte, len(nodes.IDs))
	for i, id := range nodes.IDs {
		list[i] = c.hashes[id]
	}
	if list, err = nodes.Rehash(list, rfc6962.DefaultHasher.HashChildren); err != nil {
		return nil, fault, fmt.Errorf("prove: %w", err)
	}
	out := make([][hashSize]byte, len(list))
	for i, h := range list {
		out[i] = [hashSize]byte(h)
	}
	return out, fault, nil
}

// errEnough ends a walk that has what it came for.
var errEnough = errors.New("enough")

// A collector keeps the nodes that a proof needs, and no others.
type collector struct {
	walker  *walker
	journal string
	size    uint64
	hashes  map[compact.NodeID][]byte
}

func (c *collector) visit(id compact.NodeID, hash []byte) {
	if kept, needed := c.hashes[id]; needed && c.walker.at.journal == c.journal {
		copy(kept, hash)
	}
}

// line looks at the head of each segment for the roots of what lies before it,
// which may have been removed, and ends at the tree's size.
func (c *collector) line(k *walker, _ *line, _ []byte) error {
	if k.at.journal != c.journal {
		return nil
	}
	if k.lineNo == 1 {
		c.enter(&k.head)
	}
	if k.at.seq() == c.size {
		return errEnough
	}
	return nil
}

func (c *collector) enter(h *head) {
	state, err := parseTreeState(h.Size, h.Range)
	if err != nil {
		return
	}
	for i, id := range compact.RangeNodes(0, state.size, nil) {
		c.visit(id, state.hashes[i])
	}
}

// eachLine walks over all durable lines of a journal. Behind a line that is not
// good it goes on with the next segment, and returns the first of these.
func eachLine(dir string, k *walker, fn func(*walker, *line, []byte) error) (fault *Finding, err error) {
	limit := durableLimit(dir)
	list, err := listSegments(dir)
	if err != nil {
		return nil, err
	}
	lines := newLineReader(nil)
	for _, s := range list {
		if s.number == 0 || s.number > limit.segment {
			continue
		}
		f, err := openSegment(dir, s.number, limit, list)
		if err != nil {
			return fault, err
		}
		lines.reset(f.lines)
		k.enter(s.number)
		found, err := walkLines(k, lines, fn)
		if err := errors.Join(err, f.file.Close()); err != nil {
			return fault, err
		}
		if found != nil {
			k.at = nil
			if fault == nil {
				fault = found
			}
		}
	}
	return fault, nil
}

// An openedSegment is a segment and the part of it that belongs to the journal.
type openedSegment struct {
	file  *os.File
	lines io.Reader
}

func openSegment(dir string, number uint64, limit position, list []segmentFile) (openedSegment, error) {
	f, err := openForReading(dir, segmentName(number))
	if err != nil {
		return openedSegment{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return openedSegment{}, errors.Join(err, f.Close())
	}
	end := segmentEnd(dir, number, info.Size(), list)
	if number == limit.segment {
		end = min(end, limit.offset)
	}
	return openedSegment{file: f, lines: io.NewSectionReader(f, 0, end)}, nil
}

func walkLines(k *walker, lines *lineReader, fn func(*walker, *line, []byte) error) (*Finding, error) {
	for {
		text, whole, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !whole {
			k.lineNo++
			return k.finding(FaultTornTail, ""), nil
		}
		l, found := k.next(text)
		if found != nil {
			return found, nil
		}
		if err := fn(k, &l, text); err != nil {
			return nil, err
		}
	}
}
