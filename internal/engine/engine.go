// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"crypto/sha256"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/recognize"
)

// An Engine judges batches. It is safe for concurrent use.
type Engine struct {
	set      Settings
	messages messages

	// key is of the hashes that tell spans and arguments apart, so that no
	// emitter can make two that pass for one. It is made of the HMAC key, or of
	// what is stored, so that it is the same after a restart, or else of this
	// engine alone.
	key hashKey

	serials  serials
	placings sync.Pool
}

// New returns an engine. The settings are not changed after that. seed is
// secret bytes that the engine's own hashes are keyed with.
func New(set Settings, seed []byte) *Engine {
	e := &Engine{set: set, messages: newMessages(set.Recognizer)}
	e.Reseed(seed)
	return e
}

// Reseed keys the engine's hashes anew. Call it before the first batch.
func (e *Engine) Reseed(seed []byte) {
	sum := sha256.Sum256(seed)
	e.key = hashKeyOf(sum[:])
}

// A Batch is what the engine found in one batch of spans.
type Batch struct {
	// Decisions are the logical calls, in the order of their first spans.
	Decisions []Decision

	// Ended are the runs that are over.
	Ended ledger.Ended

	// Spans is how many spans were looked at, Spoofed how many attributes
	// under the reserved names were removed.
	Spans, Spoofed int64

	// Faults is how many spans or calls met a fault of the engine itself. They
	// are invalid, or were left as they came; the batch is not harmed.
	Faults int64

	// Unrecordable is how many decisions no record can hold, by their length or
	// because they are no text. They say that their evidence failed.
	Unrecordable int64
}

// Judge finds the tool calls in td and judges each by the policy that is meant
// for it. It removes reserved attributes from all of td, and changes nothing
// else. No content makes it fail.
func (e *Engine) Judge(policies Policies, td ptrace.Traces) *Batch {
	b := &Batch{}
	found := e.inspect(b, td)
	if len(found) == 0 {
		return b
	}
	b.Faults += e.messages.resolve(found)
	spans, at := e.family(td, found)
	children := e.children(at)
	groups := recognize.Fold(spans)
	b.Decisions = make([]Decision, 0, len(groups))
	for _, g := range groups {
		d := e.decide(b, policies, e.members(g, spans, at), children)
		if len(at[g.Primary].Obs.Others) > 0 {
			d.part = 1
		}
	}
	for _, m := range found {
		for i := range m.Obs.Others {
			d := e.decide(b, policies, []Member{e.member(m.Located, &m.Obs.Others[i])}, children)
			d.part = i + 2
		}
	}
	return b
}

// inspect is the one pass over all spans.
func (e *Engine) inspect(b *Batch, td ptrace.Traces) []Member {
	var found []Member
	for _, rs := range td.ResourceSpans().All() {
		b.Spoofed += stripMap(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			b.Spoofed += stripMap(ss.Scope().Attributes())
			for _, span := range ss.Spans().All() {
				b.Spans++
				if o := e.inspectSpan(b, Located{rs, ss, span}); o != nil {
					found = append(found, e.member(Located{rs, ss, span}, o))
				}
			}
		}
	}
	return found
}

// inspectSpan reads one span. A fault of ours leaves the span as it came.
func (e *Engine) inspectSpan(b *Batch, at Located) (o *recognize.Observation) {
	defer func() {
		if recover() != nil {
			b.Faults++
			o = nil
		}
	}()
	b.Spoofed += stripAround(at.Span)
	if e.set.ReadsReserved {
		b.Spoofed += stripMap(at.Span.Attributes())
	}
	o, seen := e.set.Recognizer.Inspect(at.Resource, at.Scope, at.Span)
	if seen.Has(recognize.SeenReserved) {
		b.Spoofed += stripMap(at.Span.Attributes())
	}
	if o == nil && seen.Has(recognize.SeenMessages) {
		e.messages.add(at.Span)
	}
	if o != nil && o.Marks.Has(recognize.Unfinished) {
		return nil
	}
	return o
}

// family lists the spans of every trace that holds a tool call: ancestry leads
// through spans that are none. at has the same spans; Obs is nil for those.
func (e *Engine) family(td ptrace.Traces, found []Member) (spans []recognize.Span, at []Member) {
	calls := make(map[pcommon.TraceID]bool, len(found))
	for i := range found {
		calls[found[i].Span.TraceID()] = true
	}
	n := 0
	eachOf(td, calls, func(Located) { n++ })
	spans, at = make([]recognize.Span, 0, n), make([]Member, 0, n)
	next := 0
	eachOf(td, calls, func(l Located) {
		m := Member{Located: l}
		if next < len(found) && found[next].Span == l.Span {
			m = found[next]
			next++
		}
		spans = append(spans, recognize.SpanOf(l.Span, m.Obs))
		at = append(at, m)
	})
	return spans, at
}

// eachOf visits the spans of some traces. Spans of one trace mostly lie side by
// side, so that few need to be looked up.
func eachOf(td ptrace.Traces, traces map[pcommon.TraceID]bool, visit func(Located)) {
	var last pcommon.TraceID
	known, in := false, false
	eachSpan(td, func(l Located) {
		if trace := l.Span.TraceID(); !known || trace != last {
			last, known, in = trace, true, traces[trace]
		}
		if in {
			visit(l)
		}
	})
}

// members returns the spans of a group, the primary first. The primary speaks
// for the call with what only the others know filled in.
func (e *Engine) members(g recognize.Group, spans []recognize.Span, at []Member) []Member {
	members := make([]Member, 1, len(g.Members))
	members[0] = at[g.Primary]
	if len(g.Members) == 1 {
		return members
	}
	call := g.Call(spans)
	members[0].Obs = &call
	for _, i := range g.Members {
		if i != g.Primary {
			members = append(members, at[i])
		}
	}
	return members
}

// decide judges one call and adds it to the batch. A fault of ours makes it
// invalid and nothing else.
func (e *Engine) decide(b *Batch, policies Policies, members []Member, children kin) (d *Decision) {
	chosen, sound := policies.first(members[0].Located)
	b.Decisions = append(b.Decisions, e.decisionOn(chosen, members))
	d = &b.Decisions[len(b.Decisions)-1]
	defer func() {
		if recover() != nil || !sound {
			b.Faults++
			e.faulted(d)
		}
	}()
	if sound {
		d.family = children.of(members)
		e.judge(d)
	}
	return d
}
