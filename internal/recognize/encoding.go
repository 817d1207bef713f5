// SPDX-License-Identifier: Apache-2.0

package recognize

// An Encoding is how an emitter writes arguments. Each has one exact decoder
// (see decoders.go); what does not fit it is unusable.
type Encoding uint8

// The encodings. Append only.
const (
	// EncJSON is one JSON value as the model wrote it, which need not be an
	// object: JSON text, an object or list within a JSON string (at most twice),
	// or a typed value. In every other encoding only objects are arguments.
	EncJSON Encoding = iota + 1
	// EncPython is one object as in EncJSON, or the text of a Python dict.
	EncPython
	// EncCall is EncJSON in one of the wrappers that OpenLLMetry puts around
	// arguments, told apart by their members: {"args":[],"kwargs":{}},
	// {"kwargs":{}}, {"tool_name","arguments"}, {"input_str","inputs",…}, or an
	// MCP request.
	EncCall
	// EncArgsKwargs is {"args":[],"kwargs":{}}, or the object itself, or the
	// text of a Python dict.
	EncArgsKwargs
	// EncKwargs is {"kwargs":{}}, or {"args":[],"kwargs":{}}.
	EncKwargs
	// EncFirst is {"args":["{…}"]}: the one argument is the object's JSON.
	EncFirst
	// EncRequest is an MCP request, {"params":{"name","arguments"}}.
	EncRequest
	// EncGemini is a request of Gemini CLI, {"callId","name","args"}.
	EncGemini
	// EncFunction is a function call, {"name","arguments"}.
	EncFunction
	// EncMIME is EncJSON where input.mime_type does not say otherwise.
	EncMIME
	// EncStrictMIME is EncJSON where input.mime_type says JSON.
	EncStrictMIME
	// EncMIMEKwargs is EncMIME in {"kwargs":{}} or {"args":[],"kwargs":{}}.
	EncMIMEKwargs
	// EncHeaded is JSON behind a line "[TOOL INPUT: name]".
	EncHeaded
	// EncADK is EncJSON where {} is also what is written when capture is off.
	EncADK
	// EncLangSmith is EncJSON where {"args":[…]} and {"input":"…"} stand for
	// positional arguments, and {} also for hidden ones.
	EncLangSmith
	// EncParameters is one attribute a parameter, listed by Logfire's schema.
	EncParameters
	// EncTypedParameters is PREFIX.<parameter>.value and .type.
	EncTypedParameters
	// EncFlat is an object flattened into PREFIX.member and PREFIX.member.0.
	EncFlat
	// EncParts is chat messages: the part of type tool_call with this call's id.
	EncParts
	// EncToolInvoker is the messages that Haystack's ToolInvoker was given:
	// several calls.
	EncToolInvoker
	// EncToolCallText is LlamaIndex's summary of an event, Python text that is
	// cut at will: good for name and id, never for arguments.
	EncToolCallText
	// EncPartial is one of several arguments, without the others.
	EncPartial
)

var encodingNames = [...]string{
	"", "JSON", "JSON object or Python dict", "JSON object, bare or wrapped", "`args` and `kwargs`", "`kwargs`",
	"first of `args`", "MCP request", "`args` of a request", "`arguments` of a function call",
	"JSON object", "JSON object, declared so", "`kwargs`", "JSON behind a heading", "JSON object, `{}` ambiguous",
	"JSON object, `{}` ambiguous", "one attribute a parameter", "one attribute a parameter", "flattened object",
	"message parts", "messages of a turn", "text, never exact", "some arguments only",
}

// String says in words how e writes arguments.
func (e Encoding) String() string {
	if int(e) >= len(encodingNames) {
		return ""
	}
	return encodingNames[e]
}
