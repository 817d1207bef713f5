// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// addedKeys are the attributes beside the reserved ones that may be added to a
// tool call's span, and only where it has none (spec section 11).
var addedKeys = []string{carrier.AttrOperationName, carrier.AttrToolName, carrier.AttrToolNameShort, carrier.AttrSpanKind}

// anyPolicy gives all four verdicts: some tools are allowed and constrained, one
// schema is malformed.
const anyPolicy = `
tools: {allow: [read_file, search, ping, "get_*"], deny: [fail_tool]}
schemas:
  read_file: {type: object, required: [path], properties: {path: {type: string}}}
  ping: {$ref: "https://schemas.example.com/ping.json"}
sequences:
  - {type: max_calls, tool: read_file, max: 1}
`

// everySetting is all that looks at spans.
const everySetting = `
hmac: {key: ` + testKey + `, key_id: k1}
recognize:
  strip_prefixes: [mcp__]
  custom:
    - {name: acme, when: 'attributes["acme.tool"] != nil', tool_name: 'attributes["acme.tool"]', arguments: 'attributes["acme.args"]', call_id: 'span_id', session: 'resource.attributes["session"]'}
facts:
  approval_obtained: {preset: claude_code}
  scope_satisfied: {from: 'name != ""', true_when: ['attributes["ok"] == true'], false_when: ['status.code == 2']}
identity: {attributes: [enduser.id], required: true}
boundaries: ['attributes["gateway"] != nil']
runs: {key: [session.id, gen_ai.conversation.id], scope: batch}
`

// TestTelemetryGoesOnAsItCame holds for spans of every emitter, for spans that
// went wrong, and for every configuration: what comes out is what went in, in
// its order, byte for byte, but for what the processor adds.
func TestTelemetryGoesOnAsItCame(t *testing.T) {
	pool := newSpanPool(t)
	for _, tt := range []struct{ name, config string }{
		{"nothing but a policy", withPolicy(t, anyPolicy, "")},
		{"no policy is meant for the spans", "policies: [{file: testdata/policy.yaml, when: 'name == \"\\x00none\"'}]"},
		{"every setting", withPolicy(t, anyPolicy, everySetting)},
		{"no dialect that is built in", withPolicy(t, anyPolicy, "recognize: {dialects: {gen_ai: false, openinference: false}, max_argument_bytes: 1}")},
		{"two policies", "policies: [{name: a, file: " + writeFile(t, "a.yaml", anyPolicy) + ", when: 'attributes[\"gen_ai.tool.name\"] != nil'}, {file: testdata/policy.yaml}]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.config)
			calls := 0
			eachCapture(t, func(name string, batches []ptrace.Traces) {
				for _, td := range batches {
					calls += assertUnaltered(t, name, td, r)
				}
			})
			source := rand.New(rand.NewPCG(1, 2))
			for range 40 {
				calls += assertUnaltered(t, "generated", pool.batch(t, source, 50), r)
			}
			t.Logf("%d spans of tool calls", calls)
			assert.Zero(t, r.sum(t, "internal_errors"))
		})
	}
}

// assertUnaltered sends td through and returns how many spans got a verdict.
func assertUnaltered(t *testing.T, name string, td ptrace.Traces, r *rig) (calls int) {
	t.Helper()
	before := ptrace.NewTraces()
	td.CopyTo(before)
	out := r.consume(t, td)
	after := ptrace.NewTraces()
	out.CopyTo(after)
	eachAttributes(before, removeOurs)
	in, got := spansOf(before), spansOf(after)
	require.Len(t, got, len(in), name)
	for i := range got {
		judged := verdictOf(got[i]) != ""
		if judged {
			calls++
			removeAdded(t, in[i].Attributes(), got[i].Attributes())
		}
		for key, n := range reservedOf(got[i].Attributes()) {
			require.Equal(t, 1, n, "%s: %s is there more than once", name, key)
			require.True(t, judged || key == carrier.AttrRunVerdict || key == attrRunExtent, "%s: %s on a span that is no call", name, key)
		}
	}
	eachAttributes(after, removeOurs)
	require.Equal(t, wireOf(t, before), wireOf(t, after), name)
	return calls
}

// removeAdded removes what is added to a span that had none of it.
func removeAdded(t *testing.T, in, got pcommon.Map) {
	for _, key := range addedKeys {
		if _, had := in.Get(key); had {
			continue
		}
		v, added := got.Get(key)
		if added {
			require.Equal(t, pcommon.ValueTypeStr, v.Type())
			got.Remove(key)
		}
		_, still := got.Get(key)
		require.False(t, still, "%s was added twice", key)
	}
}

func removeOurs(attrs pcommon.Map) {
	attrs.RemoveIf(func(key string, _ pcommon.Value) bool {
		return key == "assay.claim_class" || strings.HasPrefix(key, "assay.tdt.")
	})
}

// eachAttributes visits every map of attributes in td.
func eachAttributes(td ptrace.Traces, visit func(pcommon.Map)) {
	for _, rs := range td.ResourceSpans().All() {
		visit(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			visit(ss.Scope().Attributes())
			for _, span := range ss.Spans().All() {
				visit(span.Attributes())
				for _, event := range span.Events().All() {
					visit(event.Attributes())
				}
				for _, link := range span.Links().All() {
					visit(link.Attributes())
				}
			}
		}
	}
}

func wireOf(t testing.TB, td ptrace.Traces) string {
	t.Helper()
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	return string(wire)
}

func TestArgumentsAreRemovedAndNothingElse(t *testing.T) {
	r := newRig(t, withPolicy(t, anyPolicy, "arguments: remove"))
	eachCapture(t, func(name string, batches []ptrace.Traces) {
		for _, td := range batches {
			before := ptrace.NewTraces()
			td.CopyTo(before)
			out := spansOf(r.consume(t, td))
			for i, in := range spansOf(before) {
				if verdictOf(out[i]) == "" {
					assert.Equal(t, in.Attributes().AsRaw(), out[i].Attributes().AsRaw(), name)
					continue
				}
				assertOnlyRemoved(t, name, in.Attributes(), out[i].Attributes())
				assert.Equal(t, in.Events().Len(), out[i].Events().Len())
				assert.Equal(t, in.Name(), out[i].Name())
			}
		}
	})
}

// assertOnlyRemoved wants the attributes that are left in their order, and only
// ours behind them.
func assertOnlyRemoved(t *testing.T, name string, in, out pcommon.Map) {
	t.Helper()
	removeAdded(t, in, out)
	removeOurs(out)
	next, stop := iter.Pull2(in.All())
	defer stop()
	for key, v := range out.All() {
		for {
			hadKey, had, ok := next()
			require.True(t, ok, "%s: %s was changed or moved", name, key)
			if hadKey == key && had.Equal(v) {
				break
			}
		}
	}
}

func TestOnlyTheVerdictsAskedForMarkTheStatus(t *testing.T) {
	r := newRig(t, withPolicy(t, anyPolicy, "mark_status: [mismatch, invalid]"))
	for _, tt := range []struct {
		tool, args, verdict string
		status              ptrace.StatusCode
	}{
		{"read_file", `{"path":"/a"}`, "match", ptrace.StatusCodeOk},
		{"read_file", "", "incomplete", ptrace.StatusCodeOk},
		{"read_file", `{}`, "mismatch", ptrace.StatusCodeError},
		{"ping", `{}`, "invalid", ptrace.StatusCodeError},
	} {
		span := firstSpan(r.consume(t, batchOf(func(span ptrace.Span) {
			toolCall(span, 1, tt.tool, tt.args)
			span.SetTraceID(pcommon.TraceID{1: tt.verdict[0], 2: tt.verdict[2]})
			span.Status().SetCode(ptrace.StatusCodeOk)
			span.Status().SetMessage("as it was")
		})))
		assert.Equal(t, tt.verdict, verdictOf(span))
		assert.Equal(t, tt.status, span.Status().Code(), tt.verdict)
		assert.Equal(t, "as it was", span.Status().Message())
	}
}
