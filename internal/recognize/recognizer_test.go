// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// TestVetoes: each span would be taken but for its veto.
func TestVetoes(t *testing.T) {
	gen := func(more ...any) kv {
		return append(kv{"gen_ai.operation.name", "execute_tool"}, more...)
	}
	tests := []struct {
		veto string
		span sample
	}{
		{"merged_tools", sample{name: "execute_tool x", attrs: gen("gen_ai.tool.name", "(merged tools)", "gen_ai.tool.call.arguments", "N/A")}},
		{"merged_span", sample{name: "execute_tool (merged)", scope: "gcp.vertex.agent", attrs: gen()}},
		{"merged_span", sample{name: "execute_tool (merged tools)", scope: "trpc.agent.go", attrs: gen()}},
		{"wrapper", sample{name: "running tools", scope: "pydantic-ai", attrs: gen()}},
		{"wrapper", sample{name: "mcp.server", scope: "opentelemetry.instrumentation.mcp.fastmcp", attrs: kv{"traceloop.span.kind", "tool"}}},
		{"server_request", sample{name: "x", attrs: gen("mastra.span.type", "mcp_server_request")}},
		{"retriever", sample{name: "execute_tool docs", attrs: gen("gen_ai.tool.type", "retriever")}},
		{"handoff", sample{name: "handoff to helper", attrs: kv{"openinference.span.kind", "TOOL", "input.value", "desk"}}},
		{"final_answer", sample{name: "FinalAnswerTool", scope: "openinference.instrumentation.smolagents", attrs: kv{"openinference.span.kind", "TOOL", "tool.name", "final_answer"}}},
		{"final_answer_genai", sample{name: "execute_tool final_answer", scope: "opentelemetry.instrumentation.genai.smolagents", attrs: gen("gen_ai.tool.name", "final_answer")}},
		{"final_result", sample{name: "execute_tool final_result", scope: "pydantic-ai", attrs: gen("gen_ai.tool.name", "final_result")}},
		{"final_result_variant", sample{name: "execute_tool final_result_Invoice", scope: "pydantic-ai", attrs: gen("gen_ai.tool.name", "final_result_Invoice")}},
		{"final_result_variant", sample{name: "running tool", scope: "pydantic-ai", attrs: kv{"gen_ai.tool.name", "final_result_Invoice"}}},
		{"handoff_operation", sample{name: "handoff", attrs: kv{"gen_ai.operation.name", "handoff", "traceloop.span.kind", "tool"}}},
		{"handoff_operation", sample{name: "to_billing", attrs: kv{"gen_ai.operation.name", "agent_handoff", "openinference.span.kind", "TOOL"}}},
		{"model_turn", sample{name: "chat gpt", attrs: kv{"gen_ai.operation.name", "chat", "openinference.span.kind", "TOOL", "tool.name", "refund"}}},
		{"model_turn", sample{name: "desk", attrs: kv{"gen_ai.operation.name", "invoke_agent", "langfuse.observation.type", "tool"}}},
		{"policy_callout", sample{name: "CheckRequest", kind: client, attrs: kv{"mcp.method.name", "tools/call", "agentgateway.outbound.kind", "Policy"}}},
		{"policy_callout", sample{name: "tools/call x", kind: client, attrs: kv{"mcp.method.name", "tools/call", "agentgateway.outbound.kind", "Mirror"}}},
		{"grpc", sample{name: "CheckRequest", kind: client, attrs: kv{"mcp.method.name", "tools/call", "rpc.system", "grpc"}}},
		{"kernel_function", sample{name: "execute_tool Shop-prompt", scope: "semantic_kernel.functions.kernel_function", attrs: gen("gen_ai.tool.name", "Shop-prompt")}},
		{"request", sample{name: "tool_call.refund", scope: "agentops.instrumentation.providers.openai.wrappers.chat", attrs: kv{"agentops.span.kind", "tool", "tool.parameters", order}}},
		{"request_kind", sample{name: "tool_call.refund", attrs: kv{"agentops.span.kind", "tool", "tool.parameters", order, "tool.call.type", "function"}}},
		{"registration", sample{name: "mcp tools/call", kind: server, attrs: kv{"mcp.method", "call_tool", "mcp.system", "mcp"}}},
		{"other_method", sample{name: "tools/list", kind: client, attrs: gen("mcp.method.name", "tools/list")}},
	}
	r := newRecognizer(t, Options{})
	held := map[string]bool{otherMethods: true}
	for _, tt := range tests {
		t.Run(tt.veto+"/"+tt.span.name, func(t *testing.T) {
			p := tt.span.placed(t)
			o, _ := r.Inspect(p.rs, p.ss, p.span)
			assert.Nil(t, o)
			e := r.Explain(p.rs, p.ss, p.span)
			assert.Equal(t, tt.veto, e.Veto)
			assert.NotEmpty(t, e.VetoWhy)
			held[tt.veto] = true
		})
	}
	for _, v := range Vetoes() {
		assert.True(t, held[v.Name], "%s: no span shows it", v.Name)
	}
}

// TestNotTaken: spans around tool calls that share keys with them.
func TestNotTaken(t *testing.T) {
	tests := []sample{
		{name: "chat gpt", kind: client, attrs: kv{"gen_ai.operation.name", "chat", "gen_ai.tool.name", "refund, ping", "gen_ai.tool.call.id", "a, b", "gen_ai.tool.call.arguments", order}},
		{name: "invoke_agent desk", attrs: kv{"gen_ai.operation.name", "invoke_agent"}},
		{name: "agent_handoff helper", attrs: kv{"gen_ai.operation.name", "agent_handoff"}},
		{name: "handle_responses", scope: "codex_exec", attrs: kv{"tool_name", "exec_command"}},
		{name: "ChatOpenAI", attrs: kv{"openinference.span.kind", "LLM"}},
		{name: "model_chunk", attrs: kv{"gen_ai.operation.name", "model_chunk", "mastra.span.type", "model_chunk", "gen_ai.tool.name", "refund"}},
		{name: "x", attrs: kv{"langfuse.observation.type", "span"}},
		{name: "claude_code.tool.blocked_on_user", attrs: kv{"span.type", "tool.blocked_on_user", "decision", "accept"}},
		{name: "GET /tools/call", kind: client},
		{name: "execute_toolbox", attrs: kv{"http.route", "x"}},
		{name: "Function: {name}", scope: "logfire", attrs: kv{"logfire.msg_template", "Function: {name}"}},
		{name: "refund.tool", scope: "my.app"},
		{name: "tool refund", scope: "logfire", attrs: kv{"code.function", "other"}},
		{name: "refund", scope: "my.app", attrs: kv{"tool.name", "refund", "tool.parameters", order}},
		{name: "refund", scope: "my.app", attrs: kv{"tool_arguments", order}},
		{name: "tool.refund", scope: "my.app", attrs: kv{"gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7"}},
		{name: "tool.execution:refund", attrs: kv{"input", order}},
		{name: ""},
	}
	r := newRecognizer(t, Options{})
	for _, s := range tests {
		t.Run(s.name, func(t *testing.T) {
			p := s.placed(t)
			o, _ := r.Inspect(p.rs, p.ss, p.span)
			assert.Nil(t, o)
		})
	}
}

func TestResult(t *testing.T) {
	base := kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "x"}
	exception := sampleEvent{"exception", kv{"exception.type", "ValueError"}}
	tests := []struct {
		name   string
		span   sample
		status ptrace.StatusCode
		want   truth.ResultStatus
		marks  Marks
	}{
		{"nothing said", sample{attrs: base}, 0, truth.ResultNA, 0},
		{"status OK", sample{attrs: base}, 1, truth.ResultOK, 0},
		{"status ERROR", sample{attrs: base}, 2, truth.ResultError, 0},
		{"an error type", sample{attrs: append(base[:4:4], "error.type", "_OTHER")}, 0, truth.ResultError, 0},
		{"an old Strands failure under status OK", sample{attrs: append(base[:4:4], "tool.status", "error")}, 1, truth.ResultError, 0},
		{"a Strands success", sample{attrs: append(base[:4:4], "gen_ai.tool.status", "success")}, 0, truth.ResultOK, 0},
		{"an emitter that always says OK", sample{attrs: kv{"spring.ai.kind", "tool_call"}}, 1, truth.ResultNA, 0},
		{"an emitter that says OK too early, and threw", sample{attrs: kv{"langsmith.span.kind", "tool"}, events: []sampleEvent{exception}}, 1, truth.ResultError, 0},
		{"an MCP error in the response", sample{name: "MCP server handle request: tools/call", attrs: kv{"request", `{"params":{}}`, "response", `{"isError":true}`}}, 0, truth.ResultError, 0},
		{"an MCP success in the response", sample{name: "MCP server handle request: tools/call", attrs: kv{"request", `{"params":{}}`, "response", `{"isError":false}`}}, 0, truth.ResultNA, 0},
		{"a wait for approval is no failure", sample{attrs: append(base[:4:4], "pydantic_ai.tool.deferral.name", "ApprovalRequired")}, 2, truth.ResultNA, Deferred},
		{"an interruption is no failure", sample{attrs: base, events: []sampleEvent{{"exception", kv{"exception.type", "langgraph.errors.GraphInterrupt"}}}}, 2, truth.ResultNA, Interrupted},
		{"an interruption that only the message names", sample{attrs: base, events: []sampleEvent{{"exception", kv{"exception.message", "[...]\nGraphInterrupt: ..."}}}}, 2, truth.ResultNA, Interrupted},
		{"a refused call", sample{attrs: append(base[:4:4], "pydantic_ai.tool.failure_stage", "validation")}, 2, truth.ResultError, Refused},
		{"a Genkit interruption", sample{attrs: kv{"genkit:metadata:subtype", "tool", "genkit:metadata:interrupt", "{}", "genkit:state", "error"}}, 2, truth.ResultNA, Interrupted},
		{"a resumed call", sample{attrs: kv{"genkit:metadata:subtype", "tool", "genkit:metadata:resumed", "{}", "genkit:state", "success"}}, 0, truth.ResultOK, Resumed},
	}
	r := newRecognizer(t, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.span.placed(t)
			p.span.Status().SetCode(tt.status)
			o, _ := r.Inspect(p.rs, p.ss, p.span)
			require.NotNil(t, o)
			assert.Equal(t, tt.want.String(), o.Result.String())
			assert.Equal(t, tt.marks.Names(), o.Marks.Names())
		})
	}
}

func TestUnfinished(t *testing.T) {
	r := newRecognizer(t, Options{})
	p := samples[0].placed(t)
	p.span.SetEndTimestamp(0)
	o, _ := r.Inspect(p.rs, p.ss, p.span)
	assert.True(t, o.Marks.Has(Unfinished), "no end")
	p = sample{name: "execute_tool x", attrs: kv{"gen_ai.operation.name", "execute_tool", "logfire.span_type", "pending_span"}}.placed(t)
	o, _ = r.Inspect(p.rs, p.ss, p.span)
	assert.True(t, o.Marks.Has(Unfinished), "a pending span")
}

func TestSeen(t *testing.T) {
	r := newRecognizer(t, Options{})
	for key, want := range map[string]Seen{
		"assay.tdt.decision_verdict": SeenReserved, "assay.tdt.": SeenReserved, "assay.claim_class": SeenReserved,
		"assay.tdtx": 0, "assay.claim_classes": 0, "assay.claim": 0, "assay": 0, "Assay.tdt.x": 0,
		"gen_ai.output.messages": SeenMessages, "gen_ai.input.messages": SeenMessages, "ai.response.toolCalls": SeenMessages,
		"llm.output_messages.0.message.role": SeenMessages, "llm.input_messages.0": SeenMessages, "gen_ai.completion.0.tool_calls.0.id": SeenMessages,
		"gen_ai.conversation.id": 0, "llm.model_name": 0,
	} {
		p := sample{name: "x", attrs: kv{"http.route", "/", key, "v", "z", "y"}}.placed(t)
		_, seen := r.Inspect(p.rs, p.ss, p.span)
		assert.Equal(t, want, seen, key)
		assert.Equal(t, want == SeenReserved, Reserved(key), key)
	}
}

func TestFlagName(t *testing.T) {
	tests := []struct {
		name string
		want []string
	}{
		{"refund", nil},
		{"refund_order-2", nil},
		{"", []string{"missing"}},
		{"mcp__shop__refund", []string{"server_prefix"}},
		{"shop.refund", []string{"server_prefix"}},
		{"shop/refund", []string{"server_prefix"}},
		{"mcp__refund", nil},
		{"rеfund", []string{"mixed_script"}},       // a Cyrillic е
		{"ref\u200bund", []string{"zero_width"}},   // a space that nobody sees
		{"re\u202efund", []string{"bidi"}},         // right to left from here
		{"refund\n", []string{"control", "space"}}, // a line break
		{"refund ", []string{"space"}},             // a space at the end
		{"ｒefund", []string{"not_nfkc"}},           // a full-width letter
		{"refu\u0000nd", []string{"control"}},      // a zero byte
		{"ref\xffund", []string{"not_utf8"}},       // no text at all
		{"возврат", nil},                           // another alphabet is no offense
		{"払い戻し", nil},                              // nor is another script
		{"<not found>", []string{"placeholder"}},   // the emitter's own word
		{"ﬁle", []string{"not_nfkc"}},              // a ligature
		{"re\u115ffund", []string{"zero_width"}},
		{"re\u1160fund", []string{"zero_width"}},
		{"re\u2800fund", []string{"zero_width"}},
		{"re\u034ffund", []string{"zero_width"}},
		{"re\ufff9fund", []string{"zero_width"}},
		{"re\ufe0ffund", []string{"zero_width"}},
		{"re\U000e0100fund", []string{"zero_width"}},
		{"re\ufffdfund", []string{"not_utf8"}},
		{"re\ue000fund", []string{"control"}},
		{"αdmin", []string{"mixed_script"}}, // a Greek alpha
	}
	for _, tt := range tests {
		flags := FlagName(tt.name)
		assert.Equal(t, tt.want, flags.Names(), "%q", tt.name)
		o := inspect(t, sample{name: "execute_tool", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", tt.name}})
		assert.Equal(t, tt.name, o.Tool, "a name is never changed")
	}
	assert.True(t, FlagName("rеfund").Suspicious())
	assert.False(t, FlagName("mcp__shop__refund").Suspicious())
}

func TestNamesThatAreNoText(t *testing.T) {
	for _, value := range []any{1, true, 1.5, []byte("refund"), []any{"refund"}, map[string]any{"a": "refund"}} {
		o := inspect(t, sample{name: "call", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", value}})
		require.NotNil(t, o)
		assert.Empty(t, o.Tool, "%T", value)
		assert.True(t, o.Name.Has(NameMissing|NameWrongType), "%T", value)
	}
}

func TestCustomDialects(t *testing.T) {
	read := func(key string) func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) (pcommon.Value, bool) {
		return func(_ ptrace.ResourceSpans, _ ptrace.ScopeSpans, s ptrace.Span) (pcommon.Value, bool) {
			return s.Attributes().Get(key)
		}
	}
	opts := Options{Custom: []Custom{{
		Name: "mine", Tool: read("my.tool"), Args: read("my.args"), CallID: read("my.id"), Session: read("my.session"),
		When: func(_ ptrace.ResourceSpans, _ ptrace.ScopeSpans, s ptrace.Span) bool { return s.Name() == "my call" },
	}}}
	o := inspect(t, sample{name: "my call", attrs: kv{"my.tool", "refund", "my.args", order, "my.id", "c1", "my.session", "s1", "openinference.span.kind", "TOOL"}}, opts)
	require.NotNil(t, o)
	assert.Equal(t, "mine", o.Dialect)
	assert.Equal(t, LayerAgent, o.Layer)
	assert.Equal(t, []string{"refund", order, "c1", "s1"}, []string{o.Tool, o.Args.Text, o.CallID, o.Session})

	o = inspect(t, sample{name: "my call", attrs: kv{"my.tool", 7, "my.args", "{", "my.id", "unknown"}}, opts)
	assert.True(t, o.Name.Has(NameWrongType))
	assert.Equal(t, truth.ArgsTruncated, o.Args.Why)
	assert.Empty(t, o.CallID)
	assert.Equal(t, "openinference", inspect(t, sample{name: "x", attrs: kv{"openinference.span.kind", "TOOL"}}, opts).Dialect)
}

func TestResourceSession(t *testing.T) {
	p := sample{name: "x", attrs: kv{"gen_ai.operation.name", "execute_tool"}}.placed(t)
	p.rs.Resource().Attributes().PutStr("session.id", "s1")
	o, _ := newRecognizer(t, Options{}).Inspect(p.rs, p.ss, p.span)
	assert.Equal(t, "s1", o.Session)
	assert.Equal(t, "resource session.id", o.SessionFrom)
}

func TestExplainNearMisses(t *testing.T) {
	r := newRecognizer(t, Options{})
	p := sample{name: "refund", attrs: kv{"gen_ai.operation.name", "execute", "gen_ai.tool.name", "refund"}}.placed(t)
	e := r.Explain(p.rs, p.ss, p.span)
	assert.Nil(t, e.Observation)
	require.NotEmpty(t, e.Near)
	assert.LessOrEqual(t, len(e.Near), maxNearMisses)
	assert.Contains(t, fmt.Sprint(e.Near), "gen_ai.operation.name = execute_tool, which is there with another value")

	p = samples[0].placed(t)
	e = r.Explain(p.rs, p.ss, p.span)
	assert.Equal(t, []string{"span.type = tool or claude_code.tool", "span name claude_code.tool"}, e.Because)
	assert.Contains(t, e.Also, "gen_ai")
	assert.NotEmpty(t, e.Observation.Fields())
}

// TestNothingLeaks plants words in every value and in undeclared keys, and
// looks for them in everything that tells of a span, apart from what it is
// for: the name, ids, session and agent of the call.
func TestNothingLeaks(t *testing.T) {
	const canary = "c4n4ry"
	r := newRecognizer(t, Options{})
	for _, text := range []string{
		`{"` + canary + `":"` + canary + `"}`, `{"a":"` + canary, `{"a":1,"a":"` + canary + `"}`, `{'` + canary + `': (1,)}`, canary,
		`["` + canary + `"]`, `{"` + canary + `":"[REDACTED]"}`, `{"tool_name":"` + canary + `","arguments":{}}`, `"` + canary + `\ud800"`,
	} {
		for _, s := range samples {
			s.attrs = append(s.attrs[:len(s.attrs):len(s.attrs)], canary+".key", canary)
			for i := 1; i < len(s.attrs); i += 2 {
				if v, ok := s.attrs[i].(string); ok && strings.ContainsAny(v, "{[") {
					s.attrs[i] = text
				}
			}
			p := s.placed(t)
			e := r.Explain(p.rs, p.ss, p.span)
			told := fmt.Sprint(e.Because, e.Also, e.Veto, e.VetoWhy, e.Near)
			if o := e.Observation; o != nil {
				told += fmt.Sprint(o.Dialect, o.ToolFrom, o.CallIDFrom, o.SessionFrom, o.Args.Why, o.Args.From, o.Name.Names(), o.Marks.Names(), o.Conflict.Names())
				for _, f := range o.Fields() {
					if f[0] == "arguments" {
						told += fmt.Sprint(f)
					}
				}
			}
			assert.NotContains(t, told, canary, "%s with %s", s.dialect, text)
		}
	}
}

func TestRemoveArguments(t *testing.T) {
	r := newRecognizer(t, Options{})
	for _, s := range samples {
		if s.args == "" || s.args == "{}" {
			continue
		}
		p := s.placed(t)
		RemoveArguments(p.span)
		o, _ := r.Inspect(p.rs, p.ss, p.span)
		if o != nil {
			assert.False(t, o.Args.Captured(), s.dialect)
		}
		for key, value := range p.span.Attributes().All() {
			if !strings.Contains(key, "output") {
				assert.NotContains(t, value.AsString(), "A17", "%s: %s", s.dialect, key)
			}
		}
		for _, event := range p.span.Events().All() {
			assert.NotContains(t, fmt.Sprint(event.Attributes().AsRaw()), "A17", s.dialect)
		}
	}
}

func TestFrameworkTable(t *testing.T) {
	table := FrameworkTable()
	for _, d := range Dialects() {
		if !d.Companion {
			assert.Contains(t, table, "`"+d.Name+"`")
		}
	}
}

// TestInspectConcurrently reads the recordings from several goroutines at
// once, and everywhere finds what one alone finds.
func TestInspectConcurrently(t *testing.T) {
	r := newRecognizer(t, Options{})
	var spans []placed
	for _, c := range readTruth(t)[:20] {
		spans = append(spans, readCapture(t, captures+"/"+c.File)...)
	}
	read := func() string {
		var all strings.Builder
		for _, p := range spans {
			if o, _ := r.Inspect(p.rs, p.ss, p.span); o != nil {
				fmt.Fprint(&all, o.Dialect, o.Tool, o.CallID, o.Args.Text, o.Args.Why, ";")
			}
		}
		return all.String()
	}
	want := read()
	results := make(chan string)
	for range 4 {
		go func() { results <- read() }()
	}
	for range 4 {
		assert.Equal(t, want, <-results)
	}
}
