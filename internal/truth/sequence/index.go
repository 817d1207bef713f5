// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"crypto/sha256"
	"fmt"
	"slices"
)

// printSize is the length of a fingerprint. It tells policies of one operator
// apart; it is no defense against anybody.
const printSize = 8

// index prepares everything that evaluation looks up.
func (r *Rules) index() {
	r.indexNames()
	r.indexDependents()
	r.print = r.fingerprint()
}

func (r *Rules) indexNames() {
	words := symbolWords(len(r.selectors))
	r.byName = make(map[string]nameMatch)
	for n := range r.selectors {
		s := &r.selectors[n]
		if s.byText {
			r.texts = append(r.texts, n)
			continue
		}
		for _, name := range s.names {
			known, ok := r.byName[name]
			if !ok {
				known.certain = make(symbol, words)
			}
			if len(s.args) == 0 {
				known.certain.add(n)
			} else {
				known.conditional = append(known.conditional, n)
			}
			r.byName[name] = known
		}
	}
}

func (r *Rules) indexDependents() {
	for i := range r.rules {
		rule := &r.rules[i]
		rule.dependent = slices.ContainsFunc(rule.given.selectors, func(n int) bool {
			return len(r.selectors[n].args) > 0
		})
		if rule.dependent {
			r.dependent = append(r.dependent, i)
			r.taped = append(r.taped, rule.given.selectors...)
		}
	}
	slices.Sort(r.taped)
	r.taped = slices.Compact(r.taped)
}

// fingerprint digests what a State depends on: kinds, bounds, and what the
// selectors mean, which rule_id does not say in full. Ids and positions are
// left out.
func (r *Rules) fingerprint() (print [printSize]byte) {
	h := sha256.New()
	for i := range r.rules {
		rule := &r.rules[i]
		fmt.Fprintf(h, "%s %d %t\n", rule.kind, rule.given.bound, rule.given.strict)
		for _, n := range rule.given.selectors {
			fmt.Fprintf(h, "\t%s\n", r.selectors[n].key())
		}
	}
	copy(print[:], h.Sum(nil))
	return print
}
