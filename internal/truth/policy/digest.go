// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// canonical returns the bytes that the declared digest is made of (spec
// section 3). Schemas are made canonical one by one: a document may nest one
// level deeper than what canon reads as one text.
func (v *view) canonical() ([]byte, error) {
	dst := append([]byte(nil), `{"enforcement":{"unconstrained_tools":"`+v.unconstrained.String()+`"},"schemas":{`...)
	ordered, err := canonicalOrder(v.schemas)
	if err != nil {
		return nil, err
	}
	for i, e := range ordered {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(canon.AppendString(dst, e.tool), ':')
		sorted, err := sortSchema(e.schema)
		if err != nil {
			return nil, err
		}
		text, err := canon.Transform(sorted.AppendJSON(nil))
		if err != nil {
			return nil, err
		}
		dst = append(dst, text...)
	}
	dst = append(dst, `},"tools":{`...)
	dst = append(v.appendLists(dst), `},"version":`...)
	return append(canon.AppendString(dst, v.version), '}'), nil
}

// canonicalOrder returns schemas in the order of an object's members, which
// is canon's to know.
func canonicalOrder(schemas []entry) ([]entry, error) {
	dst := []byte{'{'}
	for i, e := range schemas {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(canon.AppendString(dst, e.tool), ':')
		dst = strconv.AppendInt(dst, int64(i), 10)
	}
	text, err := canon.Transform(append(dst, '}'))
	if err != nil {
		return nil, err
	}
	var d canon.Doc
	if err := d.Parse(string(text), canon.Limits{}); err != nil {
		return nil, err
	}
	ordered := make([]entry, 0, len(schemas))
	for _, index := range d.Root().All() {
		ordered = append(ordered, schemas[int(index.Float())])
	}
	return ordered, nil
}

// appendLists appends the lists that are present, each sorted by the canonical
// bytes of its elements, which are all strings.
func (v *view) appendLists(dst []byte) []byte {
	comma := ""
	for _, name := range listNames {
		l := v.list(name)
		if !l.present {
			continue
		}
		elements := make([][]byte, len(l.texts))
		for i, text := range l.texts {
			elements[i] = canon.AppendString(nil, text)
		}
		slices.SortFunc(elements, bytes.Compare)
		dst = append(dst, comma+`"`+name+`":[`...)
		dst = append(append(dst, bytes.Join(elements, []byte(","))...), ']')
		comma = ","
	}
	return dst
}

// sortSchema returns n with required and each properties.*.enum sorted, where
// those are lists. Nothing deeper is touched: the digest is older than the
// wish to have it so.
func sortSchema(n *tree.Node) (*tree.Node, error) {
	return mapMembers(n, func(key string, item *tree.Node) (*tree.Node, error) {
		switch key {
		case "required":
			return sortList(item)
		case "properties":
			return mapMembers(item, func(_ string, property *tree.Node) (*tree.Node, error) {
				return mapMembers(property, func(key string, item *tree.Node) (*tree.Node, error) {
					if key != "enum" {
						return item, nil
					}
					return sortList(item)
				})
			})
		}
		return item, nil
	})
}

// mapMembers returns the object n with each member changed by change, and
// anything else as it is.
func mapMembers(n *tree.Node, change func(string, *tree.Node) (*tree.Node, error)) (*tree.Node, error) {
	if n.Kind != canon.KindObject {
		return n, nil
	}
	items := make([]*tree.Node, len(n.Items))
	for i, item := range n.Items {
		changed, err := change(n.Keys[i], item)
		if err != nil {
			return nil, err
		}
		items[i] = changed
	}
	return n.With(items), nil
}

// sortList returns the list n sorted by the canonical bytes of its elements,
// and anything else as it is.
func sortList(n *tree.Node) (*tree.Node, error) {
	if n.Kind != canon.KindArray {
		return n, nil
	}
	type element struct {
		bytes []byte
		node  *tree.Node
	}
	elements := make([]element, len(n.Items))
	for i, item := range n.Items {
		canonical, err := canon.Transform(item.AppendJSON(nil))
		if err != nil {
			return nil, err
		}
		elements[i] = element{canonical, item}
	}
	slices.SortStableFunc(elements, func(a, b element) int { return bytes.Compare(a.bytes, b.bytes) })
	items := make([]*tree.Node, len(elements))
	for i, e := range elements {
		items[i] = e.node
	}
	return n.With(items), nil
}
