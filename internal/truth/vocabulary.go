// SPDX-License-Identifier: Apache-2.0

package truth

import "fmt"

// An Identity says what is known of who made a call (spec section 6). The zero
// Identity is not a state and judges as invalid.
type Identity uint8

// The identity states. Append only: the strings are wire format.
const (
	IdentityPresent         Identity = iota + 1 // an identity was observed
	IdentityAbsent                              // none was observed, and none is required
	IdentityRequiredMissing                     // none was observed, though one is required
	IdentityInvalid                             // what was observed contradicts itself
)

// A SourceClass says how a call came to be known (spec section 7).
type SourceClass uint8

// The source classes. Append only: the strings are wire format.
const (
	SourceAuthoritative SourceClass = iota + 1 // seen where the policy is enforced
	SourceReported                             // reported by an instrumentation
	SourceInferred                             // arguments taken from a model's message
)

// A ResultStatus is what the emitter says of the call's outcome (spec section
// 7). It is never part of a verdict.
type ResultStatus uint8

// The result states. Append only: the strings are wire format.
const (
	ResultNA    ResultStatus = iota + 1 // the emitter does not say
	ResultOK                            // the emitter says that it succeeded
	ResultError                         // the emitter says that it failed
)

// A Fact is one piece of evidence: yes, no, or, as its zero value, unknown.
// Whoever says both has said nothing: that is unknown too, for its own reason.
type Fact uint8

// The values of a Fact. Append only.
const (
	Unknown Fact = iota // nobody who is believed has said
	Yes
	No
	Contradictory // those who are believed have said both
)

// FactOf returns the Fact for a known b.
func FactOf(b bool) Fact {
	if b {
		return Yes
	}
	return No
}

var (
	identityNames = [...]string{"", "present", "absent", "required_missing", "invalid"}
	sourceNames   = [...]string{"", "authoritative_boundary", "reported_trace", "inferred"}
	resultNames   = [...]string{"", "n/a", "ok", "error"}
	factNames     = [...]string{"unknown", "true", "false", "contradictory"}
)

// Identities lists the wire form of every identity state.
func Identities() []string { return identityNames[1:] }

// SourceClasses lists the wire form of every source class.
func SourceClasses() []string { return sourceNames[1:] }

// ResultStatuses lists the wire form of every result status.
func ResultStatuses() []string { return resultNames[1:] }

// String returns the wire form; a value outside the vocabulary is "invalid".
func (i Identity) String() string { return nameOr(identityNames[:], int(i), "invalid") }

// String returns the wire form, or "" for a value outside the vocabulary.
func (s SourceClass) String() string { return nameOr(sourceNames[:], int(s), "") }

// String returns the wire form, or "" for a value outside the vocabulary.
func (r ResultStatus) String() string { return nameOr(resultNames[:], int(r), "") }

// String returns true, false, unknown or contradictory.
func (f Fact) String() string { return nameOr(factNames[:], int(f), "unknown") }

// UnmarshalText accepts the wire forms and nothing else.
func (i *Identity) UnmarshalText(text []byte) error {
	return unmarshalName(identityNames[:], text, "identity_state", func(n uint8) { *i = Identity(n) })
}

// UnmarshalText accepts the wire forms and nothing else.
func (s *SourceClass) UnmarshalText(text []byte) error {
	return unmarshalName(sourceNames[:], text, "source_class", func(n uint8) { *s = SourceClass(n) })
}

// UnmarshalText accepts the wire forms and nothing else.
func (r *ResultStatus) UnmarshalText(text []byte) error {
	return unmarshalName(resultNames[:], text, "result_status", func(n uint8) { *r = ResultStatus(n) })
}

// MarshalText returns the wire form.
func (i Identity) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// MarshalText returns the wire form.
func (s SourceClass) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalText returns the wire form.
func (r ResultStatus) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

func nameOr(names []string, i int, other string) string {
	if i < 0 || i >= len(names) || names[i] == "" {
		return other
	}
	return names[i]
}

func unmarshalName(names []string, text []byte, what string, set func(uint8)) error {
	for i, name := range names {
		if name != "" && name == string(text) {
			set(uint8(i))
			return nil
		}
	}
	return fmt.Errorf("%s is not a known word, known are %q", what, names[1:])
}
