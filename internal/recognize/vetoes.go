// SPDX-License-Identifier: Apache-2.0

package recognize

import "go.opentelemetry.io/collector/pdata/ptrace"

// A Veto names spans that a dialect would take and that are no call: nothing
// was decided there. It wins over every dialect.
type Veto struct {
	Name string
	Why  string
	When []Predicate
}

// Vetoes returns every veto.
func Vetoes() []Veto {
	return []Veto{
		{"merged_tools", "a synthetic span that merges the responses of parallel calls", []Predicate{is("gen_ai.tool.name", "(merged tools)")}},
		{"merged_span", "a synthetic span that merges the responses of parallel calls", []Predicate{span("execute_tool (merged*")}},
		{"wrapper", "a wrapper around several calls", []Predicate{span("running tools", "schedule_tool_calls", "orchestrate_tools", "mcp.server", "ResponseStreamWriter")}},
		{"server_request", "the root of a server's request, not the call in it", []Predicate{is("mastra.span.type", "mcp_server_request")}},
		{"retriever", "a retriever, which no model chose to call", []Predicate{is("gen_ai.tool.type", "retriever")}},
		{"handoff", "a hand-off to another agent", []Predicate{is("openinference.span.kind", "TOOL"), span("handoff to *", "Handoff to *")}},
		{"handoff_operation", "a hand-off to another agent", []Predicate{is("gen_ai.operation.name", "handoff", "agent_handoff")}},
		{"model_turn", "a model's turn, which only asks for calls", []Predicate{is("gen_ai.operation.name", "chat", "text_completion", "generate_content", "embeddings", "invoke_agent")}},
		{"final_answer", "an answer in the form of a tool call", []Predicate{is("tool.name", "final_answer"), scope("openinference.instrumentation.smolagents")}},
		{"final_answer_genai", "an answer in the form of a tool call", []Predicate{is("gen_ai.tool.name", "final_answer"), scope("opentelemetry.instrumentation.genai.smolagents")}},
		{"final_result", "an answer in the form of a tool call", []Predicate{is("gen_ai.tool.name", "final_result"), scope("pydantic-ai")}},
		{"final_result_variant", "an answer in the form of a tool call", []Predicate{begins("gen_ai.tool.name", "final_result_"), scope("pydantic-ai")}},
		{"policy_callout", "a gateway's call to a policy service", []Predicate{is("agentgateway.outbound.kind", "Policy", "Mirror")}},
		{"grpc", "a transport below a call", []Predicate{is("rpc.system", "grpc"), has("mcp.method.name")}},
		{"kernel_function", "a function that code called, not a model", []Predicate{scope("semantic_kernel*"), lacks("gen_ai.tool.call.id")}},
		{"request", "a model's request for a call, not the call", []Predicate{span("tool_call.*"), scope("agentops*")}},
		{"request_kind", "a model's request for a call, not the call", []Predicate{span("tool_call.*"), has("tool.call.type")}},
		{"registration", "a server that registers its tools", []Predicate{span("mcp tools/call"), kind(ptrace.SpanKindServer), is("mcp.system", "mcp"), lacks("mcp.tool.name")}},
	}
}

// otherMethods is the veto that no list can express: a span that names an MCP
// method other than tools/call is no call, whatever else it says. Some eBPF
// releases label every MCP method execute_tool.
const (
	mcpMethodKey  = "mcp.method.name"
	mcpToolsCall  = "tools/call"
	otherMethods  = "other_method"
	otherMethodIs = "another MCP method"
)

func lacks(key string) Predicate { return Predicate{Attr: key, Absent: true} }
