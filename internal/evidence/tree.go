// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

const hashSize = sha256.Size

// arenaHashes is how many hashes share an allocation. The range keeps at most
// 64 of them, so that this bounds what it pins.
const arenaHashes = 256

// A tree is the Merkle tree (RFC 6962) over the lines of a journal, of which it
// keeps the roots of the perfect subtrees alone: at most 64 hashes, whatever the
// number of lines. Line n of the journal is leaf n.
type tree struct {
	factory *compact.RangeFactory
	nodes   *compact.Range
	hash    hash.Hash
	in      [1 + 2*hashSize]byte
	arena   []byte

	// Lines that are to be added, and those that start is adding. While running
	// is not nil the fields above are the goroutine's that closes it.
	later, adding [][]byte
	running       chan struct{}
	leaves        uint64 // those two included
}

// treeState is what a tree can be continued from.
type treeState struct {
	size   uint64
	hashes [][]byte
}

func newTree(state treeState) (*tree, error) {
	t := &tree{hash: sha256.New()}
	t.factory = &compact.RangeFactory{Hash: t.join}
	if err := t.restore(state); err != nil {
		return nil, err
	}
	return t, nil
}

// size returns the number of lines.
func (t *tree) size() uint64 { return t.leaves }

// add appends line, without its newline, as the next leaf. visit is told of each
// node that this completes; it may be nil.
func (t *tree) add(line []byte, visit compact.VisitFn) {
	t.wait()
	t.leaves++
	t.leaf(line, visit)
}

// addLater is add, of which the work is left to start, or to whatever needs it
// first. The line must stay as it is until then, and wait has returned.
func (t *tree) addLater(line []byte) {
	t.leaves++
	t.later = append(t.later, line)
}

// start begins to add the lines that addLater took, beside what its caller does:
// hashing them takes as long as writing them.
func (t *tree) start() {
	t.started()
	if len(t.later) == 0 {
		return
	}
	t.adding, t.later = t.later, t.adding[:0]
	done := make(chan struct{})
	t.running = done
	go func() {
		defer close(done)
		for _, line := range t.adding {
			t.leaf(line, nil)
		}
	}()
}

// wait returns when all lines are added.
func (t *tree) wait() {
	t.started()
	for _, line := range t.later {
		t.leaf(line, nil)
	}
	t.later = t.later[:0]
}

// started returns when what start began is done.
func (t *tree) started() {
	if t.running != nil {
		<-t.running
		t.running = nil
	}
}

func (t *tree) leaf(line []byte, visit compact.VisitFn) {
	t.in[0] = rfc6962.RFC6962LeafHashPrefix
	t.hash.Reset()
	t.hash.Write(t.in[:1])
	t.hash.Write(line)
	// Append refuses a range that lacks hashes, and restore has counted them.
	_ = t.nodes.Append(t.sum(), visit)
}

// join returns the hash of the node above left and right.
func (t *tree) join(left, right []byte) []byte {
	t.in[0] = rfc6962.RFC6962NodeHashPrefix
	copy(t.in[1:], left)
	copy(t.in[1+hashSize:], right)
	t.hash.Reset()
	t.hash.Write(t.in[:])
	return t.sum()
}

// sum returns t.hash's sum in storage that is not used again.
func (t *tree) sum() []byte {
	if cap(t.arena)-len(t.arena) < hashSize {
		t.arena = make([]byte, 0, arenaHashes*hashSize)
	}
	start := len(t.arena)
	t.arena = t.hash.Sum(t.arena)
	return t.arena[start:len(t.arena):len(t.arena)]
}

// root returns the root hash; that of the tree without leaves is the digest of
// nothing.
func (t *tree) root() [hashSize]byte {
	t.wait()
	root, err := t.nodes.GetRootHash(nil)
	if err != nil || root == nil {
		return sha256.Sum256(nil)
	}
	return [hashSize]byte(root)
}

// clone returns a tree that goes its own way from here. It shares storage with
// t, so that only one of the two may be added to.
func (t *tree) clone() (*tree, error) {
	state := t.state()
	out := &tree{hash: t.hash, arena: t.arena, later: t.later, adding: t.adding}
	out.factory = &compact.RangeFactory{Hash: out.join}
	return out, out.restore(state)
}

func (t *tree) state() treeState {
	t.wait()
	return treeState{size: t.nodes.End(), hashes: slices.Clone(t.nodes.Hashes())}
}

// restore makes t the tree that had state.
func (t *tree) restore(state treeState) error {
	nodes, err := t.factory.NewRange(0, state.size, slices.Clone(state.hashes))
	if err != nil {
		return fmt.Errorf("tree of size %d: %w", state.size, err)
	}
	t.nodes, t.leaves = nodes, nodes.End()
	return nil
}

// hexHashes returns hashes as a record has them.
func (s treeState) hexHashes() []string {
	out := make([]string, len(s.hashes))
	for i, h := range s.hashes {
		out[i] = hex.EncodeToString(h)
	}
	return out
}

// parseTreeState reads what hexHashes wrote for a tree of the given size.
func parseTreeState(size uint64, hashes []string) (treeState, error) {
	if got, want := len(hashes), compact.RangeSize(0, size); got != want {
		return treeState{}, fmt.Errorf("tree of size %d: got %d hashes, want %d", size, got, want)
	}
	s := treeState{size: size, hashes: make([][]byte, len(hashes))}
	for i, text := range hashes {
		h, err := hex.DecodeString(text)
		if err != nil || len(h) != hashSize {
			return treeState{}, fmt.Errorf("tree of size %d: hash %d is not %d hex digits", size, i, 2*hashSize)
		}
		s.hashes[i] = h
	}
	return s, nil
}
