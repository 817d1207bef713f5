// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const readPolicy = `
tools: {allow: [read_file]}
schemas:
  read_file: {type: object, required: [path], properties: {path: {type: string, pattern: "^(a+)+$"}}}
`

// TestOneBadSpanHarmsNoOther puts one pathological call among 999 good ones.
func TestOneBadSpanHarmsNoOther(t *testing.T) {
	const good = `{"path":"aaaa"}`
	for _, tt := range []struct {
		name, verdict string
		spoil         func(ptrace.Span)
	}{
		{"invalid JSON", "incomplete", func(s ptrace.Span) { s.Attributes().PutStr("gen_ai.tool.call.arguments", `{"path":`) }},
		{"two million brackets", "incomplete", func(s ptrace.Span) {
			s.Attributes().PutStr("gen_ai.tool.call.arguments", strings.Repeat("[", 2<<20))
		}},
		{"a pattern that backtracks", "mismatch", func(s ptrace.Span) {
			s.Attributes().PutStr("gen_ai.tool.call.arguments", `{"path":"`+strings.Repeat("a", 200<<10)+`!"}`)
		}},
		{"arguments of another type", "incomplete", func(s ptrace.Span) { s.Attributes().PutInt("gen_ai.tool.call.arguments", 7) }},
		{"a name that is no text", "mismatch", func(s ptrace.Span) { s.SetName("call"); s.Attributes().PutEmptyMap("gen_ai.tool.name") }},
		{"no ids", "match", func(s ptrace.Span) { s.SetTraceID(pcommon.TraceID{}); s.SetSpanID(pcommon.SpanID{}) }},
		{"times beyond all bounds", "match", func(s ptrace.Span) { s.SetStartTimestamp(1<<64 - 1); s.SetEndTimestamp(1) }},
		{"a parent that is itself", "match", func(s ptrace.Span) { s.SetParentSpanID(s.SpanID()) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, withPolicy(t, readPolicy, ""))
			td := batchOf()
			spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
			for i := range 1000 {
				toolCall(spans.AppendEmpty(), i+1, "read_file", good)
			}
			tt.spoil(spans.At(500))
			for i, span := range spansOf(r.consume(t, td)) {
				want := "match"
				if i == 500 {
					want = tt.verdict
				}
				require.Equal(t, want, verdictOf(span), "span %d: %s", i, attr(span, attrExplanation))
			}
			assert.EqualValues(t, 1000, r.sum(t, "spans_inspected"))
		})
	}
}

// TestAFaultOfOursStaysWithItsCall injects a panic at every place where the
// engine asks somebody else, for one call of three.
func TestAFaultOfOursStaysWithItsCall(t *testing.T) {
	strike := func(at engine.Located) {
		if attr(at.Span, "gen_ai.tool.call.id") == "struck" {
			panic("words that quote a SECRET argument")
		}
	}
	for _, tt := range []struct {
		name   string
		inject func(*tdtProcessor, *engine.Settings)
	}{
		{"the identity", func(_ *tdtProcessor, s *engine.Settings) {
			s.Identity = func(at engine.Located) truth.Identity { strike(at); return truth.IdentityPresent }
		}},
		{"the facts", func(_ *tdtProcessor, s *engine.Settings) {
			s.Believe = func(family []engine.Located) engine.Facts { strike(family[0]); return engine.Facts{} }
		}},
		{"the boundaries", func(_ *tdtProcessor, s *engine.Settings) {
			s.Boundary = func(at engine.Located) bool { strike(at); return true }
		}},
		{"the policy's condition", func(p *tdtProcessor, _ *engine.Settings) {
			judged := *p.reloader.policies()[0]
			judged.When = func(at engine.Located) bool { strike(at); return true }
			p.reloader.current.Store(&engine.Policies{&judged})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, r := faultyProcessor(t, tt.inject)
			td := batchOf(
				func(s ptrace.Span) { toolCall(s, 1, "read_file", `{"path":"aa"}`) },
				func(s ptrace.Span) {
					toolCall(s, 2, "read_file", `{"path":"aa"}`)
					s.Attributes().PutStr("gen_ai.tool.call.id", "struck")
				},
				func(s ptrace.Span) { toolCall(s, 3, "read_file", `{"path":"aa"}`) },
			)
			out, err := p.processTraces(t.Context(), td)
			require.NoError(t, err)
			spans := spansOf(out)
			require.Len(t, spans, 3)
			assert.Equal(t, "match", verdictOf(spans[0]))
			assert.Equal(t, "invalid", verdictOf(spans[1]))
			assert.Equal(t, "match", verdictOf(spans[2]))
			assert.Equal(t, []string{"identity.internal_error"}, reasonsOf(spans[1]))
			assert.Equal(t, "This program met a fault of its own, and did not finish judging the call.", attr(spans[1], attrExplanation))
			assert.EqualValues(t, 1, r.sum(t, "internal_errors"))
			assert.NotContains(t, r.told(t), "SECRET")
		})
	}
}

func faultyProcessor(t *testing.T, inject func(*tdtProcessor, *engine.Settings)) (*tdtProcessor, *rig) {
	t.Helper()
	r := &rig{}
	p, err := newProcessor(r.settings(t), readConfig(t, withPolicy(t, readPolicy, "")))
	require.NoError(t, err)
	withEngine(t, p, func(s *engine.Settings) { inject(p, s) })
	require.NoError(t, p.start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { assert.NoError(t, p.shutdown(context.Background())) })
	return p, r
}

// TestAFaultWhileASpanIsReadLeavesItAsItCame is about a span of which nothing
// is known yet, so that there is no call to judge.
func TestAFaultWhileASpanIsReadLeavesItAsItCame(t *testing.T) {
	p, r := faultyProcessor(t, func(_ *tdtProcessor, s *engine.Settings) {
		var err error
		s.ReadsReserved = true
		s.Recognizer, err = recognize.New(recognize.Options{Custom: []recognize.Custom{{
			Name: "faulty",
			When: func(_ ptrace.ResourceSpans, _ ptrace.ScopeSpans, span ptrace.Span) bool {
				if span.Name() == "struck" {
					panic("words that quote a SECRET argument")
				}
				return false
			},
		}}})
		require.NoError(t, err)
	})
	out, err := p.processTraces(t.Context(), batchOf(
		func(s ptrace.Span) {
			toolCall(s, 1, "read_file", `{"path":"aa"}`)
			s.SetName("struck")
			s.Attributes().PutStr(carrier.AttrVerdict, "match")
		},
		func(s ptrace.Span) { toolCall(s, 2, "read_file", `{"path":"aa"}`) },
	))
	require.NoError(t, err)
	assert.Empty(t, reservedOf(spansOf(out)[0].Attributes()), "a spoofed verdict must not stay because of a fault")
	assert.Equal(t, "match", verdictOf(spansOf(out)[1]))
	assert.EqualValues(t, 1, r.sum(t, "internal_errors"))
}

// TestAFaultThatStrikesABatchLetsItPass is about what is not inside the judging
// of one call.
func TestAFaultThatStrikesABatchLetsItPass(t *testing.T) {
	p, r := faultyProcessor(t, func(*tdtProcessor, *engine.Settings) {})
	p.now = func() time.Time { panic("words that quote a SECRET argument") }
	td := batchOf(
		func(s ptrace.Span) {
			toolCall(s, 1, "read_file", `{}`)
			s.Attributes().PutStr(carrier.AttrVerdict, "match")
		},
		func(s ptrace.Span) { toolCall(s, 2, "read_file", `{}`) },
	)
	out, err := p.processTraces(t.Context(), td)
	require.NoError(t, err)
	require.Len(t, spansOf(out), 2)
	for _, span := range spansOf(out) {
		assert.Empty(t, reservedOf(span.Attributes()), "no verdict, and no spoofed one")
	}
	assert.EqualValues(t, 2, r.sum(t, "internal_errors"))
	assert.EqualValues(t, 1, r.sum(t, "spoofed_attributes_removed"))
	logged := r.logs.FilterMessageSnippet("a fault of the processor itself").All()
	require.Len(t, logged, 1)
	assert.Contains(t, logged[0].ContextMap()["where"], "tdtprocessor", "the log says where")
	assert.NotContains(t, r.told(t), "SECRET")
	p.now = time.Now
}
