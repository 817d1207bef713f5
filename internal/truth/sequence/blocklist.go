// SPDX-License-Identifier: Apache-2.0

package sequence

// blocklistRule is violated by each call whose name contains the pattern. A
// star in the pattern is a star.
type blocklistRule struct{ pattern int }

func (r blocklistRule) step(c *cell, in symbol, _ int) effect {
	switch {
	case !in.has(r.pattern):
		return 0
	case c.kept == 0:
		return keep | violates
	default:
		return keep | again
	}
}

func (r blocklistRule) read(c cell, _ int, _ Extent) reading {
	if c.kept == 0 {
		return held(spanEvery)
	}
	return violated(BlockedName, spanKept)
}

func (r blocklistRule) sound(c cell, _ int) bool { return c.phase == 0 && c.left == 0 }
