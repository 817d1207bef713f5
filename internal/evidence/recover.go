// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

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

// A remnant is a segment as Open found it.
type remnant struct {
	segmentFile
	file   file
	head   head
	at     *cursor // behind its last good line, nil without a head
	sealed bool
	good   int64    // bytes of good lines
	bad    *Finding // at the first line that is not good, or nil
	ended  bool     // the bad line has its newline
	more   bool     // there are lines behind it
}

// recover finds where to go on. It only reads: what there is to repair it
// leaves to start.
func (w *writer) recover() (Recovery, error) {
	list, err := w.listSafely()
	if err != nil {
		return Recovery{}, err
	}
	pos, known := w.lastPosition()
	out := Recovery{Segments: len(list)}
	if len(list) == 0 {
		out.NewJournal = true
		return out, w.beginWithout(pos, known, &out)
	}
	if w.closed, err = w.survey(list); err != nil {
		return Recovery{}, err
	}
	last, err := w.examineEnd(list, pos, known, &out)
	if err != nil {
		return Recovery{}, err
	}
	if last == nil {
		out.NewJournal = true
		return out, w.beginJournal(0)
	}
	if known && pos.segment > last.number && len(w.repairs) == 0 {
		last.bad = &Finding{Fault: FaultNewestMissing, File: segmentName(pos.segment), Seq: pos.seq, Detail: "the position file names this segment"}
		last.ended, last.more = true, true
	}
	return out, w.resume(last, pos, known, &out)
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

// lastPosition opens the position file and reads what it says.
func (w *writer) lastPosition() (position, bool) {
	f, err := w.dir.openOrCreate(positionName)
	if err != nil {
		return position{}, false
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
func (w *writer) beginWithout(pos position, known bool, out *Recovery) error {
	if !known {
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
func (w *writer) examineEnd(list []segmentFile, pos position, known bool, out *Recovery) (*remnant, error) {
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
	if last.at == nil && last.isTorn(pos, known) {
		w.repairs = append(w.repairs, repair{segment: last.number, size: last.size, remove: true})
		return before, last.close()
	}
	if before == nil || last.at == nil {
		return last, before.close()
	}
	f, err := before.differs(last.head.Previous)
	if err := errors.Join(err, before.close()); err != nil {
		return nil, errors.Join(err, last.close())
	}
	switch {
	case f != nil && before.bad != nil:
		out.found(before.bad) // which says where
	case f != nil:
		out.found(f)
	}
	return last, nil
}

// resume makes the end of last the place where the next line goes.
func (w *writer) resume(last *remnant, pos position, known bool, out *Recovery) error {
	changed := last.bad != nil && (last.at == nil || !last.isTorn(pos, known))
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
		return w.leaveCorrupt(last, max(last.number, pos.segment))
	}
	w.end, out.Lines = last.at, last.at.seq()
	w.planRepair(last, pos, known)
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
func (w *writer) planRepair(last *remnant, pos position, known bool) {
	r := repair{segment: last.number, keep: last.good, size: last.size}
	if known && pos.segment == last.number {
		r.rewriteFrom = min(pos.offset, last.good)
		if pos.seq > last.at.seq() {
			r.missing = pos.seq - last.at.seq()
		}
	}
	w.repairs = append(w.repairs, r)
}

// leaveCorrupt leaves a segment that was changed, and begins a new journal
// behind it.
func (w *writer) leaveCorrupt(last *remnant, segment uint64) error {
	sum, err := digestOf(last.file, last.size)
	if err := errors.Join(err, last.close()); err != nil {
		return err
	}
	w.previous = &predecessor{
		Bytes: last.size, Digest: digestText(sum), Journal: last.head.Journal, Segment: last.number, State: leftCorrupt,
	}
	w.window = newWindow(w.cfg.RetryWindow)
	return w.beginJournal(segment)
}

// isTorn reports whether what is bad in r can be the remains of a write that
// was never finished, or of an end that was cut off, rather than a change.
func (r *remnant) isTorn(pos position, known bool) bool {
	switch {
	case r.bad == nil:
		return true
	case known && (pos.segment < r.number || pos.segment == r.number && r.good >= pos.offset):
		return true // nobody was told that it is durable, as far as is known
	case known && pos.segment == r.number && r.size >= pos.offset:
		return false // it was durable, and all of it is there
	}
	return !r.ended || !r.more
}

// examine reads a segment as far as it is good, and remembers its records.
func (w *writer) examine(s segmentFile) (*remnant, error) {
	f, size, err := w.dir.open(segmentName(s.number))
	if err != nil {
		return nil, err
	}
	r := &remnant{segmentFile: s, file: f}
	r.size = size
	k := newWalker(nil)
	k.enter(s.number)
	lines := newLineReader(io.NewSectionReader(f, 0, size))
	for {
		text, whole, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("read %s: %w", segmentName(s.number), err), f.Close())
		}
		if !r.take(k, text, whole) {
			_, r.more, _ = lines.next()
			break
		}
		w.remember(k.at.journal, text)
	}
	r.at, r.head, r.sealed = k.at, k.head, k.sealed
	switch {
	case r.at == nil && r.bad == nil:
		k.lineNo = 1
		r.bad = k.finding(FaultTornTail, "the segment is empty")
	case r.at != nil && r.ended:
		// The walker has taken the bad line into the chain.
		r.at.chain = newChain()
		if _, err := io.Copy(r.at.chain.hash, io.NewSectionReader(f, 0, r.good)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return r, nil
}

// take checks one line, and reports whether it is good.
func (r *remnant) take(k *walker, text []byte, whole bool) bool {
	if !whole {
		k.lineNo++
		r.bad = k.finding(FaultTornTail, "")
		return false
	}
	if _, f := k.next(text); f != nil {
		r.bad, r.ended = f, true
		return false
	}
	r.good += int64(len(text) + 1)
	return true
}

// remember takes the record in a good line into the window, which knows one
// journal: what only an earlier, changed one has is worth writing again.
func (w *writer) remember(journal string, text []byte) {
	if w.remembers != journal {
		w.remembers, w.window = journal, newWindow(w.cfg.RetryWindow)
	}
	l, _ := parseLine(text)
	if l.isOwn() {
		return
	}
	quoted := append(append(append([]byte(nil), l.contentHash...), '"'), l.runID...)
	key := keyOf(append(quoted, '"'))
	if _, known := w.window.find(key); !known {
		w.window.add(key, l.seq)
	}
}

// differs compares r with what its successor's head says of it.
func (r *remnant) differs(named *predecessor) (*Finding, error) {
	f := &Finding{Fault: FaultSegmentChanged, File: segmentName(r.number)}
	if named == nil || named.Segment != r.number {
		f.Detail = "the next segment does not name it"
		return f, nil
	}
	if named.Bytes > r.size {
		f.Detail = fmt.Sprintf("it has %d bytes, want %d", r.size, named.Bytes)
		return f, nil
	}
	sum, err := digestOf(r.file, named.Bytes)
	if err != nil {
		return nil, err
	}
	if got := digestText(sum); got != named.Digest {
		f.Detail = fmt.Sprintf("digest %s, want %s", got, named.Digest)
		return f, nil
	}
	if named.State == leftSealed && named.Bytes != r.size {
		f.Fault, f.Detail = FaultAfterSeal, fmt.Sprintf("it has %d bytes, want %d", r.size, named.Bytes)
		return f, nil
	}
	return nil, nil
}

func (r *remnant) close() error {
	if r == nil {
		return nil
	}
	return r.file.Close()
}

// digestOf returns the digest of the first n bytes of f.
func digestOf(f io.ReaderAt, n int64) (sum [hashSize]byte, err error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, n)); err != nil {
		return sum, err
	}
	h.Sum(sum[:0])
	return sum, nil
}
