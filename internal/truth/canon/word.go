// SPDX-License-Identifier: Apache-2.0

package canon

import "math/bits"

// Strings are scanned eight bytes at a time, as words.
const (
	everyByte = 0x0101010101010101 // times a byte: that byte in all eight places
	highBits  = everyByte << 7
)

// word returns the eight bytes of s at i, the first one lowest; the compiler
// makes one load of it.
func word(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// plainPrefix returns how many bytes of s come before the first quote,
// backslash or control character. In a word the high bit of a byte is set where
// it is below a space, equals a quote, or equals a backslash; a borrow can only
// mark bytes above one that is rightly marked.
func plainPrefix(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := word(s, i)
		stop := (w - everyByte*' ') | ((w ^ everyByte*'"') - everyByte) | ((w ^ everyByte*'\\') - everyByte)
		if stop &= ^w & highBits; stop != 0 {
			return i + bits.TrailingZeros64(stop)/8
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}
