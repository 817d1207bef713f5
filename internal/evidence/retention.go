// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"time"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A closedSegment is a segment that is not written any more.
type closedSegment struct {
	number  uint64
	bytes   int64
	journal string
	sealed  bool
	began   time.Time
	at      time.Time // when it was closed
}

// oldestToKeep returns the first segment that retention keeps when the segment
// next begins now. The head of next names it, so that what is removed after
// that is not missed and what is removed otherwise is.
func (w *writer) oldestToKeep(now time.Time, next uint64) uint64 {
	i := w.removable(now)
	if i == len(w.closed) {
		return next
	}
	return w.closed[i].number
}

// removable returns how many closed segments, from the oldest on, retention
// removes.
func (w *writer) removable(now time.Time) int {
	r := w.cfg.Retention
	var bytes int64
	for _, s := range w.closed {
		bytes += s.bytes
	}
	n := 0
	for ; n < len(w.closed) && w.covered(n); n++ {
		s := w.closed[n]
		tooMany := r.Segments > 0 && len(w.closed)-n+1 > r.Segments
		tooLarge := r.Bytes > 0 && bytes > r.Bytes
		tooOld := r.Age > 0 && now.Sub(s.at) >= r.Age
		if !tooMany && !tooLarge && !tooOld {
			break
		}
		bytes -= s.bytes
	}
	return n
}

// covered reports whether a checkpoint in a later segment of the same journal
// covers all of closed segment i. The seal of a segment covers all before it,
// but not itself.
func (w *writer) covered(i int) bool {
	for _, later := range w.closed[i+1:] {
		if later.sealed && later.journal == w.closed[i].journal {
			return true
		}
	}
	return false
}

// retentionDue reports whether the age of a segment calls for its removal
// before the one being written is full.
func (w *writer) retentionDue(now time.Time) bool {
	return w.cfg.Retention.Age > 0 && w.end.lines > 1 && w.removable(now) > 0
}

// removeBefore removes the segments before oldest. What cannot be removed is
// tried again with the next segment; Verify knows that it may be there.
func (w *writer) removeBefore(oldest uint64) {
	for len(w.closed) > 0 && w.closed[0].number < oldest {
		err := w.dir.remove(segmentName(w.closed[0].number))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return
		}
		w.closed = w.closed[1:]
		w.counts.removed.Add(1)
	}
}

func digestText(sum [hashSize]byte) canon.Digest {
	return canon.Digest("sha256:" + hex.EncodeToString(sum[:]))
}
