// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"math"
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// unlimited is the upper bound where there is none.
const unlimited = math.MaxInt

// A compiler makes the nodes of one document, whose shape the metaschema has
// already approved.
type compiler struct {
	*atlas
	loader  *Loader
	nodes   map[string]*node // by location, so that cycles close
	dynamic bool
	uses    []PatternUse
	fault   *Fault
}

// A site is one schema while its keywords are being compiled.
type site struct {
	place
	res   *resource
	draft draft
	node  *node
}

// get returns the value of a keyword if the site's dialect is one of drafts.
func (s *site) get(keyword string, drafts draftSet) (*tree.Node, bool) {
	if !drafts.has(s.draft) {
		return nil, false
	}
	return s.schema.Get(keyword)
}

func (s *site) below(keyword string) string { return s.location + token(keyword) }

func (c *compiler) fail(reason Reason, at place, msg string) {
	if c.fault == nil {
		c.fault = &Fault{reason, at.location, at.schema.Pos(), msg}
	}
}

// compile returns the schema at a place. in and d are the resource and the
// dialect of what leads there.
func (c *compiler) compile(at place, in *resource, d draft) *node {
	if n, ok := c.nodes[at.location]; ok {
		return n
	}
	if res, ok := c.byPlace[at.location]; ok {
		in = res
	}
	if own, ok := c.drafts[at.location]; ok {
		d = own
	}
	n := &node{location: at.location, resource: in}
	c.nodes[at.location] = n
	if at.schema.Kind != canon.KindObject {
		n.never = at.schema.Kind != canon.KindBool || at.schema.Str == "false"
		n.close()
		return n
	}
	s := &site{at, in, d, n}
	if _, refers := at.schema.Get("$ref"); refers && upTo7.has(d) {
		c.references(s) // nothing beside it counts
		n.close()
		return n
	}
	for _, part := range [...]func(*site){
		c.types, c.values, c.numbers, c.strings, c.texts, c.sizes, c.references,
		c.members, c.elements, c.combinations, c.unevaluated,
	} {
		part(s)
	}
	n.close()
	return n
}

// sub compiles the schema that is the value of a keyword, nil for none.
func (c *compiler) sub(s *site, keyword string, drafts draftSet) *node {
	value, ok := s.get(keyword, drafts)
	if !ok {
		return nil
	}
	return c.compile(place{value, s.below(keyword)}, s.res, s.draft)
}

// list compiles the schemas that are the elements of a keyword's value.
func (c *compiler) list(s *site, keyword string, drafts draftSet) []*node {
	value, ok := s.get(keyword, drafts)
	if !ok || value.Kind != canon.KindArray {
		return nil
	}
	nodes := make([]*node, len(value.Items))
	for i, item := range value.Items {
		nodes[i] = c.compile(place{item, s.below(keyword) + index(i)}, s.res, s.draft)
	}
	return nodes
}

func (c *compiler) types(s *site) {
	value, ok := s.get("type", allDrafts)
	if !ok {
		return
	}
	names := []*tree.Node{value}
	if value.Kind == canon.KindArray {
		names = value.Items
	}
	s.node.types = typed
	if s.draft == draft4 {
		s.node.types |= strictly
	}
	for _, name := range names {
		if name.Str == "integer" {
			s.node.types |= integers
		}
		for k := canon.KindNull; k <= canon.KindObject; k++ {
			if k.String() == name.Str {
				s.node.types |= 1 << k
			}
		}
	}
}

func (c *compiler) values(s *site) {
	if value, ok := s.get("const", from6); ok {
		s.node.add("const", &enumRule{[]*tree.Node{value}})
	}
	if value, ok := s.get("enum", allDrafts); ok {
		s.node.add("enum", &enumRule{value.Items})
	}
}

func (c *compiler) numbers(s *site) {
	limits := &rangeRule{node: s.node}
	limits.minimum, limits.above = limit(s, "minimum", "exclusiveMinimum")
	limits.maximum, limits.below = limit(s, "maximum", "exclusiveMaximum")
	if limits.minimum != nil || limits.above != nil || limits.maximum != nil || limits.below != nil {
		s.node.add("", limits, canon.KindNumber)
	}
	if value, ok := s.get("multipleOf", allDrafts); ok {
		s.node.add("multipleOf", &multipleRule{parseNumber(value.Str)}, canon.KindNumber)
	}
}

// limit returns the two bounds on one side. In draft-04 a boolean says which
// of them the one number is.
func limit(s *site, keyword, exclusive string) (including, excluding *number) {
	read := func(keyword string, drafts draftSet) *number {
		value, ok := s.get(keyword, drafts)
		if !ok || value.Kind != canon.KindNumber {
			return nil
		}
		n := parseNumber(value.Str)
		return &n
	}
	including, excluding = read(keyword, allDrafts), read(exclusive, from6)
	if value, ok := s.get(exclusive, only4); ok && value.Str == "true" {
		return nil, including
	}
	return including, excluding
}

func (c *compiler) strings(s *site) {
	if n, ok := bound(s, "minLength", allDrafts); ok {
		s.node.add("minLength", &lengthRule{n, unlimited}, canon.KindString)
	}
	if n, ok := bound(s, "maxLength", allDrafts); ok {
		s.node.add("maxLength", &lengthRule{0, n}, canon.KindString)
	}
	if value, ok := s.get("pattern", allDrafts); ok {
		if re := c.regex(value.Str, place{value, s.below("pattern")}); re != nil {
			s.node.add("pattern", &patternRule{re}, canon.KindString)
		}
	}
}

func (c *compiler) regex(pattern string, at place) *regex.Regexp {
	re, err := c.loader.regex(pattern)
	if err != nil {
		c.fail(BadPattern, at, err.Error())
		return nil
	}
	c.uses = append(c.uses, PatternUse{at.location, at.schema.Pos(), re})
	return re
}

// bound returns the whole number that is the value of a keyword; one that no
// size reaches is as good as the largest.
func bound(s *site, keyword string, drafts draftSet) (int, bool) {
	value, ok := s.get(keyword, drafts)
	if !ok || value.Kind != canon.KindNumber {
		return 0, false
	}
	n := parseNumber(value.Str)
	switch {
	case !n.integer && n.float < math.MaxInt32:
		return int(n.float), true
	case !n.integer || n.abs > math.MaxInt32:
		return unlimited, true
	}
	return int(n.abs), true
}

// texts compiles what later drafts only annotate.
func (c *compiler) texts(s *site) {
	if value, ok := s.get("format", upTo7); ok {
		if check := formatOf(value.Str, s.draft); check != nil {
			s.node.add("format", &textRule{check}, canon.KindString)
		}
	}
	encoding, _ := s.get("contentEncoding", only6|only7)
	media, _ := s.get("contentMediaType", only6|only7)
	for _, value := range [...]*tree.Node{encoding, media} {
		if value != nil && value.Kind != canon.KindString { // draft-06 has no word on it
			c.fail(BreaksDialect, place{value, s.location}, "got "+value.Kind.String()+", want string")
		}
	}
	for _, r := range contentRules(encoding, media) {
		s.node.add(r.keyword, r.rule, canon.KindString)
	}
}

func (c *compiler) sizes(s *site) {
	for _, size := range [...]struct {
		least, most string
		kind        canon.Kind
	}{{"minItems", "maxItems", canon.KindArray}, {"minProperties", "maxProperties", canon.KindObject}} {
		if n, ok := bound(s, size.least, allDrafts); ok {
			s.node.add(size.least, &sizeRule{n, unlimited}, size.kind)
		}
		if n, ok := bound(s, size.most, allDrafts); ok {
			s.node.add(size.most, &sizeRule{0, n}, size.kind)
		}
	}
	if value, ok := s.get("uniqueItems", allDrafts); ok && value.Str == "true" {
		s.node.add("uniqueItems", uniqueRule{}, canon.KindArray)
	}
}

// names returns the strings in a list.
func names(n *tree.Node) []string {
	list := make([]string, 0, len(n.Items))
	for _, item := range n.Items {
		list = append(list, item.Str)
	}
	return slices.Clip(list)
}
