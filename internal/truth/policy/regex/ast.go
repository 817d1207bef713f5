// SPDX-License-Identifier: Apache-2.0

package regex

// A kind says what a node of a parsed pattern is.
type kind uint8

const (
	kindEmpty  kind = iota + 1
	kindSet         // one code point of set
	kindSeq         // subs one after the other
	kindAlt         // one of subs
	kindRepeat      // subs[0], from min to max times
	kindGroup       // subs[0], captured as index
	kindBegin       // ^
	kindEnd         // $
	kindWord        // \b, or \B when negated
	kindLook        // subs[0] ahead, or behind, or not
	kindBack        // what was captured as index
)

// unlimited is the max of a repetition without one.
const unlimited = -1

// A node is one part of a parsed pattern.
type node struct {
	kind     kind
	subs     []*node
	set      set
	min, max int
	lazy     bool
	index    int
	behind   bool
	negated  bool
}

// nullable reports whether n can match without consuming anything. What it
// cannot tell, it says yes to.
func (n *node) nullable() bool {
	switch n.kind {
	case kindSet:
		return false
	case kindSeq:
		for _, sub := range n.subs {
			if !sub.nullable() {
				return false
			}
		}
		return true
	case kindAlt:
		for _, sub := range n.subs {
			if sub.nullable() {
				return true
			}
		}
		return false
	case kindRepeat:
		return n.min == 0 || n.subs[0].nullable()
	case kindGroup:
		return n.subs[0].nullable()
	}
	return true
}

// groups returns the first capture in n and the one after the last.
func (n *node) groups() (from, to int) {
	if n.kind == kindGroup {
		from, to = n.index, n.index+1
	}
	for _, sub := range n.subs {
		f, t := sub.groups()
		if t == 0 {
			continue
		}
		if to == 0 {
			from = f
		}
		from, to = min(from, f), max(to, t)
	}
	return from, to
}

// contains reports whether a node of kind k is in n.
func (n *node) contains(k kind) bool {
	if n.kind == k {
		return true
	}
	for _, sub := range n.subs {
		if sub.contains(k) {
			return true
		}
	}
	return false
}
