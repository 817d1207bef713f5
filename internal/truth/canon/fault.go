// SPDX-License-Identifier: Apache-2.0

package canon

import "fmt"

// A Fault names why a text is not usable JSON (spec section 4). The zero Fault
// is none of them and reads as not_json: a forgotten fault is still a fault.
type Fault uint8

// The faults. Append only: their names become reasons in decisions.
const (
	FaultSyntax       Fault = iota + 1 // not JSON, or JSON and something after it
	FaultUTF8                          // bytes that are not UTF-8
	FaultSurrogate                     // half of a surrogate pair, escaped
	FaultDuplicateKey                  // one object with two members of one name
	FaultNumberRange                   // a number that no finite double holds
	FaultDepth                         // more than 127 nested containers
	FaultSize                          // more bytes than the caller allows
	FaultMembers                       // more object members than the caller allows
)

var faultNames = [...]string{
	"not_json", FaultSyntax: "not_json", FaultUTF8: "invalid_utf8", FaultSurrogate: "lone_surrogate",
	FaultDuplicateKey: "duplicate_key", FaultNumberRange: "number_out_of_range", FaultDepth: "too_deep",
	FaultSize: "too_large", FaultMembers: "too_many_members",
}

// Faults lists every fault.
func Faults() []Fault {
	return []Fault{
		FaultSyntax, FaultUTF8, FaultSurrogate, FaultDuplicateKey,
		FaultNumberRange, FaultDepth, FaultSize, FaultMembers,
	}
}

// String returns the fault's name, and not_json for what is no fault.
func (f Fault) String() string {
	if int(f) >= len(faultNames) {
		return faultNames[0]
	}
	return faultNames[f]
}

// A TextError reports the first fault found in a text. It says where, and never
// quotes the text: arguments do not belong in messages.
type TextError struct {
	Fault Fault

	// Offset is the byte at which the fault was noticed. For a duplicate key it
	// is where the object opens, for a text that is too large its length.
	Offset int

	// Truncated reports a FaultSyntax whose only evidence is that the text
	// ends: what is there begins a JSON text. A cut value looks like this, and
	// is worth another word than a text that never was JSON.
	Truncated bool
}

// Error returns the fault and its place.
func (e *TextError) Error() string {
	if e.Truncated {
		return fmt.Sprintf("json text: %v: cut off at byte %d", e.Fault, e.Offset)
	}
	return fmt.Sprintf("json text: %v at byte %d", e.Fault, e.Offset)
}
