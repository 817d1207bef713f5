// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// inspectCustom asks the operator's own dialects, the first that holds.
func (r *Recognizer) inspectCustom(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, sp ptrace.Span) *Observation {
	for i := range r.custom {
		c := &r.custom[i]
		if c.When(rs, ss, sp) {
			return r.observeCustom(c, rs, ss, sp)
		}
	}
	return nil
}

// observeCustom reads a custom dialect's fields. The span's marks and outcome
// are read as for every other span.
func (r *Recognizer) observeCustom(c *Custom, rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, sp ptrace.Span) *Observation {
	o := &Observation{Dialect: c.Name, Scope: ss.Scope().Name(), Layer: max(c.Layer, LayerAgent)}
	d := &compiled{Dialect: Dialect{Name: c.Name}}
	v := r.view(rs, ss, sp)
	defer v.release()
	n := &reading{view: v, Observation: o, dialect: d}
	field := func(f func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) (pcommon.Value, bool)) (pcommon.Value, bool) {
		if f == nil {
			return pcommon.Value{}, false
		}
		return f(rs, ss, sp)
	}
	if v, ok := field(c.Tool); ok {
		o.Tool, o.ToolFrom = customText(v), "tool_name"
		if v.Type() != pcommon.ValueTypeStr {
			o.Name |= NameWrongType
		}
	}
	o.Name |= FlagName(o.Tool)
	if v, ok := field(c.CallID); ok {
		if id := customText(v); id != "" && !placeholderIDs[id] {
			o.CallID, o.CallIDFrom = id, "call_id"
		}
	}
	n.readMarks()
	o.Args = Args{Why: truth.ArgsAbsent, Source: truth.SourceReported}
	if v, ok := field(c.Args); ok {
		got := n.decodeValue(v, EncJSON)
		o.Args = Args{Doc: got.doc, Text: got.text, Why: got.why, From: "arguments", Source: truth.SourceReported}
	}
	n.readContext()
	if v, ok := field(c.Session); ok {
		if s := customText(v); s != "" {
			o.Session, o.SessionFrom = s, "session"
		}
	}
	o.Result = n.result()
	return o
}

func customText(v pcommon.Value) string {
	if v.Type() != pcommon.ValueTypeStr {
		return ""
	}
	return v.Str()
}
