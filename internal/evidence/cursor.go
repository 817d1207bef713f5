// SPDX-License-Identifier: Apache-2.0

package evidence

import "time"

// A cursor is the end of a journal: all that the next line depends on. A group
// of lines is written with a clone, which becomes the end once they are durable
// and is dropped when they are not.
type cursor struct {
	journal string // id
	segment uint64
	began   time.Time // time of the segment's head
	offset  int64     // where in the segment the next line goes
	lines   int       // in the segment
	chain   *chain
	tree    *tree  // its size is the next line's sequence number
	open    uint64 // lines behind the latest checkpoint
}

func newCursor(journal string, state treeState) (*cursor, error) {
	t, err := newTree(state)
	if err != nil {
		return nil, err
	}
	return &cursor{journal: journal, chain: newChain(), tree: t}, nil
}

// seq returns the sequence number of the next line.
func (c *cursor) seq() uint64 { return c.tree.size() }

// append appends the line of an event, given without its closing brace, to dst.
// The line must stay as it is until the tree has it.
func (c *cursor) append(dst, event []byte) []byte {
	start := len(dst)
	dst = c.chain.appendLine(dst, event, c.seq())
	c.tree.addLater(dst[start : len(dst)-1])
	c.took(int64(len(dst) - start))
	return dst
}

// took counts a line of n bytes.
func (c *cursor) took(n int64) {
	c.offset += n
	c.lines++
	c.open++
}

// enter moves the cursor to the start of another segment.
func (c *cursor) enter(segment uint64, began time.Time) {
	c.segment, c.began, c.offset, c.lines, c.chain = segment, began, 0, 0, newChain()
}

func (c *cursor) clone() (*cursor, error) {
	out := *c
	var err error
	if out.chain, err = c.chain.clone(); err != nil {
		return nil, err
	}
	out.tree, err = c.tree.clone()
	return &out, err
}
