// SPDX-License-Identifier: Apache-2.0

package evidence

// An Outcome is what a verification comes to. The zero Outcome is none and
// reads as unsound.
type Outcome uint8

// The outcomes. Append only: the words appear in reports.
const (
	Sound        Outcome = iota + 1 // nothing was found, and known keys have signed all checkpoints
	CannotVerify                    // nothing was found, but not all of it could be checked
	Unsound                         // something is wrong
)

var outcomeNames = [...]string{"unsound", "sound", "cannot_verify", "unsound"}

// String returns the outcome's word.
func (o Outcome) String() string {
	if int(o) >= len(outcomeNames) {
		return outcomeNames[0]
	}
	return outcomeNames[o]
}

// MarshalText returns the outcome's word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// The most findings and gaps that a Report lists. All are counted.
const maxListed = 100

// A Report is what Verify found.
type Report struct {
	Outcome Outcome `json:"outcome"`

	// Findings are in the order of the journal, one a segment at most: behind
	// the first bad line the rest of a segment proves nothing.
	Findings      []Finding `json:"findings,omitempty"`
	FindingsTotal int       `json:"findings_total"`

	Segments int    `json:"segments"`
	Bytes    int64  `json:"bytes"`
	Lines    uint64 `json:"lines"`
	Records  uint64 `json:"records"` // lines that are not the journal's own
	Carriers uint64 `json:"carriers"`
	Rows     uint64 `json:"rows"`

	// Checkpoints counts those signed by a known key, UnknownKeys the others.
	Checkpoints uint64 `json:"checkpoints"`
	UnknownKeys uint64 `json:"unknown_keys"`

	// Keys counts the checkpoints that each key has signed, by name. Behind
	// UnknownSigners are names that were found in checkpoints of unknown keys.
	Keys           map[string]uint64 `json:"keys,omitempty"`
	UnknownSigners map[string]uint64 `json:"unknown_signers,omitempty"`

	// Latest is the last checkpoint that was verified, Uncovered how many lines
	// lie behind it: for these there are only their links, which whoever can
	// write the file can make.
	Latest    *Checkpoint `json:"latest,omitempty"`
	Uncovered uint64      `json:"uncovered"`

	// Gaps are what the journal itself says that it lacks.
	Gaps      []PlacedGap `json:"gaps,omitempty"`
	GapsTotal int         `json:"gaps_total"`

	// Pruned counts the checkpoints given in VerifyOptions that end before what
	// retention has kept, and so cannot be compared.
	Pruned int `json:"pruned,omitempty"`

	// Removed is how many segments retention has removed, as the journal says.
	Removed uint64 `json:"removed,omitempty"`

	// Abandoned and Unsettled are bytes that are no part of the journal: those a
	// segment has behind where a failed sync left it, and those that a writer was
	// still at when a live journal was read.
	Abandoned int64 `json:"abandoned_bytes,omitempty"`
	Unsettled int64 `json:"unsettled_bytes,omitempty"`

	// Alone is set by VerifySegment, and nil for a journal.
	Alone *Alone `json:"alone,omitempty"`
}

// Alone says which segment was checked by itself, and so what was not checked:
// the lines before it, that a next segment names it, and, where it is not
// sealed, that none of its lines are missing at the end.
type Alone struct {
	Segment     uint64 `json:"segment"`
	LinesBefore uint64 `json:"lines_before"`
	Sealed      bool   `json:"sealed"`
}

// A PlacedGap is a gap and where the journal records it.
type PlacedGap struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Seq  uint64 `json:"seq"`
	Gap
}

// First returns the first finding, or nil.
func (r *Report) First() *Finding {
	if len(r.Findings) == 0 {
		return nil
	}
	return &r.Findings[0]
}

func (r *Report) found(f *Finding) {
	r.FindingsTotal++
	if len(r.Findings) < maxListed {
		r.Findings = append(r.Findings, *f)
	}
}

func (r *Report) gap(g PlacedGap) {
	r.GapsTotal++
	if len(r.Gaps) < maxListed {
		r.Gaps = append(r.Gaps, g)
	}
}

// conclude sets the outcome.
func (r *Report) conclude() {
	switch {
	case r.FindingsTotal > 0:
		r.Outcome = Unsound
	case r.Checkpoints == 0 || r.UnknownKeys > 0 || r.Pruned > 0:
		r.Outcome = CannotVerify
	default:
		r.Outcome = Sound
	}
}
