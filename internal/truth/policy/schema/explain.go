// SPDX-License-Identifier: Apache-2.0

package schema

// A report collects where a value breaks a schema, and keeps the first place in
// the order of the pointers' bytes. That order depends on the declaration
// alone: not on how it is laid out, nor on which violation is met first.
type report struct {
	location, keyword string
	found             bool
}

func (r *report) add(location, keyword string) {
	if !r.found || location < r.location {
		*r = report{location, keyword, true}
	}
}

// explain reports where v breaks n, which it is known to do. Rules that
// combine others by and, such as properties and allOf, are broken where those
// are; rules that combine them otherwise where they stand.
func (c *checker) explain(n *node, v value, r *report) {
	if n.never {
		r.add(n.location, "false")
		return
	}
	if !c.descend() {
		return
	}
	defer func() { c.depth-- }()
	if n.recurring {
		if !c.enter(n, v) {
			return
		}
		defer c.leave()
	}
	if c.dynamic {
		defer c.leaveScope(len(c.scope))
		c.scope = append(c.scope, n.resource)
	}
	if !n.types.allows(v.kind(), v) {
		r.add(n.location+"/type", "type")
	}
	var ev *evaluated
	if n.tracks {
		ev = &evaluated{}
	}
	for _, b := range n.rules[v.kind()] {
		if b.rule.holds(c, v, ev) {
			continue
		}
		if e, ok := b.rule.(explainer); ok {
			e.explain(c, v, r)
		} else {
			r.add(n.location+token(b.keyword), b.keyword)
		}
	}
}

// explainAll explains each of subs that v breaks.
func (c *checker) explainAll(v value, r *report, subs ...*node) {
	for _, sub := range subs {
		if !c.eval(sub, v, nil) {
			c.explain(sub, v, r)
		}
	}
}
