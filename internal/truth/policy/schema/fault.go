// SPDX-License-Identifier: Apache-2.0

package schema

import "github.com/tool-decision-truth/collector/internal/truth/policy/tree"

// A Reason says why a schema is malformed. The zero Reason is none of the
// vocabulary.
type Reason uint8

// The reasons. Append only: the strings are printed and matched.
const (
	NotASchema      Reason = iota + 1 // neither a mapping nor a boolean
	UnknownDialect                    // $schema names none that is known
	BadDefinitions                    // shared and own definitions cannot be merged
	BreaksDialect                     // the dialect's own schema does not allow it
	RemoteReference                   // a reference to outside of the document
	NoTarget                          // a reference to nothing, or to what is no schema
	BadPattern                        // a regular expression that is none
	TooLarge                          // more than is compiled, or than one check may evaluate
	BadIdentifier                     // an identifier that is no URI
	Unusable                          // what nobody thought of
)

var reasonNames = [...]string{
	"", "not_a_schema", "unknown_dialect", "bad_definitions", "breaks_dialect",
	"remote_reference", "no_target", "bad_pattern", "too_large", "bad_identifier", "unusable",
}

// Reasons lists every reason.
func Reasons() []Reason {
	reasons := make([]Reason, 0, len(reasonNames)-1)
	for r := NotASchema; int(r) < len(reasonNames); r++ {
		reasons = append(reasons, r)
	}
	return reasons
}

// String returns the name of r; what is no reason is unusable.
func (r Reason) String() string {
	if r == 0 || int(r) >= len(reasonNames) {
		return Unusable.String()
	}
	return reasonNames[r]
}

// A Fault says why and where a schema is malformed. It is an error, though no
// one's failure: the verdict of the schema's tool is invalid.
type Fault struct {
	Reason Reason

	// Location is a JSON pointer into the declared schema, the shared
	// definitions merged into it.
	Location string

	// Pos is the place in the document.
	Pos tree.Pos

	// Msg explains, without values.
	Msg string
}

// Error returns the location and the explanation.
func (f *Fault) Error() string {
	if f.Location == "" {
		return f.Msg
	}
	return f.Location + ": " + f.Msg
}
