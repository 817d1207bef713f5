// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// parts reads arguments from chat messages on the tool's own span: the part of
// type tool_call that has this call's id, or the only one where there is none.
// Parts of other calls only are no arguments of this one.
func (n *reading) parts(text string) decoded {
	doc, why := n.r.parse(text)
	if why != "" {
		return unusable(why)
	}
	found, other := unusable(truth.ArgsAbsent), false
	requests(doc.Root(), func(q request) {
		switch {
		case n.otherCall(q.id), n.Tool != "" && !sameTool(n.Tool, q.name):
			other = true
		case found.doc == nil:
			found = n.decodeText(q.args, EncJSON)
		case found.text != q.args:
			found = unusable(truth.ArgsAmbiguous)
		}
	})
	if other && found.why == truth.ArgsAbsent {
		return unusable(truth.ArgsUnmatchedCallID)
	}
	return found
}

// toolInvoker reads the calls of one turn from the messages that Haystack's
// ToolInvoker was given. The first is this observation, the rest are others.
func (n *reading) toolInvoker(text string) decoded {
	doc, why := n.r.parse(text)
	if why != "" {
		return unusable(why)
	}
	messages, ok := doc.Root().Get("messages")
	if !ok {
		return unusable(truth.ArgsAbsent)
	}
	first, many := unusable(truth.ArgsAbsent), false
	requests(messages, func(q request) {
		got := n.decodeText(q.args, EncJSON)
		if !many {
			many, first = true, got
			n.Tool, n.ToolFrom, n.Name = q.name, "haystack.component.input", FlagName(q.name)
			n.CallID, n.CallIDFrom = q.id, "haystack.component.input"
			return
		}
		n.Others = append(n.Others, Observation{
			Tool: q.name, ToolFrom: "haystack.component.input", Name: FlagName(q.name), CallID: q.id, CallIDFrom: "haystack.component.input",
			Args: Args{Doc: got.doc, Text: got.text, Why: got.why, From: "haystack.component.input", Source: truth.SourceReported},
		})
	})
	return first
}

// spread gives what the span says of all its calls to each of the others.
func (n *reading) spread() {
	for i := range n.Others {
		o := &n.Others[i]
		o.Dialect, o.Scope, o.Layer, o.Result, o.Marks, o.Conflict = n.Dialect, n.Scope, n.Layer, n.Result, n.Marks, n.Conflict
		o.Agent, o.Session, o.SessionFrom, o.MCPSession = n.Agent, n.Session, n.SessionFrom, n.MCPSession
	}
}

// parameters rebuilds the arguments of a function that Logfire instruments:
// one attribute a parameter, and a schema that lists them. The schema says
// which of them are JSON text. What Logfire scrubbed is not what ran.
func (n *reading) parameters(schema string) decoded {
	if _, scrubbed := n.text(n.r.own.scrubbed); scrubbed {
		return unusable(truth.ArgsRedacted)
	}
	doc, why := n.r.parse(schema)
	if why != "" {
		return unusable(truth.ArgsNotExact)
	}
	properties, ok := doc.Root().Get("properties")
	if !ok {
		return unusable(truth.ArgsAbsent)
	}
	var b canon.Builder
	b.Reset(n.r.limits)
	b.BeginObject()
	for name, property := range properties.All() {
		if name == "return" || strings.Contains(name, ".") {
			continue
		}
		b.Key(name)
		if why := n.parameter(&b, name, property); why != "" {
			return unusable(why)
		}
	}
	b.EndObject()
	text, why := builtText(&b)
	if why != "" {
		return unusable(why)
	}
	return n.object(text)
}

func (n *reading) parameter(b *canon.Builder, name string, property canon.Node) truth.Reason {
	value, ok := n.span.Attributes().Get(name)
	if !ok {
		return truth.ArgsNotExact
	}
	if property.Len() == 0 {
		return buildValue(b, value, 0)
	}
	typ, _ := property.Get("type")
	if _, foreign := property.Get("x-python-datatype"); foreign || value.Type() != pcommon.ValueTypeStr || typ.Str() != "object" && typ.Str() != "array" {
		return truth.ArgsNotExact
	}
	doc, why := n.r.parse(value.Str())
	if why != "" {
		return why
	}
	buildNode(b, doc.Root())
	return ""
}

// toolCallText reads name or id out of LlamaIndex's summary of an event,
// ToolCall(tool_name='…', tool_kwargs={…}, tool_id='…'). The summary may be
// cut anywhere, and then has no id.
func toolCallText(text, field string) string {
	rest, ok := strings.CutPrefix(text, "ToolCall(tool_name=")
	if !ok {
		return ""
	}
	name, rest := pythonString(rest)
	if field == "tool_name" {
		return name
	}
	i := strings.LastIndex(rest, ", tool_id=")
	if i < 0 {
		return ""
	}
	id, rest := pythonString(rest[i+len(", tool_id="):])
	if rest != ")" {
		return ""
	}
	return id
}

// pythonString reads a string literal at the start of text.
func pythonString(text string) (s, rest string) {
	p := pythonText{text: text}
	if c := p.peek(); c != '\'' && c != '"' {
		return "", ""
	}
	p.str()
	var doc canon.Doc
	if p.why != "" || doc.Parse(string(p.json), canon.Limits{}) != nil {
		return "", ""
	}
	return doc.Root().Str(), text[p.at:]
}
