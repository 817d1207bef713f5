// SPDX-License-Identifier: Apache-2.0

package truth

// RunVerdict returns the verdict of a run from the verdicts of its decisions
// and their orders: the worst verdict, Match for a run without decisions (spec
// section 8).
//
// It is Invalid when there are not as many orders as verdicts, and when an
// order repeats: which decisions the run holds is then unknown. It does not say
// that the orders are without gaps.
func RunVerdict(verdicts []Verdict, orders []int64) Verdict {
	if len(verdicts) != len(orders) || repeats(orders) {
		return Invalid
	}
	return Join(verdicts...)
}

// repeats reports whether a value occurs twice. Orders that rise, as those of a
// run do, are compared with the one before and no more.
func repeats(orders []int64) bool {
	rising := true
	for i := 1; i < len(orders) && rising; i++ {
		rising = orders[i-1] < orders[i]
	}
	if rising {
		return false
	}
	seen := make(map[int64]struct{}, len(orders))
	for _, o := range orders {
		seen[o] = struct{}{}
	}
	return len(seen) < len(orders)
}
