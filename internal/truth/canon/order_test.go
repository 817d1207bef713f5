// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// borders are the characters at which the lengths of UTF-8 and UTF-16 change,
// and the neighbors of those.
var borders = []rune{
	0, 1, ' ', 'a', 'b', 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FE, 0xD7FF, 0xE000, 0xE001, 0xEFFF,
	0xF000, 0xFB33, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x10001, 0x1F602, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF,
}

// TestOrderIsThatOfUTF16 compares every pair of short strings over the borders
// with the order of their code units.
func TestOrderIsThatOfUTF16(t *testing.T) {
	words := make([]string, 0, 2*len(borders)*len(borders))
	for _, a := range borders {
		words = append(words, string(a))
		for _, b := range borders {
			words = append(words, string(a)+string(b), "prefix"+string(a)+string(b))
		}
	}
	for _, a := range words {
		for _, b := range words {
			want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
			if got := cmp.Compare(compareUTF16(a, b), 0); got != want {
				t.Fatalf("%q and %q: got %d, want %d", a, b, got, want)
			}
			if got := cmp.Compare(utf16Prefix(a), utf16Prefix(b)); got != want && got != 0 {
				t.Fatalf("prefixes of %q and %q: got %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestBytesOutsideUTF8AreTold(t *testing.T) {
	ranks := map[byte]bool{}
	for b := range 256 {
		ranks[utf16Rank(byte(b))] = true
	}
	assert.Len(t, ranks, 256, "no two bytes have one rank")
	_, found := parsed(t, "{\"\uE000\":1}").Root().Get("\xF5\x80\x80")
	assert.False(t, found)
}

// TestManyMembers sorts objects of every small size, forwards, backwards and
// mixed, and finds a name that is repeated anywhere in them.
func TestManyMembers(t *testing.T) {
	name := func(i int) string { return "name " + strings.Repeat("x", i%7) + string(rune(0xC0+i)) }
	for size := range 40 {
		for _, step := range []int{1, size - 1, 7, 11, 13} {
			if size > 0 && gcd(max(step, 1), size) != 1 {
				continue
			}
			var members, repeated []string
			for i := range size {
				members = append(members, `"`+name(i*max(step, 1)%size)+`":1`)
			}
			sorted := slices.Sorted(slices.Values(members))
			text := "{" + strings.Join(members, ",") + "}"
			require.Equal(t, "{"+strings.Join(sorted, ",")+"}", canonical(t, text))
			for i := range members {
				repeated = slices.Concat(members, members[i:i+1])
				fault := faultOf(t, "{"+strings.Join(repeated, ",")+"}", Limits{})
				require.Equal(t, FaultDuplicateKey, fault.Fault)
			}
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
