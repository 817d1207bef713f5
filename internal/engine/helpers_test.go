// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

var noon = time.Unix(1_900_000_000, 0)

// A memory is a journal that keeps what it is given, and fails while err is set.
type memory struct {
	mu     sync.Mutex
	events []carrier.Event
	err    error
}

func (m *memory) Append(_ context.Context, events []carrier.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	m.events = append(m.events, events...)
	return nil
}

// newTestEngine returns an engine with a ledger and a journal, changed by edits.
func newTestEngine(t testing.TB, edits ...func(*Settings)) *Engine {
	t.Helper()
	r, err := recognize.New(recognize.Options{})
	require.NoError(t, err)
	key, err := canon.NewKey("k", []byte("a key of the engine's tests, which no vector uses"))
	require.NoError(t, err)
	set := Settings{
		Recognizer: r, Key: key, Journal: &memory{},
		Ledger: ledger.NewLedger(ledger.Options{Records: ledger.DefaultRecords, SameTool: recognize.SameTool}),
	}
	for _, edit := range edits {
		edit(&set)
	}
	return New(set, []byte("seed"))
}

func policyOf(t testing.TB, text string) Policies {
	t.Helper()
	p, err := NewPolicy("main", "policy.yaml", []byte(text), nil)
	require.NoError(t, err)
	return Policies{p}
}

// A fact of the tests: one span of a call, or any other one.
type part struct {
	trace, id, parent int
	tool, args        string // no tool: it is no call's span
	mcp               bool
	start, end        int // seconds from noon; end 0: start + 1
	attrs             map[string]string
	service           string
	state             string
}

func (p *part) fill(span ptrace.Span) {
	trace := pcommon.TraceID{0: 0x5a}
	binary.BigEndian.PutUint32(trace[12:], uint32(p.trace))
	span.SetTraceID(trace)
	span.SetSpanID(idOf(p.id))
	span.SetParentSpanID(idOf(p.parent))
	span.SetName(fmt.Sprint("span ", p.id))
	span.TraceState().FromRaw(p.state)
	end := p.end
	if end == 0 {
		end = p.start + 1
	}
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(noon.Add(time.Duration(p.start) * time.Second)))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(noon.Add(time.Duration(end) * time.Second)))
	for key, value := range p.attrs {
		span.Attributes().PutStr(key, value)
	}
	if p.tool == "" {
		return
	}
	if p.mcp {
		span.SetKind(ptrace.SpanKindServer)
		span.Attributes().PutStr("mcp.method.name", "tools/call")
	}
	span.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
	span.Attributes().PutStr("gen_ai.tool.name", p.tool)
	if p.args != "" {
		span.Attributes().PutStr("gen_ai.tool.call.arguments", p.args)
	}
}

func idOf(n int) (id pcommon.SpanID) {
	if n != 0 {
		binary.BigEndian.PutUint64(id[:], uint64(n))
	}
	return id
}

// batchOf makes one batch of parts: those of a service share a resource.
func batchOf(parts ...part) ptrace.Traces {
	td := ptrace.NewTraces()
	services := map[string]ptrace.SpanSlice{}
	for i := range parts {
		spans, ok := services[parts[i].service]
		if !ok {
			rs := td.ResourceSpans().AppendEmpty()
			if parts[i].service != "" {
				rs.Resource().Attributes().PutStr("service.name", parts[i].service)
			}
			spans = rs.ScopeSpans().AppendEmpty().Spans()
			services[parts[i].service] = spans
		}
		parts[i].fill(spans.AppendEmpty())
	}
	return td
}

// process sends one batch through.
func process(t testing.TB, e *Engine, p Policies, parts ...part) *Batch {
	t.Helper()
	b, err := e.Process(context.Background(), noon, p, batchOf(parts...))
	require.NoError(t, err)
	return b
}

// closeAll closes every run, and returns what is recorded by run.
func closeAll(t testing.TB, e *Engine) map[string]*ClosedRun {
	t.Helper()
	closed := map[string]*ClosedRun{}
	require.NoError(t, e.CloseAll(context.Background(), noon, ledger.WhyEnd, func(runs []*ClosedRun) {
		for _, run := range runs {
			closed[run.Record.Run] = run
		}
	}))
	return closed
}

// cut cuts parts into batches at random.
func cut(rng *rand.Rand, parts []part) (batches [][]part) {
	for len(parts) > 0 {
		n := 1 + rng.IntN(len(parts))
		batches, parts = append(batches, slices.Clone(parts[:n])), parts[n:]
	}
	return batches
}
