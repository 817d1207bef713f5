// SPDX-License-Identifier: Apache-2.0

package recognize

import "go.opentelemetry.io/collector/pdata/ptrace"

var (
	openInferenceTool = []Source{at("gen_ai.tool.name"), at("tool.name"), at("tool_call.function.name"), named("*")}
	openInferenceID   = []Source{at("tool_call.id"), at("tool.id"), at("tool.call_id")}
	openInferenceArgs = []Source{written("tool_call.function.arguments", EncJSON), written("input.value", EncMIME)}
	traceloopTool     = []Source{at("gen_ai.tool.name"), at("traceloop.entity.name"), named("*.tool")}
)

func traceloopKind(more ...Predicate) []Predicate {
	return append([]Predicate{is("traceloop.span.kind", "tool")}, more...)
}

func openInference(more ...Predicate) []Predicate {
	return append([]Predicate{is("openinference.span.kind", "TOOL")}, more...)
}

// openInferences are the dialects of OpenInference instrumentations. Only
// where an instrumentation is known to write arguments into tool.parameters
// are they read there: elsewhere it is the tool's schema.
var openInferences = []Dialect{
	{
		Name: "openinference_langchain", Title: "OpenInference, LangChain (Python, JavaScript)", Layer: LayerAgent,
		Note: "a single text argument loses its name; the call id is in the result",
		When: openInference(scope("openinference.instrumentation.langchain", "@arizeai/openinference-instrumentation-langchain*")),
		Tool: openInferenceTool, CallID: append([]Source{in("output.value", "data.tool_call_id"), in("output.value", "output.kwargs.tool_call_id")}, openInferenceID...),
		Args: []Source{written("input.value", EncStrictMIME)},
	},
	{
		Name: "openinference_llama_index", Title: "OpenInference, LlamaIndex", Layer: LayerAgent,
		When: openInference(scope("openinference.instrumentation.llama_index")),
		Tool: []Source{at("tool.name")}, CallID: openInferenceID, Args: []Source{written("input.value", EncMIMEKwargs)},
	},
	{
		Name: "openinference_smolagents", Title: "OpenInference, smolagents", Layer: LayerAgent,
		When: openInference(scope("openinference.instrumentation.smolagents")),
		Tool: []Source{at("tool.name")}, CallID: openInferenceID, Args: []Source{written("input.value", EncMIMEKwargs)},
	},
	{
		Name: "openinference_dspy", Title: "OpenInference, DSPy", Layer: LayerAgent, Note: "the name is in the span's name only",
		When: openInference(scope("openinference.instrumentation.dspy")),
		Tool: []Source{at("tool.name"), named("*.__call__"), named("*.acall")}, CallID: openInferenceID, Args: []Source{written("input.value", EncMIMEKwargs)},
	},
	{
		Name: "openinference_ag2", Title: "OpenInference, AG2", Layer: LayerAgent,
		When: openInference(scope("openinference.instrumentation.ag2")),
		Tool: openInferenceTool, CallID: openInferenceID,
		Args: []Source{written("tool_call.function.arguments", EncJSON), written("input.value", EncFunction)},
	},
	{
		Name: "openinference_parameters", Title: "OpenInference, Agno, AutoGen, Google ADK, Claude Agent SDK", Layer: LayerAgent,
		Note: "`tool.parameters` holds the arguments too",
		When: openInference(scope(
			"openinference.instrumentation.agno", "openinference.instrumentation.autogen_agentchat", "openinference.instrumentation.google_adk",
			"openinference.instrumentation.claude_agent_sdk", "@arizeai/openinference-instrumentation-claude-agent-sdk*",
		)),
		Tool: openInferenceTool, CallID: openInferenceID, Args: append([]Source{written("tool.parameters", EncJSON)}, openInferenceArgs...),
	},
}

// openInferenceGeneric is what remains of OpenInference. Its kind alone says
// little: other emitters set it beside their own attributes.
var openInferenceGeneric = []Dialect{
	{
		Name: "openinference", Title: "OpenInference", Layer: LayerAgent,
		Note: "every other instrumentation, decorators and span processors (CrewAI, OpenAI Agents, BeeAI, Pipecat, Java, …)",
		When: openInference(),
		Tool: openInferenceTool, CallID: openInferenceID, Args: openInferenceArgs,
	},
}

// traceloops are the dialects of OpenLLMetry and the Traceloop SDKs.
var traceloops = []Dialect{
	{
		Name: "openllmetry_langchain", Title: "OpenLLMetry, LangChain", Layer: LayerAgent,
		Note: "arguments and call id within a wrapper",
		When: executeTool(scope("opentelemetry.instrumentation.langchain")),
		Tool: append([]Source{named("execute_tool *")}, traceloopTool...), CallID: []Source{at("gen_ai.tool.call.id"), in("gen_ai.tool.call.arguments", "kwargs.tool_call_id"), in("traceloop.entity.input", "kwargs.tool_call_id"), in("traceloop.entity.output", "output.kwargs.tool_call_id")},
		Args: []Source{written("gen_ai.tool.call.arguments", EncCall), written("traceloop.entity.input", EncCall)},
	},
	{
		Name: "traceloop_langchain_js", Title: "Traceloop, LangChain (JavaScript)", Layer: LayerAgent,
		Note: "the name is that of the tool's class; its spans are roots",
		When: executeTool(scope("@traceloop/instrumentation-langchain*")),
		Tool: []Source{at("gen_ai.tool.name"), at("traceloop.entity.name"), named("execute_tool *")}, CallID: genAIID,
		Args: []Source{written("traceloop.entity.input", EncFirst)},
	},
	{
		Name: "openllmetry_mcp", Title: "OpenLLMetry, MCP (Python, JavaScript)", Layer: LayerMCPClient,
		When: traceloopKind(scope("opentelemetry.instrumentation.mcp*", "@traceloop/instrumentation-mcp*")), Unless: []Predicate{kind(ptrace.SpanKindServer)},
		Tool: traceloopTool, Args: []Source{written("traceloop.entity.input", EncCall)},
	},
	{
		Name: "openllmetry_mcp_server", Title: "OpenLLMetry, MCP server (Python, JavaScript)", Layer: LayerMCPServer,
		When: traceloopKind(scope("opentelemetry.instrumentation.mcp*", "@traceloop/instrumentation-mcp*"), kind(ptrace.SpanKindServer)),
		Tool: traceloopTool, Args: []Source{written("traceloop.entity.input", EncCall)},
	},
	{
		Name: "openllmetry_llama_index_step", Title: "OpenLLMetry, LlamaIndex workflows", Layer: LayerAgent,
		Note: "of kind task; the call id is in the result",
		When: []Predicate{is("traceloop.span.kind", "task"), has("tool.name"), has("tool.arguments")},
		Tool: []Source{at("tool.name")}, CallID: []Source{in("traceloop.entity.output", "tool_id")},
		Args: []Source{written("tool.arguments", EncJSON)},
	},
	{
		Name: "openllmetry_llama_index_tool", Title: "OpenLLMetry, LlamaIndex tools", Layer: LayerHandler,
		Note: "named after the tool's class; the tool's name is in the result",
		When: []Predicate{is("traceloop.span.kind", "task", "tool"), span("FunctionTool.*", "QueryEngineTool.*"), scope("opentelemetry.instrumentation.llamaindex*")},
		Tool: []Source{at("gen_ai.tool.name"), in("traceloop.entity.output", "tool_name")},
		Args: []Source{written("traceloop.entity.input", EncKwargs)},
	},
	{
		Name: "openllmetry_agno", Title: "OpenLLMetry, Agno", Layer: LayerAgent, Early: true, Note: "failures keep status OK",
		When: traceloopKind(scope("opentelemetry.instrumentation.agno*")),
		Tool: traceloopTool, Args: []Source{written("traceloop.entity.input", EncJSON)},
	},
	{
		Name: "traceloop", Title: "Traceloop SDK and OpenLLMetry", Layer: LayerAgent,
		Note: "positional arguments lose their names",
		When: traceloopKind(), Unless: []Predicate{scope("opentelemetry.instrumentation.llamaindex*", "opentelemetry.instrumentation.agno*", "opentelemetry.instrumentation.mcp*", "@traceloop/instrumentation-mcp*", "opentelemetry.instrumentation.langchain")},
		Tool: traceloopTool, CallID: genAIID,
		Args: append([]Source{written("traceloop.entity.input", EncCall)}, genAIArgs...),
	},
	{
		Name: "traceloop_name", Title: "Traceloop span names", Layer: LayerAgent, Note: "no attribute says so, only the span's name",
		When: []Predicate{span("*.tool"), scope("traceloop.tracer", "@traceloop/node-server-sdk*")}, Unless: []Predicate{has("traceloop.span.kind")},
		Tool: traceloopTool, Args: []Source{written("traceloop.entity.input", EncCall)},
	},
}

// platforms are the dialects of observability SDKs and frameworks with a
// schema of their own.
var platforms = []Dialect{
	{
		Name: "vercel_ai", Title: "Vercel AI SDK 4 to 6", Layer: LayerAgent,
		Note: "arguments follow the switch for outputs",
		When: []Predicate{is("ai.operationId", "ai.toolCall")},
		Tool: []Source{at("ai.toolCall.name"), at("gen_ai.tool.name")}, CallID: []Source{at("ai.toolCall.id"), at("gen_ai.tool.call.id")},
		Args: []Source{written("ai.toolCall.args", EncJSON), written("ai.toolCall.input", EncJSON)},
	},
	{
		Name: "langfuse", Title: "Langfuse (Python, JavaScript)", Layer: LayerAgent,
		Note:   "positional and single text arguments lose their names",
		When:   []Predicate{is("langfuse.observation.type", "tool")},
		Tool:   []Source{at("gen_ai.tool.name"), named("*")},
		CallID: []Source{at("gen_ai.tool.call.id"), at("langfuse.observation.metadata.tool_call_id"), at("langfuse.observation.metadata.toolCallId")},
		Args:   []Source{written("langfuse.observation.input", EncArgsKwargs)},
	},
	{
		Name: "mlflow", Title: "MLflow", Layer: LayerAgent,
		When: []Predicate{is("mlflow.spanType", "TOOL", `"TOOL"`)},
		Tool: []Source{at("gen_ai.tool.name"), named("*")}, Args: []Source{written("mlflow.spanInputs", EncPython)},
	},
	{
		Name: "livekit", Title: "LiveKit Agents", Layer: LayerAgent,
		When: []Predicate{span("function_tool"), has("lk.function_tool.name")},
		Tool: []Source{at("lk.function_tool.name")}, CallID: []Source{at("lk.function_tool.id")},
		Args: []Source{written("lk.pii.function_tool.arguments", EncJSON), written("lk.function_tool.arguments", EncJSON)},
	},
	{
		Name: "genkit", Title: "Genkit (JavaScript, Go)", Layer: LayerAgent, Note: "no call id",
		When: []Predicate{is("genkit:metadata:subtype", "tool", "tool.v2")},
		Tool: []Source{at("genkit:name"), named("*")}, Args: []Source{written("genkit:input", EncJSON)},
	},
	{
		Name: "agentops", Title: "AgentOps", Layer: LayerAgent, Note: "`tool_call.X` spans are requests and are not taken",
		When: []Predicate{is("agentops.span.kind", "tool")},
		Tool: []Source{at("tool.name"), at("operation.name"), named("*.tool")},
		Args: []Source{written("agentops.tool.input", EncArgsKwargs), written("tool.parameters", EncJSON)},
	},
	{
		Name: "agentops_parameters", Title: "AgentOps", Layer: LayerAgent, Note: "spans without a kind",
		When: []Predicate{has("tool.parameters"), scope("agentops*"), has("tool.name")}, Unless: []Predicate{has("agentops.span.kind")},
		Tool: []Source{at("tool.name")}, Args: []Source{written("tool.parameters", EncJSON)},
	},
	{
		Name: "laminar", Title: "Laminar", Layer: LayerAgent,
		When: []Predicate{is("lmnr.span.type", "TOOL")},
		Tool: []Source{at("gen_ai.tool.name"), named("*")}, CallID: genAIID, Args: []Source{written("lmnr.span.input", EncJSON)},
	},
	{
		Name: "voltagent", Title: "VoltAgent", Layer: LayerAgent, Note: "its `tool.parameters` is a schema",
		When: []Predicate{is("span.type", "tool"), span("tool.execution:*")},
		Tool: []Source{at("tool.name"), named("tool.execution:*")}, CallID: []Source{at("tool.call.id")}, Args: []Source{written("input", EncJSON)},
	},
	{
		Name: "voltagent_name", Title: "VoltAgent", Layer: LayerAgent, Note: "spans without a type",
		When: []Predicate{span("tool.execution:*"), has("tool.call.id"), has("input")}, Unless: []Predicate{has("span.type")},
		Tool: []Source{at("tool.name"), named("tool.execution:*")}, CallID: []Source{at("tool.call.id")}, Args: []Source{written("input", EncJSON)},
	},
	{
		Name: "crewai", Title: "CrewAI, built-in telemetry", Layer: LayerAgent, Note: "never has arguments",
		When: []Predicate{span("Tool Usage", "Tool Repeated Usage", "Tool Usage Error"), has("tool_name")},
		Tool: []Source{at("tool_name")},
	},
	{
		Name: "llama_index_step", Title: "LlamaIndex workflows", Layer: LayerAgent, Early: true,
		Note: "name and id are in a summary; arguments only as text that may be cut",
		When: []Predicate{is("llamaindex.step.input_event", "ToolCall"), span("*.call_tool")},
		Tool: []Source{summary("tool_name")}, CallID: []Source{summary("tool_id")},
		Args: []Source{written("llamaindex.step.input_summary", EncToolCallText)},
	},
	{
		Name: "llama_index_tool", Title: "LlamaIndex tools", Layer: LayerHandler,
		When: []Predicate{is("llamaindex.step.input_event", "ToolCall"), span("*Tool.acall", "*Tool.call")},
		Tool: []Source{summary("tool_name")}, CallID: []Source{summary("tool_id")},
		Args: []Source{written("llamaindex.step.input_summary", EncToolCallText)},
	},
	{
		Name: "haystack", Title: "Haystack 2", Layer: LayerAgent, Note: "one span covers all calls of a turn",
		When: []Predicate{is("haystack.component.type", "ToolInvoker")},
		Args: []Source{written("haystack.component.input", EncToolInvoker)},
	},
	{
		Name: "logfire_openai_agents", Title: "Logfire, OpenAI Agents SDK", Layer: LayerAgent,
		When: []Predicate{is("logfire.msg_template", "Function: {name}"), has("name")},
		Tool: []Source{at("name")}, Args: []Source{written("input", EncJSON)},
	},
	{
		Name: "logfire_instrument", Title: "Logfire, instrumented functions", Layer: LayerAgent,
		Note: "only where the span is named `tool` and the function; scrubbed arguments are unusable",
		When: []Predicate{{Span: []string{"tool *"}, Same: "code.function"}, scope("logfire")},
		Tool: []Source{at("code.function")}, Args: []Source{{Key: "logfire.json_schema", As: EncParameters}},
	},
}

func summary(field string) Source {
	return Source{Key: "llamaindex.step.input_summary", Path: field, As: EncToolCallText}
}
