// SPDX-License-Identifier: Apache-2.0

package sequence

// afterRule is violated by a trigger that no then follows within so many
// calls. Windows close in the order in which they opened, and one then answers
// every trigger that waits, so the oldest waiting trigger is all there is to
// remember.
type afterRule struct {
	trigger, then int
	within        uint32
}

const (
	afterCalm    phase = iota // no trigger waits
	afterWaiting              // one waits; left calls may still answer it
	afterFailed               // one was never answered
)

func (r afterRule) step(c *cell, in symbol, _ int) effect {
	var did effect
	if c.phase == afterWaiting {
		did |= r.wait(c, in.has(r.then))
	}
	if in.has(r.trigger) {
		did |= keep
		if c.phase == afterCalm {
			did |= r.open(c)
		}
	}
	return did
}

// wait takes a call into the open window. An answer belongs to the record; a
// call behind the window does not.
func (r afterRule) wait(c *cell, answered bool) effect {
	if answered {
		c.phase, c.left = afterCalm, 0
		return keep
	}
	c.left--
	if c.left > 0 {
		return 0
	}
	c.phase = afterFailed
	return violates
}

// open starts the window of a trigger. A window of no calls is closed at once.
func (r afterRule) open(c *cell) effect {
	if r.within == 0 {
		c.phase = afterFailed
		return violates
	}
	c.phase, c.left = afterWaiting, r.within
	return 0
}

func (r afterRule) read(c cell, _ int, e Extent) reading {
	switch {
	case c.phase == afterFailed:
		return violated(Unanswered, spanKept)
	case c.kept == 0:
		return notExercised(Vacuous)
	case c.phase == afterCalm:
		return held(spanKept)
	case e == Complete:
		return violated(EndedOpen, spanKept)
	default:
		return notExercised(Open)
	}
}

func (r afterRule) sound(c cell, _ int) bool {
	switch c.phase {
	case afterCalm:
		return c.left == 0 && c.kept != 1
	case afterWaiting:
		return 0 < c.left && c.left <= r.within && c.kept > 0
	case afterFailed:
		return c.left == 0 && c.kept > 0
	default:
		return false
	}
}
