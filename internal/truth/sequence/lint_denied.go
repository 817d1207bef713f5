// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"fmt"

	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// A toolGate is the tool axis of the gate (spec section 5), which a rule can
// be at odds with: it never blocks a call, it judges it a mismatch.
type toolGate struct{ *policy.Policy }

// denies returns which line of the policy judges every call of the tool a
// mismatch, if one does.
func (g toolGate) denies(tool string) (why string, denied bool) {
	for _, r := range g.Deny() {
		if r.Pattern.Match(tool) {
			return fmt.Sprintf("%s[%d], line %d, denies it", r.Field, r.Index, r.Line), true
		}
	}
	for _, r := range g.Allow() {
		if r.Pattern.Match(tool) {
			return "", false
		}
	}
	switch {
	case len(g.Allow()) > 0:
		return "tools.allow does not have it", true
	case g.UnconstrainedTools() == policy.Deny:
		return "enforcement.unconstrained_tools denies what no list has", true
	}
	return "", false
}

// lintDenied finds rules at odds with the tool lists, and makes the strongest
// claim.
func (l *linter) lintDenied(i int) {
	r := &l.rules[i]
	n := r.needs()
	if label, why, ok := l.denied(r, n.exercised); ok {
		l.rule(LintExercisedByDenied, i, -1, "only a call that the policy denies puts it to the test: %s, %s", label, why)
		return
	}
	if label, why, ok := l.denied(r, n.held); ok {
		l.rule(LintHeldByDenied, i, -1, "it holds only with a call that the policy denies: %s, %s", label, why)
		return
	}
	if label, why, ok := l.denied(r, n.violated); ok {
		l.rule(LintViolatedByDenied, i, -1, "only a call that the policy denies violates it: %s, %s", label, why)
	}
}

// denied returns the first of the selectors that means denied tools alone, and
// why the first of those is denied.
func (l *linter) denied(r *rule, selectors []int) (label, why string, ok bool) {
	for _, n := range selectors {
		if s := &l.selectors[n]; len(s.names) > 0 && l.allDenied(s.names) {
			why, _ = l.gate.denies(s.names[0])
			return l.label(r, n), why, true
		}
	}
	return "", "", false
}

func (l *linter) allDenied(tools []string) bool {
	for _, tool := range tools {
		if _, denied := l.gate.denies(tool); !denied {
			return false
		}
	}
	return true
}

// names returns which line of the tool lists has exactly this name.
func (g toolGate) names(tool string) (line string, ok bool) {
	for _, list := range [][]policy.Rule{g.Allow(), g.Deny()} {
		for _, r := range list {
			if r.Pattern.Exact() && r.Pattern.String() == tool {
				return fmt.Sprintf("%s[%d], line %d,", r.Field, r.Index, r.Line), true
			}
		}
	}
	return "", false
}
