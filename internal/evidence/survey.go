// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"errors"
	"io"
)

// longestSeal bounds how far from a segment's end its seal can begin.
const longestSeal = maxNote

// survey reads the first and the last line of each segment for what retention
// has to know. It believes them: what is wrong with a segment Verify finds.
func (w *writer) survey(list []segmentFile) ([]closedSegment, error) {
	closed := make([]closedSegment, 0, len(list))
	for _, s := range list {
		f, size, err := w.dir.open(segmentName(s.number))
		if err != nil {
			return nil, err
		}
		c := closedSegment{number: s.number, bytes: size}
		err = c.read(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		closed = append(closed, c)
	}
	// One that has no seal was closed when the next one began.
	for i := range closed {
		if !closed[i].sealed && i+1 < len(closed) {
			closed[i].at = closed[i+1].began
		}
	}
	return closed, nil
}

func (c *closedSegment) read(f file) error {
	first, whole, err := newLineReader(io.NewSectionReader(f, 0, c.bytes)).next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if l, ok := parseLine(first); whole && ok && l.is(TypeHead) {
		var h head
		if readPayload(l.data, &h) == nil {
			c.journal, c.began = h.Journal, parseTime(l.time)
		}
	}
	last, err := lastLine(f, c.bytes)
	if err != nil {
		return err
	}
	if l, ok := parseLine(last); ok && l.is(TypeSeal) {
		c.sealed, c.at = true, parseTime(l.time)
	}
	return nil
}

// lastLine returns the last whole line of a file, if it is short enough for a
// seal.
func lastLine(f io.ReaderAt, size int64) ([]byte, error) {
	start := max(size-longestSeal, 0)
	tail := make([]byte, size-start)
	if _, err := f.ReadAt(tail, start); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	text, ok := bytes.CutSuffix(tail, newline)
	if !ok {
		return nil, nil
	}
	return text[bytes.LastIndexByte(text, '\n')+1:], nil
}

// dropClosed takes the segment from number on, which is written again, out of
// the closed ones.
func (w *writer) dropClosed(number uint64) {
	for n := len(w.closed); n > 0 && w.closed[n-1].number >= number; n-- {
		w.closed = w.closed[:n-1]
	}
}
