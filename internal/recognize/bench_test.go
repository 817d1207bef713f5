// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// plainKeys are attributes of spans that are no tool call.
var plainKeys = []string{
	"http.request.method", "url.full", "http.response.status_code", "server.address", "server.port", "network.protocol.version",
	"user_agent.original", "db.system.name", "db.collection.name", "db.query.text", "messaging.system", "thread.id", "thread.name",
	"code.function.name", "service.peer.name",
}

// chatKeys are those of a model's turn, which shares keys with tool calls.
var chatKeys = []string{
	"gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.response.model", "gen_ai.usage.input_tokens",
	"gen_ai.usage.output_tokens", "gen_ai.response.id", "gen_ai.response.finish_reasons", "gen_ai.request.temperature", "gen_ai.request.top_p",
	"gen_ai.conversation.id", "server.address", "server.port", "gen_ai.output.type", "gen_ai.request.max_tokens",
}

func spanWith(n int, key func(i int) (string, string)) placed {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("bench")
	span := ss.Spans().AppendEmpty()
	span.SetName("GET /orders")
	span.SetEndTimestamp(1)
	for i := range n {
		k, v := key(i)
		span.Attributes().PutStr(k, v)
	}
	return placed{rs, ss, span}
}

func numbered(keys []string) func(int) (string, string) {
	return func(i int) (string, string) {
		if i < len(keys) {
			return keys[i], "chat"
		}
		return fmt.Sprintf("%s.%d", keys[i%len(keys)], i), "value"
	}
}

// nearMiss is a known key with one byte changed.
func nearMiss(keys []string) func(int) (string, string) {
	return func(i int) (string, string) {
		k := []byte(keys[i%len(keys)])
		at := (i * 7) % len(k)
		k[at] ^= 1
		return string(k), "execute_tool"
	}
}

func BenchmarkInspect(b *testing.B) {
	r := newRecognizer(b, Options{})
	for _, n := range []int{5, 15, 60, 128} {
		benchInspect(b, r, fmt.Sprintf("plain/%d", n), spanWith(n, numbered(plainKeys)))
	}
	for _, n := range []int{5, 15, 60, 128} {
		benchInspect(b, r, fmt.Sprintf("chat/%d", n), spanWith(n, numbered(chatKeys)))
	}
	benchInspect(b, r, "near_misses/128", spanWith(128, nearMiss(r.keys)))
	benchInspect(b, r, "known_keys_other_values/128", spanWith(128, func(i int) (string, string) { return r.keys[i], "other" }))
	tool := spanWith(3, func(i int) (string, string) {
		return [...]string{"gen_ai.tool.call.arguments", "gen_ai.tool.name", "gen_ai.operation.name"}[i],
			[...]string{`{"path":"` + strings.Repeat("x", 270) + `","limit":3}`, "read_file", "execute_tool"}[i]
	})
	benchInspect(b, r, "tool_call", tool)
}

func benchInspect(b *testing.B, r *Recognizer, name string, p placed) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Inspect(p.rs, p.ss, p.span)
		}
		if n := p.span.Attributes().Len(); n > 3 {
			b.ReportMetric(20+3.5*float64(n), "budget-ns")
		}
	})
}

// BenchmarkVisitKeys is what a loop that only visits the keys costs.
func BenchmarkVisitKeys(b *testing.B) {
	for _, n := range []int{5, 15, 60, 128} {
		p := spanWith(n, numbered(plainKeys))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			total := 0
			for b.Loop() {
				for k := range p.span.Attributes().All() {
					total += len(k)
				}
			}
		})
	}
}

// BenchmarkTenGets is what looking ten keys up costs, three of which are there.
func BenchmarkTenGets(b *testing.B) {
	attrs := spanWith(15, numbered(plainKeys)).span.Attributes()
	keys := append([]string{"gen_ai.operation.name", "gen_ai.tool.name", "tool.name", "openinference.span.kind", "mcp.method.name", "traceloop.span.kind", "ai.operationId"},
		plainKeys[0], plainKeys[7], plainKeys[14])
	found := 0
	for b.Loop() {
		for _, key := range keys {
			if _, ok := attrs.Get(key); ok {
				found++
			}
		}
	}
	if found != b.N*3 {
		b.Fatal("not what was to be measured")
	}
}
