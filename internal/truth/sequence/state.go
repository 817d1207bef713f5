// SPDX-License-Identifier: Apache-2.0

package sequence

import "math"

// DefaultBound is how many spanned indices a State keeps a rule when it is not
// told otherwise.
const DefaultBound = 64

// A State is the incremental evaluator: it takes in a run call by call and
// knows every rule's record at any time, equal to what Evaluate returns for
// the same calls. Its size does not depend on the run's length: a rule whose
// record spans more and more calls keeps the first indices up to a bound and
// counts the rest. It holds no names and no arguments.
//
// A State is for one goroutine at a time. Its zero value has no rules.
type State struct {
	rules *Rules
	past  *past // nil where no rule reads arguments
	calls int
	bound uint32
	core  core
}

// A Violation is what one call did to one rule.
type Violation struct {
	Rule int // its index

	// Again says that the rule was violated before, and that this call
	// violates it once more: one more blocked name, one more call too many,
	// the forbidden call repeated. Kinds that decide once never say so.
	Again bool
}

// NewState returns the state of a run that has no calls yet. bound is how many
// spanned indices are kept of a rule whose record grows with the run, or
// DefaultBound when it is less than one.
func (r *Rules) NewState(bound int) *State {
	if bound < 1 {
		bound = DefaultBound
	}
	s := &State{
		rules: r,
		bound: uint32(min(uint64(bound), math.MaxUint32)),
		core:  core{cells: make([]cell, len(r.rules))},
	}
	if len(r.dependent) > 0 {
		s.past = &past{}
	}
	return s
}

// Calls returns how many calls were taken in, which is also the index that the
// next one gets.
func (s *State) Calls() int { return s.calls }

// Add takes in the next call and returns the indices of the rules that it
// turned violated: those violated now, on a partial run, that were not before.
// A require rule starts out violated, so no call ever turns it so.
func (s *State) Add(c Call) (violated []int) {
	var few [8]Violation
	for _, v := range s.Take(few[:0], c) {
		if !v.Again {
			violated = append(violated, v.Rule)
		}
	}
	return violated
}

// Take takes in the next call and appends what it did to dst: the rules that
// Add returns, and those that the call violates again. It does not allocate
// beyond dst once the state has its size.
func (s *State) Take(dst []Violation, c Call) []Violation {
	if s.rules == nil {
		s.calls++
		return dst
	}
	x := s.rules.borrow()
	in := s.rules.read(&c, x)
	at := slot{s.calls, s.bound}
	for i := range s.core.cells {
		if did := s.core.step(s.rules, i, in, at); did&(violates|again) != 0 {
			dst = append(dst, Violation{Rule: i, Again: did&again != 0})
		}
	}
	s.calls++
	if s.past != nil {
		s.past.push(s.rules, in, at)
	}
	s.rules.giveBack(x)
	return dst
}

// Records returns a record for every rule, in the policy's order.
func (s *State) Records(e Extent) []Record {
	records := make([]Record, len(s.core.cells))
	kept := s.core.kept(len(records))
	for i := range records {
		records[i] = s.record(i, kept[i], e)
	}
	return records
}

func (s *State) record(i int, kept []int, e Extent) Record {
	rule, c := &s.rules.rules[i], s.core.cells[i]
	reading := rule.read(c, s.calls, e)
	rec := Record{
		RuleID: rule.ruleID, ID: rule.id, Kind: rule.kind,
		Outcome: reading.outcome, Reason: reading.reason,
	}
	rec.Spanned, rec.SpannedTotal = s.spanned(reading.span, kept, c)
	return rec
}

// spanned resolves a span. What it returns is never nil.
func (s *State) spanned(which span, kept []int, c cell) (indices []int, total int) {
	switch which {
	case spanKept:
		return append([]int{}, kept...), int(c.kept)
	case spanKeptBack:
		return []int{kept[1], kept[0]}, 2
	case spanTwice:
		return []int{kept[0], kept[0]}, 2
	case spanEvery:
		indices = make([]int, min(uint64(s.calls), uint64(s.bound)))
		for i := range indices {
			indices[i] = i
		}
		return indices, s.calls
	default:
		return []int{}, 0
	}
}

// violated reports whether the rule with index i is violated so far.
func (s *State) violated(i int) bool {
	return s.rules.rules[i].read(s.core.cells[i], s.calls, Partial).outcome == Violated
}
