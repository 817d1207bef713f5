// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// reservedKeys are all attributes that the processor writes, and some under its
// names that it does not.
var reservedKeys = []string{
	carrier.AttrClaimClass, carrier.AttrSchema, carrier.AttrVerdict, carrier.AttrDeclared, carrier.AttrSourceClass, carrier.AttrObservedInput,
	carrier.AttrIdentity, carrier.AttrContent, carrier.AttrRunVerdict, attrDialect, attrPolicy, attrEvidence, attrReason, attrReasons,
	attrExplanation, attrPrimary, attrRunExtent, attrViolatedRules, "assay.tdt.made_up", "assay.tdt.",
}

// TestNoIncomingAttributeUnderTheReservedNamesStays puts 1, 2 and 5 copies of
// each on every place that has attributes, of a tool call and of another span.
func TestNoIncomingAttributeUnderTheReservedNamesStays(t *testing.T) {
	for _, copies := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(copies), func(t *testing.T) {
			r := newRig(t, withPolicy(t, "tools: {deny: [bad]}", ""))
			all := repeats{}
			spoof := func(attrs pcommon.Map) {
				for _, key := range reservedKeys {
					attrs.PutStr(key, "match")
					for i := range copies - 1 {
						attrs.PutStr(all.again(key, i), "match")
					}
				}
			}
			td := batchOf(
				func(span ptrace.Span) { toolCall(span, 1, "bad", "{}") },
				func(span ptrace.Span) { span.SetName("no call") },
			)
			for _, span := range spansOf(td) {
				span.Events().AppendEmpty().SetName("event")
				span.Links().AppendEmpty()
			}
			eachAttributes(td, spoof)
			out := r.consume(t, all.on(t, td))

			const places = 2 + 2*3 // resource, scope, and each span with an event and a link
			assert.EqualValues(t, places*copies*len(reservedKeys), r.sum(t, "spoofed_attributes_removed"))
			call := spansOf(out)[0]
			assert.Equal(t, "mismatch", verdictOf(call))
			total := 0
			eachAttributes(out, func(attrs pcommon.Map) {
				for key, n := range reservedOf(attrs) {
					assert.Equal(t, 1, n, key)
					total++
				}
			})
			assert.Len(t, reservedOf(call.Attributes()), total, "the call's span alone has any")
			for key := range reservedOf(call.Attributes()) {
				v, _ := call.Attributes().Get(key)
				assert.NotEqual(t, "match", v.AsString(), key)
			}
		})
	}
}

func TestNamesThatOnlyLookReservedStay(t *testing.T) {
	r := newRig(t, withPolicy(t, "tools: {deny: [bad]}", ""))
	keys := []string{"assay.tdt", "assay.claim_class.x", "assay.claim_clas", "Assay.tdt.decision_verdict", "assay.other", "x.assay.tdt.y", "assay\u200b.tdt.x"}
	span := firstSpan(r.consume(t, batchOf(func(span ptrace.Span) {
		for _, key := range keys {
			span.Attributes().PutStr(key, "kept")
		}
	})))
	for _, key := range keys {
		assert.Equal(t, "kept", attr(span, key), key)
	}
	assert.Zero(t, r.sum(t, "spoofed_attributes_removed"))
}

// TestACallIsNotBelievedWhatItSaysTwice repeats a key with another value. The
// friendlier one of two is never taken.
func TestACallIsNotBelievedWhatItSaysTwice(t *testing.T) {
	const policy = `
tools: {allow: [good], deny: [bad]}
schemas: {good: {type: object, properties: {path: {const: ok}}}, bad: {type: object}}
`
	for _, tt := range []struct {
		name, key     string
		first, second any
		verdict       string
		reason        string
	}{
		{"two names", "gen_ai.tool.name", "good", "bad", "invalid", "conflict.repeated_key"},
		{"two names, the denied one first", "gen_ai.tool.name", "bad", "good", "invalid", "conflict.repeated_key"},
		{"a name and a number", "gen_ai.tool.name", "good", 7, "invalid", "conflict.repeated_key"},
		{"arguments that differ", "gen_ai.tool.call.arguments", `{"path":"ok"}`, `{"path":"no"}`, "invalid", "conflict.repeated_key"},
		{"two call ids", "gen_ai.tool.call.id", "call_1", "call_2", "invalid", "conflict.repeated_key"},
		{"two operations", "gen_ai.operation.name", "execute_tool", "chat", "invalid", "conflict.repeated_key"},
		{"one name twice", "gen_ai.tool.name", "good", "good", "match", ""},
		{"a key that nobody reads", "http.route", "/a", "/b", "match", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, withPolicy(t, policy, ""))
			all := repeats{}
			td := batchOf(func(span ptrace.Span) {
				toolCall(span, 1, "good", `{"path":"ok"}`)
				require.NoError(t, span.Attributes().PutEmpty(tt.key).FromRaw(tt.first))
				require.NoError(t, span.Attributes().PutEmpty(all.again(tt.key, 0)).FromRaw(tt.second))
			})
			span := firstSpan(r.consume(t, all.on(t, td)))
			assert.Equal(t, tt.verdict, verdictOf(span))
			assert.Equal(t, tt.reason, attr(span, attrReason))
		})
	}
}

// TestTwoFieldsThatDisagree is about conventions that say the same thing under
// two keys: the order of precedence decides, and the disagreement is told.
func TestTwoFieldsThatDisagree(t *testing.T) {
	r := newRig(t, withPolicy(t, "tools: {allow: [good], deny: [bad]}\nschemas: {good: {type: object}, bad: {type: object}}", ""))
	span := firstSpan(r.consume(t, batchOf(func(span ptrace.Span) {
		toolCall(span, 1, "bad", `{"a":1}`)
		span.Attributes().PutStr("openinference.span.kind", "TOOL")
		span.Attributes().PutStr("tool.name", "good")
		span.Attributes().PutStr("input.value", `{"a":2}`)
	})))
	assert.Equal(t, "mismatch", verdictOf(span), "the denied name is the one of the more specific convention")
	assert.Contains(t, reasonsOf(span), "conflict.tool")
	assert.Contains(t, reasonsOf(span), "conflict.args")
	assert.Contains(t, reasonsOf(span), "args.ambiguous")
}
