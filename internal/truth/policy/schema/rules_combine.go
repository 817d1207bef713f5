// SPDX-License-Identifier: Apache-2.0

package schema

// An allRule is allOf.
type allRule []*node

func (a allRule) holds(c *checker, v value, ev *evaluated) bool {
	for _, sub := range a {
		if !c.eval(sub, v, ev) {
			return false
		}
	}
	return true
}

func (a allRule) explain(c *checker, v value, r *report) { c.explainAll(v, r, a...) }

// An anyRule is anyOf. All alternatives are tried if what they evaluate counts.
type anyRule []*node

func (a anyRule) holds(c *checker, v value, ev *evaluated) bool {
	held := false
	for _, sub := range a {
		own := ev.fresh()
		if !c.eval(sub, v, own) {
			continue
		}
		if held = true; ev == nil {
			return true
		}
		ev.merge(own)
	}
	return held
}

// A oneRule is oneOf.
type oneRule []*node

func (o oneRule) holds(c *checker, v value, ev *evaluated) bool {
	held := false
	for _, sub := range o {
		own := ev.fresh()
		if !c.eval(sub, v, own) {
			continue
		}
		if held {
			return false
		}
		held = true
		ev.merge(own)
	}
	return held
}

// A notRule is not.
type notRule struct{ schema *node }

func (n *notRule) holds(c *checker, v value, _ *evaluated) bool {
	held := c.eval(n.schema, v, nil)
	return !held && c.evaluations <= maxEvaluations
}

// An ifRule is if, then and else; a branch is nil where there is none.
type ifRule struct{ condition, then, otherwise *node }

func (i *ifRule) holds(c *checker, v value, ev *evaluated) bool {
	branch := i.branch(c, v, ev)
	return branch == nil || c.eval(branch, v, ev)
}

// branch returns the schema that the condition chooses.
func (i *ifRule) branch(c *checker, v value, ev *evaluated) *node {
	own := ev.fresh()
	if !c.eval(i.condition, v, own) {
		return i.otherwise
	}
	ev.merge(own)
	return i.then
}

func (i *ifRule) explain(c *checker, v value, r *report) {
	if branch := i.branch(c, v, nil); branch != nil {
		c.explainAll(v, r, branch)
	}
}
