// SPDX-License-Identifier: Apache-2.0

package ledger

// A match is what connects a group with the calls of a run.
type match struct {
	found [maxMatches]int // indices into the run's calls, each once
	n     int
	known bool // every span of the group was seen saying just this
}

// maxMatches bounds the calls that one group can connect. A group that would
// connect more is connected with the first.
const maxMatches = 8

// connect adds the call at index i, unless it contradicts a call that is there:
// calls of two ids or two arguments are two calls, whatever connects them.
func (m *match) connect(r *run, i int) {
	c := &r.calls[i]
	for _, j := range m.found[:m.n] {
		other := &r.calls[j]
		switch {
		case i == j,
			c.is(hasArgs) && other.is(hasArgs) && c.args != other.args,
			c.id != 0 && other.id != 0 && c.id != other.id:
			return
		}
	}
	if m.n < maxMatches {
		m.found[m.n] = i
		m.n++
	}
}

// find returns the calls that s is an observation of. Calls with an order from
// fresh on came in the same batch, where it is the recognizer's to say what
// belongs together: only a repeated span joins them.
//
// What proves that two observations are of one call: the same span; the same
// call id in one trace, before the call ended or after a wait; or that a span of an
// MCP layer lies below the other with nothing but spans of no call between.
// Names, ids and arguments must then agree as far as both are known.
func (s *shard) find(r *run, o *sighting, fresh int64) match {
	var m match
	r.findSpans(o, &m)
	if m.known = m.n > 0 && r.knowsAll(o); m.known {
		return m
	}
	if o.id != 0 {
		s.findID(r, o, fresh, &m)
	}
	s.findAbove(r, o, fresh, &m)
	s.findBelow(r, o, fresh, &m)
	return m
}

// findSpans adds the calls that spans of o belong to. It goes through the whole
// window, so it looks at little.
func (r *run) findSpans(o *sighting, m *match) {
	primary, several := o.keys[0], len(o.members) > 1
	for i := range r.calls {
		if k := r.calls[i].span; k == primary && k != 0 || several && o.has(k) {
			m.connect(r, i)
		}
	}
	base := r.base()
	for _, e := range r.edges() {
		if o.has(e.span) {
			m.connect(r, int(e.order-base))
		}
	}
}

// findID adds the calls that have the call id of o.
func (s *shard) findID(r *run, o *sighting, fresh int64, m *match) {
	known := r.calls[:max(0, min(len(r.calls), int(fresh-r.base())))]
	for i := range known {
		if c := &known[i]; c.id == o.id && c.goesOn(o) && s.namesAgree(r, c, o) && c.agrees(o) {
			m.connect(r, i)
		}
	}
}

// knowsAll reports whether the run has seen every span of o saying just this.
func (r *run) knowsAll(o *sighting) bool {
	for i, k := range o.keys[:len(o.members)] {
		order, ok := r.owner(k)
		if !ok || !r.knows(order, k, o.said[i]) {
			return false
		}
	}
	return true
}

// findAbove adds the call that a span of o hangs below.
func (s *shard) findAbove(r *run, o *sighting, fresh int64, m *match) {
	for i, member := range o.members {
		above := r.resolve(o.parents[i])
		if !member.Layer.inner() || above == 0 || o.has(above) {
			continue
		}
		order, ok := r.owner(above)
		c := r.call(order)
		if ok && c != nil && order < fresh && s.kinAgree(r, c, o) && r.straight(order, above, o) {
			m.connect(r, int(order-r.base()))
			return
		}
	}
}

// findBelow adds the call that hangs below a span of o: the first one, since a
// second is a retry or a fan-out.
func (s *shard) findBelow(r *run, o *sighting, fresh int64, m *match) {
	for _, e := range r.edges() {
		if !e.layer.inner() || e.order >= fresh || !o.has(e.parent) || o.has(e.span) || o.hangsBelow(e.parent) {
			continue
		}
		c := r.call(e.order)
		if c != nil && s.kinAgree(r, c, o) && r.straightAll(m, e.parent, o) {
			m.connect(r, int(e.order-r.base()))
			return
		}
	}
}

// straightAll is straight for every call of m.
func (r *run) straightAll(m *match, above spanKey, o *sighting) bool {
	for _, i := range m.found[:m.n] {
		if !r.straight(r.base()+int64(i), above, o) {
			return false
		}
	}
	return true
}

// agrees reports whether c and o can be one call as far as ids and arguments
// say. What only one of them has does not speak against it.
func (c *call) agrees(o *sighting) bool {
	return (c.id == 0 || o.id == 0 || c.id == o.id) && (!c.is(hasArgs) || !o.Call.HasArgs || c.args == o.args)
}

func (s *shard) namesAgree(r *run, c *call, o *sighting) bool {
	a, b, same := s.name(r, c.tool), o.name, s.options.SameTool
	return a == b || same != nil && (same(a, b) || same(b, a))
}

// kinAgree is for two observations of which one lies below the other. One
// without a name may belong to any.
func (s *shard) kinAgree(r *run, c *call, o *sighting) bool {
	return c.agrees(o) && (o.name == "" || s.name(r, c.tool) == "" || s.namesAgree(r, c, o))
}

// survivor returns the index of the call that o is placed in when it connects
// several: the best informed, else the first. The others become part of it.
func (s *shard) survivor(r *run, m *match) int {
	best := m.found[0]
	for _, i := range m.found[1:m.n] {
		a, b := &r.calls[i], &r.calls[best]
		if a.is(hasArgs) != b.is(hasArgs) {
			if a.is(hasArgs) {
				best = i
			}
		} else if i < best {
			best = i
		}
	}
	return best
}
