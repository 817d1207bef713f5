// SPDX-License-Identifier: Apache-2.0

package sequence

// inOrderRule is the kind "sequence": its members must come in their order.
// The strict form lets no other call between them, the lenient one no later
// member before its turn. Once all came, nothing more is checked.
type inOrderRule struct {
	members []int
	strict  bool
}

const (
	orderRunning phase = iota // kept members came so far
	orderDone                 // all came
	orderBroken               // the last kept call broke the order
)

func (r inOrderRule) step(c *cell, in symbol, _ int) effect {
	next := int(c.kept)
	switch {
	case c.phase != orderRunning || len(r.members) == 0:
		return 0
	case in.has(r.members[next]):
		if next+1 == len(r.members) {
			c.phase = orderDone
		}
		return keep
	case r.strict && next == 0:
		return 0
	case r.strict || in.hasAny(r.members[next+1:]):
		c.phase = orderBroken
		return keep | violates
	default:
		return 0
	}
}

func (r inOrderRule) read(c cell, _ int, e Extent) reading {
	switch {
	case len(r.members) == 0:
		return notExercised(NoMembers)
	case c.phase == orderBroken && r.strict:
		return violated(ForeignCall, spanKept)
	case c.phase == orderBroken:
		return violated(OutOfTurn, spanKept)
	case c.kept == 0:
		return notExercised(Vacuous)
	case c.phase == orderRunning && e == Complete:
		return violated(EndedHalfway, spanKept)
	default:
		return held(spanKept)
	}
}

func (r inOrderRule) sound(c cell, _ int) bool {
	all, kept := uint64(len(r.members)), uint64(c.kept)
	switch {
	case c.left != 0:
		return false
	case c.phase == orderRunning:
		return kept < max(all, 1)
	case c.phase == orderDone:
		return kept > 0 && kept == all
	case c.phase == orderBroken && r.strict:
		return 1 < kept && kept <= all
	default:
		return c.phase == orderBroken && 0 < kept && kept < all
	}
}
