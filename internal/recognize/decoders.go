// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A wrapper takes an object that holds arguments to the arguments' own text.
// ok is false where the object is not of its form.
type wrapper func(n *reading, w decoded) (inner string, why truth.Reason, ok bool)

// wrapperTable lists what may stand around the arguments, per encoding, in the
// order in which it is looked for. Where none is found the object is the
// arguments, unless the encoding is in strict.
func wrapperTable() map[Encoding][]wrapper {
	return map[Encoding][]wrapper{
		EncCall:       {toolNameArguments, toolsCallRequest, langChainInputs, argsKwargs, kwargsOnly},
		EncArgsKwargs: {argsKwargs},
		EncKwargs:     {argsKwargs, kwargsOnly},
		EncMIMEKwargs: {argsKwargs, kwargsOnly},
		EncFirst:      {firstArgument},
		EncRequest:    {mcpRequest},
		EncGemini:     {geminiRequest},
		EncFunction:   {functionCall},
		EncADK:        {emptyADK},
		EncLangSmith:  {langSmithPrompt},
	}
}

// strict encodings have no arguments without their wrapper.
var strict = map[Encoding]bool{EncKwargs: true, EncFirst: true, EncRequest: true, EncGemini: true, EncFunction: true}

func (n *reading) wrapped(text string, as Encoding) decoded {
	read := n.object
	if as == EncJSON {
		read = n.value
	}
	w := read(text)
	if w.doc == nil && as == EncArgsKwargs && w.why == truth.ArgsNotJSON {
		return n.python(text)
	}
	if w.doc == nil {
		return w
	}
	for _, unwrap := range n.r.wrappers[as] {
		inner, why, ok := unwrap(n, w)
		switch {
		case !ok:
		case why != "":
			return unusable(why)
		default:
			return n.object(inner)
		}
	}
	if strict[as] {
		return unusable(truth.ArgsNotExact)
	}
	return n.plain(w)
}

// plain is arguments without a wrapper. Pydantic AI puts text of the model
// that is no JSON into an object of its own.
func (n *reading) plain(w decoded) decoded {
	if root := w.doc.Root(); root.Len() == 1 {
		if raw, ok := root.Get("INVALID_JSON"); ok && raw.Kind() == canon.KindString {
			return unusable(truth.ArgsNotJSON)
		}
	}
	return w
}

// members reports whether the object has all of names and nothing else but
// optional ones.
func members(root canon.Node, names, optional []string) bool {
	found := 0
	for key := range root.All() {
		switch {
		case contains(names, key):
			found++
		case !contains(optional, key):
			return false
		}
	}
	return found == len(names)
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}

// argsKwargs is {"args":[…],"kwargs":{…}}. Positional arguments have no names.
// With a null in place of either nobody knows what it stands for.
func argsKwargs(_ *reading, w decoded) (string, truth.Reason, bool) {
	root := w.doc.Root()
	if !members(root, []string{"args", "kwargs"}, []string{"sanitize_inputs_outputs"}) {
		return "", "", false
	}
	args, _ := root.Get("args")
	kwargs, _ := root.Get("kwargs")
	noArgs, noKwargs := args.Kind() == canon.KindNull, kwargs.Kind() == canon.KindNull
	switch {
	case args.Kind() != canon.KindArray && !noArgs, kwargs.Kind() != canon.KindObject && !noKwargs:
		return "", "", false
	case args.Len() > 0:
		return "", truth.ArgsPositional, true
	case noArgs, noKwargs:
		return "", truth.ArgsNotExact, true
	}
	return member(w.text, "kwargs"), "", true
}

// kwargsOnly is {"kwargs":{…}}.
func kwargsOnly(_ *reading, w decoded) (string, truth.Reason, bool) {
	kwargs, ok := w.doc.Root().Get("kwargs")
	switch {
	case !ok, w.doc.Root().Len() != 1:
		return "", "", false
	case kwargs.Kind() == canon.KindNull:
		return "", truth.ArgsNotExact, true
	case kwargs.Kind() != canon.KindObject:
		return "", "", false
	}
	return member(w.text, "kwargs"), "", true
}

// toolNameArguments is {"tool_name":"…","arguments":{…}}, of this tool.
func toolNameArguments(n *reading, w decoded) (string, truth.Reason, bool) {
	root := w.doc.Root()
	if !members(root, []string{"tool_name"}, []string{"arguments"}) {
		return "", "", false
	}
	return n.call(w, "tool_name", "arguments")
}

// call takes arguments out of an object that also names the tool. One that
// names another tool is about another call.
func (n *reading) call(w decoded, nameKey, argsKey string) (string, truth.Reason, bool) {
	name, _ := w.doc.Root().Get(nameKey)
	if name.Kind() != canon.KindString {
		return "", "", false
	}
	if n.Tool != "" && !sameTool(n.Tool, name.Str()) {
		return "", truth.ArgsAmbiguous, true
	}
	args, ok := w.doc.Root().Get(argsKey)
	if !ok || args.Kind() == canon.KindNull {
		return "", truth.ArgsAbsent, true
	}
	return member(w.text, argsKey), "", true
}

// langChainInputs is what OpenLLMetry keeps of a LangChain callback: inputs is
// the object, and input_str its Python text where inputs is missing.
func langChainInputs(n *reading, w decoded) (string, truth.Reason, bool) {
	root := w.doc.Root()
	text, ok := root.Get("input_str")
	if !ok {
		return "", "", false
	}
	if id, _ := follow(root, "kwargs.tool_call_id"); n.otherCall(id.Str()) {
		return "", truth.ArgsUnmatchedCallID, true
	}
	if inputs, ok := root.Get("inputs"); ok && inputs.Kind() == canon.KindObject {
		return member(w.text, "inputs"), "", true
	}
	got := n.python(text.Str())
	return got.text, got.why, true
}

// firstArgument is {"args":["{…}"]}: LangChain for JavaScript writes the
// object as text, except that a single text argument stands there bare.
func firstArgument(_ *reading, w decoded) (string, truth.Reason, bool) {
	args, ok := w.doc.Root().Get("args")
	if !ok || args.Kind() != canon.KindArray {
		return "", "", false
	}
	if args.Len() != 1 {
		return "", truth.ArgsPositional, true
	}
	for _, first := range args.All() {
		if first.Kind() == canon.KindString && strings.HasPrefix(first.Str(), "{") {
			return first.Str(), "", true
		}
	}
	return "", truth.ArgsPositional, true
}

// mcpRequest is {"method":"tools/call","params":{"name","arguments"}}. OpenLIT
// also writes the Python call, call_tool(name, arguments), as params.args.
func mcpRequest(n *reading, w decoded) (string, truth.Reason, bool) {
	params, ok := w.doc.Root().Get("params")
	if !ok || params.Kind() != canon.KindObject {
		return "", truth.ArgsAbsent, true
	}
	inner := decoded{text: member(w.text, "params"), doc: new(canon.Doc)}
	if inner.doc.Parse(inner.text, n.r.limits) != nil {
		return "", truth.ArgsNotJSON, true
	}
	if _, scrubbed := n.text(n.r.own.scrubbed); scrubbed {
		return "", truth.ArgsRedacted, true
	}
	if args, ok := params.Get("args"); ok && args.Kind() == canon.KindArray {
		return pythonCall(inner, args)
	}
	if args, ok := params.Get("arguments"); ok && args.Kind() == canon.KindObject && params.Len() == 1 {
		return member(inner.text, "arguments"), "", true
	}
	return n.call(inner, "name", "arguments")
}

// toolsCallRequest is mcpRequest where other objects may stand too: of the
// method tools/call, and with no other members than a request has.
func toolsCallRequest(n *reading, w decoded) (string, truth.Reason, bool) {
	root := w.doc.Root()
	method, _ := root.Get("method")
	if method.Str() != mcpToolsCall || !members(root, []string{"method", "params"}, []string{"jsonrpc", "id"}) {
		return "", "", false
	}
	inner, why, ok := mcpRequest(n, w)
	if !ok {
		return "", truth.ArgsNotExact, true
	}
	return inner, why, true
}

// pythonCall is the positional arguments of call_tool(name, arguments), whose
// order is part of the MCP SDK's interface.
func pythonCall(w decoded, args canon.Node) (string, truth.Reason, bool) {
	if args.Len() != 2 {
		return "", truth.ArgsPositional, true
	}
	i := 0
	for _, arg := range args.All() {
		if i == 0 && arg.Kind() != canon.KindString {
			return "", truth.ArgsPositional, true
		}
		if i == 1 && arg.Kind() != canon.KindObject {
			return "", truth.ArgsPositional, true
		}
		i++
	}
	return element(member(w.text, "args"), 1), "", true
}

// geminiRequest is {"callId","name","args",…}.
func geminiRequest(n *reading, w decoded) (string, truth.Reason, bool) {
	if id, _ := w.doc.Root().Get("callId"); n.otherCall(id.Str()) {
		return "", truth.ArgsUnmatchedCallID, true
	}
	return n.call(w, "name", "args")
}

// functionCall is {"name","arguments"}, of which arguments may be text.
func functionCall(n *reading, w decoded) (string, truth.Reason, bool) {
	return n.call(w, "name", "arguments")
}

// emptyADK is {}, which Google ADK also writes when it does not capture
// arguments. The result then is {} too; with another result, {} is the truth.
func emptyADK(n *reading, w decoded) (string, truth.Reason, bool) {
	if w.doc.Root().Len() > 0 {
		return "", "", false
	}
	result, ok := n.str(n.r.own.adkResult)
	if !ok || result == "{}" || standIn(result) != "" {
		return "", truth.ArgsPlaceholder, true
	}
	return "", "", false
}

// langSmithPrompt is the arguments, except for {"args":[…]} and
// {"input":"…"}, which stand for arguments without names, and for {}, which
// also stands for hidden ones.
func langSmithPrompt(n *reading, w decoded) (string, truth.Reason, bool) {
	root := w.doc.Root()
	if root.Len() == 0 {
		hidden, _ := n.text(n.r.own.hideInputs)
		completion, ok := n.str(n.r.own.completion)
		if hidden == "true" || !ok || completion == "{}" {
			return "", truth.ArgsPlaceholder, true
		}
		return "", "", false
	}
	if root.Len() != 1 {
		return "", "", false
	}
	if args, ok := root.Get("args"); ok && args.Kind() == canon.KindArray {
		return "", truth.ArgsPositional, true
	}
	if input, ok := root.Get("input"); ok && input.Kind() == canon.KindString {
		if json, why := pythonToJSON(input.Str()); why == "" {
			return json, "", true
		}
		return "", truth.ArgsPositional, true
	}
	return "", "", false
}

// headed is Claude Code's "[TOOL INPUT: name]" and a line break before JSON.
// Under the name of another tool it is about another call.
func (n *reading) headed(text string) decoded {
	if rest, ok := strings.CutPrefix(text, "[TOOL INPUT: "); ok {
		name, body, found := strings.Cut(rest, "]\n")
		if !found {
			return unusable(truth.ArgsNotJSON)
		}
		if n.Tool != "" && !sameTool(n.Tool, name) {
			return unusable(truth.ArgsAmbiguous)
		}
		text = body
	}
	if why := standIn(text); why != "" {
		return unusable(why)
	}
	return n.wrapped(text, EncHeaded)
}

// declared is OpenInference's input.value. Where input.mime_type says that it
// is something else than JSON it is one bare argument. LangChain's also is
// where nothing is said.
func (n *reading) declared(text string, as Encoding) decoded {
	mime, ok := n.str(n.r.own.mime)
	if ok && mime != "application/json" || !ok && as == EncStrictMIME {
		return unusable(truth.ArgsPositional)
	}
	if as == EncStrictMIME {
		return n.python(text)
	}
	return n.wrapped(text, as)
}

// python is JSON, or the text of a Python dict.
func (n *reading) python(text string) decoded {
	got := n.wrapped(text, EncPython)
	if got.doc != nil || got.why != truth.ArgsNotJSON && got.why != truth.ArgsTruncated {
		return got
	}
	json, why := pythonToJSON(unquoted(text))
	switch {
	case why == truth.ArgsNotJSON:
		return got
	case why != "":
		return unusable(why)
	}
	return n.object(json)
}

// unquoted is the string that text is the JSON of, or text.
func unquoted(text string) string {
	var doc canon.Doc
	if !strings.HasPrefix(text, `"`) || doc.Parse(text, canon.Limits{}) != nil {
		return text
	}
	return doc.Root().Str()
}

// follow walks a dotted path; a number is an element.
func follow(node canon.Node, path string) (canon.Node, bool) {
	for path != "" {
		var step string
		step, path, _ = strings.Cut(path, ".")
		if node.Kind() == canon.KindArray {
			i := 0
			found := false
			for _, e := range node.All() {
				if len(step) == 1 && int(step[0]-'0') == i {
					node, found = e, true
					break
				}
				i++
			}
			if !found {
				return canon.Node{}, false
			}
			continue
		}
		next, ok := node.Get(step)
		if !ok {
			return canon.Node{}, false
		}
		node = next
	}
	return node, true
}
