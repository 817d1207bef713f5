// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
)

// maxHeld is how many decisions wait to be printed. So long a later span of the
// same call can still change or complete one; and so much memory a recording
// costs beside its largest line.
const maxHeld = 16_384

// results hold decisions until they are printed, so that each call is printed
// once, as it is known in the end.
type results struct {
	held  []*result
	at    map[place]*result
	print func(*result) error
}

type place struct {
	run   ledger.ID
	order int64
}

func newResults(print func(*result) error) *results {
	return &results{at: map[place]*result{}, print: print}
}

// add takes in a decision: a new call, or more of one that is held.
func (rs *results) add(d *engine.Decision, run ledger.ID, name string) (*result, error) {
	key := place{run, d.Placed.Order}
	held := rs.at[key]
	next := resultOf(d, name)
	switch {
	case held == nil:
		rs.at[key] = next
		rs.held = append(rs.held, next)
		return next, rs.spill()
	case d.Placed.Kind == ledger.KindResent:
		return nil, nil
	case d.Follows():
		held.also(append([]string{next.SpanID}, next.OtherSpans...))
		return nil, nil
	}
	next.also(append([]string{held.SpanID}, held.OtherSpans...))
	*held = *next
	return held, nil
}

// also notes further spans of the call.
func (r *result) also(spans []string) {
	for _, id := range spans {
		if id != r.SpanID && !slices.Contains(r.OtherSpans, id) {
			r.OtherSpans = append(r.OtherSpans, id)
		}
	}
}

// spill prints the oldest half once too many are held.
func (rs *results) spill() error {
	if len(rs.held) < maxHeld {
		return nil
	}
	return rs.flush(len(rs.held) / 2)
}

// flush prints the first n.
func (rs *results) flush(n int) error {
	gone := make(map[*result]bool, n)
	for _, r := range rs.held[:n] {
		gone[r] = true
		if err := rs.print(r); err != nil {
			return err
		}
	}
	for key, r := range rs.at {
		if gone[r] {
			delete(rs.at, key)
		}
	}
	rs.held = append(rs.held[:0], rs.held[n:]...)
	return nil
}
