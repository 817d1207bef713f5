// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// A LintCode is something that can be proven about the rules of a policy and
// that their author hardly meant. It is no error: the policy loads and is
// judged as it is written. The zero LintCode is none.
type LintCode uint8

// The lints. Append only: the strings are wire format.
const (
	LintNeverExercised   LintCode = iota + 1 // not_exercised on every run
	LintNeverViolated                        // violated on no run: the rule checks nothing
	LintAlwaysViolated                       // violated on every run
	LintNeverHeld                            // held on no complete run
	LintBlocksEverything                     // violated by every call

	LintDuplicate     // means the same as another rule
	LintShadowed      // whenever it is violated, another rule is too
	LintContradictory // whenever it is held on a complete run, another rule is violated

	LintExercisedByDenied // put to the test only by calls that the policy denies
	LintHeldByDenied      // held only on runs with a call that the policy denies
	LintViolatedByDenied  // violated only on runs with a call that the policy denies

	LintSameRuleID    // prints like another rule that means something else
	LintSameID        // has the id of another rule
	LintLiteralStar   // a star in a name, where it stands for itself
	LintASCIIBoundary // \b or \B in a regex, which know ASCII letters only
	LintUnusedAlias   // no rule names the alias
	LintNestedAlias   // an alias in an alias, where it means the tool of that name
	LintHidingAlias   // an alias named like a tool, which rules then do not mean
	lintsAmount       // how many there are
)

var lintNames = [lintsAmount]string{
	LintNeverExercised: "never_exercised", LintNeverViolated: "never_violated", LintAlwaysViolated: "always_violated",
	LintNeverHeld: "never_held", LintBlocksEverything: "blocks_everything",
	LintDuplicate: "duplicate", LintShadowed: "shadowed", LintContradictory: "contradictory",
	LintExercisedByDenied: "exercised_by_denied", LintHeldByDenied: "held_by_denied", LintViolatedByDenied: "violated_by_denied",
	LintSameRuleID: "same_rule_id", LintSameID: "same_id", LintLiteralStar: "literal_star", LintASCIIBoundary: "ascii_boundary",
	LintUnusedAlias: "unused_alias", LintNestedAlias: "nested_alias", LintHidingAlias: "hiding_alias",
}

// LintCodes lists the wire form of every lint.
func LintCodes() []string { return lintNames[1:] }

// String returns the wire form, or "" for a value outside the vocabulary.
func (c LintCode) String() string { return word(lintNames[:], c) }

// MarshalText returns the wire form.
func (c LintCode) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// A Finding is a lint about one rule or one alias.
type Finding struct {
	Code         LintCode
	Line, Column int    // of the rule or alias
	Path         string // such as sequences[2]
	Rule         int    // index of the rule, -1 for an alias
	Other        int    // index of the other rule that the lint is about, or -1
	Msg          string // a sentence for the author
}

// Lint returns what can be proven about the rules of p, in the order of
// the file. It says nothing about what it does not find: a policy without
// findings may still not say what its author meant.
func Lint(r *Rules, p *policy.Policy) []Finding {
	l := linter{Rules: r, gate: toolGate{p}, idle: map[int]bool{}, lost: map[int]bool{}}
	for i := range r.rules {
		l.lintAlone(i)
		l.lintDenied(i)
		l.lintNames(i)
	}
	l.lintPairs()
	l.lintAliases()
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return l.found
}

// A linter collects findings.
type linter struct {
	*Rules
	gate  toolGate
	found []Finding
	idle  map[int]bool // rules that are never exercised or never violated
	lost  map[int]bool // rules that hold on no complete run, or on the empty one alone
}

// rule adds a finding about the rule with index i.
func (l *linter) rule(code LintCode, i, other int, format string, args ...any) {
	at := l.rules[i].at
	l.found = append(l.found, Finding{
		Code: code, Line: at.line, Column: at.column, Path: pathOf(i), Rule: i, Other: other,
		Msg: fmt.Sprintf(format, args...),
	})
}

// alias adds a finding about an alias.
func (l *linter) alias(code LintCode, a *alias, format string, args ...any) {
	l.found = append(l.found, Finding{
		Code: code, Line: a.at.line, Column: a.at.column, Path: under("aliases", a.name), Rule: -1, Other: -1,
		Msg: fmt.Sprintf(format, args...),
	})
}

func pathOf(rule int) string { return at("sequences", rule) }

// cite names another rule in a message.
func (l *linter) cite(i int) string {
	return fmt.Sprintf("%s (%s, line %d)", pathOf(i), l.rules[i].ruleID, l.rules[i].at.line)
}
