// SPDX-License-Identifier: Apache-2.0

package sequence

// beforeRule is violated when the first call that matches then has no call
// that matches first at its own index or an earlier one.
type beforeRule struct{ first, then int }

const (
	beforeIdle    phase = iota // neither came
	beforeReady                // first came; kept is its index
	beforeDone                 // then came after first
	beforeBoth                 // one call was both
	beforeMissing              // then came, first did not
	beforeLate                 // first came after then
)

// beforeKept says how many calls each phase keeps.
var beforeKept = [...]uint32{beforeIdle: 0, beforeReady: 1, beforeDone: 2, beforeBoth: 1, beforeMissing: 1, beforeLate: 2}

func (r beforeRule) step(c *cell, in symbol, _ int) effect {
	first, then := in.has(r.first), in.has(r.then)
	switch {
	case c.phase == beforeIdle && first && then:
		c.phase = beforeBoth
		return keep
	case c.phase == beforeIdle && first:
		c.phase = beforeReady
		return keep
	case c.phase == beforeIdle && then:
		c.phase = beforeMissing
		return keep | violates
	case c.phase == beforeReady && then:
		c.phase = beforeDone
		return keep
	case c.phase == beforeMissing && first:
		c.phase = beforeLate
		return keep
	case c.phase == beforeMissing && then:
		return again
	}
	return 0
}

func (r beforeRule) read(c cell, _ int, _ Extent) reading {
	switch c.phase {
	case beforeDone:
		return held(spanKept)
	case beforeBoth:
		return held(spanTwice)
	case beforeMissing:
		return violated(FirstMissing, spanKept)
	case beforeLate:
		return violated(FirstLate, spanKeptBack)
	default:
		return notExercised(Vacuous)
	}
}

func (r beforeRule) sound(c cell, _ int) bool {
	return c.left == 0 && c.phase <= beforeLate && c.kept == beforeKept[c.phase]
}
