// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/binary"
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A placing prepares what one batch tells the ledger. It is used again for other
// batches: what it holds is good until it is released.
type placing struct {
	engine *Engine
	batch  ledger.Batch
	placed []*Decision // the decision of each group

	traces  survey
	spans   ancestry
	members []ledger.Member // of all groups
	buf     []byte
}

// place prepares the batch's decisions for their places in their runs.
func (e *Engine) place(b *Batch, td ptrace.Traces) *placing {
	p, _ := e.placings.Get().(*placing)
	if p == nil {
		p = &placing{engine: e}
	}
	p.traces.look(e.set.RunKey, td)
	members := 0
	for i := range b.Decisions {
		for j := range b.Decisions[i].Members {
			p.traces.of(b.Decisions[i].Members[j].Span.TraceID()).followed = true
			members++
		}
	}
	p.traces.followKnown(e.set.Ledger)
	p.spans.index(b, td, &p.traces)
	p.members = slices.Grow(p.members[:0], members)
	p.batch.Groups = slices.Grow(p.batch.Groups, len(b.Decisions))
	for i := range b.Decisions {
		if d := &b.Decisions[i]; d.Policy != nil {
			p.add(d)
		}
	}
	p.spans.giveHops()
	p.batch.Seen = p.traces.seen(p.batch.Seen)
	return p
}

// release lets go of the batch, and keeps the room for the next one.
func (p *placing) release() {
	clear(p.batch.Groups)
	clear(p.batch.Seen)
	clear(p.batch.Room)
	clear(p.placed)
	p.batch.Groups, p.batch.Seen, p.placed = p.batch.Groups[:0], p.batch.Seen[:0], p.placed[:0]
	if cap(p.batch.Groups) <= maxRoom && cap(p.traces.spans) <= maxRoom {
		p.engine.placings.Put(p)
	}
}

// maxRoom bounds the batches whose room is kept.
const maxRoom = 1 << 16

// add gives a decision its group. What an inner layer says of a call that is
// known already is judged under the name that was asked for.
func (p *placing) add(d *Decision) {
	g := p.group(d)
	if p.engine.inner(d) {
		if tool, ok := p.engine.set.Ledger.KnownAs(&g); ok && tool != d.Tool && p.engine.rejudge(d, tool) {
			g.Call.Name, g.Verdict = d.Tool, d.Truth.Verdict
		}
	}
	d.Run = g.Run
	p.batch.Groups = append(p.batch.Groups, g)
	p.placed = append(p.placed, d)
}

// inner reports whether nobody in the batch says who decided to make the call.
func (e *Engine) inner(d *Decision) bool {
	return !slices.ContainsFunc(d.Members, func(m Member) bool { return m.layer <= recognize.LayerAgent })
}

func (p *placing) group(d *Decision) ledger.Group {
	primary := d.Primary()
	g := ledger.Group{
		Run: p.runOf(d), Trace: ledger.Trace(primary.Span.TraceID()),
		CallID: d.CallID, Policy: d.Policy.Run, Verdict: d.Truth.Verdict,
		Call:  sequence.Call{Name: d.Tool},
		Waits: primary.Obs.Marks&(recognize.Deferred|recognize.Interrupted) != 0,
		Part:  uint8(min(d.part, math.MaxUint8)),
	}
	if doc := primary.Obs.Args.Doc; doc != nil {
		g.Call.Args, g.Call.HasArgs = doc.Root(), true
		g.Args = p.argsHash(doc.Root())
	}
	first := len(p.members)
	for i := range d.Members {
		p.members = append(p.members, p.member(&d.Members[i]))
	}
	g.Members = p.members[first:len(p.members):len(p.members)]
	if d.part > math.MaxUint8 {
		g.Members[0].Span = ledger.Span{} // it cannot be told from others of its span
	}
	p.traces.of(primary.Span.TraceID()).addRun(g.Run)
	return g
}

// runOf returns the run of a call. With a key, it is what the call's own spans
// name, else what the nearest ancestor in the batch names, else the trace.
func (p *placing) runOf(d *Decision) ledger.ID {
	at := d.Primary().Located
	if len(p.engine.set.RunKey) > 0 {
		for i := range d.Members {
			if run, ok := p.engine.set.RunKey.named(d.Members[i].Located); ok {
				return run
			}
		}
		if run, ok := p.spans.named(at.Span); ok {
			return run
		}
	}
	return runOfTrace(at)
}

func (p *placing) member(m *Member) ledger.Member {
	return ledger.Member{
		Span: ledger.Span(m.Span.SpanID()), Parent: ledger.Span(p.spans.above(m.Span)), Layer: ledger.Layer(m.layer),
		Start: uint64(m.Span.StartTimestamp()), End: uint64(m.Span.EndTimestamp()), Content: m.content,
	}
}

// argsHash is a keyed hash of arguments without what layers between model and
// tool add to them. It is the same however they are written.
func (p *placing) argsHash(args canon.Node) (hash ledger.Sum) {
	added := false
	for key := range args.All() {
		added = added || recognize.Injected(key)
	}
	if added {
		p.buf = appendWithoutInjected(p.buf[:0], args)
	} else {
		p.buf = args.AppendJCS(p.buf[:0])
	}
	binary.LittleEndian.PutUint64(hash[:], p.engine.key.sum(p.buf))
	return hash
}

// appendWithoutInjected is AppendJCS for arguments that have injected members.
func appendWithoutInjected(dst []byte, args canon.Node) []byte {
	var keys []string
	for key := range args.All() {
		if !recognize.Injected(key) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, canon.CompareKeys)
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		value, _ := args.Get(key)
		dst = append(canon.AppendString(dst, key), ':')
		dst = value.AppendJCS(dst)
	}
	return append(dst, '}')
}

// member returns one span of a call as the span itself tells it.
func (e *Engine) member(at Located, o *recognize.Observation) Member {
	m := Member{Located: at, Obs: o, layer: o.Layer}
	if e.set.Ledger != nil {
		m.content = e.content(at.Span, o)
	}
	return m
}

// content hashes what a span says of the call, under a key, so that a span that
// is sent again is told from one that was changed. What other spans add to it
// does not count: they may be in another batch the next time.
func (e *Engine) content(span ptrace.Span, o *recognize.Observation) uint64 {
	var space [1024]byte
	buf := space[:0]
	for _, s := range [...]string{o.Dialect, o.Tool, o.CallID, o.Args.Text, string(o.Args.Why), o.Result.String()} {
		buf = appendSized(buf, s)
	}
	buf = binary.LittleEndian.AppendUint64(buf, uint64(span.StartTimestamp()))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(span.EndTimestamp()))
	buf = append(buf, byte(o.Conflict), byte(o.Marks), byte(o.Marks>>8))
	return e.key.sum(buf)
}

func appendSized(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(dst, uint64(len(s))), s...)
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

// refOf names a span within a batch.
func refOf(span ptrace.Span) spanRef { return spanRef{span.TraceID(), span.SpanID()} }

// linkedParent returns the parent of span or, where it has none, the span of
// the same trace that it links to.
func linkedParent(span ptrace.Span) pcommon.SpanID {
	parent := span.ParentSpanID()
	if parent.IsEmpty() && span.Links().Len() > 0 && span.Links().At(0).TraceID() == span.TraceID() {
		return span.Links().At(0).SpanID()
	}
	return parent
}
