// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
)

// An ancestry knows how the spans of a batch hang together, as far as their
// traces are followed.
type ancestry struct {
	spans map[spanRef]ancestor
	hops  []spanRef // the spans that are no call's, in the order of the batch
	key   RunKey
	runs  map[spanRef]ledger.ID // what spans name by the key
}

// An ancestor is what ancestry needs of a span.
type ancestor struct {
	parent pcommon.SpanID
	call   bool
}

// index takes in the spans of all traces that are followed.
func (a *ancestry) index(b *Batch, td ptrace.Traces, traces *survey) {
	a.key = traces.key
	if traces.followed == 0 {
		return
	}
	a.spans = make(map[spanRef]ancestor, traces.followed)
	for i := range b.Decisions {
		for _, m := range b.Decisions[i].Members {
			a.spans[refOf(m.Span)] = ancestor{linkedParent(m.Span), true}
		}
	}
	eachSpan(td, func(at Located) {
		if traces.of(at.Span.TraceID()).followed {
			a.add(at)
		}
	})
}

func (a *ancestry) add(at Located) {
	ref := refOf(at.Span)
	if len(a.key) > 0 {
		if run, ok := a.key.named(at); ok {
			if a.runs == nil {
				a.runs = map[spanRef]ledger.ID{}
			}
			a.runs[ref] = run
		}
	}
	if _, ok := a.spans[ref]; !ok {
		a.spans[ref] = ancestor{linkedParent(at.Span), false}
		a.hops = append(a.hops, ref)
	}
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
		found, ok := a.spans[spanRef{trace, at}]
		if !ok || found.call {
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
		ref := spanRef{trace, at}
		if run, ok := a.runs[ref]; ok {
			return run, true
		}
		found, ok := a.spans[ref]
		if !ok {
			break
		}
		at = found.parent
	}
	return ledger.ID{}, false
}
