// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
)

// A Kind is one of the six kinds of JSON values. The zero Kind is that of no
// value at all, which is not null.
type Kind uint8

// The kinds. Append only.
const (
	KindNone Kind = iota // there is no value
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

var kindNames = [...]string{"none", "null", "boolean", "number", "string", "array", "object"}

// String returns the kind's name as JSON Schema spells it.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return kindNames[KindNone]
	}
	return kindNames[k]
}

// A Node is one value of a Doc, valid until the Doc's next Parse or Reset. The
// zero Node is no value. A method that does not fit the kind returns the zero
// value of its result.
type Node struct {
	doc *Doc
	i   uint32
}

// at returns the stored node; what does not exist is of KindNone.
func (n Node) at() node {
	if n.doc == nil || int(n.i) >= len(n.doc.nodes) {
		return node{}
	}
	return n.doc.nodes[n.i]
}

// Kind returns the kind of n.
func (n Node) Kind() Kind { return n.at().kind }

// Len returns how many elements or members n has.
func (n Node) Len() int {
	if v := n.at(); v.kind >= KindArray {
		return int(v.val.n)
	}
	return 0
}

// Bool returns the value of a boolean.
func (n Node) Bool() bool { return n.at().flags&isTrue != 0 }

// Str returns the value of a string, decoded. It may be part of the parsed
// text and keep that in memory.
func (n Node) Str() string {
	if v := n.at(); v.kind == KindString {
		return n.doc.str(v.val, v.flags&valDecoded != 0)
	}
	return ""
}

// Number returns a number as it is written.
func (n Node) Number() string {
	if v := n.at(); v.kind == KindNumber {
		return n.doc.str(v.val, false)
	}
	return ""
}

// Float returns the double nearest to a number. It is finite.
func (n Node) Float() float64 {
	if n.at().kind != KindNumber {
		return 0
	}
	return parseDouble(n.Number())
}

// All returns the members of an object with their names, or the elements of an
// array with no name, in written order.
func (n Node) All() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		v := n.at()
		if v.kind < KindArray {
			return
		}
		for i := n.i + 1; i < v.next; i = n.doc.nodes[i].next {
			if !yield(n.doc.key(i), Node{n.doc, i}) {
				return
			}
		}
	}
}

// Get returns the member of an object with the name key. It searches, and does
// not walk the members.
func (n Node) Get(key string) (Node, bool) {
	v := n.at()
	if v.kind != KindObject {
		return Node{}, false
	}
	members := n.doc.members(&v)
	k, found := slices.BinarySearchFunc(members, key, func(i uint32, key string) int {
		return compareUTF16(n.doc.key(i), key)
	})
	if !found {
		return Node{}, false
	}
	return Node{n.doc, members[k]}, true
}

// Any returns n as encoding/json would with UseNumber: map[string]any, []any,
// string, bool, nil. A json.Number keeps its text where that is an integer of
// 64 bits; any other has the canonical text of its double, so that whoever
// computes with it exactly never meets a monstrous exponent.
func (n Node) Any() any {
	switch n.Kind() {
	case KindBool:
		return n.Bool()
	case KindNumber:
		return normalNumber(n.Number())
	case KindString:
		return n.Str()
	case KindArray:
		list := make([]any, 0, n.Len())
		for _, element := range n.All() {
			list = append(list, element.Any())
		}
		return list
	case KindObject:
		object := make(map[string]any, n.Len())
		for key, member := range n.All() {
			object[key] = member.Any()
		}
		return object
	}
	return nil
}

func normalNumber(text string) json.Number {
	_, signed := strconv.ParseInt(text, 10, 64)
	_, unsigned := strconv.ParseUint(text, 10, 64)
	if text != "-0" && (signed == nil || unsigned == nil) {
		return json.Number(text)
	}
	return json.Number(AppendNumber(nil, parseDouble(text)))
}
