// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slowRoot is the definition of RFC 6962, section 2.1.
func slowRoot(leaves [][]byte) [hashSize]byte {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return sha256.Sum256(append([]byte{0}, leaves[0]...))
	}
	k := 1
	for 2*k < len(leaves) {
		k *= 2
	}
	left, right := slowRoot(leaves[:k]), slowRoot(leaves[k:])
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

func TestTheTreeIsThatOfTheStandard(t *testing.T) {
	tr, err := newTree(treeState{})
	require.NoError(t, err)
	var leaves [][]byte
	for i := range 300 {
		require.Equal(t, slowRoot(leaves), tr.root(), "size %d", i)
		leaf := fmt.Appendf(nil, "line %d", i)
		leaves = append(leaves, leaf)
		tr.add(leaf, nil)
		if i%7 == 0 {
			state, err := parseTreeState(tr.size(), tr.state().hexHashes())
			require.NoError(t, err)
			tr, err = newTree(state)
			require.NoError(t, err, "a tree goes on from its state")
		}
	}
}

func TestACloneGoesItsOwnWay(t *testing.T) {
	tr, err := newTree(treeState{})
	require.NoError(t, err)
	var leaves [][]byte
	for i := range 200 {
		dropped, err := tr.clone()
		require.NoError(t, err)
		for n := range i % 5 {
			dropped.add(fmt.Appendf(nil, "dropped %d", n), nil)
		}
		require.Equal(t, slowRoot(leaves), tr.root())
		kept, err := tr.clone()
		require.NoError(t, err)
		leaf := fmt.Appendf(nil, "line %d", i)
		kept.add(leaf, nil)
		leaves, tr = append(leaves, leaf), kept
	}
	assert.Equal(t, slowRoot(leaves), tr.root())
}

func TestTreeStatesThatAreNone(t *testing.T) {
	hash := "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	for name, tt := range map[string]struct {
		size   uint64
		hashes []string
	}{
		"a hash too few":    {3, []string{hash}},
		"a hash too many":   {4, []string{hash, hash}},
		"a hash of nothing": {0, []string{hash}},
		"a short hash":      {1, []string{hash[2:]}},
		"no hex":            {1, []string{"zz" + hash[2:]}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseTreeState(tt.size, tt.hashes)
			assert.Error(t, err)
		})
	}
	_, err := newTree(treeState{size: 2})
	assert.Error(t, err)
}

// TestLinesMayComeLater adds lines in every way there is, in an order by
// chance, and asks between them: when lines are added is not to be seen.
func TestLinesMayComeLater(t *testing.T) {
	chance := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		tr, err := newTree(treeState{})
		require.NoError(t, err)
		var leaves [][]byte
		for i := range 100 {
			leaf := fmt.Appendf(nil, "line %d", i)
			leaves = append(leaves, leaf)
			if chance.IntN(8) == 0 {
				tr.add(leaf, nil)
			} else {
				tr.addLater(leaf)
			}
			require.Equal(t, uint64(len(leaves)), tr.size())
			switch chance.IntN(8) {
			case 0, 1:
				tr.start()
			case 2:
				tr.wait()
			case 3:
				require.Equal(t, slowRoot(leaves), tr.root())
			case 4:
				tr, err = tr.clone()
				require.NoError(t, err)
			case 5:
				tr, err = newTree(tr.state())
				require.NoError(t, err)
			}
		}
		require.Equal(t, slowRoot(leaves), tr.root())
	}
}
