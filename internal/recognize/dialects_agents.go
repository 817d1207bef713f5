// SPDX-License-Identifier: Apache-2.0

package recognize

import "go.opentelemetry.io/collector/pdata/ptrace"

// Fields that most emitters of the GenAI conventions share.
var (
	genAITool = []Source{at("gen_ai.tool.name"), named("execute_tool *")}
	genAIID   = []Source{at("gen_ai.tool.call.id")}
	genAIArgs = []Source{written("gen_ai.tool.call.arguments", EncJSON), {Key: "gen_ai.tool.call.arguments.", As: EncFlat}}
)

func executeTool(more ...Predicate) []Predicate {
	return append([]Predicate{is("gen_ai.operation.name", "execute_tool")}, more...)
}

// codingAgents are the dialects of coding agents, each a schema of its own.
var codingAgents = []Dialect{
	{
		Name: "claude_code", Title: "Claude Code", Layer: LayerAgent,
		Note: "arguments only with detailed beta tracing; `tool_name` keeps the server's name",
		When: []Predicate{is("span.type", "tool", "claude_code.tool"), span("claude_code.tool")},
		Tool: []Source{at("gen_ai.tool.name"), at("tool_name")}, CallID: []Source{at("gen_ai.tool.call.id"), at("tool_use_id")},
		Args: []Source{
			written("gen_ai.tool.call.arguments", EncJSON), written("tool_input", EncHeaded),
			written("full_command", EncPartial), written("file_path", EncPartial),
		},
	},
	{
		Name: "claude_code_execution", Title: "Claude Code", Layer: LayerHandler, Companion: true,
		Note: "what ran below a permitted call: the only place that says that it failed",
		When: []Predicate{is("span.type", "tool.execution", "claude_code.tool.execution")}, CallID: []Source{at("gen_ai.tool.call.id"), at("tool_use_id")},
	},
	{
		Name: "anthropic_platform", Title: "Anthropic platform", Layer: LayerAgent,
		When: []Predicate{span("anthropic.tool_use *"), scope("com.anthropic.*")},
		Tool: []Source{at("gen_ai.tool.name"), named("anthropic.tool_use *")}, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "anthropic_name", Title: "Anthropic platform", Layer: LayerAgent, Note: "no attribute and no scope says so, only the span's name",
		When: []Predicate{span("anthropic.tool_use *")}, Unless: []Predicate{scope("com.anthropic.*"), has("gen_ai.operation.name"), has("mcp.method.name")},
		Tool: []Source{at("gen_ai.tool.name"), named("anthropic.tool_use *")}, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "codex", Title: "Codex CLI", Layer: LayerAgent, Note: "arguments are in logs only",
		When: []Predicate{is("codex.tool.phase", "dispatch"), has("tool_name"), has("call_id")},
		Tool: []Source{at("tool_name")}, CallID: []Source{at("call_id")},
	},
	{
		Name: "codex_dispatch", Title: "Codex CLI", Layer: LayerAgent, Note: "older releases: identity on the dispatch span",
		When: []Predicate{span("dispatch_tool_call*"), has("tool_name"), has("call_id")}, Unless: []Predicate{has("codex.tool.phase")},
		Tool: []Source{at("tool_name")}, CallID: []Source{at("call_id")},
	},
	{
		Name: "codex_inner", Title: "Codex CLI", Layer: LayerHandler, Companion: true,
		Note: "dispatch, execution and scoring below the call",
		When: []Predicate{span("dispatch_tool_call*", "unified_exec.*", "guardian_scoring_observation"), begins("target", "codex_")}, Unless: []Predicate{has("codex.tool.phase")},
		CallID: []Source{at("call_id"), {Event: "*", Key: "call_id"}},
	},
	{
		Name: "gemini_cli", Title: "Gemini CLI", Layer: LayerAgent, Early: true,
		When: []Predicate{is("gen_ai.operation.name", "tool_call"), is("gen_ai.agent.name", "gemini-cli")},
		Tool: []Source{at("gen_ai.tool.name")}, CallID: []Source{at("gen_ai.tool.call_id"), at("gen_ai.tool.call.id")},
		Args: []Source{written("gen_ai.input.messages", EncGemini)},
	},
	{
		Name: "copilot_chat", Title: "VS Code Copilot Chat", Layer: LayerAgent,
		Note: "arguments only with content capture, cut at 64,000 characters",
		When: executeTool(scope("copilot-chat*", "copilot_chat*", "github.copilot*")),
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "hermes", Title: "Hermes agent (hermes-otel)", Layer: LayerAgent,
		Note: "previews of arguments, marked where they are cut",
		When: []Predicate{is("gen_ai.operation.name", "execute_tool"), span("tool.*"), has("gen_ai.tool.name")},
		Tool: []Source{at("gen_ai.tool.name"), at("tool.name")}, CallID: genAIID,
		Args: hermesArgs,
	},
	{
		Name: "hermes_scope", Title: "Hermes agent (hermes-otel)", Layer: LayerAgent, Note: "releases that do not say what the span is of",
		When: []Predicate{span("tool.*"), scope("hermes-otel*"), has("gen_ai.tool.name"), has("gen_ai.tool.call.id")}, Unless: []Predicate{has("gen_ai.operation.name")},
		Tool: []Source{at("gen_ai.tool.name"), at("tool.name")}, CallID: genAIID,
		Args: hermesArgs,
	},
}

var hermesArgs = []Source{written("gen_ai.tool.call.arguments", EncJSON), written("input.value", EncMIME)}

// genAIFrameworks are the dialects of frameworks that follow the GenAI
// conventions and add keys, values or habits of their own.
var genAIFrameworks = []Dialect{
	{
		Name: "google_adk", Title: "Google ADK (Python, Go, Java)", Layer: LayerAgent,
		Note: "`{}` stands for the arguments where capture is off; a failing call may keep only its span name",
		When: []Predicate{span("execute_tool *"), scope("gcp.vertex.agent", "openinference.instrumentation.google_adk")},
		Tool: genAITool, CallID: []Source{at("gen_ai.tool.call.id"), at("gen_ai.tool_call.id")},
		Args: append([]Source{written("gcp.vertex.agent.tool_call_args", EncADK)}, genAIArgs...),
	},
	{
		Name: "google_adk_overlay", Title: "Google ADK under another tracer", Layer: LayerAgent,
		When: executeTool(has("gcp.vertex.agent.tool_call_args")),
		Tool: genAITool, CallID: []Source{at("gen_ai.tool.call.id"), at("gen_ai.tool_call.id")},
		Args: append([]Source{written("gcp.vertex.agent.tool_call_args", EncADK)}, genAIArgs...),
	},
	{
		Name: "trpc_agent_go", Title: "tRPC-Agent-Go", Layer: LayerAgent,
		When: executeTool(is("gen_ai.system", "trpc.go.agent")),
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "strands", Title: "AWS Strands Agents (Python, TypeScript)", Layer: LayerAgent,
		Note: "arguments in a span event",
		When: executeTool(is("gen_ai.system", "strands-agents")),
		Tool: []Source{at("gen_ai.tool.name"), named("execute_tool *"), named("Tool: *")}, CallID: genAIID, Args: strandsArgs,
	},
	{
		Name: "strands_latest", Title: "AWS Strands Agents, latest conventions", Layer: LayerAgent,
		When: executeTool(is("gen_ai.provider.name", "strands-agents")),
		Tool: genAITool, CallID: genAIID, Args: strandsArgs,
	},
	{
		Name: "google_genai", Title: "google-genai (contrib)", Layer: LayerAgent,
		Note: "older releases write one attribute a parameter",
		When: executeTool(scope("opentelemetry.instrumentation.google_genai*")),
		Tool: []Source{at("gen_ai.tool.name"), at("code.function.name"), named("execute_tool *")}, CallID: genAIID,
		Args: append([]Source{{Key: "code.function.parameters.", As: EncTypedParameters}}, genAIArgs...),
	},
	{
		Name: "agent_framework", Title: "Microsoft Agent Framework (Python)", Layer: LayerAgent,
		Note: "a parameter named `options` is missing from what it records",
		When: executeTool(scope("agent_framework*")),
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "microsoft_extensions_ai", Title: "Microsoft.Extensions.AI (.NET)", Layer: LayerAgent,
		When: executeTool(scope("Experimental.Microsoft.Extensions.AI*", "Microsoft.Extensions.AI*", "Experimental.Microsoft.Agents*", "Microsoft.Agents*")),
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "semantic_kernel", Title: "Semantic Kernel (Python, .NET)", Layer: LayerAgent,
		Note: "names are plugin-function; in .NET every kernel function has such a span",
		When: executeTool(scope("semantic_kernel*", "Microsoft.SemanticKernel*")),
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "autogen", Title: "AutoGen AgentChat", Layer: LayerAgent, Note: "never has arguments",
		When: executeTool(is("gen_ai.system", "autogen")),
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "pydantic_ai", Title: "Pydantic AI", Layer: LayerAgent,
		When: executeTool(scope("pydantic-ai")), Unless: []Predicate{span("running tools")},
		Tool: genAITool, CallID: genAIID, Args: append([]Source{written("tool_arguments", EncJSON)}, genAIArgs...),
	},
	{
		Name: "pydantic_ai_v1", Title: "Pydantic AI, settings 1 and 2", Layer: LayerAgent,
		When: []Predicate{span("running tool"), scope("pydantic-ai")},
		Tool: []Source{at("gen_ai.tool.name")}, CallID: genAIID, Args: []Source{written("tool_arguments", EncJSON)},
	},
	{
		Name: "pydantic_ai_arguments", Title: "Pydantic AI, settings 1 and 2", Layer: LayerAgent, Note: "under another span name",
		When: []Predicate{has("tool_arguments"), scope("pydantic-ai")}, Unless: []Predicate{span("running tool"), is("gen_ai.operation.name", "execute_tool")},
		Tool: []Source{at("gen_ai.tool.name")}, CallID: genAIID, Args: []Source{written("tool_arguments", EncJSON)},
	},
	{
		Name: "openai_agents_v2", Title: "OpenAI Agents SDK (OpenTelemetry)", Layer: LayerAgent,
		Note: "no call id; arguments as the model wrote them; the agent's name is a constant in old releases",
		When: executeTool(scope("opentelemetry.instrumentation.openai_agents*")), NoAgent: "OpenAI Agent",
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "opentelemetry_genai", Title: "OpenTelemetry GenAI for Python (Agno, DSPy, LangChain, OpenAI Agents, …)", Layer: LayerAgent,
		Note: "arguments only with content capture",
		When: executeTool(scope("opentelemetry.instrumentation.genai.*", "opentelemetry.util.genai*", "opentelemetry.instrumentation.langchain_v*")),
		Tool: genAITool, CallID: genAIID, Args: []Source{written("gen_ai.tool.call.arguments", EncPython)},
	},
	{
		Name: "langchain_azure", Title: "langchain-azure-ai", Layer: LayerAgent,
		Note: "retrievers are not taken; the call id may be the run's",
		When: executeTool(scope("langchain_azure_ai*", "azure.ai.langchain*", "*azure_ai*")),
		Tool: genAITool, CallID: genAIID, Args: []Source{written("gen_ai.tool.call.arguments", EncPython)},
	},
	{
		Name: "openlit", Title: "OpenLIT", Layer: LayerAgent,
		Note: "arguments as Python text; on failures the call id is the run's",
		When: executeTool(scope("openlit*")),
		Tool: genAITool, CallID: genAIID,
		Args: []Source{written("gen_ai.tool.call.arguments", EncPython), written("gen_ai.tool.args", EncPython), written("gen_ai.tool.input", EncPython)},
	},
	{
		Name: "langsmith", Title: "LangSmith (Python, JavaScript)", Layer: LayerAgent, Early: true,
		Note: "positional arguments lose their names; `{}` also stands for hidden ones",
		When: []Predicate{is("langsmith.span.kind", "tool")},
		Tool: []Source{at("gen_ai.tool.name"), at("langsmith.trace.name"), named("*")}, CallID: genAIID,
		Args: append([]Source{written("gen_ai.prompt", EncLangSmith)}, genAIArgs...),
	},
	{
		Name: "mastra", Title: "Mastra", Layer: LayerAgent, Early: true,
		Note: "replaces secret-like values inside arguments: such arguments are unusable",
		When: []Predicate{is("mastra.span.type", "tool_call", "mcp_tool_call")},
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "vercel_ai_7", Title: "Vercel AI SDK 7", Layer: LayerAgent,
		When: executeTool(scope("gen_ai", "@ai-sdk/otel*")),
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "quarkus_langchain4j", Title: "Quarkus LangChain4j", Layer: LayerAgent,
		When: []Predicate{span("langchain4j.tools.*")},
		Tool: []Source{at("gen_ai.tool.name"), named("langchain4j.tools.*")}, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "spring_ai", Title: "Spring AI 1 and 2", Layer: LayerAgent, Early: true,
		Note:   "failures look like successes",
		When:   []Predicate{is("spring.ai.kind", "tool_call")},
		Tool:   []Source{at("spring.ai.tool.definition.name"), at("gen_ai.tool.name"), named("tool_call *"), named("execute_tool *")},
		CallID: []Source{at("spring.ai.tool.call.id"), at("gen_ai.tool.call.id")},
		Args:   append([]Source{written("spring.ai.tool.call.arguments", EncJSON)}, genAIArgs...),
	},
	{
		Name: "rig", Title: "rig (Rust)", Layer: LayerAgent,
		When: []Predicate{span("execute_tool"), has("gen_ai.tool.name")}, Unless: []Predicate{scope("*openlit*")},
		Tool: []Source{at("gen_ai.tool.name")}, CallID: genAIID, Args: genAIArgs,
	},
}

var strandsArgs = []Source{
	written("gen_ai.tool.call.arguments", EncJSON),
	{Event: "gen_ai.tool.message", Key: "content", As: EncJSON},
	{Event: "gen_ai.client.inference.operation.details", Key: "gen_ai.input.messages", As: EncParts},
	written("gen_ai.input.messages", EncParts),
}

// genAIGeneric are the GenAI conventions themselves, behind every emitter that
// refines them.
var genAIGeneric = []Dialect{
	{
		Name: "gen_ai", Title: "OpenTelemetry GenAI conventions", Layer: LayerAgent,
		Note: "also every framework that follows them and is not named here",
		When: executeTool(), Unless: []Predicate{has("mcp.method.name")},
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "gen_ai_mcp", Title: "OpenTelemetry GenAI and MCP on one span", Layer: LayerAgent,
		Note: "the MCP C# SDK adds its keys to the agent's span",
		When: executeTool(is("mcp.method.name", "tools/call")), Unless: []Predicate{kind(ptrace.SpanKindClient), kind(ptrace.SpanKindServer), scope("fastmcp*")},
		Tool: []Source{at("gen_ai.tool.name"), named("execute_tool *"), named("tools/call *")}, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "gen_ai_name", Title: "OpenTelemetry GenAI span names", Layer: LayerAgent,
		Note: "no attribute says so, only the span's name",
		When: []Predicate{span("execute_tool *")}, Unless: []Predicate{has("gen_ai.operation.name"), has("mcp.method.name")},
		Tool: genAITool, CallID: genAIID, Args: genAIArgs,
	},
	{
		Name: "tool_call_name", Title: "Spring AI span names", Layer: LayerAgent,
		Note: "no attribute says so, only the span's name",
		When: []Predicate{span("tool_call *")}, Unless: []Predicate{has("gen_ai.operation.name"), has("spring.ai.kind")},
		Tool: []Source{at("gen_ai.tool.name"), named("tool_call *")}, CallID: genAIID, Args: genAIArgs,
	},
}
