// SPDX-License-Identifier: Apache-2.0

package sequence

// A symbol is the set of selectors that one call matches, a bit each. It is
// all that a machine ever learns of a call.
type symbol []uint64

// symbolWords returns the length of a symbol over n selectors.
func symbolWords(n int) int { return (n + 63) / 64 }

func (s symbol) has(selector int) bool { return s[selector>>6]>>(selector&63)&1 != 0 }

func (s symbol) add(selector int) { s[selector>>6] |= 1 << (selector & 63) }

// hasAny reports whether s has one of the selectors.
func (s symbol) hasAny(selectors []int) bool {
	for _, n := range selectors {
		if s.has(n) {
			return true
		}
	}
	return false
}
