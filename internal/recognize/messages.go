// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A request is a call that a model asked for in a message. It is no call.
type request struct {
	id, name string
	args     string // JSON text, "" where there are none
}

// A requestShape is one way of writing a request as an object: an id, a name
// and arguments under these members, within the member in where it is named,
// and only where the member type has the value typ.
type requestShape struct {
	typ, in        string
	id, name, args string
	older          string // another name for args
}

var requestShapes = []requestShape{
	{typ: "tool_call", id: "id", name: "name", args: "arguments", older: "args"},         // GenAI conventions, LangChain
	{typ: "function", in: "function", id: "id", name: "name", args: "arguments"},         // OpenAI chat
	{typ: "function_call", id: "call_id", name: "name", args: "arguments"},               // OpenAI responses
	{typ: "tool_use", id: "id", name: "name", args: "input"},                             // Anthropic
	{typ: "tool-call", id: "toolCallId", name: "toolName", args: "input", older: "args"}, // Vercel messages
	{id: "toolCallId", name: "toolName", args: "input", older: "args"},                   // ai.response.toolCalls
	{in: "tool_call", id: "id", name: "tool_name", args: "arguments"},                    // Haystack
	{in: "toolUse", id: "toolUseId", name: "name", args: "input"},                        // Bedrock
	{in: "functionCall", id: "id", name: "name", args: "args"},                           // Gemini
	{in: "function_call", id: "id", name: "name", args: "args"},                          // Gemini for Python
	{id: "callId", name: "name", args: "args"},                                           // Gemini CLI
	{in: "function", id: "id", name: "name", args: "arguments"},                          // OpenAI chat without a type
}

// requestContainers are the members in which requests are looked for. What a
// tool returned is not among them: a result that looks like a request is none.
var requestContainers = []string{
	"messages", "message", "parts", "content", "tool_calls", "toolCalls", "choices", "generations", "kwargs", "output", "body",
}

// maxMessageDepth bounds the search for requests.
const maxMessageDepth = 16

// requests calls visit for each request in messages, in written order.
func requests(node canon.Node, visit func(request)) { walkRequests(node, nil, 0, visit) }

// askedBy is requests without messages of the roles in not.
func askedBy(node canon.Node, not []string, visit func(request)) { walkRequests(node, not, 0, visit) }

func walkRequests(node canon.Node, not []string, depth int, visit func(request)) {
	if depth > maxMessageDepth {
		return
	}
	switch node.Kind() {
	case canon.KindArray:
		for _, e := range node.All() {
			walkRequests(e, not, depth+1, visit)
		}
	case canon.KindObject:
		if role, ok := node.Get("role"); ok && slices.Contains(not, role.Str()) {
			return
		}
		if q, ok := asRequest(node); ok {
			visit(q)
			return
		}
		for key, value := range node.All() {
			if contains(requestContainers, key) {
				walkRequests(value, not, depth+1, visit)
			}
		}
	default:
	}
}

func asRequest(node canon.Node) (request, bool) {
	typ, _ := node.Get("type")
	for _, shape := range requestShapes {
		if shape.typ != "" && typ.Str() != shape.typ {
			continue
		}
		if q, ok := shape.read(node); ok {
			return q, true
		}
	}
	return request{}, false
}

func (s requestShape) read(node canon.Node) (request, bool) {
	body := node
	if s.in != "" {
		inner, ok := node.Get(s.in)
		if !ok || inner.Kind() != canon.KindObject {
			return request{}, false
		}
		body = inner
	}
	name, ok := body.Get(s.name)
	if !ok || name.Kind() != canon.KindString {
		return request{}, false
	}
	args, hasArgs := body.Get(s.args)
	if !hasArgs && s.older != "" {
		args, hasArgs = body.Get(s.older)
	}
	id, hasID := body.Get(s.id)
	if !hasID {
		id, hasID = node.Get(s.id)
	}
	if !hasArgs && !hasID {
		return request{}, false
	}
	q := request{id: id.Str(), name: name.Str()}
	switch args.Kind() {
	case canon.KindString:
		q.args = args.Str()
	case canon.KindNone, canon.KindNull:
	default:
		q.args = nodeText(args)
	}
	return q, true
}

// nodeText writes a node as JSON text.
func nodeText(node canon.Node) string {
	var b canon.Builder
	buildNode(&b, node)
	text, err := b.Text()
	if err != nil {
		return ""
	}
	return text
}
