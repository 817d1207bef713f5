// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// needs are keywords that say something only beside another one of a list.
var needs = map[string][]string{
	"then": {"if"}, "else": {"if"}, "if": {"then", "else"},
	"minContains": {"contains"}, "maxContains": {"contains"}, "additionalItems": {"items"},
}

// keywords finds words that constrain nothing where they stand.
func (s *schemaLinter) keywords(n *tree.Node, path tree.Path, d draft) {
	_, refers := n.Get("$ref")
	alone := refers && d <= draft7
	for i, key := range n.Keys {
		k, known := keywords[key]
		at, where := n.KeyPos[i], path.Key(key)
		switch {
		case !known || !k.drafts.has(d):
			s.unknown(key, at, where, d)
		case k.notes || key == "$ref":
		case alone:
			s.add(SchemasIdleKeyword, at, where, "in %v nothing beside $ref counts", d)
		default:
			if why := idle(n, key, k, d); why != "" {
				s.add(SchemasIdleKeyword, at, where, "%s", why)
			}
		}
	}
}

// unknown tells a word that the dialect does not have. Words that begin with x-
// are notes to other programs.
func (s *schemaLinter) unknown(key string, at tree.Pos, path tree.Path, d draft) {
	if strings.HasPrefix(key, "x-") {
		return
	}
	if k, known := keywords[key]; known {
		s.add(SchemasUnknownKeyword, at, path, "%v does not have this keyword (it is known from %v to %v), so it constrains nothing",
			d, k.drafts.first, k.drafts.last)
		return
	}
	if better := nearestKeyword(key, d); better != "" {
		s.add(SchemasUnknownKeyword, at, path, "%v has no such keyword, so it constrains nothing: did you mean %s?", d, better)
		return
	}
	s.add(SchemasUnknownKeyword, at, path, "%v has no such keyword, so it constrains nothing", d)
}

// idle returns why a known keyword constrains nothing in n, or "".
func idle(n *tree.Node, key string, k keyword, d draft) string {
	if partners, ok := needs[key]; ok && !hasAny(n, partners) {
		return "it says nothing without " + strings.Join(partners, " or ")
	}
	if k.kind != canon.KindNone && !typeAllows(n, k.kind) {
		return "it is about " + plural(k.kind) + ", which the type beside it does not allow"
	}
	switch {
	case key == "format" && d >= draft2019:
		return "formats are notes in " + d.String() + ", nothing is checked: use pattern, or a $schema up to draft-07"
	case strings.HasPrefix(key, "content") && d >= draft2019:
		return "content keywords are notes in " + d.String() + ", nothing is checked"
	case key == "additionalItems" && !isTuple(n):
		return "it says nothing unless items is a list"
	}
	return ""
}

func hasAny(n *tree.Node, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := n.Get(name); return ok })
}

func isTuple(n *tree.Node) bool {
	items, ok := n.Get("items")
	return ok && items.Kind == canon.KindArray
}

// typeAllows reports whether a value of the kind can pass the type beside a
// keyword.
func typeAllows(n *tree.Node, kind canon.Kind) bool {
	t, ok := n.Get("type")
	if !ok {
		return true
	}
	names := []*tree.Node{t}
	if t.Kind == canon.KindArray {
		names = t.Items
	}
	return slices.ContainsFunc(names, func(name *tree.Node) bool {
		return name.Str == kind.String() || name.Str == "integer" && kind == canon.KindNumber
	})
}

func plural(k canon.Kind) string { return k.String() + "s" }
