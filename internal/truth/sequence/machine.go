// SPDX-License-Identifier: Apache-2.0

package sequence

// A machine is what one rule means. It is immutable; what it knows of a run
// lies in the run's cell. It sees symbols alone.
type machine interface {
	// step takes in the call with index at and says what the call did.
	step(c *cell, in symbol, at int) effect

	// read says what c means after so many calls.
	read(c cell, calls int, e Extent) reading

	// needs says what must have matched for each outcome.
	needs() needs

	// sound reports whether some run of so many calls could have led to c.
	sound(c cell, calls int) bool
}

// A cell is what a machine remembers of a run, whatever the run's length. Its
// zero value is the start of a run.
type cell struct {
	kept  uint32 // how many calls were marked keep; stops at its maximum
	left  uint32 // after: calls that are left in the open window
	phase phase
}

// A phase is where a machine stands. Each machine names its own, and starts in
// the zero phase.
type phase uint8

// An effect is what a call did to a rule.
type effect uint8

const (
	keep     effect = 1 << iota // the record spans the call
	violates                    // the call turned the rule violated
	again                       // the rule was violated, and the call does the same again
)

// A reading is what a cell means.
type reading struct {
	outcome Outcome
	reason  Reason
	span    span
}

// A span says which calls the record of a rule spans.
type span uint8

const (
	spanNone     span = iota // none
	spanKept                 // those marked keep, in order
	spanKeptBack             // the two marked keep, the later first
	spanTwice                // the one marked keep, named twice
	spanEvery                // every call of the run
)

func held(s span) reading { return reading{Held, NoReason, s} }

func violated(why Reason, s span) reading { return reading{Violated, why, s} }

func notExercised(why Reason) reading { return reading{NotExercised, why, spanNone} }
