// SPDX-License-Identifier: Apache-2.0

package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// A refRule is $ref, or any reference that always means the same.
type refRule struct{ target *node }

func (f *refRule) holds(c *checker, v value, ev *evaluated) bool { return c.eval(f.target, v, ev) }

func (f *refRule) explain(c *checker, v value, r *report) { c.explainAll(v, r, f.target) }

// A dynamicRule is $dynamicRef: it means the anchor of that name in the
// outermost resource on the way to it that has one.
type dynamicRule struct {
	target *node
	in     map[*resource]*node
}

func (d *dynamicRule) resolve(c *checker) *node {
	for _, res := range c.scope {
		if target, ok := d.in[res]; ok {
			return target
		}
	}
	return d.target
}

func (d *dynamicRule) holds(c *checker, v value, ev *evaluated) bool {
	return c.eval(d.resolve(c), v, ev)
}

func (d *dynamicRule) explain(c *checker, v value, r *report) { c.explainAll(v, r, d.resolve(c)) }

// A recursiveRule is $recursiveRef to a resource with $recursiveAnchor: it
// means the outermost of the resources on the way to it that have one, as long
// as none between them has none.
type recursiveRule struct {
	target *node
	in     map[*resource]*node // roots with $recursiveAnchor
}

func (d *recursiveRule) resolve(c *checker) *node {
	target := d.target
	for i := len(c.scope) - 1; i >= 0; i-- {
		root, ok := d.in[c.scope[i]]
		if !ok {
			break
		}
		target = root
	}
	return target
}

func (d *recursiveRule) holds(c *checker, v value, ev *evaluated) bool {
	return c.eval(d.resolve(c), v, ev)
}

func (d *recursiveRule) explain(c *checker, v value, r *report) { c.explainAll(v, r, d.resolve(c)) }

// A metaRule is a reference to a dialect's own schema, which the library has.
// Where that is broken is not in the declared schema, so the reference is.
type metaRule struct{ schema *jsonschema.Schema }

func (m *metaRule) holds(c *checker, v value, _ *evaluated) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return m.schema.Validate(c.any(v)) == nil
}

// An unevaluatedRule is unevaluatedProperties or unevaluatedItems. It comes
// last of a schema's rules.
type unevaluatedRule struct {
	schema  *node
	keyword string
}

func (u *unevaluatedRule) holds(c *checker, v value, ev *evaluated) bool {
	i := 0
	for _, item := range v.node.All() {
		if !ev.has(i) {
			if !c.eval(u.schema, value{node: item}, nil) {
				return false
			}
			ev.mark(i)
		}
		i++
	}
	return true
}
