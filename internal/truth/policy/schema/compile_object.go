// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

func (c *compiler) members(s *site) {
	m := &memberRule{node: s.node, named: map[string]member{}}
	if value, ok := s.get("properties", allDrafts); ok {
		for i, name := range value.Keys {
			at := place{value.Items[i], s.below("properties") + token(name)}
			m.named[name] = member{schema: c.compile(at, s.res, s.draft)}
		}
	}
	if value, ok := s.get("patternProperties", allDrafts); ok {
		c.patternMembers(s, m, value)
	}
	m.rest = c.sub(s, "additionalProperties", allDrafts)
	if value, ok := s.get("required", allDrafts); ok {
		m.require(names(value))
	}
	if len(m.named) > 0 || m.patterns != nil || m.rest != nil || m.required != nil {
		s.node.add("", m, canon.KindObject)
	}
	if sub := c.sub(s, "propertyNames", from6); sub != nil {
		s.node.add("propertyNames", &namesRule{sub}, canon.KindObject)
	}
	for _, d := range [...]struct {
		keyword string
		drafts  draftSet
	}{{"dependencies", allDrafts}, {"dependentRequired", from2019}, {"dependentSchemas", from2019}} {
		if value, ok := s.get(d.keyword, d.drafts); ok {
			c.dependencies(s, d.keyword, value)
		}
	}
}

func (c *compiler) patternMembers(s *site, m *memberRule, value *tree.Node) {
	for i, pattern := range value.Keys {
		at := place{value.Items[i], s.below("patternProperties") + token(pattern)}
		if re := c.regex(pattern, at); re != nil {
			m.patterns = append(m.patterns, patternMember{re, c.compile(at, s.res, s.draft)})
		}
	}
}

// require makes names required; the first of them are found in passing.
func (m *memberRule) require(names []string) {
	m.required = names
	for i, name := range names[:min(len(names), bits)] {
		known := m.named[name]
		known.bit |= 1 << i
		m.named[name] = known
		m.mask |= 1 << i
	}
}

func (c *compiler) dependencies(s *site, keyword string, value *tree.Node) {
	rule := dependencyRule{}
	for i, name := range value.Keys {
		d := dependency{name: name, location: s.below(keyword) + token(name), keyword: keyword}
		if item := value.Items[i]; item.Kind == canon.KindArray {
			d.names = names(item)
		} else {
			d.schema = c.compile(place{item, d.location}, s.res, s.draft)
			s.node.apply(d.schema)
		}
		rule = append(rule, d)
	}
	s.node.add(keyword, rule, canon.KindObject)
}
