// SPDX-License-Identifier: Apache-2.0

package truth

import "fmt"

// A Verdict is how one observed tool call compares with the declared policy
// (spec section 1).
//
// Verdicts form a chain, Match < Incomplete < Mismatch < Invalid, and combine
// by taking the worse. The zero Verdict is none of them: it prints, joins and
// encodes as Invalid, so that a forgotten assignment cannot pass for Match.
type Verdict uint8

// The verdicts, in order of severity. Append only: the strings are wire format.
const (
	Match      Verdict = iota + 1 // every applicable constraint was checked and held
	Incomplete                    // some applicable constraint lacks the evidence to check it
	Mismatch                      // some checked constraint did not hold
	Invalid                       // the policy or the observation is malformed
)

var verdictNames = [...]string{Match: "match", Incomplete: "incomplete", Mismatch: "mismatch", Invalid: "invalid"}

// Verdicts lists every verdict, least severe first.
func Verdicts() []Verdict { return []Verdict{Match, Incomplete, Mismatch, Invalid} }

func (v Verdict) orInvalid() Verdict {
	if v < Match || v > Invalid {
		return Invalid
	}
	return v
}

// String returns the wire form of v.
func (v Verdict) String() string { return verdictNames[v.orInvalid()] }

// MarshalText returns the wire form of v.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText accepts the four wire forms and nothing else.
func (v *Verdict) UnmarshalText(text []byte) error {
	got, ok := ParseVerdict(string(text))
	if !ok {
		return fmt.Errorf("verdict must be match, incomplete, mismatch or invalid, got %q", text)
	}
	*v = got
	return nil
}

// ParseVerdict returns the verdict that s names. What it does not know ranks
// as Invalid, and ok is false.
func ParseVerdict(s string) (v Verdict, ok bool) {
	for _, v := range Verdicts() {
		if verdictNames[v] == s {
			return v, true
		}
	}
	return Invalid, false
}

// Join returns the worst of vs. Join() is Match, the identity of the lattice.
func Join(vs ...Verdict) Verdict {
	worst := Match
	for _, v := range vs {
		worst = max(worst, v.orInvalid())
	}
	return worst
}
