// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
)

// A memberRule is the keywords properties, patternProperties,
// additionalProperties and required, which one pass over the members checks.
type memberRule struct {
	node     *node
	named    map[string]member
	required []string
	mask     uint64 // of the required names that have a bit
	patterns []patternMember
	rest     *node // additionalProperties, nil for any
}

// A member is what is known of one name.
type member struct {
	schema *node  // nil: properties does not have it
	bit    uint64 // of a required name
}

// A patternMember is one entry of patternProperties.
type patternMember struct {
	re     *regex.Regexp
	schema *node
}

func (m *memberRule) holds(c *checker, v value, ev *evaluated) bool {
	seen, i := uint64(0), 0
	for name, item := range v.node.All() {
		known := m.named[name]
		seen |= known.bit
		if !m.member(c, name, value{node: item}, known.schema) {
			return false
		}
		if ev != nil && (m.rest != nil || m.evaluates(name, known.schema)) {
			ev.mark(i)
		}
		i++
	}
	return seen == m.mask && m.hasTheRest(v)
}

// member reports whether one member keeps to all schemas for it.
func (m *memberRule) member(c *checker, name string, item value, schema *node) bool {
	evaluated := schema != nil
	if evaluated && !c.eval(schema, item, nil) {
		return false
	}
	for _, p := range m.patterns {
		if !p.re.MatchString(name) {
			continue
		}
		if evaluated = true; !c.eval(p.schema, item, nil) {
			return false
		}
	}
	return evaluated || m.rest == nil || c.eval(m.rest, item, nil)
}

// evaluates reports whether properties or patternProperties apply to a name.
func (m *memberRule) evaluates(name string, schema *node) bool {
	if schema != nil {
		return true
	}
	for _, p := range m.patterns {
		if p.re.MatchString(name) {
			return true
		}
	}
	return false
}

// bits is how many required names can have a bit of the mask.
const bits = 64

// hasTheRest reports whether v has the required names without a bit.
func (m *memberRule) hasTheRest(v value) bool {
	for i := bits; i < len(m.required); i++ {
		if _, ok := v.node.Get(m.required[i]); !ok {
			return false
		}
	}
	return true
}

func (m *memberRule) explain(c *checker, v value, r *report) {
	explainMissing(v, m.required, m.node.location+"/required", "required", r)
	for name, item := range v.node.All() {
		known := m.named[name]
		if known.schema != nil {
			c.explainAll(value{node: item}, r, known.schema)
		}
		for _, p := range m.patterns {
			if p.re.MatchString(name) {
				c.explainAll(value{node: item}, r, p.schema)
			}
		}
		if m.rest != nil && !m.evaluates(name, known.schema) {
			c.explainKeyword(value{node: item}, r, m.rest, "additionalProperties")
		}
	}
}

// explainMissing reports the first of the names that v does not have.
func explainMissing(v value, names []string, location, keyword string, r *report) {
	for i, name := range names {
		if _, ok := v.node.Get(name); !ok {
			r.add(location+index(i), keyword)
			return
		}
	}
}

// explainKeyword explains sub, which stands under keyword; if sub is false, it
// is keyword that says no.
func (c *checker) explainKeyword(v value, r *report, sub *node, keyword string) {
	if sub.never {
		r.add(sub.location, keyword)
		return
	}
	c.explainAll(v, r, sub)
}

// A namesRule is propertyNames.
type namesRule struct{ schema *node }

func (n *namesRule) holds(c *checker, v value, _ *evaluated) bool {
	for name := range v.node.All() {
		c.name = name // of a name nothing has names, so one at a time will do
		if !c.eval(n.schema, value{named: true}, nil) {
			return false
		}
	}
	return true
}

func (n *namesRule) explain(c *checker, v value, r *report) {
	for name := range v.node.All() {
		c.name = name
		c.explainKeyword(value{named: true}, r, n.schema, "propertyNames")
	}
}

// A dependency says what a member brings with it: other names, or a schema for
// the whole object. It is of dependencies, dependentRequired or
// dependentSchemas.
type dependency struct {
	name     string
	names    []string
	schema   *node
	location string
	keyword  string
}

// A dependencyRule is all dependencies of one keyword.
type dependencyRule []dependency

func (d dependencyRule) holds(c *checker, v value, ev *evaluated) bool {
	for _, dep := range d {
		if _, ok := v.node.Get(dep.name); !ok {
			continue
		}
		for _, name := range dep.names {
			if _, ok := v.node.Get(name); !ok {
				return false
			}
		}
		if dep.schema != nil && !c.eval(dep.schema, v, ev) {
			return false
		}
	}
	return true
}

func (d dependencyRule) explain(c *checker, v value, r *report) {
	for _, dep := range d {
		if _, ok := v.node.Get(dep.name); !ok {
			continue
		}
		explainMissing(v, dep.names, dep.location, dep.keyword, r)
		if dep.schema != nil {
			c.explainAll(v, r, dep.schema)
		}
	}
}
