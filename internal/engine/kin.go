// SPDX-License-Identifier: Apache-2.0

package engine

import "go.opentelemetry.io/collector/pdata/pcommon"

// kin has the children of each span in a batch. Nil where nobody asks.
type kin map[spanRef][]Located

type spanRef struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

func (e *Engine) children(at []Member) kin {
	if e.set.Believe == nil {
		return nil
	}
	k := kin{}
	for i := range at {
		ref := spanRef{at[i].Span.TraceID(), at[i].Span.ParentSpanID()}
		k[ref] = append(k[ref], at[i].Located)
	}
	return k
}

// of returns the call's own spans and their children.
func (k kin) of(members []Member) []Located {
	if k == nil {
		return nil
	}
	var all []Located
	for _, m := range members {
		all = append(all, m.Located)
		all = append(all, k[spanRef{m.Span.TraceID(), m.Span.SpanID()}]...)
	}
	return all
}
