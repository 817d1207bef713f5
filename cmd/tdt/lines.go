// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// A lineReader reads lines one after another, in the memory of one line.
type lineReader struct {
	from  *bufio.Reader
	limit int
	n     int // lines read
}

// newLineReader returns a reader of lines of at most limit bytes.
func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{from: bufio.NewReaderSize(r, 1<<16), limit: limit}
}

// next returns the next line without its end, and io.EOF after the last. Of a
// line that is too long it returns one byte more than the limit, which is
// enough for whoever reads it to refuse it.
func (l *lineReader) next() (string, error) {
	part, err := l.from.ReadSlice('\n')
	if len(part) == 0 && err != nil {
		return "", err
	}
	l.n++
	if err == nil || errors.Is(err, io.EOF) {
		return l.cut(string(part)), nil
	}
	var b strings.Builder
	for {
		b.Write(part[:min(len(part), max(0, l.limit+len("\r\n")+1-b.Len()))])
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
		part, err = l.from.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return l.cut(b.String()), nil
}

// cut removes the end of a line.
func (l *lineReader) cut(line string) string {
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	return line[:min(len(line), l.limit+1)]
}

// idle reports whether reading on may have to wait: what was answered so far
// had better be shown first.
func (l *lineReader) idle() bool { return l.from.Buffered() == 0 }

// rest reads what follows the lines that were read, and returns no more of it
// than one byte beyond the limit.
func (l *lineReader) rest(limit int) (string, error) {
	text, err := io.ReadAll(io.LimitReader(l.from, int64(limit)+1))
	if err == nil {
		_, err = io.Copy(io.Discard, l.from)
	}
	return string(text), err
}
