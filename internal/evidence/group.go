// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"time"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// writeChunk is how much is gathered before it is written.
const writeChunk = 1 << 20

// A group is what one sync makes durable: the lines of all batches that were
// waiting. It works on a copy of the journal's end, so that dropping the group
// drops all that it did.
type group struct {
	w       *writer
	at      *cursor
	file    file // nil until there is a line, when a segment has to begin
	created bool
	flushed int64 // where in the file the next chunk goes
	buf     []byte
	spare   []byte // was written; its lines may still go into the tree

	lines  int // written, the journal's own included
	fresh  int // records of batches among them
	oldest uint64

	gaps       []Gap // refusals that it records
	checkpoint *Checkpoint
	sealed     bool
}

// A want says what a group shall have beside batches.
type want struct {
	segment    bool // a segment, even when there is nothing to write
	checkpoint bool
	seal       bool
}

func (w *writer) newGroup() (*group, error) {
	at, err := w.end.clone()
	if err != nil {
		return nil, err
	}
	return &group{w: w, at: at, file: w.file, flushed: w.end.offset, buf: w.buf[:0], spare: w.spare[:0]}, nil
}

// write writes all lines of the group.
func (g *group) write(batches []*batch, wanted want) error {
	if err := g.writeGaps(); err != nil {
		return err
	}
	for _, b := range batches {
		if err := g.writeBatch(b); err != nil {
			return err
		}
	}
	if wanted.segment && g.file == nil {
		if err := g.begin(); err != nil {
			return err
		}
	}
	if err := g.writeCheckpoint(wanted); err != nil {
		return err
	}
	return g.flush()
}

func (g *group) writeGaps() error {
	g.gaps = g.w.refused.pending()
	for _, list := range [][]Gap{g.w.torn, g.gaps} {
		for i := range list {
			if err := g.own(TypeGap, &list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeBatch writes the records of b that the journal does not have.
func (g *group) writeBatch(b *batch) error {
	b.duplicates = 0
	for i, key := range b.keys {
		if seq, known := g.w.window.find(key); known {
			b.seqs[i] = seq
			b.duplicates++
			continue
		}
		// The line may be the first of a segment, and have a head before it.
		if err := g.ready(); err != nil {
			return err
		}
		b.seqs[i] = g.at.seq()
		g.w.window.add(key, b.seqs[i])
		g.fresh++
		if err := g.add(b.event(i)); err != nil {
			return err
		}
	}
	return nil
}

// writeCheckpoint writes a checkpoint when one is wanted or due, as a seal when
// the segment is full or old. A checkpoint that cannot be signed is left for
// the next group: records do not wait for it.
func (g *group) writeCheckpoint(wanted want) error {
	if g.file == nil || g.lines == 0 && !wanted.checkpoint && !wanted.seal {
		return nil
	}
	cfg, now := &g.w.cfg, g.w.cfg.Now()
	seal := wanted.seal || g.at.offset >= cfg.SegmentBytes || now.Sub(g.at.began) >= cfg.SegmentAge
	due := g.at.open > 0 && (wanted.checkpoint || g.at.open >= uint64(cfg.CheckpointRecords) || now.Sub(g.w.checkpointed) >= cfg.CheckpointAge)
	if !seal && !due {
		return nil
	}
	c := Checkpoint{Origin: origin(g.at.journal), Size: g.at.seq(), Root: g.at.tree.root()}
	if err := c.sign(cfg.Signers); err != nil {
		g.w.health.raise(ReasonCheckpoint, err)
		return nil
	}
	record := checkpointRecord{Note: c.Note, Range: g.at.tree.state().hexHashes(), Schema: TypeCheckpoint, Segment: g.at.segment}
	if seal {
		record.Schema = TypeSeal
	}
	if err := g.own(record.Schema, &record); err != nil {
		return err
	}
	g.at.open, g.checkpoint, g.sealed = 0, &c, seal
	return nil
}

// own writes a record of the journal itself.
func (g *group) own(eventType string, payload any) error {
	if eventType != TypeHead {
		if err := g.ready(); err != nil {
			return err
		}
	}
	e := g.w.template
	e.Type, e.RunID, e.Seq = eventType, g.at.journal, int64(g.at.seq())
	e.Time = g.w.cfg.Now().UTC().Format(time.RFC3339Nano)
	var err error
	if e.Data, err = writePayload(payload); err != nil {
		return err
	}
	e.ContentHash = carrier.ContentHash(&e, e.Data)
	text, err := appendEvent(nil, &e)
	if err != nil {
		return err
	}
	return g.add(text)
}

// ready begins a segment when there is none.
func (g *group) ready() error {
	if g.file != nil {
		return nil
	}
	return g.begin()
}

// begin creates the next segment and writes its head.
func (g *group) begin() error {
	number := g.at.segment + 1
	f, err := g.w.dir.create(segmentName(number))
	if err != nil {
		return err
	}
	g.file, g.created, g.flushed = f, true, 0
	now := g.w.cfg.Now()
	g.at.enter(number, now)
	g.oldest = g.w.oldestToKeep(now, number)
	return g.own(TypeHead, &head{
		Journal: g.at.journal, Oldest: g.oldest, Previous: g.w.previous, Range: g.at.tree.state().hexHashes(),
		Schema: TypeHead, Segment: number, Size: g.at.seq(),
	})
}

// add writes one line.
func (g *group) add(event []byte) error {
	g.buf = g.at.append(g.buf, event)
	g.lines++
	if len(g.buf) < writeChunk {
		return nil
	}
	return g.flush()
}

// flush writes what was gathered. Its lines go into the tree beside what comes
// next: gathering more, or the sync.
func (g *group) flush() error {
	if len(g.buf) == 0 {
		return nil
	}
	n, err := g.file.WriteAt(g.buf, g.flushed)
	g.flushed += int64(n)
	g.at.tree.start()
	g.buf, g.spare = g.spare[:0], g.buf
	return err
}

// end gives the storage back, of which nothing is in use any more.
func (g *group) end() {
	g.at.tree.wait()
	g.w.buf, g.w.spare = g.buf[:0], g.spare[:0]
}

// A syncError says that what a file has on disk is uncertain.
type syncError struct{ err error }

func (e *syncError) Error() string { return e.err.Error() }
func (e *syncError) Unwrap() error { return e.err }

// sync makes the lines durable, and the name of a segment that was created.
func (g *group) sync() error {
	if err := g.file.Sync(); err != nil {
		return &syncError{err}
	}
	if !g.created {
		return nil
	}
	if err := g.w.dir.sync(); err != nil {
		return &syncError{err}
	}
	return nil
}
