// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// captures is the folder of the recordings.
const captures = "../../testdata/captures"

// truthFile is testdata/captures/truth.json: what really ran.
type truthFile struct {
	Files []truthCapture `json:"files"`
}

type truthCapture struct {
	File       string      `json:"file"`
	Framework  string      `json:"framework"`
	Spans      int         `json:"spans"`
	Executions []execution `json:"executions"`
	Lookalikes []struct {
		truthSpan
		Kind   string `json:"kind"`
		Reason string `json:"reason"`
	} `json:"lookalikes"`
}

type execution struct {
	Order      int             `json:"order"`
	Tool       string          `json:"tool"`
	Args       json.RawMessage `json:"args"`
	Outcome    string          `json:"outcome"`
	CallID     *string         `json:"call_id"`
	Span       *truthSpan      `json:"span"`
	Duplicates []truthSpan     `json:"duplicates"`
	Recorded   string          `json:"args_recorded"`
	NameOnSpan json.RawMessage `json:"name_on_span"`
}

type truthSpan struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
	Name    string `json:"name"`
}

func (s truthSpan) id() string { return s.TraceID + "/" + s.SpanID }

func readTruth(t testing.TB) []truthCapture {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(captures, "truth.json"))
	require.NoError(t, err)
	var f truthFile
	require.NoError(t, json.Unmarshal(text, &f))
	require.NotEmpty(t, f.Files, "no recordings: a moved folder must not pass")
	return f.Files
}

// A placed span is one with what surrounds it.
type placed struct {
	rs   ptrace.ResourceSpans
	ss   ptrace.ScopeSpans
	span ptrace.Span
}

func (p placed) id() string { return p.span.TraceID().String() + "/" + p.span.SpanID().String() }

// readCapture returns the spans of a recording in file order.
func readCapture(t testing.TB, path string) []placed {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var all []placed
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(lines.Bytes())
		require.NoError(t, err, path)
		all = append(all, spansOf(td)...)
	}
	require.NoError(t, lines.Err())
	return all
}

func spansOf(td ptrace.Traces) []placed {
	var all []placed
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				all = append(all, placed{rs, ss, span})
			}
		}
	}
	return all
}

func newRecognizer(t testing.TB, opts Options) *Recognizer {
	t.Helper()
	r, err := New(opts)
	require.NoError(t, err)
	return r
}
