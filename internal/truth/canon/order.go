// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"cmp"
	"math/bits"
	"slices"
)

// A ranked member is the node of a member and the first bytes of its name, in
// the order of UTF-16. Most names differ in those, and are compared in a step.
type ranked struct {
	prefix uint64
	node   uint32
}

// sortMembers appends the members of the object at self to d.order, in
// canonical order, and reports whether their names all differ. Comparing
// neighbors after sorting finds a repeated name in n log n steps.
func (d *Doc) sortMembers(self uint32) bool {
	members := d.ranked[:0]
	for i := self + 1; i < d.nodes[self].next; i = d.nodes[i].next {
		members = append(members, ranked{utf16Prefix(d.key(i)), i})
	}
	d.ranked = members
	if len(members) <= smallObject {
		d.sortFew(members)
	} else {
		slices.SortFunc(members, d.compareRanked)
	}
	for k, m := range members {
		if k > 0 && m.prefix == members[k-1].prefix && d.key(m.node) == d.key(members[k-1].node) {
			return false
		}
		d.order = append(d.order, m.node)
	}
	return true
}

// smallObject is up to how many members sortFew beats a general sort, for which
// every comparison is a call. Most objects are that small.
const smallObject = 16

// sortFew sorts by insertion.
func (d *Doc) sortFew(members []ranked) {
	for i, m := range members {
		k := i
		for ; k > 0 && m.prefix <= members[k-1].prefix && d.compareRanked(m, members[k-1]) < 0; k-- {
			members[k] = members[k-1]
		}
		members[k] = m
	}
}

func (d *Doc) compareRanked(a, b ranked) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	return compareUTF16(d.key(a.node), d.key(b.node))
}

// utf16Rank maps the bytes of UTF-8 so that strings of mapped bytes sort as
// RFC 8785 section 3.2.3 asks, by the UTF-16 code units of their characters.
// The two orders differ in one place: a character beyond U+FFFF is a surrogate
// pair, which sorts before U+E000 to U+FFFF. In UTF-8 the former begin with
// 0xF0 and up, the latter with 0xEE and 0xEF, and no other byte is that large.
func utf16Rank(b byte) byte {
	switch {
	case b < 0xEE:
		return b
	case b < 0xF0:
		return b + 0x10
	}
	return b - 2
}

// utf16Prefix returns the ranks of the first eight bytes of s, the first one
// highest, and zeros behind a shorter s.
func utf16Prefix(s string) (p uint64) {
	if len(s) >= 8 {
		if p = word(s, 0); p&highBits == 0 {
			return bits.ReverseBytes64(p)
		}
	}
	p = 0
	for k := range min(len(s), 8) {
		p |= uint64(utf16Rank(s[k])) << (56 - 8*k)
	}
	return p
}

// compareUTF16 orders two strings of UTF-8 by their UTF-16 code units.
func compareUTF16(a, b string) int {
	i := commonPrefix(a, b)
	if i == len(a) || i == len(b) {
		return len(a) - len(b)
	}
	return int(utf16Rank(a[i])) - int(utf16Rank(b[i]))
}

func commonPrefix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+8 <= n && word(a, i) == word(b, i) {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// CompareKeys orders member names as canonical text has them (RFC 8785, section
// 3.2.3), for whoever writes an object member by member.
func CompareKeys(a, b string) int { return compareUTF16(a, b) }
