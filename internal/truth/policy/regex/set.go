// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"cmp"
	"slices"
	"unicode"
)

// A span is the code points from lo to hi, both included.
type span struct{ lo, hi rune }

// A set is code points as spans, sorted, apart from each other.
type set []span

var (
	digitSet = set{{'0', '9'}}
	wordSet  = set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}

	// spaceSet is WhiteSpace and LineTerminator of ECMA-262.
	spaceSet = set{
		{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A},
		{0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF},
	}

	// dotSet is everything but LineTerminator.
	dotSet = set{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}.negate()
)

func isWord(r rune) bool { return wordSet.has(r) }

// has reports whether r is in s.
func (s set) has(r rune) bool {
	_, found := slices.BinarySearchFunc(s, r, func(e span, r rune) int {
		switch {
		case e.hi < r:
			return -1
		case e.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// normal returns spans in any order as a set.
func normal(spans []span) set {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	var s set
	for _, e := range spans {
		if n := len(s); n > 0 && e.lo <= s[n-1].hi+1 {
			s[n-1].hi = max(s[n-1].hi, e.hi)
			continue
		}
		s = append(s, e)
	}
	return s
}

// negate returns every code point that is not in s.
func (s set) negate() set {
	var out set
	next := rune(0)
	for _, e := range s {
		if e.lo > next {
			out = append(out, span{next, e.lo - 1})
		}
		next = e.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}
