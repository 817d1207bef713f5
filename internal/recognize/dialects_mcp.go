// SPDX-License-Identifier: Apache-2.0

package recognize

import "go.opentelemetry.io/collector/pdata/ptrace"

var (
	mcpTool = []Source{at("gen_ai.tool.name"), at("mcp.tool.name"), named("MCP send tools/call *"), named("tools/call *")}
	mcpArgs = []Source{
		written("gen_ai.tool.call.arguments", EncJSON), {Key: "gen_ai.tool.call.arguments.", As: EncFlat},
		written("mcp.tool.arguments", EncJSON),
	}
)

func toolsCall(more ...Predicate) []Predicate {
	return append([]Predicate{is("mcp.method.name", "tools/call")}, more...)
}

// mcpNamed are recognized by a name that says the same twice, which no other
// emitter does.
var mcpNamed = []Dialect{
	{
		Name: "mcp_go_handler", Title: "mcp-go, handler", Layer: LayerHandler,
		When: []Predicate{{Span: []string{"tool.*"}, Same: "mcp.tool.name"}},
		Tool: []Source{at("mcp.tool.name"), named("tool.*")},
	},
}

// mcpSpecific are the dialects of MCP SDKs and gateways that differ from the
// MCP conventions.
var mcpSpecific = []Dialect{
	{
		Name: "fastmcp_delegate", Title: "FastMCP, mounted servers", Layer: LayerHandler, Companion: true,
		Note: "hands a call on to a mounted server",
		When: toolsCall(span("delegate *"), has("fastmcp.provider.type")),
		Tool: []Source{at("fastmcp.component.key"), named("delegate *")},
	},
	{
		Name: "fastmcp_client", Title: "FastMCP client", Layer: LayerMCPClient, Note: "never has arguments",
		When: toolsCall(scope("fastmcp*"), kind(ptrace.SpanKindClient)),
		Tool: []Source{at("gen_ai.tool.name"), at("fastmcp.component.key"), named("tools/call *")}, Args: mcpArgs,
	},
	{
		Name: "fastmcp_server", Title: "FastMCP server", Layer: LayerMCPServer, Note: "never has arguments",
		When: toolsCall(scope("fastmcp*"), kind(ptrace.SpanKindServer)),
		Tool: []Source{at("gen_ai.tool.name"), at("fastmcp.component.key"), named("tools/call *")}, Args: mcpArgs,
	},
	{
		Name: "fastmcp_mounted", Title: "FastMCP, mounted servers", Layer: LayerHandler, Note: "the mounted server's own span",
		When: toolsCall(scope("fastmcp*"), kind(ptrace.SpanKindInternal)),
		Tool: []Source{at("gen_ai.tool.name"), at("fastmcp.component.key"), named("tools/call *")}, Args: mcpArgs,
	},
	{
		Name: "mcp_python_client", Title: "MCP Python SDK, client", Layer: LayerMCPClient, Note: "the name is in the span's name only; never has arguments",
		When: toolsCall(span("MCP send tools/call *")),
		Tool: mcpTool, Args: mcpArgs,
	},
	{
		Name: "mcp_python_server", Title: "MCP Python SDK, server", Layer: LayerMCPServer, Note: "never has arguments",
		When: toolsCall(scope("mcp-python-sdk"), kind(ptrace.SpanKindServer)),
		Tool: mcpTool, Args: mcpArgs,
	},
	{
		Name: "mcp_csharp", Title: "MCP C# SDK", Layer: LayerMCPClient, Note: "never has arguments; below an agent's span it adds no span of its own",
		When: toolsCall(scope("Experimental.ModelContextProtocol*", "ModelContextProtocol*"), kind(ptrace.SpanKindClient)),
		Tool: mcpTool, Args: mcpArgs,
	},
	{
		Name: "agentgateway", Title: "agentgateway", Layer: LayerMCPClient, Note: "policy call-outs and mirrored calls are not taken",
		When: toolsCall(has("mcp.target"), kind(ptrace.SpanKindClient)),
		Tool: mcpTool, Args: mcpArgs,
	},
	{
		Name: "agentgateway_server", Title: "agentgateway, inbound", Layer: LayerMCPServer,
		When: toolsCall(has("mcp.target")),
		Tool: mcpTool, Args: mcpArgs,
	},
	{
		Name: "envoy_ai_gateway", Title: "Envoy AI Gateway, legacy mode", Layer: LayerMCPClient,
		When: toolsCall(span("CallTool")),
		Tool: []Source{at("mcp.tool.name"), at("gen_ai.tool.name")}, Args: mcpArgs,
	},
	{
		Name: "litellm_mcp", Title: "LiteLLM proxy, MCP", Layer: LayerMCPClient,
		When: toolsCall(has("litellm.mcp.server.name")),
		Tool: mcpTool, Args: mcpArgs,
	},
	{
		Name: "mcp_go_client", Title: "mcp-go, client", Layer: LayerMCPClient, Note: "has no tool name",
		When: []Predicate{is("mcp.method", "tools/call"), span("mcp.tools/call"), kind(ptrace.SpanKindClient)},
		Tool: []Source{at("mcp.tool.name")},
	},
	{
		Name: "mcp_go_server", Title: "mcp-go, server", Layer: LayerMCPServer,
		When: []Predicate{is("mcp.method", "tools/call"), span("mcp.tools/call"), kind(ptrace.SpanKindServer)},
		Tool: []Source{at("mcp.tool.name")},
	},
	{
		Name: "openlit_mcp_call", Title: "OpenLIT, MCP", Layer: LayerMCPClient, Note: "about six spans a call; the server's are of kind CLIENT too",
		When: []Predicate{is("mcp.method", "call_tool"), is("mcp.system", "mcp")},
		Tool: []Source{at("mcp.tool.name"), in("mcp.request.payload", "params.name"), in("mcp.request.payload", "params.args.0"), in("mcp.request.payload", "params.value")},
		Args: []Source{written("mcp.tool.arguments", EncJSON), written("mcp.request.payload", EncRequest)},
	},
	{
		Name: "openlit_mcp_request", Title: "OpenLIT, MCP requests", Layer: LayerMCPClient,
		When: []Predicate{is("mcp.method", "tools/call"), is("mcp.system", "mcp")},
		Tool: []Source{at("mcp.tool.name"), in("mcp.request.payload", "params.name")},
		Args: []Source{written("mcp.tool.arguments", EncJSON), written("mcp.request.payload", EncRequest)},
	},
	{
		Name: "logfire_mcp_client", Title: "Logfire, MCP client", Layer: LayerMCPClient,
		When: []Predicate{is("rpc.method", "tools/call"), is("rpc.system", "jsonrpc")},
		Tool: []Source{in("request", "params.name"), named("MCP request: tools/call *")},
		Args: []Source{written("request", EncRequest)},
	},
	{
		Name: "logfire_mcp_server", Title: "Logfire, MCP server", Layer: LayerMCPServer, Note: "the name is in the request only",
		When: []Predicate{span("MCP server handle request: tools/call*"), has("request")},
		Tool: []Source{in("request", "params.name"), named("MCP server handle request: tools/call *")},
		Args: []Source{written("request", EncRequest)},
	},
}

// mcpGeneric are the MCP conventions themselves.
var mcpGeneric = []Dialect{
	{
		Name: "mcp_client", Title: "OpenTelemetry MCP conventions, client", Layer: LayerMCPClient,
		Note: "also Envoy AI Gateway, agentgateway, Agent Framework, Quarkus, eBPF and Java agents",
		When: toolsCall(kind(ptrace.SpanKindClient)),
		Tool: mcpTool, Args: mcpArgs,
	},
	{
		Name: "mcp_server", Title: "OpenTelemetry MCP conventions, server", Layer: LayerMCPServer,
		When: toolsCall(kind(ptrace.SpanKindServer)),
		Tool: mcpTool, Args: mcpArgs,
	},
	{
		Name: "mcp_other", Title: "MCP spans of another kind", Layer: LayerMCPClient,
		When: toolsCall(), Unless: []Predicate{is("gen_ai.operation.name", "execute_tool"), kind(ptrace.SpanKindClient), kind(ptrace.SpanKindServer)},
		Tool: mcpTool, Args: mcpArgs,
	},
	{
		Name: "mcp_method", Title: "MCP, older key", Layer: LayerMCPClient,
		When: []Predicate{is("mcp.method", "tools/call")},
		Tool: mcpTool, Args: mcpArgs,
	},
	{
		Name: "mcp_name", Title: "MCP span names", Layer: LayerMCPClient, Note: "no attribute says so, only the span's name",
		When: []Predicate{span("MCP send tools/call *", "tools/call *")}, Unless: []Predicate{has("mcp.method.name"), has("mcp.method"), has("gen_ai.operation.name"), has("rpc.method")},
		Tool: mcpTool, Args: mcpArgs,
	},
}
