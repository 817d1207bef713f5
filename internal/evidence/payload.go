// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// The payloads of the journal's own records. Each is written in canonical form
// and read back only if it is exactly what would be written.

// A head is the first line of a segment. It has all that is needed to go on
// from: a segment can be read, continued and verified without those before it.
type head struct {
	Journal  string       `json:"journal"`  // the id of the journal, new after a corrupt segment
	Oldest   uint64       `json:"oldest"`   // the first segment that retention has kept
	Previous *predecessor `json:"previous"` // null in the first segment
	Range    []string     `json:"range"`    // the tree's state before this line
	Schema   string       `json:"schema"`
	Segment  uint64       `json:"segment"`
	Size     uint64       `json:"size"` // number of lines before this one
}

// A predecessor names the segment before, as it was when it was left.
type predecessor struct {
	Bytes   int64        `json:"bytes"`   // what lies behind is no part of the journal
	Digest  canon.Digest `json:"digest"`  // of these bytes
	Journal string       `json:"journal"` // its journal's id, empty when that could not be read
	Segment uint64       `json:"segment"`
	State   leaving      `json:"state"`
}

// A leaving says how a segment was left for the next one. The zero value is
// none and is refused.
type leaving uint8

const (
	leftSealed    leaving = iota + 1 // with a seal as its last line
	leftAbandoned                    // after a failed sync; its lines up to Bytes are durable
	leftCorrupt                      // because it was found changed; the next one begins a new journal
)

var leavingNames = [...]string{"", "sealed", "abandoned", "corrupt"}

func (l leaving) String() string { return leavingNames[int(l)%len(leavingNames)] }

func (l leaving) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

func (l *leaving) UnmarshalText(text []byte) error {
	i, err := indexOf(leavingNames[:], text, "state")
	if err == nil {
		*l = leaving(i)
	}
	return err
}

// A checkpointRecord is a checkpoint within the journal. A seal is one that
// also names its segment.
type checkpointRecord struct {
	Note    string   `json:"note"`
	Range   []string `json:"range"` // the tree's state that the note has the root of
	Schema  string   `json:"schema"`
	Segment uint64   `json:"segment"`
}

// A Gap says what the journal does not hold.
type Gap struct {
	Cause Reason `json:"cause"`

	// Bytes and File are the size and name of the side file with the torn end of
	// Segment.
	Bytes int64  `json:"bytes"`
	File  string `json:"file"`

	// Records is how many records are missing: of a torn segment those that were
	// durable before, otherwise those that were refused, which their senders may
	// have sent again.
	Records uint64 `json:"records"`

	Schema  string    `json:"schema"`
	Segment uint64    `json:"segment"`
	Since   time.Time `json:"since"` // first and last time at which something was refused
	Until   time.Time `json:"until"`
}

// writePayload returns v in canonical form.
func writePayload(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return canon.Transform(text)
}

// readPayload reads data, which must be exactly what writePayload writes for
// the value it reads. The error quotes nothing of it.
func readPayload(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if dec.Decode(v) != nil {
		return errNotCanonical
	}
	again, err := writePayload(v)
	if err != nil || !bytes.Equal(again, data) {
		return errNotCanonical
	}
	return nil
}
