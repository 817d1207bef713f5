// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// runsOfCalls makes the spans of several runs, each in the order in which its
// calls began: calls of every verdict, with and without spans between them.
func runsOfCalls(runs, calls int) [][]ptrace.Traces {
	args := []string{`{"path":"/a"}`, "", `{"path":7}`, `{"path":`, `{"b":1,"path":"/a"}`}
	tools := []string{"read_file", "search", "ping", "fail_tool", "get_it"}
	all := make([][]ptrace.Traces, runs)
	for run := range runs {
		for i := range calls {
			all[run] = append(all[run], batchOf(func(span ptrace.Span) {
				toolCall(span, i+1, tools[i%len(tools)], args[(i+run)%len(args)])
				span.SetTraceID(pcommon.TraceID{0: byte(run + 1), 15: 1})
				if i%7 == 3 {
					span.Attributes().Remove("gen_ai.operation.name") // no tool call
					span.Attributes().Remove("gen_ai.tool.name")
				}
			}))
		}
	}
	return all
}

// outcome is what must not depend on how spans arrive: the records and what
// each span shows of its own call.
type outcome struct{ records, spans []string }

func (o *outcome) sorted() outcome {
	slices.Sort(o.records)
	slices.Sort(o.spans)
	return *o
}

// replay sends batches through a new processor. Each list of batches has a
// goroutine of its own.
func replay(t *testing.T, lists ...[]ptrace.Traces) outcome {
	t.Helper()
	p, _ := newTestProcessor(t, withPolicy(t, anyPolicy, "hmac: {key: "+testKey+", key_id: k1}"))
	kept := &recorder{}
	key, err := canon.NewKey("k1", []byte(testKey))
	require.NoError(t, err)
	withEngine(t, p, func(s *engine.Settings) { s.Journal, s.Key = kept, key })
	require.NoError(t, p.start(t.Context(), componenttest.NewNopHost()))
	var mu sync.Mutex
	var o outcome
	var wait sync.WaitGroup
	for _, list := range lists {
		wait.Go(func() {
			for _, td := range list {
				mine := ptrace.NewTraces()
				td.CopyTo(mine)
				out, err := p.processTraces(context.Background(), mine)
				assert.NoError(t, err)
				mu.Lock()
				o.spans = append(o.spans, shown(out)...)
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	for _, record := range kept.kept {
		if strings.HasPrefix(record, carrier.SchemaCarrier+" ") {
			o.records = append(o.records, record)
		}
	}
	require.NoError(t, p.shutdown(context.Background()))
	return o.sorted()
}

// shown renders what each span shows of its own call, and not of its run so far.
func shown(td ptrace.Traces) (lines []string) {
	for _, span := range spansOf(td) {
		id, trace := span.SpanID(), span.TraceID()
		line := hex.EncodeToString(trace[:1]) + "/" + hex.EncodeToString(id[6:])
		for _, key := range []string{carrier.AttrVerdict, attrReasons, attrExplanation, carrier.AttrObservedInput, carrier.AttrContent, attrEvidence} {
			line += " " + attr(span, key)
		}
		lines = append(lines, line)
	}
	return lines
}

// joined puts the spans of batches into one batch.
func joined(lists [][]ptrace.Traces, order func(n int) []int) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	var all []ptrace.Span
	for _, list := range lists {
		for _, batch := range list {
			all = append(all, spansOf(batch)...)
		}
	}
	for _, i := range order(len(all)) {
		all[i].CopyTo(spans.AppendEmpty())
	}
	lists[0][0].ResourceSpans().At(0).Resource().CopyTo(td.ResourceSpans().At(0).Resource())
	return td
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

func TestTheSameSpansGiveTheSameRecords(t *testing.T) {
	runs := runsOfCalls(16, 20)
	want := replay(t, []ptrace.Traces{joined(runs, inOrder)})
	require.Len(t, want.spans, 16*20)
	require.NotEmpty(t, want.records)
	source := rand.New(rand.NewPCG(3, 4))
	t.Run("shuffled within one batch", func(t *testing.T) {
		for range 20 {
			assert.Equal(t, want, replay(t, []ptrace.Traces{joined(runs, source.Perm)}))
		}
	})
	t.Run("one span a batch", func(t *testing.T) {
		var list []ptrace.Traces
		for i := range runs[0] {
			for _, run := range runs {
				list = append(list, run[i])
			}
		}
		assert.Equal(t, want, replay(t, list))
	})
	t.Run("sixteen goroutines, one run each", func(t *testing.T) {
		for range 5 {
			assert.Equal(t, want, replay(t, runs...))
		}
	})
	t.Run("again and again", func(t *testing.T) {
		for i := range 20 {
			assert.Equal(t, want, replay(t, []ptrace.Traces{joined(runs, inOrder)}), fmt.Sprint(i))
		}
	})
	t.Run("every span three times", func(t *testing.T) {
		var list []ptrace.Traces
		for _, run := range runs {
			for _, td := range run {
				list = append(list, td, td, td)
			}
		}
		assert.Equal(t, want.records, replay(t, list).records, "a span that is sent again leaves no second record")
	})
}
