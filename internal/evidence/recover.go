// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"errors"
	"fmt"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A Recovery says what Open found and what it did about it.
type Recovery struct {
	// Torn is what became of the end of a segment that was cut or half written:
	// one Gap, or none.
	Torn []Gap

	// Corrupt is what was changed, or nil. With PassThrough the journal goes on
	// behind it; as a new journal when that was where it would have gone on.
	Corrupt *Finding

	// NewJournal reports that a new journal was begun in the directory.
	NewJournal bool

	Segments int    // that were there
	Lines    uint64 // in the journal that is continued
}

// recover finds where to go on. It only reads: what there is to repair it
// leaves to start.
func (w *writer) recover() (Recovery, error) {
	list, err := w.listSafely()
	if err != nil {
		return Recovery{}, err
	}
	pos := w.lastPosition()
	out := Recovery{Segments: len(list)}
	if len(list) == 0 {
		out.NewJournal = true
		return out, w.beginWithout(pos, &out)
	}
	if w.closed, err = w.survey(list); err != nil {
		return Recovery{}, err
	}
	last, err := w.examineEnd(list, pos, &out)
	if err != nil {
		return Recovery{}, err
	}
	if last == nil {
		out.NewJournal = true
		return out, w.beginJournal(0)
	}
	if pos != nil && pos.segment > last.number && len(w.repairs) == 0 {
		last.bad = &Finding{Fault: FaultNewestMissing, File: segmentName(pos.segment), Seq: pos.seq, Detail: "the position file names this segment"}
		last.ended, last.more = true, true
	}
	return out, w.resume(last, pos, &out)
}

// found keeps the first fault.
func (r *Recovery) found(f *Finding) {
	if r.Corrupt == nil {
		r.Corrupt = f
	}
}

// listSafely lists the segments, all of which must be regular files.
func (w *writer) listSafely() ([]segmentFile, error) {
	list, err := w.dir.segments()
	if err != nil {
		return nil, err
	}
	for len(list) > 0 && list[0].number == 0 {
		if !list[0].regular {
			return nil, fmt.Errorf("%w: something in %s with the name of a segment is not a regular file", ErrUnsafe, w.cfg.Directory)
		}
		list = list[1:] // looks like a segment and is none: Verify reports it
	}
	for _, s := range list {
		if !s.regular {
			return nil, fmt.Errorf("%w: %s in %s is not a regular file", ErrUnsafe, segmentName(s.number), w.cfg.Directory)
		}
	}
	return list, nil
}

// lastPosition opens the position file and returns what it says, or nil.
func (w *writer) lastPosition() *position {
	f, err := w.dir.openOrCreate(positionName)
	if err != nil {
		return nil
	}
	w.position.file = f
	return readPosition(f)
}

// beginJournal makes the next line the first of a new journal, in the segment
// behind the given one.
func (w *writer) beginJournal(segment uint64) error {
	id, err := w.cfg.newID()
	if err != nil {
		return fmt.Errorf("journal id: %w", err)
	}
	w.end, err = newCursor(id, treeState{})
	if err == nil {
		w.end.segment = segment
	}
	return err
}

// beginWithout begins a journal in a directory without segments. When a position
// says that there were some, they were taken away.
func (w *writer) beginWithout(pos *position, out *Recovery) error {
	if pos == nil {
		return w.beginJournal(0)
	}
	out.found(&Finding{Fault: FaultNewestMissing, File: segmentName(pos.segment), Seq: pos.seq, Detail: "the position file names this segment"})
	if err := w.tolerate(out.Corrupt); err != nil {
		return err
	}
	w.previous = &predecessor{Digest: canon.Sum(nil), Segment: pos.segment, State: leftCorrupt}
	return w.beginJournal(pos.segment)
}

// tolerate refuses to go on behind f, or says loudly that it does.
func (w *writer) tolerate(f *Finding) error {
	if w.cfg.OnFailure == Block {
		return &CorruptError{Directory: w.cfg.Directory, Finding: *f}
	}
	w.health.raise(ReasonCorrupt, f)
	return nil
}

// examineEnd examines the last two segments, and returns the one to go on from.
// One that has not even its head is set aside; nil means that none is left.
func (w *writer) examineEnd(list []segmentFile, pos *position, out *Recovery) (*remnant, error) {
	for i := 1; i < len(list); i++ {
		if list[i].number != list[i-1].number+1 {
			out.found(&Finding{Fault: FaultSegmentMissing, File: segmentName(list[i-1].number + 1)})
		}
	}
	var before *remnant
	if len(list) > 1 {
		var err error
		if before, err = w.examine(list[len(list)-2]); err != nil {
			return nil, err
		}
	}
	last, err := w.examine(list[len(list)-1])
	if err != nil {
		return nil, errors.Join(err, before.close())
	}
	if last.at == nil && last.isTorn(pos) {
		w.repairs = append(w.repairs, repair{segment: last.number, size: last.size, remove: true})
		return before, last.close()
	}
	return last, before.compare(last, out)
}

// resume makes the end of last the place where the next line goes.
func (w *writer) resume(last *remnant, pos *position, out *Recovery) error {
	changed := last.bad != nil && (last.at == nil || !last.isTorn(pos))
	if changed {
		out.found(last.bad)
	}
	if out.Corrupt != nil {
		if err := w.tolerate(out.Corrupt); err != nil {
			return errors.Join(err, last.close())
		}
	}
	if changed {
		out.NewJournal = true
		return w.leaveCorrupt(last, pos)
	}
	w.end, out.Lines = last.at, last.at.seq()
	w.planRepair(last, pos)
	if !last.sealed {
		w.dropClosed(last.number)
		w.file = last.file
		return nil
	}
	w.previous = &predecessor{
		Bytes: last.good, Digest: digestText(last.at.chain.digest()), Journal: last.at.journal,
		Segment: last.number, State: leftSealed,
	}
	return last.close()
}

// planRepair has the torn end of last set aside and its uncertain part written
// again: what an unfinished sync has left in memory only is read as if it were
// on disk.
func (w *writer) planRepair(last *remnant, pos *position) {
	r := repair{segment: last.number, keep: last.good, size: last.size}
	if pos != nil && pos.segment == last.number {
		r.rewriteFrom = min(pos.offset, last.good)
		if pos.seq > last.at.seq() {
			r.missing = pos.seq - last.at.seq()
		}
	}
	w.repairs = append(w.repairs, r)
}

// leaveCorrupt leaves a segment that was changed, and begins a new journal
// behind it.
func (w *writer) leaveCorrupt(last *remnant, pos *position) error {
	sum, err := digestOf(last.file, last.size)
	if err := errors.Join(err, last.close()); err != nil {
		return err
	}
	w.previous = &predecessor{
		Bytes: last.size, Digest: digestText(sum), Journal: last.head.Journal, Segment: last.number, State: leftCorrupt,
	}
	w.window = newWindow(w.cfg.RetryWindow)
	if pos != nil && pos.segment > last.number {
		return w.beginJournal(pos.segment) // whose name was taken once
	}
	return w.beginJournal(last.number)
}
