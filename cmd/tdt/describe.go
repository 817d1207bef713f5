// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A contentError says that a file is not what a verb reads: what it is instead,
// what was expected, and where that shows.
type contentError struct {
	file     string
	line     int // 0: the file as a whole
	is, want string
}

func (e *contentError) Error() string {
	where := e.file
	if e.line > 0 {
		where = fmt.Sprintf("%s:%d", e.file, e.line)
	}
	return where + ": it is " + e.is + "; want " + e.want
}

// signatures say what a JSON object is by the names of its members: by the
// first entry of which it has all.
var signatures = []struct {
	members []string
	is      string
}{
	{[]string{"resourceSpans"}, "an OTLP trace document (tdt judge reads those)"},
	{[]string{"resource_spans"}, "an OTLP trace document whose names are not those of OTLP JSON"},
	{[]string{"resourceLogs"}, "an OTLP log document"},
	{[]string{"resourceMetrics"}, "an OTLP metric document"},
	{[]string{"traceId", "spanId"}, "a single span, outside of an OTLP document"},
	{[]string{"jsonrpc"}, "a JSON-RPC message"},
	{[]string{"specversion"}, "an event"},
	{[]string{"run_root", "event_count"}, "the manifest of a bundle"},
	{[]string{"source_of_truth", "spans"}, "a projection, which is a view and nothing is read back from"},
	{[]string{"recipe"}, "a row"},
	{[]string{"evidence_ref"}, "a row"},
	{[]string{"args_digest"}, "a carrier"},
	{[]string{"decision_identity"}, "a carrier"},
	{[]string{"verdict", "axes"}, "a decision of tdt judge"},
	{[]string{"rule_id", "outcome"}, "the record of a sequence rule"},
	{[]string{"tool_name"}, "a plain call (tdt judge --calls reads those)"},
	{[]string{"tools"}, "a policy"},
	{[]string{"schemas"}, "a policy"},
	{[]string{"enforcement"}, "a policy"},
	{[]string{"sequences"}, "a policy"},
}

// describe says what a JSON value is, without a word of its content.
func describe(n canon.Node) string {
	if n.Kind() != canon.KindObject {
		return article("JSON " + n.Kind().String())
	}
	if schema, ok := n.Get("schema"); ok {
		switch schema.Str() {
		case carrier.SchemaCarrier:
			return "a carrier"
		case carrier.SchemaProjection:
			return "a projection, which is a view and nothing is read back from"
		}
	}
	for _, s := range signatures {
		if hasAll(n, s.members) {
			return s.is
		}
	}
	return "a JSON object that tdt has no use for"
}

func hasAll(n canon.Node, names []string) bool {
	for _, name := range names {
		if _, ok := n.Get(name); !ok {
			return false
		}
	}
	return true
}

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// magics are how files begin that are not text.
var magics = []struct{ prefix, is string }{
	{"\x1f\x8b", "a gzip file"},
	{"PK\x03\x04", "a zip file"},
	{"\x28\xb5\x2f\xfd", "a zstd file"},
	{"BZh", "a bzip2 file"},
	{"\xfd7zXZ\x00", "an xz file"},
	{"\x7fELF", "a program"},
	{"%PDF", "a PDF file"},
	{"\xff\xfe", "text in UTF-16"},
	{"\xfe\xff", "text in UTF-16"},
	{"\xef\xbb\xbf", "text that begins with a byte order mark"},
	{"-----BEGIN", "a PEM file"},
}

var (
	yamlLine = regexp.MustCompile(`^(?:---|%YAML|[A-Za-z_$"'][\w.$"' -]*:(?:\s|$)|- )`)
	tarMagic = []byte("ustar")
)

// describeText says what a text is that is not JSON, as err says. Of a tar
// archive the mark stands at byte 257.
func describeText(text string, err error) string {
	for _, m := range magics {
		if strings.HasPrefix(text, m.prefix) {
			return m.is
		}
	}
	switch {
	case len(text) > 262 && bytes.Equal([]byte(text[257:262]), tarMagic):
		return "a tar archive that is not compressed"
	case strings.ContainsRune(text, 0):
		return "binary data"
	case !utf8.ValidString(text):
		return "text that is not UTF-8"
	case yamlLine.MatchString(text):
		return "YAML, a policy perhaps"
	}
	te, ok := errors.AsType[*canon.TextError](err)
	switch {
	case ok && te.Truncated:
		return "JSON that is cut off"
	case ok && te.Fault != canon.FaultSyntax:
		return fmt.Sprintf("JSON that is refused: %v at byte %d", te.Fault, te.Offset)
	}
	return "no JSON"
}
