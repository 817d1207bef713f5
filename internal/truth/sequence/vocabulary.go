// SPDX-License-Identifier: Apache-2.0

package sequence

import "fmt"

// A Kind is one of the eight kinds of rules. The zero Kind is none of them.
type Kind uint8

// The kinds of rules. Append only: the strings are wire format.
const (
	KindRequire    Kind = iota + 1 // some call must match
	KindBlocklist                  // no name may contain a text
	KindBefore                     // one call must come before another
	KindNeverAfter                 // once one call came, another must not
	KindMaxCalls                   // at most so many calls may match
	KindEventually                 // some call among the first must match
	KindAfter                      // one call must be followed by another in time
	KindSequence                   // calls must come in one order
)

// An Extent is the caller's word on whether more calls may come. It claims
// nothing about how faithfully they were observed. What is not Complete, the
// zero Extent too, is judged as Partial.
type Extent uint8

// The extents. Append only: the strings are wire format.
const (
	Partial  Extent = iota + 1 // more calls may come
	Complete                   // nothing more will come
)

// An Outcome is what became of a rule. The zero Outcome is none.
type Outcome uint8

// The outcomes. Append only: the strings are wire format.
const (
	Held         Outcome = iota + 1 // the rule was put to the test and held
	Violated                        // the calls contradict the rule
	NotExercised                    // nothing put the rule to the test, or it is still open
)

// A Reason says why a rule did not hold. A rule that held has NoReason.
type Reason uint8

// The reasons. Append only: the strings are wire format.
const (
	NoReason Reason = iota

	// Not exercised.
	Vacuous   // no call that would put the rule to the test
	Open      // more calls may still decide it
	NoMembers // the rule names no tools

	// Violated.
	NeverCalled   // require: no call matches
	BlockedName   // blocklist: a name contains the pattern
	FirstMissing  // before: the second call came, the first never
	FirstLate     // before: the first call came after the second
	Forbidden     // never_after: the forbidden call came after the trigger
	TooManyCalls  // max_calls: more calls match than may
	TooLate       // eventually: the first match came too late
	NotInTime     // eventually: no match, and the time for it is over
	Unanswered    // after: the window of a trigger closed without an answer
	EndedOpen     // after: the run ended while a trigger waited for its answer
	ForeignCall   // sequence, strict: another call between two members
	OutOfTurn     // sequence: a later member came before its turn
	EndedHalfway  // sequence: the run ended before the last member
	reasonsAmount // how many there are
)

var (
	kindNames = [...]string{
		KindRequire: "require", KindBlocklist: "blocklist", KindBefore: "before", KindNeverAfter: "never_after",
		KindMaxCalls: "max_calls", KindEventually: "eventually", KindAfter: "after", KindSequence: "sequence",
	}
	extentNames  = [...]string{Partial: "partial", Complete: "complete"}
	outcomeNames = [...]string{Held: "held", Violated: "violated", NotExercised: "not_exercised"}
	reasonNames  = [reasonsAmount]string{
		Vacuous: "vacuous", Open: "open", NoMembers: "no_members",
		NeverCalled: "never_called", BlockedName: "blocked_name",
		FirstMissing: "first_missing", FirstLate: "first_late",
		Forbidden: "forbidden_after_trigger", TooManyCalls: "too_many_calls",
		TooLate: "too_late", NotInTime: "not_in_time",
		Unanswered: "unanswered", EndedOpen: "ended_open",
		ForeignCall: "foreign_call", OutOfTurn: "out_of_turn", EndedHalfway: "ended_halfway",
	}
)

// Kinds lists the wire form of every kind of rule.
func Kinds() []string { return kindNames[1:] }

// Extents lists the wire form of every extent.
func Extents() []string { return extentNames[1:] }

// Outcomes lists the wire form of every outcome.
func Outcomes() []string { return outcomeNames[1:] }

// Reasons lists the wire form of every reason.
func Reasons() []string { return reasonNames[1:] }

// String returns the wire form, or "" for a value outside the vocabulary.
func (k Kind) String() string { return word(kindNames[:], k) }

// String returns the wire form, or "" for a value outside the vocabulary.
func (e Extent) String() string { return word(extentNames[:], e) }

// String returns the wire form, or "" for a value outside the vocabulary.
func (o Outcome) String() string { return word(outcomeNames[:], o) }

// String returns the wire form, "" for NoReason and outside the vocabulary.
func (r Reason) String() string { return word(reasonNames[:], r) }

// MarshalText returns the wire form.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MarshalText returns the wire form.
func (e Extent) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// MarshalText returns the wire form.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// MarshalText returns the wire form.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText accepts the wire forms and nothing else.
func (k *Kind) UnmarshalText(text []byte) (err error) {
	*k, err = parse[Kind](kindNames[:], "kind of rule", text)
	return err
}

// UnmarshalText accepts the wire forms and nothing else.
func (e *Extent) UnmarshalText(text []byte) (err error) {
	*e, err = parse[Extent](extentNames[:], "extent", text)
	return err
}

// UnmarshalText accepts the wire forms and nothing else.
func (o *Outcome) UnmarshalText(text []byte) (err error) {
	*o, err = parse[Outcome](outcomeNames[:], "outcome", text)
	return err
}

// UnmarshalText accepts the wire forms and the empty text of NoReason.
func (r *Reason) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*r = NoReason
		return nil
	}
	*r, err = parse[Reason](reasonNames[:], "reason", text)
	return err
}

func word[T ~uint8](names []string, v T) string {
	if int(v) >= len(names) {
		return ""
	}
	return names[v]
}

func parse[T ~uint8](names []string, what string, text []byte) (T, error) {
	for i, name := range names {
		if name != "" && name == string(text) {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("%s is not a known word, known are %q", what, names[1:])
}
