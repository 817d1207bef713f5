// SPDX-License-Identifier: Apache-2.0

package evidence

import "errors"

// ballast bounds how much space a try asks for before records are taken again.
const ballast = 1 << 20

// fail undoes a group that could not be made durable, answers its batches, and
// lets the writer rest before the next try.
func (w *writer) fail(g *group, batches []*batch, cause error) {
	reason := reasonOf(cause)
	if g != nil {
		w.window.undo(g.fresh)
		if reason == ReasonDiskFull {
			w.missing = max(g.at.offset-w.segmentOffset(), 0)
		}
		var unsynced *syncError
		w.undo(g, errors.As(cause, &unsynced))
	}
	w.rest(reason, cause)
	w.reject(batches, w.lastErr)
}

// undo leaves no trace of the group where the next one will be written. After a
// failed sync the system may have dropped what it could not write, and would not
// say so again: the segment is left, and what it has on disk is only relied on
// as far as earlier syncs said.
func (w *writer) undo(g *group, unsynced bool) {
	switch {
	case g.created:
		name := segmentName(g.at.segment)
		_ = g.file.Close()
		if err := w.dir.remove(name); err != nil {
			// It is in the way of the next try, which removes it or fails.
			w.repairs = append(w.repairs, repair{segment: g.at.segment, remove: true})
			w.started = false
		}
	case g.file == nil || g.lines == 0:
	default:
		if err := g.file.Truncate(w.end.offset); err != nil || unsynced {
			w.leave(leftAbandoned)
		}
	}
}

func reasonOf(err error) Reason {
	var unsynced *syncError
	switch {
	case isFull(err):
		return ReasonDiskFull
	case errors.As(err, &unsynced):
		return ReasonSync
	}
	return ReasonWrite
}

// rest lets nothing be written for a while.
func (w *writer) rest(reason Reason, cause error) {
	w.backoff = min(max(2*w.backoff, firstBackoff), lastBackoff)
	w.holding = true
	w.lastErr = &AppendError{Reason: reason, Err: cause}
	w.retry.Reset(w.backoff)
	w.health.raise(reason, cause)
}

// reject answers batches that are not written. One that has nothing new is
// durable already.
func (w *writer) reject(batches []*batch, why *AppendError) {
	for _, b := range batches {
		unknown := w.unknown(b)
		if unknown == 0 {
			w.counts.written(b)
			w.finish(b, nil)
			continue
		}
		w.refuse(why.Reason, unknown)
		w.finish(b, why)
	}
}

// unknown returns how many records of b the journal lacks.
func (w *writer) unknown(b *batch) int {
	b.duplicates = 0
	for i, key := range b.keys {
		seq, ok := w.window.find(key)
		if ok {
			b.seqs[i] = seq
			b.duplicates++
		}
	}
	return len(b.keys) - b.duplicates
}

func (w *writer) refuse(why Reason, records int) {
	w.refused.add(why, records, w.cfg.Now())
	w.counts.refused.Add(uint64(records))
}

// probe tries again after a failure. It asks for as much space as was missing
// before it says that all is well, lest the state flaps with every batch.
func (w *writer) probe() {
	if err := w.regain(); err != nil {
		if !w.holding {
			w.rest(reasonOf(err), err)
		}
		return
	}
	_ = w.commit(nil, want{segment: true})
}

// regain makes sure that there is a segment, and room in it.
func (w *writer) regain() error {
	if !w.started {
		if err := w.start(); err != nil {
			return err
		}
	}
	if w.file == nil {
		if err := w.commit(nil, want{segment: true}); err != nil {
			return err
		}
	}
	if w.missing == 0 {
		return nil
	}
	return w.tryBallast()
}

// tryBallast writes zeros behind the journal's end and takes them away again.
func (w *writer) tryBallast() error {
	zeros := make([]byte, min(w.missing, ballast))
	_, err := w.file.WriteAt(zeros, w.end.offset)
	if truncErr := w.file.Truncate(w.end.offset); truncErr != nil {
		w.leave(leftAbandoned)
		return truncErr
	}
	if err == nil {
		w.missing = 0
	}
	return err
}
