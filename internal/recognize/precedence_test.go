// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"bytes"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// inspect reads a span that is written down in the test.
func inspect(t testing.TB, s sample, opts ...Options) *Observation {
	t.Helper()
	p := s.placed(t)
	o, _ := newRecognizer(t, append(opts, Options{})[0]).Inspect(p.rs, p.ss, p.span)
	return o
}

// TestEverySourceHasARank fails for a place that the order of precedence does
// not name: it would win over all others.
func TestEverySourceHasARank(t *testing.T) {
	for _, d := range Dialects() {
		for _, f := range []struct {
			name    string
			sources []Source
			order   []string
		}{{"tool", d.Tool, toolOrder}, {"call id", d.CallID, callIDOrder}, {"args", d.Args, argsOrder}} {
			for _, s := range f.sources {
				assert.Contains(t, f.order, s.From(), "%s: %s", d.Name, f.name)
				assert.True(t, f.name != "args" || s.As != 0, "%s: %s has no encoding", d.Name, s.From())
			}
		}
	}
	assert.Less(t, max(len(toolOrder), len(callIDOrder), len(argsOrder))+maxPatterns, 256, "ranks are below 256")
}

// TestDialectsFit fails before a fixed size is outgrown.
func TestDialectsFit(t *testing.T) {
	r := newRecognizer(t, Options{})
	assert.LessOrEqual(t, len(r.dialects), maxDialects)
	assert.LessOrEqual(t, len(r.keys), maxSlots)
	assert.Less(t, len(r.patterns), maxPatterns)
	assert.Less(t, len(r.scanner.triggers), 255)
	seen := map[string]bool{}
	for _, d := range Dialects() {
		assert.False(t, seen[d.Name], "%s stands twice", d.Name)
		seen[d.Name] = true
		first := d.When[0]
		assert.True(t, first.Attr != "" && first.Prefix == "" && !first.Absent || len(first.Span) > 0, "%s: the first condition selects by an attribute or a span name", d.Name)
		assert.NotEmpty(t, d.Layer.String(), d.Name)
		assert.NotEmpty(t, d.Title, d.Name)
	}
	for _, key := range r.keys {
		assert.GreaterOrEqual(t, len(key), minKeyLen, key)
	}
	for _, trigger := range r.scanner.triggers {
		assert.GreaterOrEqual(t, len(trigger.key), 8, trigger.key)
	}
}

// everyConvention is a span that speaks as many dialects at once as it can.
func everyConvention() sample {
	return sample{name: "refund.tool", scope: "my.instrumentation", attrs: kv{
		"gen_ai.operation.name", "execute_tool", "openinference.span.kind", "TOOL", "traceloop.span.kind", "tool", "ai.operationId", "ai.toolCall",
		"langfuse.observation.type", "tool", "langsmith.span.kind", "tool", "mlflow.spanType", "TOOL", "spring.ai.kind", "tool_call",
		"genkit:metadata:subtype", "tool", "agentops.span.kind", "tool", "lmnr.span.type", "TOOL", "mastra.span.type", "tool_call",
	}}
}

// TestPrecedence holds the order of conventions for each field: of all places
// on one span, the first in the table wins, then the next once it is gone.
func TestPrecedence(t *testing.T) {
	tests := []struct {
		field string
		keys  []string
		read  func(*Observation) (value, from string)
	}{
		{"tool name", []string{
			"gen_ai.tool.name", "ai.toolCall.name", "tool.name", "spring.ai.tool.definition.name", "tool_call.function.name",
			"genkit:name", "operation.name", "langsmith.trace.name", "traceloop.entity.name",
		}, func(o *Observation) (string, string) { return o.Tool, o.ToolFrom }},
		{"call id", []string{
			"gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool.id", "tool.call_id", "spring.ai.tool.call.id",
		}, func(o *Observation) (string, string) { return o.CallID, o.CallIDFrom }},
		{"session", sessionOrder, func(o *Observation) (string, string) { return o.Session, o.SessionFrom }},
	}
	for _, tt := range tests {
		t.Run(tt.field, func(t *testing.T) {
			for i := range tt.keys {
				s := everyConvention()
				for j := len(tt.keys) - 1; j >= i; j-- { // written in the opposite order
					s.attrs = append(s.attrs, tt.keys[j], "v"+strconv.Itoa(j))
				}
				value, from := tt.read(inspect(t, s))
				assert.Equal(t, tt.keys[i], from)
				assert.Equal(t, "v"+strconv.Itoa(i), value)
			}
		})
	}
}

// TestArgumentPrecedence: of places that agree, the first is where arguments
// are said to come from; an unusable one does not stand in the way of a later.
func TestArgumentPrecedence(t *testing.T) {
	keys := []string{
		"gen_ai.tool.call.arguments", "ai.toolCall.args", "ai.toolCall.input", "spring.ai.tool.call.arguments", "tool_call.function.arguments",
		"input.value", "langfuse.observation.input", "mlflow.spanInputs", "genkit:input", "lmnr.span.input", "agentops.tool.input", "traceloop.entity.input",
		"gen_ai.prompt", "tool.parameters",
	}
	for i := range keys {
		s := everyConvention()
		for j, key := range keys {
			switch {
			case j < i:
				s.attrs = append(s.attrs, key, "__REDACTED__")
			default:
				s.attrs = append(s.attrs, key, `{"order": "A17"}`)
			}
		}
		o := inspect(t, s)
		require.True(t, o.Args.Captured(), "%s: %s", keys[i], o.Args.Why)
		assert.Equal(t, keys[i], o.Args.From)
	}
}

func TestFieldsThatDisagree(t *testing.T) {
	both := func(attrs ...any) sample { s := everyConvention(); s.attrs = append(s.attrs, attrs...); return s }
	tests := []struct {
		name string
		span sample
		want Conflict
		tool string
		why  truth.Reason
	}{
		{"two names of the tool", both("gen_ai.tool.name", "refund", "tool.name", "list_orders"), ConflictTool, "refund", truth.ArgsAbsent},
		{"a name with its server before it is no other name", both("gen_ai.tool.name", "refund", "tool.name", "mcp__shop__refund"), 0, "refund", truth.ArgsAbsent},
		{"two arguments", both("gen_ai.tool.name", "refund", "gen_ai.tool.call.arguments", `{"eur":1}`, "input.value", `{"eur":1000}`), ConflictArgs, "refund", truth.ArgsAmbiguous},
		{"one value written in two ways", both("gen_ai.tool.name", "refund", "gen_ai.tool.call.arguments", `{"eur":1,"a":[]}`, "input.value", `{"a": [], "eur": 1.0}`), 0, "refund", ""},
		{"two call ids", both("gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "a", "tool_call.id", "b"), ConflictCallID, "refund", truth.ArgsAbsent},
		{"a placeholder is no other call id", both("gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "<not specified>", "tool_call.id", "b"), 0, "refund", truth.ArgsAbsent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := inspect(t, tt.span)
			assert.Equal(t, tt.want.Names(), o.Conflict.Names())
			assert.Equal(t, tt.tool, o.Tool)
			assert.Equal(t, tt.why, o.Args.Why)
		})
	}
}

// TestRepeatedKeys: pdata holds a list, so one key can stand twice. What is
// read then is a matter of the reader, so the call says that it is in doubt.
func TestRepeatedKeys(t *testing.T) {
	base := kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.arguments", order}
	tests := []struct {
		name  string
		key   string
		value string
		want  Conflict
	}{
		{"another value of a key that is read", "gen_ai.tool.name", "list_orders", ConflictRepeatedKey},
		{"other arguments", "gen_ai.tool.call.arguments", `{"order":"B2"}`, ConflictRepeatedKey},
		{"another value of a condition", "gen_ai.operation.name", "chat", ConflictRepeatedKey},
		{"the same value twice", "gen_ai.tool.name", "refund", 0},
		{"a key that nobody reads", "http.route", "x", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := sample{name: "execute_tool refund", attrs: base}.placed(t)
			p.span.Attributes().PutStr("http.route", "a")
			p = twice(t, p, tt.key, tt.value)
			o, _ := newRecognizer(t, Options{}).Inspect(p.rs, p.ss, p.span)
			require.NotNil(t, o)
			assert.Equal(t, tt.want.Names(), o.Conflict.Names())
		})
	}
	t.Run("a key of a dialect that does not hold", func(t *testing.T) {
		p := sample{name: "exec", scope: "codex_exec", attrs: kv{"tool_name", "exec", "call_id", "c1", "codex.tool.phase", "dispatch", "input.value", "a"}}.placed(t)
		p = twice(t, p, "input.value", "b")
		o, _ := newRecognizer(t, Options{}).Inspect(p.rs, p.ss, p.span)
		require.NotNil(t, o)
		assert.Zero(t, o.Conflict)
	})
}

// TestRepeatedKeyHidesNoCall: whichever copy of a key a reader believes, the
// span that one of them makes a call is taken, and its identity is in doubt.
func TestRepeatedKeyHidesNoCall(t *testing.T) {
	tests := []struct {
		span       sample
		key, value string
	}{
		{sample{name: "execute_tool refund", attrs: kv{"gen_ai.operation.name", "chat", "gen_ai.tool.name", "refund"}}, "gen_ai.operation.name", "execute_tool"},
		{sample{name: "tools/call refund", kind: client, attrs: kv{"mcp.method.name", "tools/list", "gen_ai.tool.name", "refund"}}, "mcp.method.name", "tools/call"},
		{sample{name: "tools/call refund", kind: client, attrs: kv{"mcp.method.name", "tools/call", "gen_ai.tool.name", "refund"}}, "mcp.method.name", "tools/list"},
		{sample{name: "refund.tool", attrs: kv{"traceloop.span.kind", "task", "traceloop.entity.name", "refund"}}, "traceloop.span.kind", "tool"},
		{sample{name: "refund", attrs: kv{"openinference.span.kind", "LLM", "tool.name", "refund"}}, "openinference.span.kind", "TOOL"},
		{sample{name: "refund", attrs: kv{"langfuse.observation.type", "span"}}, "langfuse.observation.type", "tool"},
		{sample{name: "tool.refund", attrs: kv{"mcp.tool.name", "other"}}, "mcp.tool.name", "refund"},
		{sample{name: "execute_tool refund", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.type", "retriever"}}, "gen_ai.tool.type", "function"},
		{sample{name: "tools/call refund", kind: client, attrs: kv{"mcp.method.name", "tools/call", "gen_ai.tool.name", "refund", "agentgateway.outbound.kind", "Backend"}}, "agentgateway.outbound.kind", "Mirror"},
	}
	r := newRecognizer(t, Options{})
	for _, tt := range tests {
		t.Run(tt.key+"="+tt.value, func(t *testing.T) {
			p := twice(t, tt.span.placed(t), tt.key, tt.value)
			o, _ := r.Inspect(p.rs, p.ss, p.span)
			require.NotNil(t, o, "not taken")
			assert.True(t, o.Conflict.Has(ConflictRepeatedKey))
			assert.NotNil(t, r.Explain(p.rs, p.ss, p.span).Observation)
		})
	}
	p := twice(t, sample{name: "tools/list", kind: client, attrs: kv{"mcp.method.name", "tools/list", "gen_ai.operation.name", "execute_tool"}}.placed(t), "mcp.method.name", "initialize")
	o, _ := r.Inspect(p.rs, p.ss, p.span)
	assert.Nil(t, o, "no copy says that it is a call")
}

// twice returns p with a second entry for key, which only the wire format can
// make.
func twice(t testing.TB, p placed, key, value string) placed {
	t.Helper()
	p.span.Attributes().PutStr("second entry", value)
	td := ptrace.NewTraces()
	p.rs.CopyTo(td.ResourceSpans().AppendEmpty())
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	td, err = (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(bytes.ReplaceAll(text, []byte("second entry"), []byte(key)))
	require.NoError(t, err)
	return spansOf(td)[0]
}

func TestOptions(t *testing.T) {
	span := sample{name: "refund", scope: "s", attrs: kv{"openinference.span.kind", "TOOL", "tool.name", "refund", "langfuse.observation.type", "tool", "langfuse.observation.input", order}}
	assert.Equal(t, "langfuse", inspect(t, span).Dialect)
	assert.Equal(t, "openinference", inspect(t, span, Options{First: []string{"openinference"}}).Dialect)
	assert.Equal(t, "openinference", inspect(t, span, Options{Off: []string{"langfuse"}}).Dialect)
	assert.Nil(t, inspect(t, span, Options{Off: []string{"openinference", "langfuse"}}))

	for _, wrong := range []Options{{Off: []string{"nothing"}}, {First: []string{""}}} {
		_, err := New(wrong)
		require.ErrorIs(t, err, ErrUnknownDialect)
	}
	for _, wrong := range []Custom{{}, {Name: "gen_ai"}, {Name: "mine"}} {
		_, err := New(Options{Custom: []Custom{wrong}})
		require.ErrorIs(t, err, ErrCustomDialect)
	}
}

func TestNearlyAlikeKeysAreTold(t *testing.T) {
	_, err := newKeyFilter([]string{"attribute.one", "attribute.one"})
	require.ErrorIs(t, err, errKeysAlike)
	r := newRecognizer(t, Options{})
	for i, key := range r.keys {
		slot, ok := r.filter.slot(key)
		assert.True(t, ok, key)
		assert.Equal(t, uint16(i), slot)
		_, ok = r.filter.slot(key + "x")
		assert.False(t, ok && !slices.Contains(r.keys, key+"x"))
	}
}
