// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheWindowIsTheLatestRecords holds the window against a list, from which
// what is too old is cut off.
func TestTheWindowIsTheLatestRecords(t *testing.T) {
	for _, size := range []int{1, 2, 3, 7, 64, 100} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(size), 3))
			w := newWindow(size)
			var list []recordKey // zero where one was forgotten
			for seq := range uint64(5000) {
				if rng.IntN(50) == 0 {
					n := rng.IntN(size + 1)
					w.undo(n)
					list = list[:max(len(list)-n, 0)]
				}
				k := keyOf(fmt.Append(nil, size, seq))
				_, known := w.find(k)
				require.False(t, known)
				w.add(k, seq)
				list = append(list, k)
				probe := rng.IntN(2*size) + 1
				if probe > len(list) {
					continue
				}
				_, known = w.find(list[len(list)-probe])
				if known {
					require.LessOrEqual(t, probe, size, "forgotten in time")
				}
			}
			for _, k := range list[len(list)-1:] {
				seq, known := w.find(k)
				require.True(t, known)
				require.EqualValues(t, 4999, seq)
			}
		})
	}
}

func TestTheWindowHoldsAllThatItHasRoomFor(t *testing.T) {
	const size = 500
	w := newWindow(size)
	key := func(i int) recordKey { return keyOf(fmt.Append(nil, "record ", i)) }
	for i := range 10 * size {
		w.add(key(i), uint64(i))
		for _, back := range []int{0, 1, size / 2, size - 1} {
			if back <= i {
				seq, known := w.find(key(i - back))
				require.True(t, known)
				require.EqualValues(t, i-back, seq)
			}
		}
		if i >= size {
			_, known := w.find(key(i - size))
			require.False(t, known)
		}
	}
}
