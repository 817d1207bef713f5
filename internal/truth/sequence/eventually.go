// SPDX-License-Identifier: Apache-2.0

package sequence

// eventuallyRule holds when the first match is among the first within calls.
type eventuallyRule struct {
	tool   int
	within uint32
}

const (
	eventuallyWaiting phase = iota // no match yet
	eventuallyMet                  // the first match came in time
	eventuallyLate                 // the first match came too late
)

func (r eventuallyRule) step(c *cell, in symbol, at int) effect {
	if c.phase != eventuallyWaiting {
		return 0
	}
	inTime := uint64(at) < uint64(r.within)
	switch {
	case in.has(r.tool) && inTime:
		c.phase = eventuallyMet
		return keep
	case in.has(r.tool):
		c.phase = eventuallyLate
		return keep
	case uint64(at)+1 == uint64(r.within):
		return violates
	}
	return 0
}

func (r eventuallyRule) read(c cell, calls int, e Extent) reading {
	switch {
	case c.phase == eventuallyMet:
		return held(spanKept)
	case c.phase == eventuallyLate:
		return violated(TooLate, spanKept)
	case e == Complete || uint64(calls) >= uint64(r.within):
		return violated(NotInTime, spanEvery)
	default:
		return notExercised(Open)
	}
}

func (r eventuallyRule) sound(c cell, calls int) bool {
	switch c.phase {
	case eventuallyWaiting:
		return c.kept == 0 && c.left == 0
	case eventuallyMet:
		return c.kept == 1 && c.left == 0 && r.within > 0
	case eventuallyLate:
		return c.kept == 1 && c.left == 0 && uint64(calls) > uint64(r.within)
	default:
		return false
	}
}
