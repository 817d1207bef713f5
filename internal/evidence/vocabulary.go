// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"
	"strings"
)

// The types of the events that the journal writes itself. Nobody else may append
// one of a type that begins with JournalTypes.
const (
	JournalTypes   = "assay.tdt.journal."
	TypeHead       = JournalTypes + "head.v0"       // first line of a segment
	TypeCheckpoint = JournalTypes + "checkpoint.v0" // signed root of the tree
	TypeSeal       = JournalTypes + "seal.v0"       // last line of a segment, a checkpoint too
	TypeGap        = JournalTypes + "gap.v0"        // what the journal does not hold, and why
)

// A Reason names why the journal does not hold a record, or is not well. The
// set is closed; the zero Reason is none of them and reads as unknown.
type Reason uint8

// The reasons. Append only: the words are wire format. Meaning explains each.
const (
	ReasonTornTail Reason = iota + 1
	ReasonCorrupt
	ReasonDiskFull
	ReasonWrite
	ReasonSync
	ReasonStalled
	ReasonQueueFull
	ReasonCheckpoint
	ReasonCanceled
	ReasonClosed
)

var reasonNames = [...]string{
	"", "torn_tail", "corrupt", "disk_full", "write_failed", "sync_failed", "stalled", "queue_full",
	"checkpoint_failed", "canceled", "closed",
}

var reasonMeanings = [len(reasonNames)]string{
	ReasonTornTail:   "the end of a segment was cut or half written when the journal was opened",
	ReasonCorrupt:    "a segment was changed after it was written",
	ReasonDiskFull:   "there is no space, or no quota, for a record",
	ReasonWrite:      "a file could not be written",
	ReasonSync:       "a file could not be synced, so that its last records are uncertain",
	ReasonStalled:    "a write did not return in time",
	ReasonQueueFull:  "more records wait than the queue may hold",
	ReasonCheckpoint: "a checkpoint could not be signed",
	ReasonCanceled:   "the caller did not wait for the record",
	ReasonClosed:     "the journal is closed",
}

// Reasons lists every reason.
func Reasons() []Reason {
	all := make([]Reason, 0, len(reasonNames)-1)
	for i := 1; i < len(reasonNames); i++ {
		all = append(all, Reason(i))
	}
	return all
}

// Meaning says in a sentence what the reason means.
func (r Reason) Meaning() string {
	if int(r) >= len(reasonMeanings) {
		return ""
	}
	return reasonMeanings[r]
}

// String returns the wire form, and unknown for what is no reason.
func (r Reason) String() string {
	if r == 0 || int(r) >= len(reasonNames) {
		return "unknown"
	}
	return reasonNames[r]
}

// MarshalText returns the wire form.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText accepts the wire forms and nothing else.
func (r *Reason) UnmarshalText(text []byte) error {
	i, err := indexOf(reasonNames[:], text, "reason")
	if err == nil {
		*r = Reason(i)
	}
	return err
}

// OnFailure says what gives way when evidence cannot be written. It decides
// how strictly Open looks at what it finds; what becomes of a batch whose
// Append failed is for the caller to decide. The zero value is refused.
type OnFailure uint8

// The modes. Append only: the words are configuration.
const (
	PassThrough OnFailure = iota + 1 // telemetry goes on, and what is missing is counted
	Block                            // nothing goes on without its evidence
)

var onFailureNames = [...]string{"", "pass_through", "block"}

// String returns the configured word, and "" for the zero value.
func (o OnFailure) String() string {
	if int(o) >= len(onFailureNames) {
		return ""
	}
	return onFailureNames[o]
}

// MarshalText returns the configured word.
func (o OnFailure) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText accepts pass_through and block.
func (o *OnFailure) UnmarshalText(text []byte) error {
	i, err := indexOf(onFailureNames[:], text, "on_failure")
	if err == nil {
		*o = OnFailure(i)
	}
	return err
}

// indexOf returns the place of text in names, whose first entry is no word.
func indexOf(names []string, text []byte, what string) (int, error) {
	for i, name := range names {
		if i > 0 && name == string(text) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s must be one of %s", what, strings.Join(names[1:], ", "))
}
