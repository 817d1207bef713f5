// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// A value is what is checked: a part of the arguments or, if named, the name of
// a member, which the checker holds. A name is a string that no part is.
type value struct {
	node  canon.Node
	named bool
}

func (v value) kind() canon.Kind {
	if v.named {
		return canon.KindString
	}
	return v.node.Kind()
}

// str returns the string that v is.
func (c *checker) str(v value) string {
	if v.named {
		return c.name
	}
	return v.node.Str()
}

// any returns v for the library, which validates against metaschemas.
func (c *checker) any(v value) any {
	if v.named {
		return c.name
	}
	return v.node.Any()
}

// equals reports whether v is the constant n. Numbers are equal by value, and
// the order of members does not matter.
func (c *checker) equals(v value, n *tree.Node) bool {
	if v.named {
		return n.Kind == canon.KindString && n.Str == c.name
	}
	return equalTree(v.node, n)
}

func equalTree(n canon.Node, c *tree.Node) bool {
	if n.Kind() != c.Kind || n.Len() != len(c.Items) {
		return false
	}
	switch c.Kind {
	case canon.KindBool:
		return n.Bool() == (c.Str == "true")
	case canon.KindNumber:
		return numberOf(n).compare(parseNumber(c.Str)) == 0
	case canon.KindString:
		return n.Str() == c.Str
	case canon.KindArray:
		i := 0
		for _, item := range n.All() {
			if !equalTree(item, c.Items[i]) {
				return false
			}
			i++
		}
	case canon.KindObject:
		for i, key := range c.Keys {
			if member, ok := n.Get(key); !ok || !equalTree(member, c.Items[i]) {
				return false
			}
		}
	}
	return true
}

func equalNodes(a, b canon.Node) bool {
	if a.Kind() != b.Kind() || a.Len() != b.Len() {
		return false
	}
	switch a.Kind() {
	case canon.KindBool:
		return a.Bool() == b.Bool()
	case canon.KindNumber:
		return numberOf(a).compare(numberOf(b)) == 0
	case canon.KindString:
		return a.Str() == b.Str()
	case canon.KindArray:
		others := make([]canon.Node, 0, b.Len())
		for _, item := range b.All() {
			others = append(others, item)
		}
		i := 0
		for _, item := range a.All() {
			if !equalNodes(item, others[i]) {
				return false
			}
			i++
		}
	case canon.KindObject:
		for key, member := range a.All() {
			if other, ok := b.Get(key); !ok || !equalNodes(member, other) {
				return false
			}
		}
	}
	return true
}

// unique reports whether no two elements of the array v are equal. Elements
// are grouped by canonical form, so that a long array costs no more than its
// length; in one group are all that are equal, and integers that only their
// double is.
func unique(v canon.Node) bool {
	if v.Len() < 2 {
		return true
	}
	seen := make(map[string][]canon.Node, v.Len())
	var form []byte
	for _, item := range v.All() {
		form = item.AppendJCS(form[:0])
		if slices.ContainsFunc(seen[string(form)], func(other canon.Node) bool { return equalNodes(item, other) }) {
			return false
		}
		seen[string(form)] = append(seen[string(form)], item)
	}
	return true
}
