// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// maxOTLPLine is the longest line, or document, of recorded spans.
const maxOTLPLine = 512 << 20

// readTraces reads recorded OTLP JSON, one document or one export request a
// line, in the memory of the largest line, and calls visit for each request.
func (s streams) readTraces(name string, visit func(ptrace.Traces) error) error {
	in, err := s.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := &requestReader{from: bufio.NewReaderSize(in, 1<<16)}
	requests := 0
	for {
		text, err := lines.next(requests == 0)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", in.name, plainPathError(err))
		}
		if len(text) == 0 {
			continue
		}
		td, err := parseTraces(text)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", in.name, lines.n, err)
		}
		requests++
		if err := visit(td); err != nil {
			return err
		}
	}
	if requests == 0 {
		return fmt.Errorf("%s: it is empty, want recorded OTLP JSON traces", in.name)
	}
	return nil
}

// A requestReader reads one export request after another into one buffer.
type requestReader struct {
	from *bufio.Reader
	buf  []byte
	n    int // the line that the last request began in
	read int // lines read
}

// next returns the next line without the space around it, and io.EOF after the
// last. A first line that is not a whole object is the beginning of a document
// over several lines: next returns all of it. The text is valid until the next
// call.
func (r *requestReader) next(first bool) ([]byte, error) {
	r.buf, r.n = r.buf[:0], r.read+1
	for {
		part, err := r.from.ReadSlice('\n')
		r.buf = append(r.buf, part...)
		if len(r.buf) > maxOTLPLine || err == nil {
			break
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && len(r.buf) > 0 {
			break
		}
		return nil, err
	}
	r.read++
	text := bytes.TrimSpace(r.buf)
	if !first || len(text) == 0 || bytes.HasSuffix(text, []byte("}")) {
		return text, nil
	}
	rest, err := io.ReadAll(io.LimitReader(r.from, maxOTLPLine))
	return append(text, rest...), err
}

// errNotOTLP never quotes what was found: it may hold arguments.
var errNotOTLP = errors.New("it is not OTLP JSON")

// parseTraces reads one export request. A JSON text that has no spans by its
// very shape is told from one that happens to be empty.
func parseTraces(text []byte) (td ptrace.Traces, err error) {
	defer func() {
		if recover() != nil {
			err = errNotOTLP
		}
	}()
	if len(text) > maxOTLPLine {
		return td, fmt.Errorf("it has more than %d bytes", maxOTLPLine)
	}
	for _, other := range []string{"resourceLogs", "resourceMetrics", "resourceProfiles"} {
		if bytes.HasPrefix(bytes.TrimLeft(text, "{ \t\r\n"), []byte(`"`+other+`"`)) {
			return td, fmt.Errorf("it is OTLP JSON of %s, want traces (resourceSpans)", strings.ToLower(strings.TrimPrefix(other, "resource")))
		}
	}
	td, err = (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(text)
	if err != nil {
		return td, fmt.Errorf("%w, want an export request of traces a line (%s)", errNotOTLP, shapeOf(text))
	}
	if td.ResourceSpans().Len() == 0 && !bytes.Contains(text, []byte("resourceSpans")) && !bytes.Contains(text, []byte("resource_spans")) {
		return td, fmt.Errorf("%w of traces: it has no resourceSpans", errNotOTLP)
	}
	return td, nil
}

// shapeOf says what a text looks like, without quoting it.
func shapeOf(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("\x1f\x8b")):
		return "this is compressed: decompress it first"
	case bytes.HasPrefix(text, []byte("{")):
		return "this begins like JSON and is cut or malformed"
	case bytes.HasPrefix(text, []byte("[")):
		return "this is a JSON array: put each of its elements on a line"
	}
	return "this is something else"
}
