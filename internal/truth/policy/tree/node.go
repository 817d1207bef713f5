// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"encoding/json"
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A Node is one value of a document. It is never changed once Read returns, and
// where the document repeats an anchored value, so does the tree: one Node may
// stand in several places.
type Node struct {
	// Kind is that of a JSON value.
	Kind canon.Kind

	// Line and Column are where the value stands; for a repeated value that is
	// where it was anchored.
	Line, Column int

	// Str is the value of a string, true or false, or a number in JSON: an
	// integer of 64 bits as its decimal digits, any other as its double, which
	// has a point or an exponent.
	Str string

	// Keys are the names of the members of an object, in written order.
	Keys []string

	// KeyPos are the places of Keys.
	KeyPos []Pos

	// Items are the elements of an array, or the members' values by Keys.
	Items []*Node

	fault  *fault // why this value is more than JSON can say
	size   int    // how many values it is when written out
	height int    // how many containers nest in it
}

// A fault is what JSON has no word for: a name that is no string, a tag of the
// operator's own. Where a field gives such a thing its own meaning it does no
// harm, so it is raised by whoever reads the value as JSON.
type fault struct {
	pos Pos
	msg string
}

// Get returns the member of an object with the name key.
func (n *Node) Get(key string) (*Node, bool) {
	if i := slices.Index(n.Keys, key); i >= 0 {
		return n.Items[i], true
	}
	return nil, false
}

// Pos returns where n stands.
func (n *Node) Pos() Pos { return Pos{n.Line, n.Column} }

// Size returns how many values n is when every repetition is written out.
func (n *Node) Size() int { return n.size }

// Strict returns what in n, found at path in file, is no JSON value: names that
// are no strings and tags of the operator's own.
func (n *Node) Strict(file string, path Path) Errors {
	var found Errors
	n.strict(path, func(p Path, f *fault) {
		if len(found) < maxErrors {
			found = append(found, &Error{file, f.pos.Line, f.pos.Column, p.String(), f.msg})
		}
	})
	return found
}

func (n *Node) strict(path Path, report func(Path, *fault)) {
	if n.fault != nil {
		report(path, n.fault)
	}
	for i, item := range n.Items {
		if n.Kind == canon.KindObject {
			item.strict(path.Key(n.Keys[i]), report)
		} else {
			item.strict(path.Index(i), report)
		}
	}
}

// Tagged reports whether n itself carries a tag of the operator's own.
func (n *Node) Tagged() bool { return n.fault != nil && n.fault.msg == msgTag }

// OddKey returns where the first name in the mapping n stands that is no
// string, if there is one.
func (n *Node) OddKey() (Pos, bool) {
	if n.fault == nil || n.fault.msg != msgKey {
		return Pos{}, false
	}
	return n.fault.pos, true
}

// Any returns n as encoding/json would with UseNumber.
func (n *Node) Any() any {
	switch n.Kind {
	case canon.KindBool:
		return n.Str == "true"
	case canon.KindNumber:
		return json.Number(n.Str)
	case canon.KindString:
		return n.Str
	case canon.KindArray:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.Any()
		}
		return list
	case canon.KindObject:
		object := make(map[string]any, len(n.Items))
		for i, item := range n.Items {
			object[n.Keys[i]] = item.Any()
		}
		return object
	}
	return nil
}

// AppendJSON appends n as JSON text, members in written order.
func (n *Node) AppendJSON(dst []byte) []byte {
	switch n.Kind {
	case canon.KindBool, canon.KindNumber:
		return append(dst, n.Str...)
	case canon.KindString:
		return canon.AppendString(dst, n.Str)
	case canon.KindArray, canon.KindObject:
		return n.appendContainer(dst)
	}
	return append(dst, "null"...)
}

func (n *Node) appendContainer(dst []byte) []byte {
	opening, closing := byte('['), byte(']')
	if n.Kind == canon.KindObject {
		opening, closing = '{', '}'
	}
	dst = append(dst, opening)
	for i, item := range n.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.Kind == canon.KindObject {
			dst = append(canon.AppendString(dst, n.Keys[i]), ':')
		}
		dst = item.AppendJSON(dst)
	}
	return append(dst, closing)
}
