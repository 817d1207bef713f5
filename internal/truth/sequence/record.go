// SPDX-License-Identifier: Apache-2.0

package sequence

// A Record is what became of one rule over the calls that were given (spec
// section 10). It is about this rule alone.
type Record struct {
	// RuleID is the rule as it prints, such as before:approve->pay. Two rules
	// may print alike when they differ in their regexes only.
	RuleID string `json:"rule_id"`

	// ID is the id that the policy gives the rule, or "".
	ID string `json:"id,omitempty"`

	Kind    Kind    `json:"kind"`
	Outcome Outcome `json:"outcome"`

	// Reason says why the rule is violated or not exercised. It is NoReason
	// exactly where it held.
	Reason Reason `json:"reason,omitzero"`

	// Spanned holds the indices of the calls that were read to reach the
	// outcome; never nil. Where it would grow with the run, a State keeps the
	// first of them and SpannedTotal says how many there are.
	Spanned      []int `json:"spanned"`
	SpannedTotal int   `json:"spanned_total"`
}

// Truncated reports whether Spanned leaves indices out.
func (r *Record) Truncated() bool { return len(r.Spanned) < r.SpannedTotal }
