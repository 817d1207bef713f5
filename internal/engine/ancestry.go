// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
)

// An ancestry knows how the spans of a batch hang together, as far as their
// traces are followed. The spans of one trace lie side by side. It can be used
// again for another batch.
type ancestry struct {
	traces *survey
	spans  []relative
	large  map[spanRef]int32 // the spans of traces that have many
	hops   []ledger.Hop
}

// A relative is what ancestry needs of a span.
type relative struct {
	id, parent pcommon.SpanID
	call       bool      // it is a call's span
	run        ledger.ID // that it names, zero: none
}

// manySpans is from where on looking a span up is better than going through the
// spans of its trace.
const manySpans = 24

// index takes in the spans of all traces that are followed.
func (a *ancestry) index(b *Batch, td ptrace.Traces, traces *survey) {
	a.traces = traces
	clear(a.large)
	a.spans, a.hops = a.spans[:0], a.hops[:0]
	followed := int32(0)
	for i := range traces.traces {
		if t := &traces.traces[i]; t.followed {
			t.begin = followed
			followed += t.spans
			t.spans = 0 // and counted again below
		}
	}
	if followed == 0 {
		return
	}
	if cap(a.spans) < int(followed) {
		a.spans = make([]relative, followed)
	}
	a.spans = a.spans[:followed]
	n := 0
	eachSpan(td, func(at Located) {
		if t := &traces.traces[traces.spans[n]]; t.followed {
			a.add(t, at)
		}
		n++
	})
	for i := range b.Decisions {
		for j := range b.Decisions[i].Members {
			a.markCall(b.Decisions[i].Members[j].Span)
		}
	}
}

func (a *ancestry) add(t *surveyed, at Located) {
	i := t.begin + t.spans
	t.spans++
	a.spans[i] = relative{id: at.Span.SpanID(), parent: linkedParent(at.Span)}
	if len(a.traces.key) > 0 {
		a.spans[i].run, _ = a.traces.key.named(at)
	}
	if t.spans < manySpans {
		return
	}
	if a.large == nil {
		a.large = map[spanRef]int32{}
	}
	if t.spans == manySpans { // it was not known to have many
		for j := t.begin; j < i; j++ {
			a.addLarge(spanRef{at.Span.TraceID(), a.spans[j].id}, j)
		}
	}
	a.addLarge(refOf(at.Span), i)
}

func (a *ancestry) addLarge(ref spanRef, at int32) {
	if _, ok := a.large[ref]; !ok {
		a.large[ref] = at
	}
}

// markCall marks every span with this id: it may be there more than once.
func (a *ancestry) markCall(span ptrace.Span) {
	t, id := a.traces.of(span.TraceID()), span.SpanID()
	for i := t.begin; i < t.begin+t.spans; i++ {
		if a.spans[i].id == id {
			a.spans[i].call = true
		}
	}
}

// find returns the span with this id, nil where the batch does not hold it.
func (a *ancestry) find(trace pcommon.TraceID, id pcommon.SpanID) *relative {
	t := a.traces.of(trace)
	if !t.followed {
		return nil
	}
	if t.spans >= manySpans {
		i, ok := a.large[spanRef{trace, id}]
		if !ok {
			return nil
		}
		return &a.spans[i]
	}
	for i := t.begin; i < t.begin+t.spans; i++ {
		if a.spans[i].id == id {
			return &a.spans[i]
		}
	}
	return nil
}

// maxAncestors bounds the walk through parents, which may run in a circle.
const maxAncestors = 256

// above returns the nearest ancestor of span that is a call's span or that the
// batch does not hold.
func (a *ancestry) above(span ptrace.Span) pcommon.SpanID {
	return a.climb(span.TraceID(), linkedParent(span))
}

func (a *ancestry) climb(trace pcommon.TraceID, at pcommon.SpanID) pcommon.SpanID {
	for range maxAncestors {
		if at.IsEmpty() {
			return at
		}
		found := a.find(trace, at)
		if found == nil || found.call {
			return at
		}
		at = found.parent
	}
	return pcommon.SpanID{}
}

// named returns the run that the nearest ancestor of span names.
func (a *ancestry) named(span ptrace.Span) (ledger.ID, bool) {
	trace, at := span.TraceID(), linkedParent(span)
	for range maxAncestors {
		found := a.find(trace, at)
		if found == nil {
			break
		}
		if found.run != (ledger.ID{}) {
			return found.run, true
		}
		at = found.parent
	}
	return ledger.ID{}, false
}

// giveHops gives each trace that is followed its spans that are no call's.
func (a *ancestry) giveHops() {
	if cap(a.hops) < len(a.spans) {
		a.hops = make([]ledger.Hop, 0, len(a.spans))
	}
	for i := range a.traces.traces {
		t := &a.traces.traces[i]
		if !t.followed {
			continue
		}
		begin, trace := len(a.hops), pcommon.TraceID(t.facts.Trace)
		for j := t.begin; j < t.begin+t.spans; j++ {
			if s := &a.spans[j]; !s.call {
				a.hops = append(a.hops, ledger.Hop{Span: ledger.Span(s.id), Parent: ledger.Span(a.climb(trace, s.parent))})
			}
		}
		t.facts.Hops = a.hops[begin:len(a.hops):len(a.hops)]
	}
}
