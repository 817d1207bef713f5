// SPDX-License-Identifier: Apache-2.0

package main

import (
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
	lines := newLineReader(in, maxOTLPLine)
	requests := 0
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", in.name, plainPathError(err))
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		at := lines.n
		if requests == 0 && !strings.HasSuffix(strings.TrimSpace(line), "}") {
			rest, err := lines.rest(maxOTLPLine)
			if err != nil {
				return fmt.Errorf("read %s: %w", in.name, plainPathError(err))
			}
			line += "\n" + rest
		}
		td, err := parseTraces(line)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", in.name, at, err)
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

// errNotOTLP never quotes what was found: it may hold arguments.
var errNotOTLP = errors.New("it is not OTLP JSON")

// parseTraces reads one export request. A JSON text that has no spans by its
// very shape is told from one that happens to be empty.
func parseTraces(text string) (td ptrace.Traces, err error) {
	defer func() {
		if recover() != nil {
			err = errNotOTLP
		}
	}()
	if len(text) > maxOTLPLine {
		return td, fmt.Errorf("it has more than %d bytes", maxOTLPLine)
	}
	for _, other := range []string{"resourceLogs", "resourceMetrics", "resourceProfiles"} {
		if strings.HasPrefix(strings.TrimLeft(text, "{ \t\r\n"), `"`+other+`"`) {
			return td, fmt.Errorf("it is OTLP JSON of %s, want traces (resourceSpans)", strings.ToLower(strings.TrimPrefix(other, "resource")))
		}
	}
	td, err = (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(text))
	if err != nil {
		return td, fmt.Errorf("%w, want an export request of traces a line (%s)", errNotOTLP, shapeOf(text))
	}
	if td.ResourceSpans().Len() == 0 && !strings.Contains(text, "resourceSpans") && !strings.Contains(text, "resource_spans") {
		return td, fmt.Errorf("%w of traces: it has no resourceSpans", errNotOTLP)
	}
	return td, nil
}

// shapeOf says what a text looks like, without quoting it.
func shapeOf(text string) string {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "\x1f\x8b"):
		return "this is compressed: decompress it first"
	case strings.HasPrefix(text, "{"):
		return "this begins like JSON and is cut or malformed"
	case strings.HasPrefix(text, "["):
		return "this is a JSON array: put each of its elements on a line"
	}
	return "this is something else"
}
