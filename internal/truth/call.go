// SPDX-License-Identifier: Apache-2.0

package truth

import "github.com/tool-decision-truth/collector/internal/truth/canon"

// A Call is one observed decision to call a tool.
type Call struct {
	// Tool is the name as it was written, matched byte for byte.
	Tool string

	// Args is the parsed arguments, or nil where they are absent or unusable.
	Args *canon.Doc

	// ArgsWhy says why Args is nil. Empty means that they were not recorded.
	ArgsWhy Reason

	// Identity is what is known of who made the call.
	Identity Identity

	// IdentityWhy says more of an invalid identity, where something is known.
	IdentityWhy Reason
}

// Evidence is what else is believed about a call (spec section 6). Its zero
// value is: nothing is known.
type Evidence struct {
	// Classes are the tool's classes, and mean something only where
	// ClassesKnown: known to be none differs from unknown.
	Classes      []string
	ClassesKnown bool

	Approval, Scope, Redaction Fact
}
