// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

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

// isTorn reports whether what is bad in r can be the remains of a write that
// was never finished, or of an end that was cut off, rather than a change.
func (r *remnant) isTorn(pos *position) bool {
	switch {
	case r.bad == nil:
		return true
	case pos == nil || pos.segment > r.number:
	case pos.segment < r.number || r.good >= pos.offset:
		return true // nobody was told that it is durable, as far as is known
	case r.size >= pos.offset:
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
	if err := w.readGood(r, k); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", segmentName(s.number), err), f.Close())
	}
	r.at, r.head, r.sealed = k.at, k.head, k.sealed
	if r.at == nil && r.bad == nil {
		k.lineNo = 1
		r.bad = k.finding(FaultTornTail, "the segment is empty")
	}
	return r, nil
}

// readGood reads lines up to the first that is not good.
func (w *writer) readGood(r *remnant, k *walker) error {
	lines := newLineReader(io.NewSectionReader(r.file, 0, r.size))
	for {
		text, whole, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !r.take(k, text, whole) {
			_, r.more, _ = lines.next()
			break
		}
		w.remember(k.at.journal, text)
	}
	if k.at == nil || !r.ended {
		return nil
	}
	// The walker has taken the bad line into the chain.
	k.at.chain = newChain()
	_, err := io.Copy(k.at.chain.hash, io.NewSectionReader(r.file, 0, r.good))
	return err
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
	says := append(append(append([]byte(nil), l.contentHash...), '"'), l.runID...)
	says = append(says, '"')
	if len(l.traceParent) > 0 {
		says = append(append(append(says, '"'), l.traceParent...), '"')
	}
	key := keyOf(says)
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

// compare compares r with what the head of last says of it, and closes it.
func (r *remnant) compare(last *remnant, out *Recovery) error {
	if r == nil {
		return nil
	}
	if last.at != nil {
		f, err := r.differs(last.head.Previous)
		if err != nil {
			return errors.Join(err, r.close(), last.close())
		}
		if f != nil && r.bad != nil {
			f = r.bad // which says where
		}
		if f != nil {
			out.found(f)
		}
	}
	return r.close()
}
