// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestAJSONValueIsDescribedByWhatItHas(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"resourceSpans":[]}`, "an OTLP trace document (tdt judge reads those)"},
		{`{"resource_spans":[]}`, "an OTLP trace document whose names are not those of OTLP JSON"},
		{`{"resourceLogs":[]}`, "an OTLP log document"},
		{`{"resourceMetrics":[]}`, "an OTLP metric document"},
		{`{"traceId":"","spanId":""}`, "a single span, outside of an OTLP document"},
		{`{"jsonrpc":"2.0"}`, "a JSON-RPC message"},
		{`{"specversion":"1.0"}`, "an event"},
		{`{"run_root":"","event_count":1}`, "the manifest of a bundle"},
		{`{"spans":[],"source_of_truth":""}`, "a projection, which is a view and nothing is read back from"},
		{`{"schema":"assay.tool_decision_truth.otel_projection.v0"}`, "a projection, which is a view and nothing is read back from"},
		{`{"recipe":""}`, "a row"},
		{`{"evidence_ref":{}}`, "a row"},
		{`{"args_digest":""}`, "a carrier"},
		{`{"decision_identity":{}}`, "a carrier"},
		{`{"schema":"assay.tool_decision_truth.v0"}`, "a carrier"},
		{`{"verdict":"match","axes":{},"tool_name":"a"}`, "a decision of tdt judge"},
		{`{"rule_id":"","outcome":""}`, "the record of a sequence rule"},
		{`{"tool_name":"a"}`, "a plain call (tdt judge --calls reads those)"},
		{`{"tools":{}}`, "a policy"},
		{`{"schemas":{}}`, "a policy"},
		{`{"enforcement":{}}`, "a policy"},
		{`{"sequences":[]}`, "a policy"},
		{`{}`, "a JSON object that tdt has no use for"},
		{`{"traceId":""}`, "a JSON object that tdt has no use for"},
		{`[]`, "a JSON array"},
		{`"x"`, "a JSON string"},
		{`null`, "a JSON null"},
		{`1`, "a JSON number"},
		{`true`, "a JSON boolean"},
	} {
		var d canon.Doc
		require.NoError(t, d.Parse(tt.text, canon.Limits{}), tt.text)
		assert.Equal(t, tt.want, describe(d.Root()), tt.text)
	}
}

func TestEverySignatureIsReachable(t *testing.T) {
	for i, s := range signatures {
		members := `"` + strings.Join(s.members, `":0,"`) + `":0`
		var d canon.Doc
		require.NoError(t, d.Parse("{"+members+"}", canon.Limits{}))
		assert.Equal(t, s.is, describe(d.Root()), "signature %d is hidden by one before it", i)
	}
}

func TestATextThatIsNoJSONIsDescribedByHowItBegins(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"\x1f\x8b\x08", "a gzip file"},
		{"PK\x03\x04...", "a zip file"},
		{"\x28\xb5\x2f\xfd", "a zstd file"},
		{"\x7fELF", "a program"},
		{"%PDF-1.7", "a PDF file"},
		{"\xff\xfe{\x00", "text in UTF-16"},
		{"\xef\xbb\xbf{}", "text that begins with a byte order mark"},
		{"-----BEGIN CERTIFICATE-----", "a PEM file"},
		{strings.Repeat("x", 257) + "ustar\x00", "a tar archive that is not compressed"},
		{"a\x00b", "binary data"},
		{"a\xffb", "text that is not UTF-8"},
		{"tools:", "YAML, a policy perhaps"},
		{"version: \"1\"", "YAML, a policy perhaps"},
		{"- a", "YAML, a policy perhaps"},
		{"---", "YAML, a policy perhaps"},
		{`{"a":`, "JSON that is cut off"},
		{`{"a":1,"a":2}`, "JSON that is refused: duplicate_key at byte 0"},
		{"hello", "no JSON"},
		{"{} {}", "no JSON"},
	} {
		var d canon.Doc
		err := d.Parse(tt.text, canon.Limits{})
		require.Error(t, err, tt.text)
		assert.Equal(t, tt.want, describeText(tt.text, err), "%q", tt.text)
	}
}

func TestAContentErrorSaysWhereWhatAndWhat(t *testing.T) {
	assert.EqualError(t, &contentError{"f", 3, "a row", "a carrier"}, "f:3: it is a row; want a carrier")
	assert.EqualError(t, &contentError{"f", 0, "empty", "a carrier"}, "f: it is empty; want a carrier")
}
