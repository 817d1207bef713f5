// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	internal = ptrace.SpanKindInternal
	client   = ptrace.SpanKindClient
	server   = ptrace.SpanKindServer
)

// kv is attributes, key and value in turn.
type kv []any

type sampleEvent struct {
	name  string
	attrs kv
}

// A sample is one span of a dialect as its emitter writes it, and what must be
// read from it.
type sample struct {
	dialect string
	name    string
	kind    ptrace.SpanKind
	scope   string
	attrs   kv
	events  []sampleEvent

	tool, args, id string
	why            string // where args is empty: the reason, args.absent by default
}

const order = `{"order":"A17"}`

// samples has at least one span for each dialect.
var samples = []sample{
	{dialect: "claude_code", name: "claude_code.tool", scope: "com.anthropic.claude_code.tracing", attrs: kv{"span.type", "tool", "tool_name", "mcp__shop__refund", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "tool_use_id", "toolu_1", "gen_ai.tool.call.id", "toolu_1"}, tool: "refund", id: "toolu_1"},
	{dialect: "claude_code", name: "claude_code.tool", scope: "com.anthropic.claude_code.tracing", attrs: kv{"span.type", "tool", "tool_name", "Bash", "tool_use_id", "toolu_2", "tool_input", "[TOOL INPUT: Bash]\n{\"command\":\"ls\"}", "full_command", "ls"}, tool: "Bash", id: "toolu_2", args: `{"command":"ls"}`},
	{dialect: "claude_code_execution", name: "claude_code.tool.execution", scope: "com.anthropic.claude_code.tracing", attrs: kv{"span.type", "tool.execution", "tool_use_id", "toolu_1", "success", true}, id: "toolu_1"},
	{dialect: "anthropic_platform", name: "anthropic.tool_use refund", scope: "com.anthropic.sdk", tool: "refund"},
	{dialect: "anthropic_name", name: "anthropic.tool_use refund", scope: "my.app", tool: "refund"},
	{dialect: "hermes_scope", name: "tool.refund", scope: "hermes-otel", attrs: kv{"gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "input.value", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "pydantic_ai_arguments", name: "refund", scope: "pydantic-ai", attrs: kv{"gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "tool_arguments", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "agentops_parameters", name: "refund", scope: "agentops.sdk", attrs: kv{"tool.name", "refund", "tool.parameters", order, "tool.status", "success"}, tool: "refund", args: order},
	{dialect: "voltagent_name", name: "tool.execution:refund", kind: client, scope: "@voltagent/core", attrs: kv{"tool.call.id", "call_7", "input", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "codex", name: "exec_command", scope: "codex_exec", attrs: kv{"tool_name", "exec_command", "call_id", "call_7", "codex.tool.phase", "dispatch", "conversation.id", "t1"}, tool: "exec_command", id: "call_7"},
	{dialect: "codex_dispatch", name: "dispatch_tool_call", scope: "codex_cli", attrs: kv{"tool_name", "shell", "call_id", "call_7"}, tool: "shell", id: "call_7"},
	{dialect: "codex_inner", name: "dispatch_tool_call_with_state", scope: "codex_exec", attrs: kv{"target", "codex_core::tools::router"}, events: []sampleEvent{{"event", kv{"event.name", "codex.tool_result", "call_id", "call_7", "success", "true"}}}, id: "call_7"},
	{dialect: "gemini_cli", name: "tool_call", scope: "gemini-cli", attrs: kv{"gen_ai.operation.name", "tool_call", "gen_ai.agent.name", "gemini-cli", "gen_ai.tool.name", "refund", "gen_ai.tool.call_id", "c1", "gen_ai.input.messages", `{"callId":"c1","name":"refund","args":{"order":"A17"}}`}, tool: "refund", id: "c1", args: order},
	{dialect: "copilot_chat", name: "execute_tool refund", scope: "copilot-chat", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.arguments", order}, tool: "refund", args: order},
	{dialect: "hermes", name: "tool.refund", scope: "hermes-otel", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", order, "input.value", order, "hermes.tool.outcome", "completed"}, tool: "refund", id: "call_7", args: order},
	{dialect: "google_adk", name: "execute_tool refund", scope: "gcp.vertex.agent", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "adk-1", "gcp.vertex.agent.tool_call_args", order, "gcp.vertex.agent.tool_response", `{"ok":true}`}, tool: "refund", id: "adk-1", args: order},
	{dialect: "google_adk_overlay", name: "execute_tool refund", scope: "tracer", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "<not specified>", "gcp.vertex.agent.tool_call_args", "{}", "gcp.vertex.agent.tool_response", "{}"}, tool: "refund", why: "args.placeholder"},
	{dialect: "trpc_agent_go", name: "execute_tool refund", scope: "trpc.agent.go", attrs: kv{"gen_ai.system", "trpc.go.agent", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "strands", name: "execute_tool refund", scope: "strands.telemetry.tracer", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.system", "strands-agents", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "tu_1", "gen_ai.tool.status", "success"}, events: []sampleEvent{{"gen_ai.tool.message", kv{"role", "tool", "content", order, "id", "tu_1"}}}, tool: "refund", id: "tu_1", args: order},
	{dialect: "strands_latest", name: "execute_tool refund", scope: "strands.telemetry.tracer", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.provider.name", "strands-agents", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "tu_1"}, events: []sampleEvent{{"gen_ai.client.inference.operation.details", kv{"gen_ai.input.messages", `[{"role":"tool","parts":[{"type":"tool_call","name":"refund","id":"tu_1","arguments":{"order":"A17"}}]}]`}}}, tool: "refund", id: "tu_1", args: order},
	{dialect: "google_genai", name: "execute_tool refund", scope: "opentelemetry.instrumentation.google_genai", attrs: kv{"gen_ai.operation.name", "execute_tool", "code.function.name", "refund", "code.function.parameters.order.type", "str", "code.function.parameters.order.value", "A17"}, tool: "refund", args: order},
	{dialect: "agent_framework", name: "execute_tool ping", scope: "agent_framework", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "ping", "gen_ai.tool.call.id", "unknown", "gen_ai.tool.call.arguments", "None"}, tool: "ping", why: "args.placeholder"},
	{dialect: "microsoft_extensions_ai", name: "execute_tool refund", scope: "Experimental.Microsoft.Extensions.AI", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "semantic_kernel", name: "execute_tool Shop-refund", scope: "semantic_kernel.functions.kernel_function", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "Shop-refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", "Failed to serialize arguments to Json"}, tool: "Shop-refund", id: "call_7", why: "args.placeholder"},
	{dialect: "autogen", name: "execute_tool refund", scope: "autogen-core", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.system", "autogen", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7"}, tool: "refund", id: "call_7"},
	{dialect: "pydantic_ai", name: "execute_tool refund", scope: "pydantic-ai", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", order, "gen_ai.agent.name", "desk"}, tool: "refund", id: "call_7", args: order},
	{dialect: "pydantic_ai_v1", name: "running tool", scope: "pydantic-ai", attrs: kv{"gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "tool_arguments", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "openai_agents_v2", name: "execute_tool refund", scope: "opentelemetry.instrumentation.openai_agents", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.arguments", order, "gen_ai.agent.name", "OpenAI Agent"}, tool: "refund", args: order},
	{dialect: "opentelemetry_genai", name: "execute_tool refund", scope: "opentelemetry.instrumentation.genai.langchain", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", `{'order': 'A17'}`}, tool: "refund", id: "call_7", args: order},
	{dialect: "langchain_azure", name: "execute_tool refund", scope: "langchain_azure_ai.callbacks", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "3f1c9f0e-8a55-4d5c-9f0e-8a554d5c9f0e", "gen_ai.tool.call.arguments", `"[redacted]"`}, tool: "refund", why: "args.redacted"},
	{dialect: "openlit", name: "execute_tool refund", scope: "openlit.instrumentation.langchain", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", `{'order': 'A17', 'note': None}`}, tool: "refund", id: "call_7", args: `{"order":"A17","note":null}`},
	{dialect: "langsmith", name: "refund", scope: "langsmith", attrs: kv{"langsmith.span.kind", "tool", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.prompt", order, "gen_ai.completion", `{"output":"ok"}`}, tool: "refund", id: "call_7", args: order},
	{dialect: "langsmith", name: "refund", scope: "langsmith", attrs: kv{"langsmith.span.kind", "tool", "langsmith.trace.name", "refund", "gen_ai.prompt", `{"input":"A17"}`}, tool: "refund", why: "args.positional"},
	{dialect: "mastra", name: "execute_tool refund", scope: "@mastra/otel-exporter", attrs: kv{"gen_ai.operation.name", "execute_tool", "mastra.span.type", "tool_call", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", `{"order":"A17","token":"[REDACTED]"}`}, tool: "refund", id: "call_7", why: "args.redacted"},
	{dialect: "vercel_ai_7", name: "execute_tool refund", scope: "gen_ai", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "quarkus_langchain4j", name: "langchain4j.tools.refund", scope: "io.quarkus.opentelemetry", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "spring_ai", name: "tool_call refund", scope: "org.springframework.boot", attrs: kv{"spring.ai.kind", "tool_call", "spring.ai.tool.definition.name", "refund", "gen_ai.operation.name", "framework", "spring.ai.tool.call.arguments", order}, tool: "refund", args: order},
	{dialect: "spring_ai", name: "execute_tool refund", scope: "org.springframework.boot", attrs: kv{"spring.ai.kind", "tool_call", "spring.ai.tool.definition.name", "refund", "gen_ai.operation.name", "execute_tool", "spring.ai.tool.call.id", "call_7", "spring.ai.tool.call.arguments", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "rig", name: "execute_tool", scope: "rig", attrs: kv{"gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", order}, tool: "refund", id: "call_7", args: order},

	{dialect: "openllmetry_langchain", name: "execute_tool refund", scope: "opentelemetry.instrumentation.langchain", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "traceloop.span.kind", "tool", "gen_ai.tool.call.arguments", `{"input_str":"{'order': 'A17'}","tags":[],"metadata":{},"inputs":{"order":"A17"},"kwargs":{"tool_call_id":"call_7"}}`}, tool: "refund", id: "call_7", args: order},
	{dialect: "traceloop_langchain_js", name: "execute_tool DynamicStructuredTool", scope: "@traceloop/instrumentation-langchain", attrs: kv{"gen_ai.operation.name", "execute_tool", "traceloop.span.kind", "task", "traceloop.entity.name", "DynamicStructuredTool", "traceloop.entity.input", `{"args":["{\"order\":\"A17\"}"]}`}, tool: "DynamicStructuredTool", args: order},
	{dialect: "openllmetry_mcp", name: "refund.tool", scope: "opentelemetry.instrumentation.mcp.instrumentation", attrs: kv{"traceloop.span.kind", "tool", "traceloop.entity.name", "refund", "traceloop.entity.input", `{"tool_name": "refund", "arguments": {"order": "A17"}}`}, tool: "refund", args: order},
	{dialect: "openllmetry_mcp_server", name: "refund.tool", kind: server, scope: "@traceloop/instrumentation-mcp", attrs: kv{"traceloop.span.kind", "tool", "traceloop.entity.name", "refund", "traceloop.entity.input", `{"tool_name":"refund","arguments":{"order":"A17"}}`}, tool: "refund", args: order},
	{dialect: "openllmetry_llama_index_step", name: "BaseWorkflowAgent.task", scope: "opentelemetry.instrumentation.llamaindex", attrs: kv{"traceloop.span.kind", "task", "tool.name", "refund", "tool.arguments", order, "traceloop.entity.output", `{"tool_name":"refund","tool_id":"call_7"}`}, tool: "refund", id: "call_7", args: order},
	{dialect: "openllmetry_llama_index_tool", name: "FunctionTool.task", scope: "opentelemetry.instrumentation.llamaindex", attrs: kv{"traceloop.span.kind", "task", "traceloop.entity.name", "FunctionTool.task", "traceloop.entity.input", `{"kwargs": {"order": "A17"}}`, "traceloop.entity.output", `{"tool_name": "refund"}`}, tool: "refund", args: order},
	{dialect: "openllmetry_agno", name: "refund.tool", kind: client, scope: "opentelemetry.instrumentation.agno", attrs: kv{"traceloop.span.kind", "tool", "traceloop.entity.name", "refund", "gen_ai.tool.name", "refund", "traceloop.entity.input", order}, tool: "refund", args: order},
	{dialect: "traceloop", name: "refund.tool", scope: "traceloop.tracer", attrs: kv{"traceloop.span.kind", "tool", "traceloop.entity.name", "refund", "traceloop.entity.input", `{"args": [], "kwargs": {"order": "A17"}}`}, tool: "refund", args: order},
	{dialect: "traceloop", name: "refund.tool", scope: "traceloop.tracer", attrs: kv{"traceloop.span.kind", "tool", "traceloop.entity.name", "refund", "traceloop.entity.input", `{"args": ["A17"], "kwargs": {}}`}, tool: "refund", why: "args.positional"},
	{dialect: "traceloop_name", name: "refund.tool", scope: "traceloop.tracer", tool: "refund"},

	{dialect: "openinference_langchain", name: "refund", scope: "openinference.instrumentation.langchain", attrs: kv{"openinference.span.kind", "TOOL", "tool.name", "refund", "input.value", `{"order": "A17"}`, "input.mime_type", "application/json", "output.value", `{"type":"tool","data":{"tool_call_id":"call_7"}}`}, tool: "refund", id: "call_7", args: order},
	{dialect: "openinference_langchain", name: "refund", scope: "openinference.instrumentation.langchain", attrs: kv{"openinference.span.kind", "TOOL", "tool.name", "refund", "input.value", `{"order": "A17"}`}, tool: "refund", why: "args.positional"},
	{dialect: "openinference_llama_index", name: "FunctionTool.acall", scope: "openinference.instrumentation.llama_index", attrs: kv{"openinference.span.kind", "TOOL", "tool.name", "refund", "tool.parameters", `{"type":"object","properties":{}}`, "input.value", `{"kwargs": {"order": "A17"}}`, "input.mime_type", "application/json"}, tool: "refund", args: order},
	{dialect: "openinference_smolagents", name: "Refund", scope: "openinference.instrumentation.smolagents", attrs: kv{"openinference.span.kind", "TOOL", "tool.name", "refund", "input.value", `{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"order": "A17"}}`}, tool: "refund", args: order},
	{dialect: "openinference_dspy", name: "refund.__call__", scope: "openinference.instrumentation.dspy", attrs: kv{"openinference.span.kind", "TOOL", "input.value", `{"kwargs": {"order": "A17"}}`, "input.mime_type", "application/json"}, tool: "refund", args: order},
	{dialect: "openinference_ag2", name: "refund", scope: "openinference.instrumentation.ag2", attrs: kv{"openinference.span.kind", "TOOL", "tool.name", "refund", "tool_call.id", "call_7", "tool_call.function.name", "refund", "tool_call.function.arguments", order, "tool.parameters", `{"order":"str"}`, "input.value", `{"name":"refund","arguments":"{\"order\":\"A17\"}"}`, "input.mime_type", "application/json"}, tool: "refund", id: "call_7", args: order},
	{dialect: "openinference_parameters", name: "mcp__shop__refund", scope: "openinference.instrumentation.claude_agent_sdk", attrs: kv{"openinference.span.kind", "TOOL", "tool.name", "mcp__shop__refund", "tool.id", "toolu_1", "tool.parameters", order, "input.value", order, "input.mime_type", "application/json"}, tool: "mcp__shop__refund", id: "toolu_1", args: order},
	{dialect: "openinference", name: "refund", scope: "openinference.instrumentation.openai_agents", attrs: kv{"openinference.span.kind", "TOOL", "tool.name", "refund", "tool.parameters", `{"type":"object","properties":{"order":{"type":"string"}}}`, "input.value", order, "input.mime_type", "application/json"}, tool: "refund", args: order},
	{dialect: "openinference", name: "refund", scope: "openinference.instrumentation.openai_agents", attrs: kv{"openinference.span.kind", "TOOL", "tool.name", "refund", "tool.parameters", `{"type":"object","properties":{"order":{"type":"string"}}}`, "input.value", "__REDACTED__"}, tool: "refund", why: "args.redacted"},

	{dialect: "fastmcp_delegate", name: "delegate refund", scope: "fastmcp", attrs: kv{"mcp.method.name", "tools/call", "fastmcp.provider.type", "FastMCPProvider", "fastmcp.component.key", "refund"}, tool: "refund"},
	{dialect: "fastmcp_client", name: "tools/call refund", kind: client, scope: "fastmcp", attrs: kv{"mcp.method.name", "tools/call", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "fastmcp.component.key", "refund"}, tool: "refund"},
	{dialect: "fastmcp_server", name: "tools/call refund", kind: server, scope: "fastmcp", attrs: kv{"rpc.system", "mcp", "mcp.method.name", "tools/call", "fastmcp.component.key", "tool:refund@"}, tool: "refund"},
	{dialect: "fastmcp_mounted", name: "tools/call refund", scope: "fastmcp", attrs: kv{"mcp.method.name", "tools/call", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "fastmcp.provider.type", "LocalProvider"}, tool: "refund"},
	{dialect: "mcp_python_client", name: "MCP send tools/call refund", kind: client, scope: "mcp-python-sdk", attrs: kv{"mcp.method.name", "tools/call", "jsonrpc.request.id", 3}, tool: "refund"},
	{dialect: "mcp_python_server", name: "tools/call refund", kind: server, scope: "mcp-python-sdk", attrs: kv{"mcp.method.name", "tools/call", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "jsonrpc.request.id", 3}, tool: "refund"},
	{dialect: "mcp_csharp", name: "tools/call refund", kind: client, scope: "Experimental.ModelContextProtocol", attrs: kv{"mcp.method.name", "tools/call", "gen_ai.tool.name", "refund", "gen_ai.operation.name", "execute_tool"}, tool: "refund"},
	{dialect: "agentgateway", name: "tools/call bank_refund", kind: client, scope: "agentgateway", attrs: kv{"mcp.method.name", "tools/call", "mcp.target", "bank", "gen_ai.tool.name", "refund", "agentgateway.outbound.kind", "Primary"}, tool: "refund"},
	{dialect: "agentgateway_server", name: "tools/call", kind: server, scope: "agentgateway", attrs: kv{"mcp.method.name", "tools/call", "mcp.target", "bank", "gen_ai.tool.name", "refund"}, tool: "refund"},
	{dialect: "envoy_ai_gateway", name: "CallTool", kind: client, scope: "envoyproxy/ai-gateway", attrs: kv{"mcp.method.name", "tools/call", "mcp.tool.name", "refund", "mcp.request.id", "7"}, tool: "refund"},
	{dialect: "litellm_mcp", name: "tools/call", kind: client, scope: "litellm", attrs: kv{"mcp.method.name", "tools/call", "litellm.mcp.server.name", "shop", "gen_ai.tool.name", "refund"}, tool: "refund"},
	{dialect: "mcp_go_client", name: "mcp.tools/call", kind: client, scope: "github.com/mark3labs/mcp-go", attrs: kv{"mcp.method", "tools/call"}},
	{dialect: "mcp_go_server", name: "mcp.tools/call", kind: server, scope: "github.com/mark3labs/mcp-go", attrs: kv{"mcp.method", "tools/call", "mcp.tool.name", "refund"}, tool: "refund"},
	{dialect: "mcp_go_handler", name: "tool.refund", scope: "github.com/mark3labs/mcp-go", attrs: kv{"mcp.tool.name", "refund"}, tool: "refund"},
	{dialect: "openlit_mcp_call", name: "mcp tools/call", kind: client, scope: "openlit.instrumentation.mcp", attrs: kv{"mcp.method", "call_tool", "mcp.system", "mcp", "mcp.tool.name", "refund", "mcp.tool.arguments", order}, tool: "refund", args: order},
	{dialect: "openlit_mcp_call", name: "mcp tools/call", kind: client, scope: "openlit.instrumentation.mcp", attrs: kv{"mcp.method", "call_tool", "mcp.system", "mcp", "mcp.request.payload", `{"method":"call_tool","params":{"args":["refund",{"order":"A17"}]}}`}, tool: "refund", args: order},
	{dialect: "openlit_mcp_request", name: "mcp tools/call", scope: "openlit.instrumentation.mcp", attrs: kv{"mcp.method", "tools/call", "mcp.system", "mcp", "mcp.request.payload", `{"method":"tools/call","params":{"_meta":null,"name":"refund","arguments":{"order":"A17"}}}`}, tool: "refund", args: order},
	{dialect: "logfire_mcp_client", name: "MCP request: tools/call refund", scope: "logfire.mcp", attrs: kv{"rpc.system", "jsonrpc", "rpc.method", "tools/call", "request", `{"method":"tools/call","params":{"name":"refund","arguments":{"order":"A17"}}}`}, tool: "refund", args: order},
	{dialect: "logfire_mcp_server", name: "MCP server handle request: tools/call", scope: "logfire.mcp", attrs: kv{"request", `{"method":"tools/call","params":{"name":"refund","arguments":{"order":"A17"}}}`, "response", `{"isError":true}`}, tool: "refund", args: order},

	{dialect: "vercel_ai", name: "ai.toolCall", scope: "ai", attrs: kv{"ai.operationId", "ai.toolCall", "operation.name", "ai.toolCall bot", "ai.toolCall.name", "refund", "ai.toolCall.id", "call_7", "ai.toolCall.args", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "langfuse", name: "refund", scope: "langfuse-sdk", attrs: kv{"langfuse.observation.type", "tool", "langfuse.observation.input", `{"args": [], "kwargs": {"order": "A17"}}`, "session.id", "s1"}, tool: "refund", args: order},
	{dialect: "langfuse", name: "refund", scope: "langfuse-sdk", attrs: kv{"langfuse.observation.type", "tool", "langfuse.observation.input", `["A17"]`}, tool: "refund", why: "args.positional"},
	{dialect: "mlflow", name: "refund", scope: "mlflow.tracing.provider", attrs: kv{"mlflow.spanType", `"TOOL"`, "mlflow.spanInputs", order}, tool: "refund", args: order},
	{dialect: "mlflow", name: "refund", scope: "mlflow.tracing.provider", attrs: kv{"mlflow.spanType", `"TOOL"`, "mlflow.spanInputs", `"{'order': 'A17'}"`}, tool: "refund", args: order},
	{dialect: "livekit", name: "function_tool", scope: "livekit-agents", attrs: kv{"lk.function_tool.name", "refund", "lk.function_tool.id", "call_7", "lk.pii.function_tool.arguments", order, "lk.function_tool.is_error", false}, tool: "refund", id: "call_7", args: order},
	{dialect: "genkit", name: "refund", scope: "genkit-tracer", attrs: kv{"genkit:metadata:subtype", "tool.v2", "genkit:name", "refund", "genkit:input", order, "genkit:state", "success"}, tool: "refund", args: order},
	{dialect: "agentops", name: "refund.tool", scope: "agentops", attrs: kv{"agentops.span.kind", "tool", "operation.name", "refund", "agentops.tool.input", `{"args": [], "kwargs": {"order": "A17"}}`}, tool: "refund", args: order},
	{dialect: "laminar", name: "refund", scope: "lmnr.tracer", attrs: kv{"lmnr.span.type", "TOOL", "lmnr.span.input", order, "lmnr.span.output", "ok"}, tool: "refund", args: order},
	{dialect: "voltagent", name: "tool.execution:refund", kind: client, scope: "@voltagent/core", attrs: kv{"span.type", "tool", "tool.name", "refund", "tool.call.id", "call_7", "tool.parameters", `{"_def":{"typeName":"ZodObject"}}`, "input", order}, tool: "refund", id: "call_7", args: order},
	{dialect: "crewai", name: "Tool Usage", scope: "crewai.telemetry", attrs: kv{"tool_name", "refund", "attempts", 1}, tool: "refund"},
	{dialect: "llama_index_step", name: "BaseWorkflowAgent.call_tool", scope: "llamaindex.opentelemetry.tracer", attrs: kv{"llamaindex.step.input_event", "ToolCall", "llamaindex.step.input_summary", `ToolCall(tool_name='refund', tool_kwargs={'order': 'A17'}, tool_id='call_7')`}, tool: "refund", id: "call_7", why: "args.not_exact"},
	{dialect: "llama_index_tool", name: "FunctionTool.acall", scope: "llamaindex.opentelemetry.tracer", attrs: kv{"llamaindex.step.input_event", "ToolCall", "llamaindex.step.input_summary", `ToolCall(tool_name='refund', tool_kwargs={'order': 'A`}, tool: "refund", why: "args.not_exact"},
	{dialect: "haystack", name: "haystack.component.run", scope: "haystack", attrs: kv{"haystack.component.type", "ToolInvoker", "haystack.component.input", `{"messages":[{"role":"assistant","content":[{"tool_call":{"tool_name":"refund","arguments":{"order":"A17"},"id":"call_7"}},{"tool_call":{"tool_name":"ping","arguments":{},"id":"call_8"}}]}]}`}, tool: "refund", id: "call_7", args: order},
	{dialect: "logfire_openai_agents", name: "Function: {name}", scope: "logfire.openai_agents", attrs: kv{"logfire.msg_template", "Function: {name}", "name", "refund", "input", order, "mcp_data", "null"}, tool: "refund", args: order},
	{dialect: "logfire_instrument", name: "tool refund", scope: "logfire", attrs: kv{"code.function", "refund", "logfire.json_schema", `{"type":"object","properties":{"order":{},"lines":{"type":"array"}}}`, "order", "A17", "lines", "[1,2]"}, tool: "refund", args: `{"order":"A17","lines":[1,2]}`},

	{dialect: "mcp_client", name: "tools/call refund", kind: client, scope: "my.instrumentation", attrs: kv{"mcp.method.name", "tools/call", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.arguments", order, "mcp.session.id", "9f1", "jsonrpc.request.id", "12"}, tool: "refund", args: order},
	{dialect: "mcp_server", name: "tools/call refund", kind: server, scope: "my.instrumentation", attrs: kv{"mcp.method.name", "tools/call", "mcp.session.id", "9f1", "jsonrpc.request.id", "12", "error.type", "tool_error"}, tool: "refund"},
	{dialect: "mcp_other", name: "tools/call refund", scope: "my.instrumentation", attrs: kv{"mcp.method.name", "tools/call"}, tool: "refund"},
	{dialect: "mcp_method", name: "call", kind: client, scope: "my.instrumentation", attrs: kv{"mcp.method", "tools/call", "mcp.tool.name", "refund"}, tool: "refund"},
	{dialect: "mcp_name", name: "tools/call refund", kind: client, scope: "my.instrumentation", tool: "refund"},
	{dialect: "gen_ai", name: "execute_tool refund", scope: "my.instrumentation", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7", "gen_ai.tool.call.arguments", map[string]any{"order": "A17", "eur": 12.5, "n": 3, "tags": []any{"a", true}}}, tool: "refund", id: "call_7", args: `{"order":"A17","eur":12.5,"n":3,"tags":["a",true]}`},
	{dialect: "gen_ai", name: "execute_tool refund", scope: "my.instrumentation", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.call.arguments.order", "A17", "gen_ai.tool.call.arguments.lines.0.sku", "x", "gen_ai.tool.call.arguments.lines.1.sku", "y"}, tool: "refund", args: `{"order":"A17","lines":[{"sku":"x"},{"sku":"y"}]}`},
	{dialect: "gen_ai_mcp", name: "execute_tool refund", scope: "my.agent", attrs: kv{"gen_ai.operation.name", "execute_tool", "mcp.method.name", "tools/call", "gen_ai.tool.name", "refund", "gen_ai.tool.call.id", "call_7"}, tool: "refund", id: "call_7"},
	{dialect: "gen_ai_name", name: "execute_tool refund", scope: "my.instrumentation", tool: "refund"},
	{dialect: "tool_call_name", name: "tool_call refund", scope: "my.instrumentation", tool: "refund"},
}

func (s sample) placed(t testing.TB) placed {
	t.Helper()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(s.scope)
	sp := ss.Spans().AppendEmpty()
	sp.SetName(s.name)
	sp.SetKind(s.kind)
	if s.kind == 0 {
		sp.SetKind(internal)
	}
	sp.SetStartTimestamp(1)
	sp.SetEndTimestamp(2)
	put(t, sp.Attributes(), s.attrs)
	for _, e := range s.events {
		event := sp.Events().AppendEmpty()
		event.SetName(e.name)
		put(t, event.Attributes(), e.attrs)
	}
	return placed{rs, ss, sp}
}

func put(t testing.TB, m pcommon.Map, attrs kv) {
	t.Helper()
	for i := 0; i < len(attrs); i += 2 {
		putValue(t, m.PutEmpty(attrs[i].(string)), attrs[i+1])
	}
}

// putValue is FromRaw with the members of maps in one order.
func putValue(t testing.TB, v pcommon.Value, raw any) {
	t.Helper()
	object, ok := raw.(map[string]any)
	if !ok {
		require.NoError(t, v.FromRaw(raw))
		return
	}
	m := v.SetEmptyMap()
	for _, key := range slices.Sorted(maps.Keys(object)) {
		putValue(t, m.PutEmpty(key), object[key])
	}
}

// TestSamples reads a span of every dialect.
func TestSamples(t *testing.T) {
	r := newRecognizer(t, Options{})
	for _, s := range samples {
		t.Run(s.dialect+"/"+s.name, func(t *testing.T) {
			p := s.placed(t)
			o, _ := r.Inspect(p.rs, p.ss, p.span)
			require.NotNil(t, o, "not taken")
			assert.Equal(t, s.dialect, o.Dialect)
			assert.Equal(t, s.tool, o.Tool, "tool")
			assert.Equal(t, s.id, o.CallID, "call id")
			assert.Zero(t, o.Conflict, "conflict")
			if s.args != "" {
				require.True(t, o.Args.Captured(), "arguments: %s", o.Args.Why)
				assert.JSONEq(t, s.args, o.Args.Text)
				return
			}
			want := s.why
			if want == "" {
				want = "args.absent"
			}
			assert.False(t, o.Args.Captured())
			assert.Equal(t, want, string(o.Args.Why))
		})
	}
}

// TestEveryDialectIsReachable fails for a dialect that has no sample, or that
// an earlier one always hides.
func TestEveryDialectIsReachable(t *testing.T) {
	r := newRecognizer(t, Options{})
	reached := map[string]bool{}
	for _, s := range samples {
		p := s.placed(t)
		if o, _ := r.Inspect(p.rs, p.ss, p.span); o != nil {
			reached[o.Dialect] = true
		}
	}
	for _, d := range Dialects() {
		assert.True(t, reached[d.Name], "%s: no sample span reaches it", d.Name)
	}
}

// TestDialectsDocumentGolden keeps docs/dialects.md what the table, the recordings
// and, for dialects without one, the samples say.
func TestDialectsDocumentGolden(t *testing.T) {
	r := newRecognizer(t, Options{})
	shown := recordedSamples(t, r)
	recorded := map[string]bool{}
	for _, s := range shown {
		recorded[s.Dialect] = true
	}
	for _, s := range samples {
		p := s.placed(t)
		o, _ := r.Inspect(p.rs, p.ss, p.span)
		require.NotNil(t, o)
		if !recorded[s.dialect] {
			shown = append(shown, Sample{Dialect: s.dialect, Span: spanLines(p), Read: readLines(o)})
		}
	}
	golden(t, "../../docs/dialects.md", DialectsDocument(shown))
}

// recordedSamples takes one span of each dialect from the recordings, one with
// arguments where there is one.
func recordedSamples(t *testing.T, r *Recognizer) []Sample {
	t.Helper()
	best := map[string]Sample{}
	captured := map[string]bool{}
	for _, c := range readTruth(t) {
		for _, p := range readCapture(t, filepath.Join(captures, c.File)) {
			o, _ := r.Inspect(p.rs, p.ss, p.span)
			if o == nil {
				continue
			}
			if _, ok := best[o.Dialect]; !ok || o.Args.Captured() && !captured[o.Dialect] {
				captured[o.Dialect] = o.Args.Captured()
				best[o.Dialect] = Sample{Dialect: o.Dialect, From: c.File, Span: spanLines(p), Read: readLines(o)}
			}
		}
	}
	var all []Sample
	for _, name := range slices.Sorted(maps.Keys(best)) {
		all = append(all, best[name])
	}
	return all
}

func spanLines(p placed) []string {
	lines := []string{fmt.Sprintf("%s  %s  scope %s", p.span.Name(), strings.ToUpper(p.span.Kind().String()), p.ss.Scope().Name())}
	for k, v := range p.span.Attributes().All() {
		lines = append(lines, fmt.Sprintf("  %s = %s", k, shortened(v.AsString())))
	}
	for _, e := range p.span.Events().All() {
		line := "  event " + e.Name()
		for k, v := range e.Attributes().All() {
			line += fmt.Sprintf("  %s = %s", k, shortened(v.AsString()))
		}
		lines = append(lines, line)
	}
	return lines
}

// shortened is one line that fits on a page.
func shortened(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if r := []rune(s); len(r) > 120 {
		return string(r[:120]) + " …"
	}
	return s
}

func readLines(o *Observation) []string {
	var lines []string
	for _, f := range o.Fields() {
		value, from := f[1], ""
		if f[0] == "arguments" && o.Args.Captured() {
			value = o.Args.Text
		}
		if f[2] != "" {
			from = "   from " + f[2]
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("  %-10s %s%s", f[0], shortened(value), from), " "))
	}
	return lines
}
