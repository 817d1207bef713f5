// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// TestProjectWritesWholeOrNothing changes, and cuts, a bundle and a file of
// records at every byte. What verifies is written whole, of the rest nothing.
func TestProjectWritesWholeOrNothing(t *testing.T) {
	bundle, err := os.ReadFile(filepath.Join(vectors, "interop/bundle_0.tar.gz"))
	require.NoError(t, err)
	key := testKey(t)
	rec := testRecord(t, key, 0, truth.Match)
	row, err := carrier.BuildRow(rec.Citation(), truth.Mismatch, "run/0")
	require.NoError(t, err)
	records := row.AppendJSON(append(rec.AppendJSON(nil), '\n'))
	for name, file := range map[string][]byte{"bundle": bundle, "records": records} {
		t.Run(name, func(t *testing.T) {
			status, _, _ := tdt(t, string(file), "project", "-")
			require.Equal(t, exitOK, status)
			written := 0
			for i := range file {
				changed := bytes.Clone(file)
				changed[i] ^= 1 << (i % 8)
				for k, text := range [][]byte{changed, file[:i]} {
					format := []string{"otlp", "projection"}[(i+k)%2]
					var out bytes.Buffer
					p := projection{streams: streams{in: bytes.NewReader(text), out: &out, err: io.Discard}}
					err := p.run([]string{stdinName}, format)
					if (err == nil) != (out.Len() > 0) {
						t.Fatalf("byte %d: %v and %d bytes", i, err, out.Len())
					}
					if err == nil {
						written++
					}
				}
			}
			assert.Less(t, written, len(file)/4, "changes of names that nothing is bound to, and of the archive's own times")
		})
	}
}

func TestProjectedSpansAreOTLP(t *testing.T) {
	for _, file := range []string{"interop/bundle_0.tar.gz", "interop/variants/plain.tar.gz", "interop/variants/time_offset.tar.gz"} {
		status, stdout, stderr := tdt(t, "", "project", filepath.Join(vectors, file))
		require.Equal(t, exitOK, status, stderr)
		var u ptrace.JSONUnmarshaler
		td, err := u.UnmarshalTraces([]byte(stdout))
		require.NoError(t, err)
		require.Positive(t, td.SpanCount())
		spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
		ids := map[string]bool{}
		for _, span := range spans.All() {
			assert.Equal(t, ptrace.SpanKindInternal, span.Kind())
			assert.False(t, span.TraceID().IsEmpty())
			assert.Positive(t, span.StartTimestamp())
			ids[span.SpanID().String()] = true
			_, hasDigest := span.Attributes().Get("assay.tdt.carrier_content_digest")
			assert.True(t, hasDigest)
			for key := range span.Attributes().All() {
				assert.NotContains(t, key, "args")
				assert.NotContains(t, key, "enforcement")
			}
		}
		assert.Len(t, ids, spans.Len(), "a span id for each row")
	}
}
