// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// canaries hands out words that occur nowhere else.
type canaries struct{ made []string }

func (c *canaries) next(where string) string {
	word := fmt.Sprintf("canary%04d%s", len(c.made), strings.ToUpper(where))
	c.made = append(c.made, word)
	return word
}

// leaksIn returns the canaries that text has.
func (c *canaries) leaksIn(text string) (leaks []string) {
	for _, word := range c.made {
		if strings.Contains(text, word) {
			leaks = append(leaks, word)
		}
	}
	return leaks
}

const leakPolicy = `
tools: {allow: [read_file, search], approval_required: [search]}
schemas:
  read_file:
    type: object
    required: [path]
    additionalProperties: false
    properties:
      path: {type: string, pattern: "^/srv/", maxLength: 10}
      mode: {enum: [a, b]}
      count: {type: integer, maximum: 3}
      nested: {type: object, additionalProperties: false, properties: {deep: {type: object, patternProperties: {"^x": {const: 1}}, propertyNames: {maxLength: 3}}}}
      list: {type: array, items: {type: number}, uniqueItems: true}
  search: {$ref: "https://schemas.example.com/search.json"}
sequences:
  - {type: before, first: search, then: read_file}
  - {type: require, tool: {tool: search, args_match: {q: "^x"}}}
`

// argumentShapes write a secret into arguments of every kind of trouble.
var argumentShapes = []string{
	`{"path":"%s"}`, `{"%s":1}`, `{"path":"/srv/","mode":"%s"}`, `{"count":"%s"}`, `{"nested":{"%s":1}}`, `{"nested":{"deep":{"%s":2}}}`,
	`{"nested":{"deep":{"x%s":2}}}`, `{"list":["%s","%[1]s"]}`, `{"list":[{"a":{"b":["%s"]}}]}`, `{"path":"%s`, `{"path":%s}`, `%s`, `"%s"`, `["%s"]`,
	`{"path":"%s","path":"x"}`, `{"path":"\ud800%s"}`, `{"password":"%s"}`, `{"api_key":{"deep":"%s"}}`, `{'path':'%s'}`, `{"path":"%s"} trailing`,
	"{\"path\":\"%s\xff\"}", `{"q":"x%s"}`, `<redacted %s>`, `{"path":"%s...`,
}

// plant makes spans with a canary wherever a span can hold one that must not be
// told. Names of tools and ids of calls are in the carrier (spec section 7), so
// they have canaries of their own.
func plant(secrets, carried *canaries, round int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", secrets.next("service"))
	rs.Resource().Attributes().PutStr("session.id", secrets.next("session"))
	rs.Resource().Attributes().PutStr("acme.session", secrets.next("session"))
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(secrets.next("scope"))
	id := round * 1000
	call := func(tool, args string) ptrace.Span {
		id++
		span := ss.Spans().AppendEmpty()
		toolCall(span, id, tool, args)
		span.SetName("execute_tool " + secrets.next("spanname"))
		span.Status().SetMessage(secrets.next("status"))
		span.Attributes().PutStr("enduser.id", secrets.next("enduser"))
		span.Attributes().PutStr("gen_ai.agent.name", secrets.next("agent"))
		span.Attributes().PutStr("gen_ai.tool.call.result", secrets.next("result"))
		span.TraceState().FromRaw("ot=th:8,x=" + secrets.next("state"))
		return span
	}
	for _, shape := range argumentShapes {
		call("read_file", fmt.Sprintf(shape, secrets.next("argument")))
	}
	call("search", `{"q":"`+secrets.next("argument")+`"}`).Attributes().PutStr("gen_ai.tool.call.id", carried.next("callid"))
	call(carried.next("name"), `{}`)
	call("\u202e"+carried.next("name"), `{}`)
	typed := call("read_file", "").Attributes().PutEmptyMap("gen_ai.tool.call.arguments")
	typed.PutStr("path", secrets.next("argument"))
	typed.PutEmptyMap(secrets.next("key")).PutEmptySlice("a").AppendEmpty().SetStr(secrets.next("argument"))
	call("read_file", "").Attributes().PutEmptyBytes("gen_ai.tool.call.arguments").FromRaw([]byte(secrets.next("bytes")))
	spoofed := call("read_file", `{}`).Attributes()
	spoofed.PutStr(carrier.AttrVerdict, secrets.next("spoof"))
	spoofed.PutStr("assay.tdt."+secrets.next("spoofkey"), "x")
	custom := call("x", "").Attributes()
	custom.PutStr("acme.tool", carried.next("name"))
	custom.PutStr("acme.args", `{"a":"`+secrets.next("argument")+`"}`)
	custom.PutInt("acme.id", 7)
	custom.PutStr("acme.bad", secrets.next("ottl"))
	event := call("read_file", "").Events().AppendEmpty()
	event.SetName(secrets.next("event"))
	event.Attributes().PutStr("exception.message", secrets.next("exception"))
	model := call("read_file", "")
	model.Attributes().PutStr("gen_ai.operation.name", "chat")
	model.Attributes().PutStr("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"tool_call","id":"`+carried.next("callid")+`","name":"read_file","arguments":{"path":"`+secrets.next("message")+`"}}]}]`)
	return td
}

// TestNothingLeaks plants secrets in every part of spans, and looks for them in
// all that the processor writes: attributes, the spans of runs, logs at the
// level debug, metrics, status events, errors, and evidence.
func TestNothingLeaks(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	r := newRig(t, withPolicy(t, leakPolicy, `
hmac: {key: `+testKey+`, key_id: k1}
evidence: {directory: `+journal+`}
runs: {key: [session.id], scope: batch}
identity: {attributes: [enduser.id]}
recognize:
  custom:
    - {name: acme, when: 'attributes["acme.tool"] != nil', tool_name: 'attributes["acme.tool"]', arguments: 'attributes["acme.args"]', call_id: 'attributes["acme.id"]', session: 'resource.attributes["acme.session"]'}
    - {name: faulty, when: 'Int(attributes["acme.bad"]) > attributes["enduser.id"]', tool_name: 'ParseJSON(attributes["acme.bad"])["x"]', arguments: 'ParseJSON(attributes["enduser.id"])'}
facts:
  approval_obtained: {from: 'ParseJSON(attributes["enduser.id"])["x"] == "y" or name != ""', true_when: ['ConvertCase(attributes["gen_ai.tool.call.result"], "lower") == "x"']}
boundaries: ['IsMatch(attributes["enduser.id"], attributes["gen_ai.agent.name"])']
mark_status: [mismatch, invalid, incomplete]
`))
	secrets, carried := &canaries{}, &canaries{}
	var written strings.Builder
	for round := range 4 {
		r.sink.Reset()
		require.NoError(t, r.ConsumeTraces(context.Background(), plant(secrets, carried, round)))
		for _, td := range r.sink.AllTraces() {
			writtenBy(&written, td)
		}
	}
	require.Greater(t, len(secrets.made), 500)
	verdicts := strings.Count(written.String(), carrier.AttrVerdict+"=")
	require.Greater(t, verdicts, 100, "the spans are judged: %d", verdicts)
	require.NoError(t, r.Shutdown(context.Background()))
	told := r.told(t)
	assert.Empty(t, secrets.leaksIn(written.String()), "attributes and spans of ours")
	assert.Empty(t, secrets.leaksIn(told), "logs, metrics and status")
	assert.Empty(t, secrets.leaksIn(filesIn(t, journal)), "evidence")
	assert.Empty(t, carried.leaksIn(told), "names that the policy does not declare are in no log, metric or status")
	assert.Empty(t, carried.leaksIn(written.String()), "nor in any attribute under our names")
	assert.NotContains(t, told+written.String()+filesIn(t, journal), testKey)
}

// writtenBy appends what the processor wrote of td: attributes under its names,
// and whole spans of its own.
func writtenBy(out *strings.Builder, td ptrace.Traces) {
	for _, span := range spansOf(td) {
		own := span.Name() == runSpanName
		if own {
			fmt.Fprintln(out, span.Name(), span.Status().Message(), span.TraceState().AsRaw())
		}
		for key, v := range span.Attributes().All() {
			if own || strings.HasPrefix(key, "assay.") {
				fmt.Fprintf(out, "%s=%s\n", key, v.AsString())
			}
		}
	}
}

func filesIn(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.WriteString(path)
		all.Write(text)
		return err
	}))
	require.NotEmpty(t, all.String())
	return all.String()
}

// TestRemovedArgumentsAreGone looks for arguments in the whole of a call's span.
func TestRemovedArgumentsAreGone(t *testing.T) {
	r := newRig(t, withPolicy(t, leakPolicy, "arguments: remove"))
	secrets := &canaries{}
	args := func() string { return `{"path":"` + secrets.next("argument") + `"}` }
	out := r.consume(t, batchOf(
		func(s ptrace.Span) { toolCall(s, 1, "read_file", args()) },
		func(s ptrace.Span) {
			toolCall(s, 2, "read_file", args())
			s.Attributes().PutStr("openinference.span.kind", "TOOL")
			s.Attributes().PutStr("input.value", args())
			s.Attributes().PutStr("tool.parameters", args())
			s.Attributes().PutStr("traceloop.entity.input", args())
			s.Attributes().PutStr("ai.toolCall.args", args())
		},
		func(s ptrace.Span) {
			toolCall(s, 3, "read_file", "")
			require.NoError(t, s.Attributes().PutEmpty("gen_ai.tool.call.arguments").FromRaw(map[string]any{"path": secrets.next("argument")}))
		},
	))
	assert.Empty(t, secrets.leaksIn(wireOf(t, out)))
}

// TestAHundredThousandNamesMakeNoMoreSeries sends names that nobody declared.
func TestAHundredThousandNamesMakeNoMoreSeries(t *testing.T) {
	r := newRig(t, withPolicy(t, leakPolicy, "runs: {max_runs: 100}"))
	names := 100_000
	if testing.Short() {
		names = 5_000
	}
	for at := 0; at < names; at += 1000 {
		td := batchOf()
		spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
		for i := range 1000 {
			toolCall(spans.AppendEmpty(), at+i+1, fmt.Sprintf("tool_%d", at+i), fmt.Sprintf(`{"k%d":`, at+i))
			spans.At(i).SetTraceID(pcommon.TraceID{1: byte(at >> 16), 2: byte(at >> 8), 3: byte(at), 4: byte(i >> 4)})
			spans.At(i).SetName(fmt.Sprintf("execute_tool tool_%d", at+i))
		}
		r.sink.Reset()
		require.NoError(t, r.ConsumeTraces(context.Background(), td))
	}
	told := r.told(t)
	assert.NotContains(t, told, "tool_4")
	series := strings.Count(told, `"Attributes":`)
	assert.Less(t, series, 200)
	assert.EqualValues(t, names, r.sum(t, "decisions"))
	assert.LessOrEqual(t, r.logs.Len(), 10, "and no more lines of log")
}
