// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"encoding/binary"
	"math"
)

// maxKept is where a cell stops counting.
const maxKept = math.MaxUint32

// A core is what is known of a run: a cell a rule, and the log of the calls
// that records span. A log entry is the rule's index and the call's, both as
// varints; the entries of one rule are in the order of calls.
type core struct {
	cells []cell
	log   []byte
}

// step lets the rule with index i take in a call, and returns what it did.
func (k *core) step(r *Rules, i int, in symbol, at slot) effect {
	c := &k.cells[i]
	kept := c.kept
	did := r.rules[i].step(c, in, at.index)
	if did&keep == 0 {
		return did
	}
	if kept < maxKept {
		c.kept = kept + 1
	}
	if kept < at.bound || !r.rules[i].grows {
		k.log = appendEntry(k.log, i, at.index)
	}
	return did
}

// A slot is the place of a call in its run, and how many indices a rule whose
// record grows may keep.
type slot struct {
	index int
	bound uint32
}

func appendEntry(log []byte, rule, index int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(log, uint64(rule)), uint64(index))
}

// nextEntry takes the first entry off log. It reports false at the end, and
// for what is no entry.
func nextEntry(log []byte) (rule, index int, rest []byte, ok bool) {
	a, n := binary.Uvarint(log)
	if n <= 0 || a > math.MaxInt32 {
		return 0, 0, nil, false
	}
	b, m := binary.Uvarint(log[n:])
	if m <= 0 || b >= math.MaxInt {
		return 0, 0, nil, false
	}
	return int(a), int(b), log[n+m:], true
}

// kept returns the kept indices of each of n rules.
func (k *core) kept(n int) [][]int {
	lists := make([][]int, n)
	for log := k.log; ; {
		rule, index, rest, ok := nextEntry(log)
		if !ok {
			return lists
		}
		lists[rule] = append(lists[rule], index)
		log = rest
	}
}
