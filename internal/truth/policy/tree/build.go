// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A Builder makes nodes that no document wrote, all of them at one place.
type Builder struct{ At Pos }

func (b Builder) node(kind canon.Kind, str string) *Node {
	return &Node{Kind: kind, Line: b.At.Line, Column: b.At.Column, Str: str, size: 1}
}

// String returns a string.
func (b Builder) String(s string) *Node { return b.node(canon.KindString, s) }

// True returns the boolean true.
func (b Builder) True() *Node { return b.node(canon.KindBool, "true") }

// Integer returns the number with the decimal digits given.
func (b Builder) Integer(digits string) *Node { return b.node(canon.KindNumber, digits) }

// Array returns a list of items.
func (b Builder) Array(items ...*Node) *Node {
	return b.node(canon.KindArray, "").With(items)
}

// Object returns an empty mapping, to which Add gives members.
func (b Builder) Object() *Node { return b.node(canon.KindObject, "") }

// Add gives a mapping that is still being built one more member, and returns
// the mapping.
func (n *Node) Add(key string, item *Node) *Node {
	n.Keys, n.KeyPos = append(n.Keys, key), append(n.KeyPos, item.Pos())
	n.Items = append(n.Items, item)
	n.size += item.size
	n.height = max(n.height, item.height+1)
	return n
}

// With returns a copy of n with other items, as many as n has names.
func (n *Node) With(items []*Node) *Node {
	m := *n
	m.Items, m.size, m.height = items, 1, 1
	for _, item := range items {
		m.size += item.size
		m.height = max(m.height, item.height+1)
	}
	return &m
}

// Has reports whether n has a member with the name key.
func (n *Node) Has(key string) bool {
	_, ok := n.Get(key)
	return ok
}

// Replace returns a copy of n whose member with the name key is item.
func (n *Node) Replace(key string, item *Node) *Node {
	keys, places, items := slices.Clone(n.Keys), slices.Clone(n.KeyPos), slices.Clone(n.Items)
	if i := slices.Index(keys, key); i >= 0 {
		items[i] = item
	} else {
		keys, places, items = append(keys, key), append(places, item.Pos()), append(items, item)
	}
	m := *n
	m.Keys, m.KeyPos = keys, places
	return m.With(items)
}
