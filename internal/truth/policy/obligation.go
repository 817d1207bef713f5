// SPDX-License-Identifier: Apache-2.0

package policy

// An Obligation is a duty that a policy attaches to some tools. The zero
// Obligation is none.
type Obligation uint8

// The obligations, in the order of their axes. Append only.
const (
	Approval  Obligation = iota + 1 // somebody must have approved the call
	Scope                           // the call must keep to a scope
	Redaction                       // the arguments must be redacted
)

var obligationNames = [...]string{"", "approval", "scope", "redaction"}

// Obligations lists every obligation.
func Obligations() []Obligation { return []Obligation{Approval, Scope, Redaction} }

// String returns the name of o's axis.
func (o Obligation) String() string {
	if int(o) >= len(obligationNames) {
		return ""
	}
	return obligationNames[o]
}

// field returns the list under tools that names the tools.
func (o Obligation) field() string {
	switch o {
	case Approval:
		return "approval_required"
	case Scope:
		return "restrict_scope"
	case Redaction:
		return "redact_args"
	}
	return ""
}
