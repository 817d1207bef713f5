// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// lintNames finds texts in a rule that do not say what they seem to.
func (l *linter) lintNames(i int) {
	for k, n := range l.rules[i].given.selectors {
		s := &l.selectors[n]
		if s.starred() {
			l.rule(LintLiteralStar, i, -1, "%q has a star, which stands for itself here: only a name with a star is meant", l.rules[i].given.labels[k])
		}
		for _, a := range s.args {
			if hasBoundary(a.pattern) {
				l.rule(LintASCIIBoundary, i, -1, `the regex of %q has \b or \B, which know ASCII letters only, while \w knows all`, a.name)
			}
		}
	}
}

// starred reports whether every call that s matches is of a tool with a star
// in its name.
func (s *selector) starred() bool {
	star := func(name string) bool { return strings.Contains(name, "*") }
	if s.byText {
		return star(s.text)
	}
	return slices.ContainsFunc(s.names, star)
}

func hasBoundary(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil && usesBoundary(re)
}

func usesBoundary(re *syntax.Regexp) bool {
	return re.Op == syntax.OpWordBoundary || re.Op == syntax.OpNoWordBoundary || slices.ContainsFunc(re.Sub, usesBoundary)
}

// lintAliases finds aliases that do not do what they seem to.
func (l *linter) lintAliases() {
	names := map[string]bool{}
	for _, a := range l.aliases {
		names[a.name] = true
	}
	for i := range l.aliases {
		a := &l.aliases[i]
		if !l.usesAlias(a.name) {
			l.alias(LintUnusedAlias, a, "no rule names it")
		}
		for _, m := range a.members {
			if m != a.name && names[m] {
				l.alias(LintNestedAlias, a, "its member %q means the tool of that name, not the alias: aliases are looked through once", m)
			}
		}
		if line, ok := l.gate.names(a.name); ok && !slices.Contains(a.members, a.name) {
			l.alias(LintHidingAlias, a, "%s names a tool so: rules that name it mean the members alone, and not that tool", line)
		}
	}
}

func (l *linter) usesAlias(name string) bool {
	for i := range l.rules {
		if l.rules[i].kind == KindBlocklist {
			continue
		}
		for _, label := range l.rules[i].given.labels {
			if label == name || strings.HasPrefix(label, name+"[") {
				return true
			}
		}
	}
	return false
}
