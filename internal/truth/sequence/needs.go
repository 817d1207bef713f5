// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"slices"
	"strings"
)

// needs says which selectors must each have matched some call for a rule to
// come out one way. Everything that lints prove rests on it.
type needs struct {
	exercised []int // for any outcome but not_exercised
	held      []int // to be held on a complete run
	violated  []int
}

func (r requireRule) needs() needs { return needs{held: []int{r.tool}} }

func (r blocklistRule) needs() needs { return needs{violated: []int{r.pattern}} }

func (r beforeRule) needs() needs {
	then := []int{r.then}
	return needs{exercised: then, held: []int{r.first, r.then}, violated: then}
}

func (r neverAfterRule) needs() needs {
	trigger := []int{r.trigger}
	return needs{exercised: trigger, held: trigger, violated: []int{r.trigger, r.forbidden}}
}

func (r maxCallsRule) needs() needs { return needs{violated: []int{r.tool}} }

func (r eventuallyRule) needs() needs { return needs{held: []int{r.tool}} }

func (r afterRule) needs() needs {
	trigger := []int{r.trigger}
	return needs{exercised: trigger, held: []int{r.trigger, r.then}, violated: trigger}
}

// The strict form looks at nothing before its first member, the lenient one at
// any of them.
func (r inOrderRule) needs() needs {
	n := needs{held: r.members}
	if len(r.members) == 1 || r.strict && len(r.members) > 0 {
		n.exercised, n.violated = r.members[:1], r.members[:1]
	}
	return n
}

// tripwire returns the selector one match of which violates the rule, if there
// is one.
func (r *rule) tripwire() (selector int, ok bool) {
	switch m := r.machine.(type) {
	case blocklistRule:
		return m.pattern, true
	case maxCallsRule:
		return m.tool, m.max == 0
	case afterRule:
		return m.trigger, m.within == 0
	}
	return 0, false
}

// within reports whether every call that selector a matches, b matches too.
func (r *Rules) within(a, b int) bool { return a == b || r.selectors[a].within(&r.selectors[b]) }

func (s *selector) within(of *selector) bool {
	switch {
	case s.byText:
		return of.byText && strings.Contains(s.text, of.text)
	case len(of.args) > 0 && !s.hasArgs(of.args):
		return false
	}
	return !slices.ContainsFunc(s.names, func(name string) bool { return !of.means(name) })
}

// hasArgs reports whether s asks for all of args.
func (s *selector) hasArgs(args []argMatch) bool {
	for _, want := range args {
		same := func(a argMatch) bool { return a.name == want.name && a.pattern == want.pattern }
		if !slices.ContainsFunc(s.args, same) {
			return false
		}
	}
	return true
}

// apart reports whether no call matches both selectors.
func (r *Rules) apart(a, b int) bool {
	s, of := &r.selectors[a], &r.selectors[b]
	return !s.byText && !of.byText && !slices.ContainsFunc(s.names, of.means)
}

// nothing reports whether no call matches the selector.
func (s *selector) nothing() bool { return !s.byText && len(s.names) == 0 }
