// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"
)

func readme(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	return string(text)
}

// section returns what lies between `<!-- name -->` and `<!-- end name -->`.
func section(t testing.TB, text, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "<!-- "+name+" -->\n")
	require.True(t, ok, name)
	body, _, ok := strings.Cut(rest, "<!-- end "+name+" -->")
	require.True(t, ok, name)
	return body
}

var settingRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.+?) \\| (.+) \\|$")

func TestTheReadmeHasEverySetting(t *testing.T) {
	_, rest, ok := strings.Cut(readme(t), "### Settings\n")
	require.True(t, ok)
	table, _, _ := strings.Cut(rest, "\n## ")
	var paths []string
	defaults := map[string]string{}
	for _, row := range settingRow.FindAllStringSubmatch(table, -1) {
		paths = append(paths, row[1])
		defaults[row[1]] = row[2]
	}
	slices.Sort(paths)
	assert.Equal(t, settingPaths(), paths)

	conf := confmap.New()
	require.NoError(t, conf.Marshal(createDefaultConfig()))
	for path, told := range defaults {
		is := fmt.Sprint(conf.Get(strings.ReplaceAll(path, ".", "::")))
		if literal, ok := strings.CutPrefix(told, "`"); ok {
			assert.Equal(t, shortDuration(is), strings.TrimSuffix(literal, "`"), path)
			continue
		}
		assert.Contains(t, []string{"", "[]", "map[]", "<nil>", "[REDACTED]", "map[false_when:[] from: preset: true_when:[]]"}, is, "the default of %s is not told", path)
	}
}

// shortDuration writes 2m0s as 2m, and 1h0m0s as 1h.
func shortDuration(s string) string {
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// TestTheReadmesConfigurationsAreRight reads every configuration in it.
func TestTheReadmesConfigurationsAreRight(t *testing.T) {
	t.Setenv("ASSAY_TDT_HMAC_KEY", testKey)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readme(t), -1)
	require.NotEmpty(t, blocks)
	checked := 0
	for _, block := range blocks {
		var parsed struct {
			Processors map[string]map[string]any `yaml:"processors"`
		}
		text := strings.ReplaceAll(block[1], "${env:ASSAY_TDT_HMAC_KEY}", testKey)
		require.NoError(t, yaml.Unmarshal([]byte(text), &parsed), block[1])
		for _, raw := range parsed.Processors {
			cfg := createDefaultConfig().(*Config)
			require.NoError(t, confmap.NewFromStringMap(raw).Unmarshal(cfg), block[1])
			require.NoError(t, confmap.Validate(cfg), block[1])
			checked++
		}
	}
	assert.Equal(t, 3, checked)
}

func TestTheReadmesDialect(t *testing.T) {
	_, rest, ok := strings.Cut(readme(t), "<!-- custom dialect -->\n```yaml\n")
	require.True(t, ok)
	block, _, _ := strings.Cut(rest, "```")
	policy := writeFile(t, "policy.yaml", "tools: {allow: [refund]}\nschemas: {refund: {type: object, required: [order]}}")
	var parsed struct {
		Processors map[string]map[string]any `yaml:"processors"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(strings.ReplaceAll(block, "/etc/otelcol/policy.yaml", policy)), &parsed))
	config, err := yaml.Marshal(parsed.Processors["tdt"])
	require.NoError(t, err)
	r := newRig(t, string(config))
	acme := func(id byte, attrs map[string]any) func(ptrace.Span) {
		return func(span ptrace.Span) {
			require.NoError(t, span.Attributes().FromRaw(attrs))
			span.SetKind(ptrace.SpanKindInternal)
			span.SetTraceID(pcommon.TraceID{1: 1})
			span.SetSpanID(pcommon.SpanID{1: id})
			span.SetStartTimestamp(1e18)
			span.SetEndTimestamp(2e18)
		}
	}
	out := spansOf(r.consume(t, batchOf(
		acme(1, map[string]any{"acme.kind": "tool", "acme.tool": "refund", "acme.input": `{"order":"A17"}`, "acme.call": "c1"}),
		acme(2, map[string]any{"acme.kind": "tool", "acme.tool": "refund", "acme.input": map[string]any{"order": "A17"}}),
		acme(3, map[string]any{"acme.kind": "tool", "acme.tool": "refund", "acme.input": "A17"}),
		acme(4, map[string]any{"acme.kind": "model", "acme.tool": "refund"}),
	)))
	assert.Equal(t, []string{"match", "match", "incomplete", ""}, []string{verdictOf(out[0]), verdictOf(out[1]), verdictOf(out[2]), verdictOf(out[3])})
	assert.Equal(t, "acme", attr(out[0], attrDialect))
	assert.Equal(t, "args.not_json", attr(out[2], attrReason))
}

// TestReadmeGolden holds the parts of the README that are made: one recorded
// span before and after, and the presets.
func TestReadmeGolden(t *testing.T) {
	text := readme(t)
	want := map[string]string{"example": exampleBlock(t), "presets": presetRows()}
	if updateGolden() {
		for name, body := range want {
			begin := "<!-- " + name + " -->\n"
			text = strings.Replace(text, begin+section(t, text, name), begin+body, 1)
		}
		require.NoError(t, os.WriteFile("README.md", []byte(text), 0o600))
	}
	for name, body := range want {
		assert.Equal(t, body, section(t, text, name), "run make golden, then read the difference")
	}
}

func presetRows() string {
	var rows strings.Builder
	for _, name := range slices.Sorted(maps.Keys(presets)) {
		p := presets[name]
		code := func(conditions ...string) string { return "`" + strings.Join(conditions, "` or `") + "`" }
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s |\n", name, code(p.From), code(p.TrueWhen...), code(p.FalseWhen...))
	}
	return rows.String()
}

// exampleBlock judges a recorded agent's call of search.
func exampleBlock(t *testing.T) string {
	t.Helper()
	p, _ := newTestProcessor(t, "policies: [{name: quickstart, file: ../../examples/quickstart/policy.yaml}]\nruns: {scope: batch}")
	p.now = func() time.Time { return time.Unix(2_000_000_000, 0) } // long after the recording: nothing of it was lost
	require.NoError(t, p.start(t.Context(), componenttest.NewNopHost()))
	defer func() { require.NoError(t, p.shutdown(context.Background())) }()
	td := ptrace.NewTraces()
	for _, batch := range readCapture(t, "../../testdata/captures/pydantic-ai-2.68.0-settings-v4.jsonl") {
		batch.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	before := ptrace.NewTraces()
	td.CopyTo(before)
	out, err := p.processTraces(t.Context(), td)
	require.NoError(t, err)
	at := slices.IndexFunc(spansOf(before), func(s ptrace.Span) bool { return attr(s, "gen_ai.tool.name") == "search" })
	require.GreaterOrEqual(t, at, 0)
	was, is := spansOf(before)[at], spansOf(out)[at]
	var b strings.Builder
	fmt.Fprintf(&b, "```\n%s\n", is.Name())
	for key, v := range is.Attributes().All() {
		mark := "+"
		if _, ok := was.Attributes().Get(key); ok {
			mark = " "
		}
		fmt.Fprintf(&b, "%s %-32s %s\n", mark, key, shorten(v.AsString()))
	}
	b.WriteString("```\n")
	return b.String()
}

// shorten cuts what makes a line too long to read.
func shorten(s string) string {
	if len(s) <= 110 {
		return s
	}
	return s[:107] + "…"
}
