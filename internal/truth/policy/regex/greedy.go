// SPDX-License-Identifier: Apache-2.0

package regex

import "unicode/utf8"

// A greedy is a pattern that spells out the whole text as one run of characters
// after the other, where it is always clear which run a character belongs to,
// such as ^[a-z]+-\d{4}$. Most patterns of arguments are like that, and need no
// more than one look at each character.
type greedy []run

// A run is from min to max characters of a set.
type run struct {
	ascii    [2]uint64
	set      set
	min, max int
}

func (r *run) has(c rune) bool {
	if c < utf8.RuneSelf {
		return r.ascii[c/64]&(1<<(c%64)) != 0
	}
	return r.set.has(c)
}

// asGreedy returns n as runs, nil if it is no such pattern.
func asGreedy(n *node) greedy {
	if n.kind != kindSeq || len(n.subs) < 2 || n.subs[0].kind != kindBegin || n.subs[len(n.subs)-1].kind != kindEnd {
		return nil
	}
	g := greedy{}
	for _, sub := range n.subs[1 : len(n.subs)-1] {
		r := run{min: 1, max: 1}
		if sub.kind == kindRepeat {
			r.min, r.max = sub.min, sub.max
			sub = sub.subs[0]
		}
		if sub.kind != kindSet {
			return nil
		}
		r.set = sub.set
		for c := range rune(utf8.RuneSelf) {
			if r.set.has(c) {
				r.ascii[c/64] |= 1 << (c % 64)
			}
		}
		g = append(g, r)
	}
	if !g.clear() {
		return nil
	}
	return g
}

// clear reports whether a run of no fixed length never takes what a run behind
// it needs.
func (g greedy) clear() bool {
	for i, r := range g {
		if r.min == r.max {
			continue
		}
		for _, behind := range g[i+1:] {
			if r.set.meets(behind.set) {
				return false
			}
			if behind.min > 0 {
				break
			}
		}
	}
	return true
}

// meets reports whether s and t have a character in common.
func (s set) meets(t set) bool {
	for i, j := 0, 0; i < len(s) && j < len(t); {
		switch {
		case s[i].hi < t[j].lo:
			i++
		case t[j].hi < s[i].lo:
			j++
		default:
			return true
		}
	}
	return false
}

func (g greedy) match(s string) bool {
	at := 0
	for i := range g {
		r, n := &g[i], 0
		for at < len(s) && (r.max == unlimited || n < r.max) {
			c, size := rune(s[at]), 1
			if c >= utf8.RuneSelf {
				c, size = utf8.DecodeRuneInString(s[at:])
			}
			if !r.has(c) {
				break
			}
			at += size
			n++
		}
		if n < r.min {
			return false
		}
	}
	return at == len(s)
}
