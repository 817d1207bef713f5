// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSipHash holds the first outputs that its authors published: the key is
// 00 01 … 0f, and the input of the nth is its first n bytes.
func TestSipHash(t *testing.T) {
	var in [16]byte
	for i := range in {
		in[i] = byte(i)
	}
	key := sipKeyOf(in[:])
	for n, want := range []uint64{
		0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
		0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
		0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
		0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5,
	} {
		assert.Equal(t, want, key.sum(in[:n]), "%d bytes", n)
	}
}

func BenchmarkSipHash(b *testing.B) {
	key, data := sipKey{1, 2}, make([]byte, 250)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		key.sum(data)
	}
}
