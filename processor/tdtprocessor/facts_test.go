// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const dutifulPolicy = `
tools: {allow: [pay], approval_required: [pay]}
enforcement: {unconstrained_tools: allow}
`

// A witness is a span beside a call that says whether it was approved.
type witness struct {
	service, scope, name string
	trace, parent        byte // of the call: 1 and 1
	attrs                map[string]any
}

func gate(decision string) witness {
	return witness{service: "gate", name: "decide", trace: 1, parent: 1, attrs: map[string]any{"gate.decision": decision}}
}

// approved judges a call of pay beside witnesses, and returns why it is no match.
func approved(t *testing.T, r *rig, id int, witnesses ...witness) string {
	t.Helper()
	td := batchOf(func(s ptrace.Span) {
		toolCall(s, id, "pay", "{}")
		s.SetSpanID(pcommon.SpanID{7: 1})
		s.SetTraceID(pcommon.TraceID{0: byte(id), 15: 1})
	})
	for i, w := range witnesses {
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", w.service)
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName(w.scope)
		span := ss.Spans().AppendEmpty()
		span.SetName(w.name)
		span.SetTraceID(pcommon.TraceID{0: byte(id), 15: w.trace})
		span.SetSpanID(pcommon.SpanID{6: 1, 7: byte(i + 1)})
		span.SetParentSpanID(pcommon.SpanID{7: w.parent})
		span.SetEndTimestamp(2e18)
		require.NoError(t, span.Attributes().FromRaw(w.attrs))
	}
	return attr(firstSpan(r.consume(t, td)), attrReason)
}

// TestOnlyTheNamedSpansAreBelieved holds that nobody else can say that a call
// was approved, whatever its span looks like.
func TestOnlyTheNamedSpansAreBelieved(t *testing.T) {
	r := newRig(t, withPolicy(t, dutifulPolicy, `
facts:
  approval_obtained:
    from: 'resource.attributes["service.name"] == "gate"'
    true_when: ['attributes["gate.decision"] == "yes"']
    false_when: ['attributes["gate.decision"] == "no"']
`))
	forged := func(change func(*witness)) witness { w := gate("yes"); change(&w); return w }
	for i, tt := range []struct {
		name      string
		witnesses []witness
		reason    string
	}{
		{"the gate says yes", []witness{gate("yes")}, ""},
		{"the gate says no", []witness{gate("no")}, "approval.not_obtained"},
		{"the gate says both", []witness{gate("yes"), gate("no")}, "approval.contradictory"},
		{"the gate says something else", []witness{gate("perhaps")}, "approval.unknown"},
		{"nobody says anything", nil, "approval.unknown"},
		{"another service says yes", []witness{forged(func(w *witness) { w.service = "stranger" })}, "approval.unknown"},
		{"no service says yes", []witness{forged(func(w *witness) { w.service = "" })}, "approval.unknown"},
		{"the gate says yes in another trace", []witness{forged(func(w *witness) { w.trace = 2 })}, "approval.unknown"},
		{"the gate says yes to another call", []witness{forged(func(w *witness) { w.parent = 9 })}, "approval.unknown"},
		{"the gate says yes, and a stranger no", []witness{gate("yes"), forged(func(w *witness) { w.service = "stranger"; w.attrs = map[string]any{"gate.decision": "no"} })}, ""},
		{"a type that is not the one compared with", []witness{forged(func(w *witness) { w.attrs = map[string]any{"gate.decision": []any{"yes"}} })}, "approval.unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.reason, approved(t, r, i+1, tt.witnesses...))
		})
	}
}

func TestPresets(t *testing.T) {
	blocked := func(decision, source string) witness {
		return witness{
			scope: "com.anthropic.claude_code.tracing", name: "claude_code.tool.blocked_on_user", trace: 1, parent: 1,
			attrs: map[string]any{"span.type": "tool.blocked_on_user", "decision": decision, "source": source},
		}
	}
	elsewhere := blocked("accept", "user_temporary")
	elsewhere.scope = "another"
	tests := map[string][]struct {
		witness witness
		reason  string
	}{
		"claude_code": {
			{blocked("accept", "user_temporary"), ""},
			{blocked("accept", "user_permanent"), ""},
			{blocked("accept", "config"), "approval.unknown"},
			{blocked("accept", "hook"), "approval.unknown"},
			{blocked("accept", ""), "approval.unknown"},
			{blocked("reject", "user_reject"), "approval.not_obtained"},
			{blocked("reject", "config"), "approval.not_obtained"},
			{elsewhere, "approval.unknown"},
		},
		"claude_code_any_source": {
			{blocked("accept", "user_temporary"), ""},
			{blocked("accept", "config"), ""},
			{blocked("accept", "hook"), ""},
			{blocked("reject", "user_abort"), "approval.not_obtained"},
			{elsewhere, "approval.unknown"},
		},
	}
	for preset := range presets {
		t.Run(preset, func(t *testing.T) {
			require.NotEmpty(t, tests[preset], "a preset without a test")
			r := newRig(t, withPolicy(t, dutifulPolicy, "facts: {approval_obtained: {preset: "+preset+"}}"))
			for i, tt := range tests[preset] {
				assert.Equal(t, tt.reason, approved(t, r, i+1, tt.witness), "%v", tt.witness.attrs)
			}
		})
	}
}

// TestPresetsOnRecordings judges the recorded sessions of an agent that asked
// nobody but its configuration, except for the call that its user refused.
func TestPresetsOnRecordings(t *testing.T) {
	for preset, want := range map[string]map[string]int{
		"claude_code":            {"approval.unknown": 8, "approval.not_obtained": 1},
		"claude_code_any_source": {"": 8, "approval.not_obtained": 1},
	} {
		r := newRig(t, withPolicy(t, "tools: {approval_required: [\"*\"]}\nenforcement: {unconstrained_tools: allow}", "facts: {approval_obtained: {preset: "+preset+"}}"))
		td := ptrace.NewTraces()
		for _, batch := range readCapture(t, "../../testdata/captures/claude-code-2.1.332-detail.jsonl") {
			batch.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
		}
		got := map[string]int{}
		for _, span := range spansOf(r.consume(t, td)) {
			if span.Name() == "claude_code.tool" && verdictOf(span) != "" {
				reason := ""
				for _, code := range reasonsOf(span) {
					if code == "approval.unknown" || code == "approval.not_obtained" {
						reason = code
					}
				}
				got[reason]++
			}
		}
		assert.Equal(t, want, got, preset)
	}
}

func TestWhatIsKnownOfACaller(t *testing.T) {
	for i, tt := range []struct {
		name, config, verdict, reason string
		fill                          func(span, resource pcommon.Map)
	}{
		{"nobody asks", "", "match", "", func(_, _ pcommon.Map) {}},
		{"it may be missing", "identity: {attributes: [enduser.id]}", "match", "", func(_, _ pcommon.Map) {}},
		{"it must not be missing", "identity: {attributes: [enduser.id], required: true}", "incomplete", "identity.required_missing", func(_, _ pcommon.Map) {}},
		{"an empty one is missing", "identity: {attributes: [enduser.id], required: true}", "incomplete", "identity.required_missing", func(span, _ pcommon.Map) {
			span.PutStr("enduser.id", "")
		}},
		{"on the span", "identity: {attributes: [enduser.id], required: true}", "match", "", func(span, _ pcommon.Map) { span.PutStr("enduser.id", "ana") }},
		{"on the resource", "identity: {attributes: [enduser.id], required: true}", "match", "", func(_, resource pcommon.Map) {
			resource.PutStr("enduser.id", "ana")
		}},
		{"the second attribute", "identity: {attributes: [a, b], required: true}", "match", "", func(span, _ pcommon.Map) { span.PutInt("b", 7) }},
		{"twice, and different", "identity: {attributes: [enduser.id]}", "invalid", "identity.invalid", func(span, _ pcommon.Map) {
			span.PutStr("enduser.id", "ana")
			span.PutStr("\x01nduser.id", "bob")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, withPolicy(t, "tools: {allow: [pay]}\nenforcement: {unconstrained_tools: allow}", tt.config))
			td := callOf("pay", "{}")
			rs := td.ResourceSpans().At(0)
			tt.fill(firstSpan(td).Attributes(), rs.Resource().Attributes())
			span := firstSpan(r.consume(t, repeats{"\x01nduser.id": "enduser.id"}.on(t, td)))
			assert.Equal(t, tt.verdict, verdictOf(span), i)
			assert.Equal(t, tt.reason, attr(span, attrReason))
		})
	}
}
