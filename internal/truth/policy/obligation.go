// SPDX-License-Identifier: Apache-2.0

package policy

// An Obligation is a duty that a policy attaches to tools. The zero value is
// none of them.
type Obligation uint8

// The obligations. Append only.
const (
	Approval  Obligation = iota + 1 // somebody must have approved the call
	Scope                           // the call must have kept within a scope
	Redaction                       // the arguments must have been redacted
)

var obligationFields = [...]string{Approval: "approval_required", Scope: "restrict_scope", Redaction: "redact_args"}

// Obligation returns the patterns of tool names that o applies to, and the
// classes of tools. The caller must not change them. What is no obligation
// applies to nothing.
func (p *Policy) Obligation(o Obligation) (names []Rule, classes []string) {
	if o < Approval || o > Redaction {
		return nil, nil
	}
	field := obligationFields[o]
	return p.view.list(field).items, p.view.list(field + "_classes").texts()
}
