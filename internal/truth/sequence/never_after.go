// SPDX-License-Identifier: Apache-2.0

package sequence

// neverAfterRule is violated by a forbidden call after the first trigger. The
// trigger itself may match both.
type neverAfterRule struct{ trigger, forbidden int }

const (
	neverIdle   phase = iota // no trigger
	neverArmed               // the trigger came; kept is its index
	neverBroken              // the forbidden call came after it
)

func (r neverAfterRule) step(c *cell, in symbol, _ int) effect {
	switch {
	case c.phase == neverIdle && in.has(r.trigger):
		c.phase = neverArmed
		return keep
	case c.phase == neverArmed && in.has(r.forbidden):
		c.phase = neverBroken
		return keep | violates
	case c.phase == neverBroken && in.has(r.forbidden):
		return again
	}
	return 0
}

func (r neverAfterRule) read(c cell, _ int, _ Extent) reading {
	switch c.phase {
	case neverArmed:
		return held(spanKept)
	case neverBroken:
		return violated(Forbidden, spanKept)
	default:
		return notExercised(Vacuous)
	}
}

func (r neverAfterRule) sound(c cell, _ int) bool {
	return c.left == 0 && c.phase <= neverBroken && c.kept == uint32(c.phase)
}
