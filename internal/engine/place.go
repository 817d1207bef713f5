// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A placing prepares what one batch tells the ledger.
type placing struct {
	engine *Engine
	batch  ledger.Batch
	placed []*Decision // the decision of each group
	spans  map[spanRef]hop
	runs   map[pcommon.TraceID]ledger.ID
	buf    []byte
}

// A hop is what ancestry needs of a span in the batch.
type hop struct {
	parent pcommon.SpanID
	call   bool
}

// place gives the batch's decisions their places in their runs.
func (e *Engine) place(b *Batch, td ptrace.Traces) *placing {
	p := &placing{engine: e, spans: map[spanRef]hop{}, runs: map[pcommon.TraceID]ledger.ID{}}
	p.index(b, td)
	p.batch.Groups = make([]ledger.Group, 0, len(b.Decisions))
	p.placed = make([]*Decision, 0, len(b.Decisions))
	for i := range b.Decisions {
		if d := &b.Decisions[i]; d.Policy != nil {
			p.group(d)
		}
	}
	p.seen(td)
	return p
}

func (p *placing) index(b *Batch, td ptrace.Traces) {
	if len(b.Decisions) == 0 {
		return
	}
	for i := range b.Decisions {
		for _, m := range b.Decisions[i].Members {
			p.spans[spanRef{m.Span.TraceID(), m.Span.SpanID()}] = hop{m.Span.ParentSpanID(), true}
			p.runs[m.Span.TraceID()] = p.engine.set.RunKey.of(b.Decisions[i].Primary().Located)
		}
	}
	eachSpan(td, func(at Located) {
		ref := spanRef{at.Span.TraceID(), at.Span.SpanID()}
		if _, ok := p.spans[ref]; !ok {
			p.spans[ref] = hop{at.Span.ParentSpanID(), false}
		}
	})
}

func (p *placing) group(d *Decision) {
	primary := d.Primary()
	g := ledger.Group{
		Run: p.runs[primary.Span.TraceID()], Trace: ledger.Trace(primary.Span.TraceID()),
		CallID: d.CallID, Policy: d.Policy.Run, Verdict: d.Truth.Verdict,
		Call: sequence.Call{Name: d.Tool},
	}
	if doc := primary.Obs.Args.Doc; doc != nil {
		g.Call.Args, g.Call.HasArgs = doc.Root(), true
		p.buf = doc.Root().AppendJCS(append(p.buf[:0], p.engine.seed[:]...))
		g.Args = sha256.Sum256(p.buf)
	}
	for i := range d.Members {
		g.Members = append(g.Members, p.member(&d.Members[i]))
	}
	p.batch.Groups = append(p.batch.Groups, g)
	p.placed = append(p.placed, d)
}

func (p *placing) member(m *Member) ledger.Member {
	return ledger.Member{
		Span: ledger.Span(m.Span.SpanID()), Parent: ledger.Span(p.parent(m.Span)),
		Layer: ledger.Layer(m.Obs.Layer), Start: uint64(m.Span.StartTimestamp()), Content: p.content(m),
	}
}

// maxAncestors bounds the walk through parents, which may run in a circle.
const maxAncestors = 256

// parent returns the nearest ancestor of span that is a call's span or that
// the batch does not hold, or what the span links to where it is a root.
func (p *placing) parent(span ptrace.Span) pcommon.SpanID {
	trace, at := span.TraceID(), span.ParentSpanID()
	if at.IsEmpty() && span.Links().Len() > 0 && span.Links().At(0).TraceID() == trace {
		at = span.Links().At(0).SpanID()
	}
	for range maxAncestors {
		if at.IsEmpty() {
			return at
		}
		h, ok := p.spans[spanRef{trace, at}]
		if !ok || h.call {
			return at
		}
		at = h.parent
	}
	return pcommon.SpanID{}
}

// content hashes what the span says of the call, under a key, so that a span
// that is sent again is told from one that was changed.
func (p *placing) content(m *Member) uint64 {
	o := m.Obs
	p.buf = append(p.buf[:0], p.engine.seed[:]...)
	for _, s := range []string{o.Dialect, o.Tool, o.CallID, o.Args.Text, string(o.Args.Why), o.Result.String()} {
		p.buf = binary.LittleEndian.AppendUint64(p.buf, uint64(len(s)))
		p.buf = append(p.buf, s...)
	}
	p.buf = binary.LittleEndian.AppendUint64(p.buf, uint64(m.Span.StartTimestamp()))
	p.buf = binary.LittleEndian.AppendUint64(p.buf, uint64(m.Span.EndTimestamp()))
	p.buf = append(p.buf, byte(o.Conflict), byte(o.Marks), byte(o.Marks>>8))
	sum := sha256.Sum256(p.buf)
	return binary.LittleEndian.Uint64(sum[:])
}

// seen tells what else the batch says about runs: roots, sampling, and the
// spans that lie between those of one call.
func (p *placing) seen(td ptrace.Traces) {
	at := map[pcommon.TraceID]int{}
	hops := hopList{all: make([]ledger.Hop, 0, td.SpanCount())}
	var last pcommon.TraceID // spans of one trace mostly lie side by side
	var s *ledger.Seen
	eachSpan(td, func(l Located) {
		trace := l.Span.TraceID()
		if s == nil || trace != last {
			s, last = p.seenOf(at, l), trace
		}
		s.Sampled = s.Sampled || sampled(l.Span)
		if l.Span.ParentSpanID().IsEmpty() {
			s.Root, s.Start = true, uint64(l.Span.StartTimestamp())
		}
		if h := p.spans[spanRef{trace, l.Span.SpanID()}]; !h.call {
			hops.add(&s.Hops, ledger.Hop{Span: ledger.Span(l.Span.SpanID()), Parent: ledger.Span(p.parent(l.Span))})
		}
	})
}

// seenOf returns what is seen of the span's trace so far. It is good until the
// next call.
func (p *placing) seenOf(at map[pcommon.TraceID]int, l Located) *ledger.Seen {
	trace := l.Span.TraceID()
	i, ok := at[trace]
	if !ok {
		run, known := p.runs[trace]
		if !known {
			run = p.engine.runOfRoot(l)
		}
		i = len(p.batch.Seen)
		at[trace] = i
		p.batch.Seen = append(p.batch.Seen, ledger.Seen{Run: run, Trace: ledger.Trace(trace)})
	}
	return &p.batch.Seen[i]
}

// A hopList holds the hops of all traces of a batch in one piece of memory. The
// hops of a trace lie there while no other trace comes between.
type hopList struct {
	all  []ledger.Hop
	list *[]ledger.Hop // whose hops end all
}

func (h *hopList) add(list *[]ledger.Hop, hop ledger.Hop) {
	switch {
	case len(*list) == 0:
		h.all = append(h.all, hop)
		*list = h.all[len(h.all)-1 : len(h.all) : len(h.all)]
	case h.list == list:
		h.all = append(h.all, hop)
		*list = h.all[len(h.all)-1-len(*list) : len(h.all) : len(h.all)]
	default:
		*list = append(*list, hop)
		return
	}
	h.list = list
}

// runOfRoot returns the run of a span whose trace has no call in this batch.
func (e *Engine) runOfRoot(at Located) ledger.ID {
	if len(e.set.RunKey) == 0 {
		return ledger.ID(at.Span.TraceID())
	}
	return e.set.RunKey.of(at)
}

// sampled reports whether span says that others like it were left out: a
// sampling threshold above zero in its trace state.
func sampled(span ptrace.Span) bool {
	state := span.TraceState().AsRaw()
	if state == "" {
		return false
	}
	for entry := range strings.SplitSeq(state, ",") {
		value, ok := strings.CutPrefix(strings.TrimSpace(entry), "ot=")
		if !ok {
			continue
		}
		for field := range strings.SplitSeq(value, ";") {
			if th, ok := strings.CutPrefix(field, "th:"); ok && strings.Trim(th, "0") != "" {
				return true
			}
		}
	}
	return false
}

func eachSpan(td ptrace.Traces, visit func(Located)) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				visit(Located{rs, ss, span})
			}
		}
	}
}
