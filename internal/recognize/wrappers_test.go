// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// TestWrappers reads what emitters put around arguments, and leaves what only
// looks like a wrapper.
func TestWrappers(t *testing.T) {
	traceloop := func(text string) sample {
		return sample{name: "refund.tool", scope: "traceloop.tracer", attrs: kv{"traceloop.span.kind", "tool", "traceloop.entity.name", "refund", "traceloop.entity.input", text}}
	}
	tests := []struct {
		name string
		span sample
		want string
		why  truth.Reason
	}{
		{"no wrapper", traceloop(order), order, ""},
		{"kwargs", traceloop(`{"kwargs":{"order":"A17"},"args":[]}`), order, ""},
		{"kwargs keep every digit", traceloop(`{"args":[],"kwargs":{"n":12345678901234567890}}`), `{"n":12345678901234567890}`, ""},
		{"positional", traceloop(`{"args":[{"order":"A17"}],"kwargs":{}}`), "", truth.ArgsPositional},
		{"a tool with a parameter called kwargs among others", traceloop(`{"kwargs":{"a":1},"order":"A17"}`), `{"kwargs":{"a":1},"order":"A17"}`, ""},
		{"the request of another tool", traceloop(`{"tool_name":"delete_all","arguments":{"order":"A17"}}`), "", truth.ArgsAmbiguous},
		{"a request without arguments", traceloop(`{"tool_name":"refund","arguments":null}`), "", truth.ArgsAbsent},
		{"an MCP request", traceloop(`{"method":"tools/call","params":{"name":"refund","arguments":{"order":"A17"},"_meta":{"x":1}}}`), order, ""},
		{"an MCP request with its frame", traceloop(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"refund","arguments":{"order":"A17"}}}`), order, ""},
		{"an MCP request of another tool", traceloop(`{"method":"tools/call","params":{"name":"delete_all","arguments":{"order":"A17"}}}`), "", truth.ArgsAmbiguous},
		{"an MCP request without arguments", traceloop(`{"method":"tools/call","params":{"name":"refund"}}`), "", truth.ArgsAbsent},
		{"an MCP request without a name", traceloop(`{"method":"tools/call","params":{"x":1}}`), "", truth.ArgsNotExact},
		{"an MCP request without parameters", traceloop(`{"method":"tools/call","params":[]}`), "", truth.ArgsAbsent},
		{"a tool whose parameters are called method and params", traceloop(`{"method":"GET","params":{"q":"x"}}`), `{"method":"GET","params":{"q":"x"}}`, ""},
		{"a list where a wrapper may stand", traceloop(`[1]`), "", truth.ArgsPositional},
		{"null where a wrapper may stand", traceloop(`null`), "", truth.ArgsAbsent},
		{"arguments in a wrapper that are a list", traceloop(`{"tool_name":"refund","arguments":[1]}`), "", truth.ArgsPositional},
		{"kwargs that are null", traceloop(`{"args":[],"kwargs":null}`), "", truth.ArgsNotExact},
		{"args that are null", traceloop(`{"args":null,"kwargs":{"order":"A17"}}`), "", truth.ArgsNotExact},
		{"nothing but kwargs, which are null", traceloop(`{"kwargs":null}`), "", truth.ArgsNotExact},
		{"a tool whose parameters are called args and kwargs", traceloop(`{"args":"a","kwargs":"b"}`), `{"args":"a","kwargs":"b"}`, ""},
		{"LangChain inputs", traceloop(`{"input_str":"{'order': 'B2'}","inputs":{"order":"A17"},"kwargs":{}}`), order, ""},
		{"LangChain text without inputs", traceloop(`{"input_str":"{'order': 'A17'}","inputs":null,"kwargs":{}}`), order, ""},
		{"LangChain text that is one argument", traceloop(`{"input_str":"A17","inputs":null,"kwargs":{}}`), "", truth.ArgsNotJSON},
		{"the Python call of another shape", sample{name: "mcp tools/call", kind: client, attrs: kv{"mcp.method", "call_tool", "mcp.system", "mcp", "mcp.request.payload", `{"method":"call_tool","params":{"args":["refund","A17"]}}`}}, "", truth.ArgsPositional},
		{"Haystack without messages", sample{name: "x", attrs: kv{"haystack.component.type", "ToolInvoker", "haystack.component.input", `{}`}}, "", truth.ArgsAbsent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := inspect(t, tt.span)
			require.NotNil(t, o)
			assert.Equal(t, tt.why, o.Args.Why)
			if tt.why == "" {
				assert.JSONEq(t, tt.want, o.Args.Text)
				assert.Equal(t, canonical(tt.want), canonical(o.Args.Text))
			}
		})
	}
}

// TestArgumentsOfAnotherCall: arguments that stand beside another call's id or
// another tool's name are not this call's.
func TestArgumentsOfAnotherCall(t *testing.T) {
	const details = "gen_ai.client.inference.operation.details"
	message := func(id string) sampleEvent {
		return sampleEvent{"gen_ai.tool.message", kv{"content", order, "id", id}}
	}
	parts := func(name, id string) sampleEvent {
		return sampleEvent{details, kv{"gen_ai.input.messages", `[{"role":"tool","parts":[{"type":"tool_call","name":"` + name + `","id":"` + id + `","arguments":{"order":"A17"}}]}]`}}
	}
	strands := func(events ...sampleEvent) sample {
		return sample{name: "execute_tool refund", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.system", "strands-agents", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "tu_1"}, events: events}
	}
	gemini := func(id string) sample {
		return sample{name: "tool_call", attrs: kv{"gen_ai.operation.name", "tool_call", "gen_ai.agent.name", "gemini-cli", "gen_ai.tool.name", "refund", "gen_ai.tool.call_id", "c1", "gen_ai.input.messages", `{"callId":"` + id + `","name":"refund","args":{"order":"A17"}}`}}
	}
	claude := func(name string) sample {
		return sample{name: "claude_code.tool", attrs: kv{"span.type", "tool", "tool_name", "mcp__shop__refund", "gen_ai.tool.name", "refund", "tool_input", "[TOOL INPUT: " + name + "]\n" + order}}
	}
	langChain := sample{name: "execute_tool refund", scope: "opentelemetry.instrumentation.langchain", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_1", "gen_ai.tool.call.arguments", `{"input_str":"","inputs":{"order":"A17"},"kwargs":{"tool_call_id":"call_2"}}`}}
	tests := []struct {
		name string
		span sample
		why  truth.Reason
	}{
		{"a Strands event of this call", strands(message("tu_1")), ""},
		{"a Strands event without an id", strands(message("")), ""},
		{"a Strands event of another call", strands(message("tu_2")), truth.ArgsUnmatchedCallID},
		{"Strands events of both", strands(message("tu_2"), message("tu_1")), ""},
		{"a Strands part of this call", strands(parts("refund", "tu_1")), ""},
		{"a Strands part with another id", strands(parts("refund", "tu_2")), truth.ArgsUnmatchedCallID},
		{"a Strands part with another name", strands(parts("ping", "tu_1")), truth.ArgsUnmatchedCallID},
		{"a Gemini request of this call", gemini("c1"), ""},
		{"a Gemini request of another call", gemini("c2"), truth.ArgsUnmatchedCallID},
		{"a LangChain callback of another call", langChain, truth.ArgsUnmatchedCallID},
		{"a Claude Code heading of this tool", claude("refund"), ""},
		{"a Claude Code heading of this tool behind its server", claude("mcp__shop__refund"), ""},
		{"a Claude Code heading of another tool", claude("Other"), truth.ArgsAmbiguous},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := inspect(t, tt.span)
			require.NotNil(t, o)
			assert.Equal(t, tt.why, o.Args.Why)
			assert.Equal(t, tt.why == "", o.Args.Captured())
		})
	}
}
