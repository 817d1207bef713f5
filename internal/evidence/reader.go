// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A Record is one record as it lies in the journal.
type Record struct {
	carrier.Event

	JournalSeq uint64
	File       string
	Line       int    // in File, from 1
	Text       string // the whole line
}

// A Reader reads the records of a journal in their order. The journal may be
// written at the same time: the Reader stops at the last line that is durable,
// and goes on from there when it is asked again. It checks that each record it
// returns is an event with its own content hash; whether the journal is what
// was written, Verify says.
//
// A Reader is not safe for concurrent use.
type Reader struct {
	dir     string
	match   *matcher
	decoder carrier.Decoder

	file   *os.File
	number uint64 // of the segment that is open, or was read last
	at     int64  // behind the last line that was read
	end    int64  // of what is durable, as far as it was looked at
	lineNo int
	lines  *lineReader
}

// OpenReader opens the journal in dir.
func OpenReader(dir string, f Filter) (*Reader, error) {
	list, err := listSegments(dir)
	if err != nil {
		return nil, err
	}
	for len(list) > 0 && list[0].number == 0 {
		list = list[1:]
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w in %s", ErrNoJournal, dir)
	}
	return &Reader{dir: dir, match: newMatcher(f), number: list[0].number - 1, lines: newLineReader(nil)}, nil
}

// Next returns the next record that the filter lets through. At the end of what
// is durable the error is io.EOF; a later call may find more. A line that is no
// record is a *Finding, and ends the reading.
func (r *Reader) Next() (*Record, error) {
	for {
		text, err := r.nextLine()
		if err != nil {
			return nil, err
		}
		r.at += int64(len(text) + 1)
		r.lineNo++
		l, ok := parseLine(text)
		if !ok {
			return nil, &Finding{Fault: FaultMalformed, File: segmentName(r.number), Line: r.lineNo}
		}
		if r.match.match(&l) {
			return r.record(&l, string(text))
		}
	}
}

// All returns the records that are there now, and an error, if one ended them.
func (r *Reader) All() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

func (r *Reader) record(l *line, text string) (*Record, error) {
	seq, name := l.seq, segmentName(r.number)
	e, err := r.decoder.Parse(text)
	if err != nil {
		return nil, &Finding{Fault: FaultContent, File: name, Line: r.lineNo, Seq: seq}
	}
	e.Data = append([]byte(nil), e.Data...)
	return &Record{Event: e, JournalSeq: seq, File: name, Line: r.lineNo, Text: text}, nil
}

// nextLine returns the next line of the open segment, of the next one when that
// is at its end, and io.EOF when there is no more that is durable.
func (r *Reader) nextLine() ([]byte, error) {
	for {
		if r.file != nil {
			text, whole, err := r.lines.next()
			if whole || err != nil && !errors.Is(err, io.EOF) {
				return text, err
			}
		}
		more, err := r.advance()
		if err != nil {
			return nil, err
		}
		if !more {
			return nil, io.EOF
		}
	}
}

// advance looks for more that is durable: in the open segment first, then in
// the next one.
func (r *Reader) advance() (bool, error) {
	limit := durableLimit(r.dir)
	list, err := listSegments(r.dir)
	if err != nil {
		return false, err
	}
	if r.file != nil {
		more, err := r.extend(limit, list)
		if more || err != nil {
			return more, err
		}
	}
	return r.openNext(limit, list)
}

// extend makes what has become durable in the open segment readable.
func (r *Reader) extend(limit position, list []segmentFile) (bool, error) {
	info, err := r.file.Stat()
	if err != nil {
		return false, err
	}
	end := segmentEnd(r.dir, r.number, info.Size(), list)
	if r.number == limit.segment {
		end = min(end, limit.offset)
	}
	if end <= r.end {
		return false, nil
	}
	r.end = end
	r.lines.reset(io.NewSectionReader(r.file, r.at, end-r.at))
	return true, nil
}

// openNext opens the first segment behind the one that was read. Those before
// it may have been removed by retention meanwhile.
func (r *Reader) openNext(limit position, list []segmentFile) (bool, error) {
	for _, s := range list {
		if s.number <= r.number || s.number > limit.segment {
			continue
		}
		f, err := openForReading(r.dir, segmentName(s.number))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		if err := r.Close(); err != nil {
			return false, errors.Join(err, f.Close())
		}
		r.file, r.number, r.at, r.end, r.lineNo = f, s.number, 0, 0, 0
		return r.extend(limit, list)
	}
	return false, nil
}

// Close ends the reading.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	return f.Close()
}

// segmentEnd returns how much of a segment of the given size is part of the
// journal: all of it, unless the next head says that a failed sync left it
// before its end.
func segmentEnd(dir string, number uint64, size int64, list []segmentFile) int64 {
	for _, s := range list {
		if s.number != number+1 {
			continue
		}
		p := readPredecessor(dir, s.number)
		if p != nil && p.Segment == number && p.State == leftAbandoned {
			return min(size, p.Bytes)
		}
	}
	return size
}

// readPredecessor reads what the head of a segment says of the one before. It is
// not verified: if it is wrong, the digests of Verify show it.
func readPredecessor(dir string, number uint64) *predecessor {
	f, err := openForReading(dir, segmentName(number))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	text, _, err := newLineReader(f).next()
	l, ok := parseLine(text)
	var h head
	if err != nil || !ok || readPayload(l.data, &h) != nil {
		return nil
	}
	return h.Previous
}
