// SPDX-License-Identifier: Apache-2.0

package schema

// An itemRule is the keywords that say what elements are: prefixItems and
// items, or items and additionalItems before 2020-12.
type itemRule struct {
	prefix      []*node
	rest        *node  // nil for any
	restKeyword string // where rest comes from
}

func (a *itemRule) holds(c *checker, v value, ev *evaluated) bool {
	i := 0
	for _, item := range v.node.All() {
		sub := a.rest
		if i < len(a.prefix) {
			sub = a.prefix[i]
		}
		if sub == nil {
			break
		}
		if !c.eval(sub, value{node: item}, nil) {
			return false
		}
		ev.mark(i)
		i++
	}
	return true
}

func (a *itemRule) explain(c *checker, v value, r *report) {
	i := 0
	for _, item := range v.node.All() {
		switch {
		case i < len(a.prefix):
			c.explainAll(value{node: item}, r, a.prefix[i])
		case a.rest != nil:
			c.explainKeyword(value{node: item}, r, a.rest, a.restKeyword)
		}
		i++
	}
}

// A containsRule is contains, with minContains and maxContains.
type containsRule struct {
	node     *node
	schema   *node
	min, max int
	minimum  bool // minContains is there
	marks    bool // what it finds is evaluated
}

func (a *containsRule) holds(c *checker, v value, ev *evaluated) bool {
	n := a.count(c, v, ev)
	return a.min <= n && n <= a.max
}

// count returns how many elements keep to the schema. It does not count on
// once the answer is known, unless the elements have to be marked.
func (a *containsRule) count(c *checker, v value, ev *evaluated) int {
	found, i := 0, 0
	for _, item := range v.node.All() {
		if c.eval(a.schema, value{node: item}, nil) {
			found++
			if a.marks {
				ev.mark(i)
			}
		}
		if ev == nil && (found > a.max || found >= a.min && a.max == unlimited) {
			return found
		}
		i++
	}
	return found
}

func (a *containsRule) explain(c *checker, v value, r *report) {
	keyword := "contains"
	switch n := a.count(c, v, nil); {
	case n > a.max:
		keyword = "maxContains"
	case a.minimum:
		keyword = "minContains"
	}
	r.add(a.node.location+"/"+keyword, keyword)
}
