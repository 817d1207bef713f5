// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// benchSpans is how many spans a batch of the benchmarks has, in traces of ten.
const benchSpans = 1000

// benchArguments is 300 B of arguments, as tool calls have them.
var benchArguments = `{"path":"/srv/data/report.txt","limit":3,"mode":"text","encoding":"utf-8","follow":true,"note":"` + strings.Repeat("x", 205) + `"}`

const benchPolicy = `
tools: {allow: [read_file], deny: ["delete_*"]}
schemas:
  read_file:
    type: object
    required: [path]
    additionalProperties: false
    properties:
      path: {type: string, pattern: "^/srv/"}
      limit: {type: integer, minimum: 1, maximum: 100}
      mode: {enum: [text, binary]}
      encoding: {type: string, maxLength: 20}
      follow: {type: boolean}
      note: {type: string}
`

// benchBatch makes a batch of which one span in every is a tool call; none
// where every is 0. All spans have fifteen attributes.
func benchBatch(every int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "agent")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("bench")
	ss.Spans().EnsureCapacity(benchSpans)
	for i := range benchSpans {
		span := ss.Spans().AppendEmpty()
		span.SetName("GET /orders")
		span.SetSpanID(pcommon.SpanID{7: byte(i%10 + 1)})
		if i%10 > 0 {
			span.SetParentSpanID(pcommon.SpanID{7: 1})
		}
		span.SetStartTimestamp(pcommon.Timestamp(1e18 + i))
		span.SetEndTimestamp(pcommon.Timestamp(2e18))
		attrs := span.Attributes()
		attrs.EnsureCapacity(16)
		if every > 0 && i%every == every-1 {
			span.SetName("execute_tool read_file")
			attrs.PutStr("gen_ai.operation.name", "execute_tool")
			attrs.PutStr("gen_ai.tool.name", "read_file")
			attrs.PutStr("gen_ai.tool.call.arguments", benchArguments)
		}
		for j := attrs.Len(); j < 15; j++ {
			attrs.PutStr(fmt.Sprintf("http.request.header.%d", j), "a value of a usual length")
		}
	}
	return td
}

// renumber gives every trace of the batch an id of its own, so that no span
// counts as sent twice.
func renumber(td ptrace.Traces, round int) {
	var id pcommon.TraceID
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	for i := range spans.Len() {
		binary.BigEndian.PutUint64(id[:], uint64(round))
		binary.BigEndian.PutUint64(id[8:], uint64(i/10+1))
		spans.At(i).SetTraceID(id)
	}
}

// BenchmarkBatch is what a batch of 1,000 spans costs in all. Each round copies
// the batch first, so BaselineCopy, which does nothing else, is to be
// subtracted.
func BenchmarkBatch(b *testing.B) {
	const key = "hmac: {key: 0123456789abcdef0123456789abcdef, key_id: bench}"
	for _, bb := range []struct {
		name   string
		every  int
		config string
		idle   bool
	}{
		{name: "baseline_copy", idle: true},
		{name: "no_tool_call"},
		{name: "no_tool_call/hmac", config: key},
		{name: "baseline_copy_20%_tool_calls", every: 5, idle: true},
		{name: "20%_tool_calls", every: 5},
		{name: "20%_tool_calls/hmac", every: 5, config: key},
		{name: "all_tool_calls/hmac", every: 1, config: key},
	} {
		b.Run(bb.name, func(b *testing.B) {
			consume := consumertest.NewNop().ConsumeTraces
			if !bb.idle {
				consume = benchProcessor(b, bb.config)
			}
			origin := benchBatch(bb.every)
			b.ReportAllocs()
			round := 0
			for b.Loop() {
				td := ptrace.NewTraces()
				origin.CopyTo(td)
				renumber(td, round)
				round++
				if err := consume(b.Context(), td); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchSpans, "ns/span")
		})
	}
}

func benchProcessor(b *testing.B, config string) func(context.Context, ptrace.Traces) error {
	b.Helper()
	p, _ := newTestProcessor(b, "policies: [{file: "+writeFile(b, "policy.yaml", benchPolicy)+"}]\n"+config)
	require.NoError(b, p.start(b.Context(), componenttest.NewNopHost()))
	b.Cleanup(func() { require.NoError(b, p.shutdown(context.Background())) })
	return func(ctx context.Context, td ptrace.Traces) error {
		_, err := p.processTraces(ctx, td)
		return err
	}
}

// BenchmarkHostileSpan is what one span costs that is made to cost much. The
// bounds are those of the tests of limits.
func BenchmarkHostileSpan(b *testing.B) {
	const config = "recognize: {max_argument_bytes: 134217728}"
	keys := make([]string, 40_000)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"k%d":%d`, i, i)
	}
	for _, bb := range []struct{ name, config, args string }{
		{"a_hundred_megabytes", "", `{"path":"` + strings.Repeat("x", 100<<20) + `"}`},
		{"two_million_brackets", config, strings.Repeat("[", 2_000_000)},
		{"forty_thousand_members", config, "{" + strings.Join(keys, ",") + "}"},
		{"a_pattern_that_backtracks", "", `{"path":"` + strings.Repeat("a", 200<<10) + `!"}`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			policy := writeFile(b, "policy.yaml", readPolicy)
			p, _ := newTestProcessor(b, "policies: [{file: "+policy+"}]\n"+bb.config)
			require.NoError(b, p.start(b.Context(), componenttest.NewNopHost()))
			defer func() { require.NoError(b, p.shutdown(context.Background())) }()
			b.ReportAllocs()
			for b.Loop() {
				td := callOf("read_file", bb.args)
				if _, err := p.processTraces(b.Context(), td); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
