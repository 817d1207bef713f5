// SPDX-License-Identifier: Apache-2.0

package ledger

import "github.com/tool-decision-truth/collector/internal/truth"

// maxOrder is the last order that a double holds exactly (spec section 4).
const maxOrder = 1 << 53

// place gives o its call in r, and says so in p, which is zero. Orders from
// fresh on are those of the same batch.
func (s *shard) place(p *Placement, r *run, o *sighting, fresh int64) {
	s.noteGroup(r, o)
	m := s.find(r, o, fresh)
	if m.n == 0 {
		if r.next > maxOrder {
			return // there are no more orders: p stays zero
		}
		p.Order = r.next
		s.placeNew(p, r, o)
	} else {
		at := s.survivor(r, &m)
		p.Order = r.base() + int64(at)
		s.absorb(r, &m, at)
		s.observe(p, r, o, m.known)
	}
	s.complete(p, r, o)
}

// placeNew makes a call of o.
func (s *shard) placeNew(p *Placement, r *run, o *sighting) {
	s.slide(r)
	order := r.next
	switch {
	case order > 0 && o.start == r.latest:
		r.caveats.add(CaveatOrderAmbiguous)
	case o.start < r.latest:
		r.caveats.add(CaveatOrderByArrival)
	}
	r.latest = max(r.latest, o.start)
	c := call{end: o.end}
	c.decide(o, s.refer(r, o.name), r.policyIndex(o.Policy))
	c.meet(o)
	r.add(c)
	r.judge(c.verdict)
	r.addEdges(order, o)
	p.Kind, p.Violated = KindNew, s.takeIn(r, order, o)
}

// observe takes in that o is an observation of the call that p names.
func (s *shard) observe(p *Placement, r *run, o *sighting, known bool) {
	order := p.Order
	c := r.call(order)
	p.Kind = kindOf(c, o, known)
	if p.Kind == KindChanged && known && !r.policyAt(c.policy).same(o.Policy) {
		p.Kind = KindResent // what was judged stays judged
	}
	if p.Kind == KindResent {
		return
	}
	if p.Kind != KindJoined {
		r.remember(edge{span: c.span, content: c.content, order: order, layer: c.layer})
		before := *c
		if p.Kind == KindChanged {
			c.set(hasArgs, false)
		}
		c.decide(o, s.refer(r, o.name), r.policyIndex(o.Policy))
		r.judge(c.verdict)
		r.recount()
		p.Violated = s.revise(r, order, &before, o)
	}
	c.meet(o)
	r.addEdges(order, o)
}

// kindOf says what o, an observation of c, is to it.
//
// A decision is replaced as a batch with both observations would have been
// judged: by one with arguments where there were none; by one from further out
// that judges differently, for the outer name is what was asked for. But a
// mismatch is not replaced by less, since nothing that was missing undoes it,
// and a worse decision is dropped only where an outer one with arguments stands.
func kindOf(c *call, o *sighting, known bool) Kind {
	verdict, own := truth.Join(o.Verdict), c.span == o.primary()
	damning, outer := verdict >= truth.Mismatch && verdict > c.verdict, o.layer < c.layer
	switch {
	case own && known && damning && c.content == o.said[0]:
		return KindChanged // something else than the span speaks against it now
	case known:
		return KindResent
	case own && c.content != o.said[0]:
		return KindChanged
	case own, c.verdict >= truth.Mismatch && verdict < c.verdict:
		return KindJoined
	case o.Call.HasArgs && !c.is(hasArgs), outer && damning, outer && o.Call.HasArgs == c.is(hasArgs) && verdict != c.verdict:
		return KindReplaced
	default:
		return KindJoined
	}
}

// absorb makes the other calls of m part of the one at index into. Their
// records do not stand any more, but what was a mismatch stays one.
func (s *shard) absorb(r *run, m *match, into int) {
	for _, i := range m.found[:m.n] {
		from, to := &r.calls[i], &r.calls[into]
		if i == into {
			continue
		}
		order, target := r.base()+int64(i), r.base()+int64(into)
		r.remember(edge{span: from.span, content: from.content, order: order, layer: from.layer})
		edges := r.edges()
		for j := range edges {
			if edges[j].order == order {
				edges[j].order = target
			}
		}
		r.supersede(order, target, r.takeRecord(order).Carrier)
		if to.id == 0 {
			to.id = from.id
		}
		*from = call{bits: from.bits&inRules | merged, policy: from.policy, tool: from.tool, verdict: from.verdict, detail: uint64(target)}
		r.needRare().merged++
		r.countCall(from.policy, -1)
		r.caveats.add(CaveatCallsMerged)
		s.dropFromRules(r, order)
	}
	if m.n > 1 {
		r.recount()
	}
}

// addEdges remembers the spans of o as those of the call with this order. The
// call's primary needs no edge unless it may hang below another span.
func (r *run) addEdges(order int64, o *sighting) {
	primary := r.call(order).span
	for i, member := range o.members {
		if o.keys[i] == primary && !member.Layer.inner() {
			continue
		}
		r.remember(edge{
			span: o.keys[i], parent: r.resolve(o.parents[i]), content: o.said[i], order: order, layer: member.Layer,
		})
	}
}

// complete fills in what a placement says of the decision and the run.
func (s *shard) complete(p *Placement, r *run, o *sighting) {
	c := r.call(p.Order)
	p.shard, p.run = s, r
	p.Verdict, p.Detail, p.Policy = c.verdict, c.detail, r.policyAt(c.policy)
	p.Primary = o.fold.span(c.span, c.part)
	p.span, p.content = c.span, c.content
	p.RunVerdict = r.verdict()
	if p.Kind != KindNew && p.Violated == nil {
		p.Violated = r.violatedBy(p.Order)
	}
	if s.options.Records > 0 {
		s.askRecord(p, r, c, o)
	}
	if p.changesRun() {
		s.reopen(r, p)
	} else {
		p.Late = r.is(closed)
	}
}

// changesRun reports whether the run's record would say something else after
// this placement.
func (p *Placement) changesRun() bool {
	return p.Record || p.Kind == KindNew || p.Kind == KindReplaced || p.Kind == KindChanged
}
