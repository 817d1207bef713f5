// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"slices"
	"strconv"
)

// lintAlone finds what a rule means by itself. Of several claims that hold it
// makes the strongest.
func (l *linter) lintAlone(i int) {
	r := &l.rules[i]
	n := r.needs()
	switch why := l.empty(r, n.exercised); {
	case l.noMembers(r):
		l.mark(LintNeverExercised, i, "it names no tools, so nothing ever puts it to the test")
	case why != "":
		l.mark(LintNeverExercised, i, "nothing ever puts it to the test: %s stands for no tool", why)
	case l.empty(r, n.violated) != "":
		l.mark(LintNeverViolated, i, "no run violates it: %s stands for no tool", l.empty(r, n.violated))
	case l.checksNothing(r):
		l.mark(LintNeverViolated, i, "no run violates it: %s", whyNeverViolated[r.kind])
	case r.kind == KindEventually && r.given.bound == 0:
		l.mark(LintAlwaysViolated, i, "every run violates it: no call is among the first 0")
	case r.kind == KindRequire && l.empty(r, n.held) != "":
		l.mark(LintAlwaysViolated, i, "every run violates it: %s stands for no tool", l.empty(r, n.held))
	case l.empty(r, n.held) != "":
		l.mark(LintNeverHeld, i, "no complete run holds it: %s stands for no tool", l.empty(r, n.held))
	case r.kind == KindAfter && r.given.bound == 0:
		l.mark(LintNeverHeld, i, "no run holds it: nothing can follow within 0 calls, so every trigger violates it")
	case r.kind == KindBlocklist && r.given.labels[0] == "":
		l.mark(LintBlocksEverything, i, "every call violates it: each name contains the empty pattern")
	}
}

var whyNeverViolated = map[Kind]string{
	KindBefore:   "every call that matches then matches first too",
	KindSequence: "one tool is always in order",
}

// mark adds a finding and remembers the rule, so that it is not said of it
// again that other rules cover or contradict it.
func (l *linter) mark(code LintCode, i int, format string, args ...any) {
	l.rule(code, i, -1, format, args...)
	switch code {
	case LintNeverExercised, LintNeverViolated:
		l.idle[i] = true
	default:
		l.lost[i] = true
	}
}

// empty returns how the first of the selectors prints that matches no call, or
// "" when each can match.
func (l *linter) empty(r *rule, selectors []int) string {
	for _, n := range selectors {
		if l.selectors[n].nothing() {
			return l.label(r, n)
		}
	}
	return ""
}

// label returns how the rule prints one of its selectors.
func (l *linter) label(r *rule, selector int) string {
	return strconv.Quote(r.given.labels[slices.Index(r.given.selectors, selector)])
}

func (l *linter) noMembers(r *rule) bool {
	return r.kind == KindSequence && len(r.given.selectors) == 0
}

func (l *linter) checksNothing(r *rule) bool {
	switch m := r.machine.(type) {
	case beforeRule:
		return l.within(m.then, m.first)
	case inOrderRule:
		return len(m.members) == 1
	}
	return false
}
