// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHashesOutliveTheProcess holds one output that the authors of SipHash
// published: hashes are stored with runs, and another function or another order
// of the key's bytes would make every stored span a changed one.
func TestHashesOutliveTheProcess(t *testing.T) {
	in := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	key := hashKeyOf(in)
	assert.Equal(t, uint64(0x726fdb47dd0e0e31), key.sum(nil))
	assert.Equal(t, uint64(0x751e8fbc860ee5fb), key.sum(in[:12]))
}
