// SPDX-License-Identifier: Apache-2.0

package sequence

import "slices"

// lintPairs finds what a rule means beside another. Rules of which nothing can
// come anyway are left out.
func (l *linter) lintPairs() {
	for i := range l.rules {
		l.lintTwins(i)
		if l.idle[i] {
			continue
		}
		if j, ok := l.other(i, l.shadows); ok {
			l.rule(LintShadowed, i, j, "it says nothing more than %s: every run that violates it violates that one too", l.cite(j))
		}
		if l.lost[i] {
			continue
		}
		for j := range l.rules {
			// The same two rules are named once, from the side that comes first.
			if i != j && !l.idle[j] && !l.lost[j] && l.contradicts(j, i) && !(j < i && l.contradicts(i, j)) {
				l.rule(LintContradictory, i, j, "no complete run is fine with both: where it holds, %s is violated", l.cite(j))
			}
		}
	}
}

// lintTwins compares a rule with those before it.
func (l *linter) lintTwins(i int) {
	for j := range i {
		a, b := &l.rules[i], &l.rules[j]
		if a.id != "" && a.id == b.id {
			l.rule(LintSameID, i, j, "its id %q is that of %s too: their records cannot be told apart by it", a.id, l.cite(j))
		}
		switch {
		case a.means(b):
			l.rule(LintDuplicate, i, j, "it means the same as %s", l.cite(j))
			return
		case a.ruleID == b.ruleID && a.id == "" && b.id == "":
			l.rule(LintSameRuleID, i, j, "it prints like %s and means something else: give it an id", l.cite(j))
		}
	}
}

// means reports whether two rules agree on every run.
func (r *rule) means(other *rule) bool {
	return r.kind == other.kind && r.given.bound == other.given.bound && r.given.strict == other.given.strict &&
		slices.Equal(r.given.selectors, other.given.selectors)
}

// other returns the first rule that has the relation to rule i. Of two rules
// that have it to each other only the later is told, and a duplicate is not.
func (l *linter) other(i int, relation func(j, i int) bool) (int, bool) {
	for j := range l.rules {
		switch {
		case i == j || l.lost[j] || l.rules[i].means(&l.rules[j]) || !relation(j, i):
		case i < j && relation(i, j):
		default:
			return j, true
		}
	}
	return 0, false
}

// shadows reports whether rule j is violated on every run, at either extent, on
// which rule i is.
func (l *linter) shadows(j, i int) bool {
	a, b := &l.rules[i], &l.rules[j]
	if wire, ok := b.tripwire(); ok && l.anyWithin(a.needs().violated, wire) {
		return true
	}
	switch m := a.machine.(type) {
	case requireRule:
		of, ok := b.machine.(requireRule)
		return ok && l.within(of.tool, m.tool)
	case beforeRule:
		of, ok := b.machine.(beforeRule)
		return ok && l.within(of.first, m.first) && l.within(m.then, of.then)
	case neverAfterRule:
		of, ok := b.machine.(neverAfterRule)
		return ok && l.within(m.trigger, of.trigger) && l.within(m.forbidden, of.forbidden)
	case maxCallsRule:
		of, ok := b.machine.(maxCallsRule)
		return ok && l.within(m.tool, of.tool) && of.max <= m.max
	case eventuallyRule:
		of, ok := b.machine.(eventuallyRule)
		return ok && l.within(of.tool, m.tool) && of.within <= m.within
	case afterRule:
		of, ok := b.machine.(afterRule)
		return ok && l.within(m.trigger, of.trigger) && l.within(of.then, m.then) && of.within <= m.within
	}
	return false
}

// contradicts reports whether rule j is violated on every complete run on which
// rule i is held.
func (l *linter) contradicts(j, i int) bool {
	a, b := &l.rules[i], &l.rules[j]
	if wire, ok := b.tripwire(); ok && l.anyWithin(a.needs().held, wire) {
		return true
	}
	switch m := a.machine.(type) {
	case beforeRule:
		return l.apart(m.first, m.then) && (l.forbidsPair(b, m.first, m.then) || l.wantsReverse(b, m.first, m.then))
	case afterRule:
		return l.forbidsPair(b, m.trigger, m.then)
	case inOrderRule:
		return l.forbidsOrder(b, m.members) || l.forbidsCount(b, m.members)
	}
	return false
}

// forbidsOrder reports whether b is violated by some two of the members, one
// after the other.
func (l *linter) forbidsOrder(b *rule, members []int) bool {
	for i, first := range members {
		for _, second := range members[i+1:] {
			if l.forbidsPair(b, first, second) {
				return true
			}
		}
	}
	return false
}

// wantsReverse reports whether b is violated when a call of first came before
// any of second: when it then needs a call of second before it.
func (l *linter) wantsReverse(b *rule, first, second int) bool {
	of, ok := b.machine.(beforeRule)
	return ok && l.within(first, of.then) && l.within(of.first, second)
}

// forbidsPair reports whether b is violated by a call of first and a later one
// of second.
func (l *linter) forbidsPair(b *rule, first, second int) bool {
	of, ok := b.machine.(neverAfterRule)
	return ok && l.within(first, of.trigger) && l.within(second, of.forbidden)
}

// forbidsCount reports whether b allows fewer calls than the members need.
func (l *linter) forbidsCount(b *rule, members []int) bool {
	of, ok := b.machine.(maxCallsRule)
	if !ok {
		return false
	}
	count := uint64(0)
	for _, n := range members {
		if l.within(n, of.tool) {
			count++
		}
	}
	return count > uint64(of.max)
}

func (l *linter) anyWithin(selectors []int, of int) bool {
	return slices.ContainsFunc(selectors, func(n int) bool { return l.within(n, of) })
}
