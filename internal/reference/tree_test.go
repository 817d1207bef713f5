// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A node is a JSON value that can be written, mutated and made smaller. It may
// repeat a key.
type node struct {
	kind  canon.Kind
	text  string // of a number as it is written, true or false, or a string's value
	keys  []string
	items []*node
}

func null() *node           { return &node{kind: canon.KindNull} }
func str(s string) *node    { return &node{kind: canon.KindString, text: s} }
func num(text string) *node { return &node{kind: canon.KindNumber, text: text} }
func arr(items ...*node) *node {
	return &node{kind: canon.KindArray, items: items}
}
func obj() *node { return &node{kind: canon.KindObject} }

func boolean(b bool) *node {
	if b {
		return &node{kind: canon.KindBool, text: "true"}
	}
	return &node{kind: canon.KindBool, text: "false"}
}

// put adds a member, or replaces the first of that name.
func (n *node) put(key string, v *node) *node {
	for i, k := range n.keys {
		if k == key {
			n.items[i] = v
			return n
		}
	}
	n.keys, n.items = append(n.keys, key), append(n.items, v)
	return n
}

// get returns the first member of that name, nil for none.
func (n *node) get(key string) *node {
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	return nil
}

func (n *node) clone() *node {
	c := &node{n.kind, n.text, append([]string(nil), n.keys...), make([]*node, len(n.items))}
	for i, item := range n.items {
		c.items[i] = item.clone()
	}
	return c
}

// String writes the value as compact JSON text.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case canon.KindString:
		b.Write(canon.AppendString(nil, n.text))
	case canon.KindNumber, canon.KindBool:
		b.WriteString(n.text)
	case canon.KindArray, canon.KindObject:
		brackets := "[]"
		if n.kind == canon.KindObject {
			brackets = "{}"
		}
		b.WriteByte(brackets[0])
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			if n.kind == canon.KindObject {
				b.Write(append(canon.AppendString(nil, n.keys[i]), ':'))
			}
			item.write(b)
		}
		b.WriteByte(brackets[1])
	default:
		b.WriteString("null")
	}
}

// walk calls visit for n and every value in it, with the key it stands under.
func (n *node) walk(key string, visit func(key string, n *node)) {
	visit(key, n)
	for i, item := range n.items {
		k := ""
		if n.kind == canon.KindObject {
			k = n.keys[i]
		}
		item.walk(k, visit)
	}
}

// has reports whether the condition holds for some value in n.
func (n *node) has(holds func(key string, n *node) bool) bool {
	found := false
	n.walk("", func(key string, v *node) { found = found || holds(key, v) })
	return found
}

func (n *node) repeatsKey() bool {
	return n.has(func(_ string, v *node) bool {
		seen := map[string]bool{}
		for _, k := range v.keys {
			if seen[k] {
				return true
			}
			seen[k] = true
		}
		return false
	})
}

// parse reads a JSON text into a tree.
func parse(text string) *node {
	var d canon.Doc
	if err := d.Parse(text, canon.Limits{}); err != nil {
		panic("not JSON: " + text)
	}
	return fromCanon(d.Root())
}

func fromCanon(n canon.Node) *node {
	out := &node{kind: n.Kind()}
	switch n.Kind() {
	case canon.KindBool:
		return boolean(n.Bool())
	case canon.KindNumber:
		out.text = n.Number()
	case canon.KindString:
		out.text = n.Str()
	default:
		for key, item := range n.All() {
			if n.Kind() == canon.KindObject {
				out.keys = append(out.keys, key)
			}
			out.items = append(out.items, fromCanon(item))
		}
	}
	return out
}
