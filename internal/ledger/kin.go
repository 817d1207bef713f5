// SPDX-License-Identifier: Apache-2.0

package ledger

import "slices"

// kin is how spans of a run hang together, as far as joining needs it: spans
// of MCP layers with what they hang below, further spans of a call, and hops
// between a call and spans below it that may still come.
type kin struct {
	edges []edge
	hops  []hop // the last ones
	turn  int   // where the oldest is, once there are as many as may be
}

// An edge is one span of a call. The primary of a call has one where its layer
// can hang below another call's span.
type edge struct {
	span    spanKey
	parent  spanKey // 0: nothing above is of interest any more
	order   int64
	content content
	layer   Layer
}

// A hop leads from a span that is no tool call's towards a call above.
type hop struct{ span, to spanKey }

// maxHops bounds the hops of a run. They matter for the time between the
// batches of two processes.
const maxHops = 32

// inner reports whether a span of this layer may observe another span's call.
func (l Layer) inner() bool { return l >= LayerMCPClient && l <= LayerHandler }

// advance takes note of a span that is no tool call's: what hung below it now
// hangs below what is above it.
func (r *run) advance(span, to spanKey) {
	edges := r.edges()
	for i := range edges {
		if edges[i].parent == span && span != 0 {
			edges[i].parent = to
		}
	}
}

// keepHops keeps the hops below known calls, for spans that come later.
func (r *run) keepHops(seen *Seen) {
	fold := foldTrace(seen.Trace)
	for _, h := range seen.Hops {
		span, to := fold.key(h.Span, 0), fold.key(h.Parent, 0)
		if span != 0 && to != 0 && r.leadsUp(to) {
			r.needKin().keep(hop{span, to})
		}
	}
}

func (k *kin) keep(h hop) {
	if i := slices.IndexFunc(k.hops, func(known hop) bool { return known.span == h.span }); i >= 0 {
		k.hops[i] = h
		return
	}
	if len(k.hops) < maxHops {
		k.hops = append(k.hops, h)
		return
	}
	k.hops[k.turn] = h
	k.turn = (k.turn + 1) % maxHops
}

// leadsUp reports whether k is a span of a call or a hop.
func (r *run) leadsUp(k spanKey) bool {
	if slices.ContainsFunc(r.hops(), func(h hop) bool { return h.span == k }) {
		return true
	}
	_, ok := r.owner(k)
	return ok
}

// resolve follows the hops from k upwards.
func (r *run) resolve(k spanKey) spanKey {
	hops := r.hops()
	for range hops { // no more steps than hops: they may go around in a circle
		i := slices.IndexFunc(hops, func(h hop) bool { return h.span == k })
		if i < 0 {
			break
		}
		k = hops[i].to
	}
	return k
}

// owner returns the order of the call that the span k belongs to.
func (r *run) owner(k spanKey) (order int64, ok bool) {
	if k == 0 {
		return 0, false
	}
	for i := range r.calls {
		if r.calls[i].span == k {
			return r.base() + int64(i), true
		}
	}
	for _, e := range r.edges() {
		if e.span == k {
			return e.order, true
		}
	}
	return 0, false
}

// knows reports whether the span k of the call with this order was seen saying
// just this.
func (r *run) knows(order int64, k spanKey, said content) bool {
	if c := r.call(order); c != nil && c.span == k && c.content == said {
		return true
	}
	return slices.ContainsFunc(r.edges(), func(e edge) bool {
		return e.order == order && e.span == k && e.content == said
	})
}

// remember makes an edge of a span unless it is there. What the span said
// before stays known: telemetry that repeats both is not news each time.
func (r *run) remember(e edge) {
	if e.span == 0 {
		return
	}
	k := r.needKin()
	of := 0
	for i := range k.edges {
		if known := &k.edges[i]; known.order == e.order {
			if known.span == e.span && known.content == e.content {
				if e.parent != 0 {
					known.parent = e.parent
				}
				return
			}
			of++
		}
	}
	if of < maxMembers {
		k.edges = append(k.edges, e)
	}
}

// straight reports whether a span that hangs below the span above would carry
// on the path of the call with this order. A second one right below the same
// span is a retry or a fan-out, and another call.
func (r *run) straight(order int64, above spanKey, s *sighting) bool {
	return !slices.ContainsFunc(r.edges(), func(e edge) bool {
		return e.order == order && e.parent == above && e.layer.inner() && !s.has(e.span)
	})
}
