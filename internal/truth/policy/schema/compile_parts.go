// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"maps"
	"slices"

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

func (c *compiler) references(s *site) {
	for _, r := range referring {
		value, ok := s.get(r.keyword, r.drafts)
		if !ok || value.Kind != canon.KindString {
			continue
		}
		to := value.Str
		if r.keyword == "$recursiveRef" {
			to = "#" // all that it may be, whatever it is
		}
		c.reference(s, reference{r.keyword, to, s.res, s.place})
	}
}

func (c *compiler) reference(s *site, r reference) {
	found, fault := c.find(r)
	switch {
	case fault != nil:
		if c.fault == nil {
			c.fault = fault
		}
		return
	case found.address != "":
		c.metaschema(s, r, found.address)
		return
	}
	c.known(found.place)
	to := c.compile(found.place, found.in, found.in.draft)
	s.node.apply(to)
	s.node.add(r.keyword, c.bind(s, r, to, found))
}

// bind returns the rule that a reference with the target to is.
func (c *compiler) bind(s *site, r reference, to *node, found target) rule {
	switch r.keyword {
	case "$dynamicRef":
		name := fragmentName(r.to)
		if at, ok := found.in.dynamic[name]; ok && at.location == found.location {
			return c.dynamicReference(s, to, name)
		}
	case "$recursiveRef":
		if anchored(found.schema) {
			return c.recursiveReference(s, to)
		}
	}
	return &refRule{to}
}

func (c *compiler) dynamicReference(s *site, to *node, name string) rule {
	rule := &dynamicRule{target: to, anchor: name, in: map[*resource]*node{}}
	for _, location := range slices.Sorted(maps.Keys(c.byPlace)) {
		res := c.byPlace[location]
		if at, ok := res.dynamic[name]; ok {
			rule.in[res] = c.compile(at, res, res.draft)
			s.node.apply(rule.in[res])
		}
	}
	c.dynamic = c.dynamic || len(rule.in) > 1
	return rule
}

func (c *compiler) recursiveReference(s *site, to *node) rule {
	rule := &recursiveRule{target: to, in: map[*resource]*node{}}
	for _, location := range slices.Sorted(maps.Keys(c.byPlace)) {
		res := c.byPlace[location]
		if anchored(res.schema) {
			rule.in[res] = c.compile(place{res.schema, res.location}, res, res.draft)
			s.node.apply(rule.in[res])
		}
	}
	c.dynamic = c.dynamic || len(rule.in) > 1
	return rule
}

// anchored reports whether a schema has $recursiveAnchor: true.
func anchored(n *tree.Node) bool {
	anchor, ok := n.Get("$recursiveAnchor")
	return ok && anchor.Kind == canon.KindBool && anchor.Str == "true"
}
