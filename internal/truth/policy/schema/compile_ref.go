// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"maps"
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

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
	rule := &dynamicRule{target: to, in: map[*resource]*node{}}
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
