// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"math"
	"strings"
	"unicode/utf8"
)

// maxDepth is how many containers may be nested. It is the bound of the system
// whose evidence must verify here, so it is not a setting (spec section 4).
const maxDepth = 127

// keepNodes bounds the scratch that Reset keeps, so that one large text does
// not stay paid for in every pooled Doc.
const keepNodes = 1 << 13

// Limits bound what Parse accepts beyond the rules of JSON; 0 means unlimited.
// Bytes is checked before the text is looked at, Members while it is read, so
// a hostile text costs no more than the limits allow.
type Limits struct {
	Bytes   int // length of the text
	Members int // object members in the whole text
}

// A Doc holds one parsed JSON text. The zero Doc is ready for use and holds
// nothing: its Root is of KindNone.
//
// Parse reuses the storage of the text before. Strings taken from a Doc stay
// valid after that, but they may be part of the text that was parsed and keep
// it in memory: clone what is kept. Nodes do not outlive the next Parse or
// Reset. Between two of them a Doc is only read, and may be read concurrently.
type Doc struct {
	text    string
	decoded strings.Builder // the strings that were written with escapes
	nodes   []node          // values in written order, a container before its contents
	order   []uint32        // members of each object in canonical order, object after object
	ranked  []ranked        // scratch for sorting one object
}

// A node is one value. It holds no pointer, so that the garbage collector has
// nothing to follow however many nodes there are.
type node struct {
	key   span   // the member's name; empty for an element
	val   span   // text of a number or string, members of an object in Doc.order, length of an array
	next  uint32 // index of the first node after this value
	kind  Kind
	flags flags
}

// A span is a part of the text, or of Doc.decoded.
type span struct{ at, n uint32 }

type flags uint8

const (
	keyDecoded    flags = 1 << iota // key lies in Doc.decoded
	valDecoded                      // val lies in Doc.decoded
	isTrue                          // the boolean true
	canonicalText                   // a number that is written in canonical form
)

// Parse reads text, which must be one strict JSON value: UTF-8 without a byte
// order mark, at most 127 nested containers, numbers that a finite double
// holds, no half surrogate pairs, no repeated member names, nothing behind the
// value (spec section 4). Anything else is a *TextError, and leaves d empty.
func (d *Doc) Parse(text string, lim Limits) error {
	d.clear()
	switch {
	case lim.Bytes > 0 && len(text) > lim.Bytes, uint64(len(text)) > math.MaxUint32:
		return &TextError{Fault: FaultSize, Offset: len(text)}
	case !utf8.ValidString(text):
		return &TextError{Fault: FaultUTF8, Offset: validUTF8(text)}
	}
	d.text = text
	r := reader{doc: d, text: text, maxMembers: lim.Members}
	if !r.read() {
		d.clear()
		return &TextError{Fault: r.fault, Offset: r.at, Truncated: r.truncated}
	}
	return nil
}

// Reset makes d empty and lets go of the text and of oversized storage. Call it
// before a Doc goes back to a pool.
func (d *Doc) Reset() {
	d.clear()
	if cap(d.nodes) > keepNodes {
		d.nodes, d.order, d.ranked = nil, nil, nil
	}
}

// clear keeps the storage, except that of decoded strings: those were handed
// out and must not change under their holders.
func (d *Doc) clear() {
	d.text = ""
	d.decoded.Reset()
	d.nodes, d.order = d.nodes[:0], d.order[:0]
}

// Root returns the value of the text, of KindNone when there is none.
func (d *Doc) Root() Node {
	return Node{doc: d}
}

// str returns the part s of the text or, if decoded, of the decoded strings.
func (d *Doc) str(s span, decoded bool) string {
	if decoded {
		return d.decoded.String()[s.at : s.at+s.n]
	}
	return d.text[s.at : s.at+s.n]
}

func (d *Doc) key(i uint32) string {
	return d.str(d.nodes[i].key, d.nodes[i].flags&keyDecoded != 0)
}

// members returns the nodes of the object n in canonical order.
func (d *Doc) members(n *node) []uint32 {
	return d.order[n.val.at : n.val.at+n.val.n]
}

// validUTF8 returns how many bytes of s come before the first one that does not
// belong to a UTF-8 sequence.
func validUTF8(s string) int {
	i := 0
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	return i
}
