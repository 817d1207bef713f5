// SPDX-License-Identifier: Apache-2.0

package recognize

import "github.com/tool-decision-truth/collector/internal/truth"

// The one order of precedence. A span often speaks several dialects; each
// field is then taken from the first of these places that holds a usable
// value. Consumers of such spans disagree about the order, so it is written
// down here, once, and tested as a table.
var (
	toolOrder = []string{
		"gen_ai.tool.name", "ai.toolCall.name", "tool.name", "spring.ai.tool.definition.name", "mcp.tool.name",
		"tool_call.function.name", "lk.function_tool.name", "tool_name", "genkit:name", "fastmcp.component.key",
		"operation.name", "langsmith.trace.name", "code.function.name", "code.function", "name", "llamaindex.step.input_summary $.tool_name",
		"request $.params.name", "mcp.request.payload $.params.name", "mcp.request.payload $.params.args.0", "mcp.request.payload $.params.value",
		"traceloop.entity.name", "traceloop.entity.output $.tool_name", "span name",
	}
	callIDOrder = []string{
		"gen_ai.tool.call.id", "gen_ai.tool.call_id", "gen_ai.tool_call.id", "ai.toolCall.id", "tool_use_id", "tool_call.id", "tool.id",
		"tool.call_id", "tool.call.id", "spring.ai.tool.call.id", "lk.function_tool.id", "call_id", "event *, call_id",
		"langfuse.observation.metadata.tool_call_id", "langfuse.observation.metadata.toolCallId",
		"llamaindex.step.input_summary $.tool_id", "gen_ai.tool.call.arguments $.kwargs.tool_call_id", "traceloop.entity.input $.kwargs.tool_call_id",
		"traceloop.entity.output $.output.kwargs.tool_call_id", "traceloop.entity.output $.tool_id",
		"output.value $.data.tool_call_id", "output.value $.output.kwargs.tool_call_id",
	}
	argsOrder = []string{
		"gen_ai.tool.call.arguments", "gen_ai.tool.call.arguments.", "gen_ai.tool.args", "gen_ai.tool.input",
		"gcp.vertex.agent.tool_call_args", "ai.toolCall.args", "ai.toolCall.input", "spring.ai.tool.call.arguments",
		"tool_arguments", "mcp.tool.arguments", "mcp.request.payload", "request", "lk.pii.function_tool.arguments", "lk.function_tool.arguments",
		"tool_input", "tool.arguments", "tool_call.function.arguments", "input.value", "langfuse.observation.input", "mlflow.spanInputs",
		"genkit:input", "lmnr.span.input", "agentops.tool.input", "input", "traceloop.entity.input", "gen_ai.prompt",
		"haystack.component.input", "code.function.parameters.", "logfire.json_schema",
		"event gen_ai.tool.message, content", "event gen_ai.client.inference.operation.details, gen_ai.input.messages", "gen_ai.input.messages",
		"llamaindex.step.input_summary", "tool.parameters", "full_command", "file_path",
	}
	sessionOrder = []string{
		"gen_ai.conversation.id", "session.id", "langfuse.session.id", "langsmith.metadata.thread_id", "langsmith.metadata.session_id",
		"traceloop.association.properties.session_id", "traceloop.association.properties.thread_id",
		"traceloop.association.properties.sessionId", "traceloop.association.properties.conversationId",
		"lmnr.association.properties.session_id", "ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.conversationId",
		"metadata.sessionId", "copilot_chat.chat_session_id", "gcp.vertex.agent.session_id", "conversation.id",
	}
	agentOrder = []string{
		"gen_ai.agent.name", "agent.name", "langsmith.metadata.lc_agent_name", "traceloop.association.properties.lc_agent_name",
		"tool.agent_role", "gen_ai.agent.id", "agent_id",
	}
	attemptOrder = []string{"pydantic_ai.tool.retry.attempt", "tool.run_attempts", "attempts"}
)

// resourceSessions are the session keys that stand on resources.
var resourceSessions = sessionOrder[:2]

// placeholderIDs are what emitters write where a call has no id.
var placeholderIDs = map[string]bool{"unknown": true, "<not specified>": true, "None": true, "null": true, "undefined": true, "N/A": true}

// A signal is an attribute value by which an emitter says how a call ended.
type signal struct {
	key, value string
	result     truth.ResultStatus
}

// signals are looked at in this order; error.type and a status ERROR stand
// before them, a status OK behind them.
var signals = []signal{
	{"gen_ai.tool.status", "error", truth.ResultError}, {"gen_ai.tool.status", "success", truth.ResultOK},
	{"tool.status", "error", truth.ResultError}, {"tool.status", "success", truth.ResultOK},
	{"gen_ai.task.status", "failure", truth.ResultError}, {"gen_ai.task.status", "success", truth.ResultOK},
	{"success", "false", truth.ResultError}, {"success", "true", truth.ResultOK},
	{"lk.function_tool.is_error", "true", truth.ResultError}, {"lk.function_tool.is_error", "false", truth.ResultOK},
	{"langfuse.observation.level", "ERROR", truth.ResultError},
	{"genkit:state", "error", truth.ResultError}, {"genkit:state", "success", truth.ResultOK},
	{"hermes.tool.outcome", "error", truth.ResultError}, {"hermes.tool.outcome", "completed", truth.ResultOK},
}

// bodySignals are places in a result's JSON that say that the call failed.
// Their absence, or another value, says nothing.
var bodySignals = []struct{ key, path, value string }{
	{"response", "isError", "true"},
	{"traceloop.entity.output", "is_error", "true"},
	{"gen_ai.output.messages", "status", "error"},
	{"gcp.vertex.agent.tool_response", "status", "error"},
}

// A marker is an attribute by which an emitter says that a call did not run,
// or not through. An empty value stands for any.
type marker struct {
	key, value string
	marks      Marks
}

var markers = []marker{
	{"pydantic_ai.tool.deferral.name", "", Deferred},
	{"pydantic_ai.tool.failure_stage", "validation", Refused},
	{"genkit:metadata:interrupt", "", Interrupted},
	{"genkit:metadata:resumed", "", Resumed},
	{"aborted", "true", Aborted},
	{"logfire.span_type", "pending_span", Unfinished},
}

// interrupts are the exceptions by which frameworks stop a call to ask a
// human. Some write the class into the message only.
var interrupts = []struct {
	word  string
	marks Marks
}{
	{"GraphInterrupt", Interrupted}, {"NodeInterrupt", Interrupted}, {"ToolInterruptError", Interrupted},
	{"ApprovalRequired", Deferred}, {"CallDeferred", Deferred},
}

// Other keys that are read for their own sake.
const (
	keyErrorType   = "error.type"
	keyMCPSession  = "mcp.session.id"
	keyRequestID   = "jsonrpc.request.id"
	keyMIME        = "input.mime_type"
	keyADKResult   = "gcp.vertex.agent.tool_response"
	keyCompletion  = "gen_ai.completion"
	keyHideInputs  = "langsmith.metadata.LANGSMITH_HIDE_INPUTS"
	keyScrubbed    = "logfire.scrubbed"
	keyJSONSchema  = "logfire.json_schema"
	keyParts       = "gen_ai.input.messages"
	reservedPrefix = "assay.tdt."
	reservedKey    = "assay.claim_class"
)

// messageKeys hold messages of a model, from which a MessageIndex reads
// requests for calls. Keys that begin with messagePrefixes do as well.
var (
	messageKeys = []string{
		"gen_ai.output.messages", "gen_ai.input.messages", "ai.response.toolCalls", "gen_ai.response.tool_calls",
	}
	messagePrefixes = []string{"llm.output_messages.", "llm.input_messages.", "gen_ai.completion."}
)
