// SPDX-License-Identifier: Apache-2.0

package sequence

// maxCallsRule is violated by each match beyond max.
type maxCallsRule struct {
	tool int
	max  uint32
}

const (
	maxWithin phase = iota // no more than max calls matched
	maxOver                // more than max did
)

func (r maxCallsRule) step(c *cell, in symbol, _ int) effect {
	switch {
	case !in.has(r.tool):
		return 0
	case c.phase == maxOver:
		return keep | again
	case c.kept == r.max:
		c.phase = maxOver
		return keep | violates
	default:
		return keep
	}
}

func (r maxCallsRule) read(c cell, _ int, _ Extent) reading {
	if c.phase == maxOver {
		return violated(TooManyCalls, spanKept)
	}
	return held(spanKept)
}

func (r maxCallsRule) sound(c cell, _ int) bool {
	if c.left != 0 {
		return false
	}
	if c.phase == maxOver {
		return c.kept > r.max || c.kept == maxKept
	}
	return c.phase == maxWithin && c.kept <= r.max
}
