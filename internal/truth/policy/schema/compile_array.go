// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func (c *compiler) elements(s *site) {
	a := &itemRule{restKeyword: "items"}
	if only2020.has(s.draft) {
		a.prefix, a.rest = c.list(s, "prefixItems", only2020), c.sub(s, "items", only2020)
	} else if value, ok := s.get("items", upTo2019); ok && value.Kind == canon.KindArray {
		a.prefix = c.list(s, "items", upTo2019)
		a.rest, a.restKeyword = c.sub(s, "additionalItems", upTo2019), "additionalItems"
	} else {
		a.rest = c.sub(s, "items", upTo2019)
	}
	if a.prefix != nil || a.rest != nil {
		s.node.add("", a, canon.KindArray)
	}
	c.contains(s)
}

func (c *compiler) contains(s *site) {
	sub := c.sub(s, "contains", from6)
	if sub == nil {
		return
	}
	rule := &containsRule{node: s.node, schema: sub, min: 1, max: unlimited, marks: only2020.has(s.draft)}
	if n, ok := bound(s, "minContains", from2019); ok {
		rule.min, rule.minimum = n, true
	}
	if n, ok := bound(s, "maxContains", from2019); ok {
		rule.max = n
	}
	s.node.add("contains", rule, canon.KindArray)
}
