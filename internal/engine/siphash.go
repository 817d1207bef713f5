// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/binary"
	"math/bits"
)

// A sipKey keys the engine's own hashes.
type sipKey struct{ k0, k1 uint64 }

func sipKeyOf(seed []byte) sipKey {
	return sipKey{binary.LittleEndian.Uint64(seed), binary.LittleEndian.Uint64(seed[8:])}
}

// sum is SipHash-2-4 (Aumasson and Bernstein, 2012): short, keyed, and cheaper
// than a digest. It tells spans and arguments apart within a run; who does not
// have the key cannot make two that pass for one. What is recorded has digests,
// not these.
func (k sipKey) sum(data []byte) uint64 {
	v0, v1 := k.k0^0x736f6d6570736575, k.k1^0x646f72616e646f6d
	v2, v3 := k.k0^0x6c7967656e657261, k.k1^0x7465646279746573
	last := uint64(len(data)) << 56
	for len(data) >= 8 {
		m := binary.LittleEndian.Uint64(data)
		v3 ^= m
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0 ^= m
		data = data[8:]
	}
	for i, b := range data {
		last |= uint64(b) << (8 * i)
	}
	v3 ^= last
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0 ^= last
	v2 ^= 0xff
	for range 4 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return v0 ^ v1 ^ v2 ^ v3
}

func sipRound(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v2 += v3
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 = bits.RotateLeft64(v0, 32) + v3
	v2 += v1
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	return v0, v1, bits.RotateLeft64(v2, 32), v3
}
