// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"errors"
	"io"
)

const readChunk = 256 << 10

// A lineReader reads lines in bounded memory.
type lineReader struct {
	src        io.Reader
	buf        []byte
	start, end int // what is read and not returned
	eof        bool
}

func newLineReader(src io.Reader) *lineReader {
	return &lineReader{src: src, buf: make([]byte, readChunk)}
}

// reset makes r read src from here on.
func (r *lineReader) reset(src io.Reader) { r.src, r.start, r.end, r.eof = src, 0, 0, false }

// next returns the next line without its newline, valid until the next call.
// whole is false for what has no newline: the end of a file that was cut, or
// the beginning of something longer than any line. The error is io.EOF behind
// the last line.
func (r *lineReader) next() (text []byte, whole bool, err error) {
	searched := 0
	for {
		if n := bytes.IndexByte(r.buf[r.start+searched:r.end], '\n'); n >= 0 {
			text = r.buf[r.start : r.start+searched+n]
			r.start += searched + n + 1
			return text, true, nil
		}
		searched = r.end - r.start
		if r.eof || searched > maxLine {
			return r.remains()
		}
		if err := r.fill(); err != nil {
			return nil, false, err
		}
	}
}

func (r *lineReader) remains() ([]byte, bool, error) {
	if r.start == r.end {
		return nil, false, io.EOF
	}
	text := r.buf[r.start:r.end]
	r.start = r.end
	return text, false, nil
}

func (r *lineReader) fill() error {
	if r.start > 0 {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		grown := make([]byte, 2*len(r.buf))
		copy(grown, r.buf)
		r.buf = grown
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	if errors.Is(err, io.EOF) {
		r.eof = true
		return nil
	}
	return err
}
