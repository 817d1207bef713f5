// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/binary"

	"github.com/dchest/siphash"
)

// A hashKey keys the engine's own hashes: short, and cheaper than a digest. They
// tell spans and arguments apart within a run; who does not have the key cannot
// make two that pass for one. What is recorded has digests, not these.
type hashKey struct{ k0, k1 uint64 }

// hashKeyOf takes the first 16 bytes of seed.
func hashKeyOf(seed []byte) hashKey {
	return hashKey{binary.LittleEndian.Uint64(seed), binary.LittleEndian.Uint64(seed[8:])}
}

func (k hashKey) sum(data []byte) uint64 { return siphash.Hash(k.k0, k.k1, data) }
