// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func (c *compiler) combinations(s *site) {
	if all := c.list(s, "allOf", allDrafts); all != nil {
		s.node.add("allOf", allRule(all))
		s.node.apply(all...)
	}
	if anyOf := c.list(s, "anyOf", allDrafts); anyOf != nil {
		s.node.add("anyOf", anyRule(anyOf))
		s.node.apply(anyOf...)
	}
	if one := c.list(s, "oneOf", allDrafts); one != nil {
		s.node.add("oneOf", oneRule(one))
		s.node.apply(one...)
	}
	if not := c.sub(s, "not", allDrafts); not != nil {
		s.node.add("not", &notRule{not})
		s.node.apply(not)
	}
	c.condition(s)
}

// condition compiles if. A branch without it is not looked at, nor is it
// without a branch, except for what it evaluates.
func (c *compiler) condition(s *site) {
	condition, ok := s.get("if", from7)
	if !ok {
		return
	}
	rule := &ifRule{then: c.sub(s, "then", from7), otherwise: c.sub(s, "else", from7)}
	if rule.then == nil && rule.otherwise == nil && !c.tracking {
		return
	}
	rule.condition = c.compile(place{condition, s.below("if")}, s.res, s.draft)
	s.node.add("if", rule)
	s.node.apply(rule.condition, rule.then, rule.otherwise)
}

func (c *compiler) unevaluated(s *site) {
	for _, u := range [...]struct {
		keyword string
		kind    canon.Kind
	}{{"unevaluatedProperties", canon.KindObject}, {"unevaluatedItems", canon.KindArray}} {
		if sub := c.sub(s, u.keyword, from2019); sub != nil {
			s.node.add(u.keyword, &unevaluatedRule{sub, u.keyword}, u.kind)
			s.node.tracks = true
		}
	}
}
