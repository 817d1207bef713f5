// SPDX-License-Identifier: Apache-2.0

package evidence

import "fmt"

// A Fault names what is wrong with a line, a segment or a journal. The set is
// closed; the zero Fault is none of them and reads as malformed.
type Fault uint8

// The faults. Append only: the words appear in reports. Meaning explains each.
const (
	FaultMalformed Fault = iota + 1
	FaultLink
	FaultSequence
	FaultContent
	FaultCarrier
	FaultTornTail
	FaultHead
	FaultAfterSeal
	FaultSegmentMissing
	FaultSegmentChanged
	FaultRoot
	FaultSignature
	FaultNewestMissing
	FaultCheckpoint
	FaultForeignFile
	FaultRecordMissing
	FaultProof
	FaultRecordDiffers
	FaultKeyUnknown
	FaultNoCheckpoint
	FaultNoSuchRecord
)

var faultTexts = [...]struct{ word, meaning string }{
	{"malformed", "not a line that a journal writes"},
	FaultMalformed:      {"malformed", "not a line that a journal writes"},
	FaultLink:           {"link_broken", "the file was changed in or before this line"},
	FaultSequence:       {"out_of_sequence", "a line is missing, repeated or moved"},
	FaultContent:        {"content_changed", "the content hash is not that of the event"},
	FaultCarrier:        {"carrier_refused", "the carrier fails its own checks"},
	FaultTornTail:       {"torn_tail", "the file ends inside a line"},
	FaultHead:           {"head_wrong", "the segment lacks its head or has that of another"},
	FaultAfterSeal:      {"after_seal", "there is something behind the last line of the segment"},
	FaultSegmentMissing: {"segment_missing", "a segment is gone that retention did not remove"},
	FaultSegmentChanged: {"segment_changed", "the segment is not the one that the next one names"},
	FaultRoot:           {"root_differs", "the lines up to here are not those that the checkpoint covers"},
	FaultSignature:      {"signature_bad", "the signature of a known key does not hold"},
	FaultNewestMissing:  {"newest_missing", "the journal ends before a checkpoint that was kept elsewhere"},
	FaultCheckpoint:     {"checkpoint_differs", "a checkpoint that was kept elsewhere is of another history"},
	FaultForeignFile:    {"foreign_file", "something that is no segment has the name of one"},
	FaultRecordMissing:  {"record_missing", "records are gone that were durable"},
	FaultProof:          {"proof_wrong", "the hashes of the proof do not lead to its root"},
	FaultRecordDiffers:  {"record_differs", "the proof is for another record"},
	FaultKeyUnknown:     {"key_unknown", "no key that is known has signed: this cannot be verified"},
	FaultNoCheckpoint:   {"no_checkpoint", "no checkpoint covers the record yet"},
	FaultNoSuchRecord:   {"no_such_record", "the journal has no record with this digest"},
}

// Faults lists every fault.
func Faults() []Fault {
	all := make([]Fault, 0, len(faultTexts)-1)
	for i := 1; i < len(faultTexts); i++ {
		all = append(all, Fault(i))
	}
	return all
}

// String returns the fault's word, and malformed for what is no fault.
func (f Fault) String() string { return f.text().word }

// Meaning says in a sentence what the fault means.
func (f Fault) Meaning() string { return f.text().meaning }

// MarshalText returns the fault's word.
func (f Fault) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

func (f Fault) text() struct{ word, meaning string } {
	if int(f) >= len(faultTexts) {
		f = 0
	}
	return faultTexts[f]
}

// A Finding is one fault and its place. Finding is also the error of what
// refuses a journal or a proof.
type Finding struct {
	Fault Fault  `json:"fault"`
	File  string `json:"file,omitempty"` // name within the directory, empty when it concerns no file
	Line  int    `json:"line,omitempty"` // from 1, 0 when it concerns no line

	// Seq is the sequence number that the line has or should have.
	Seq uint64 `json:"seq"`

	// Detail has numbers, digests and words of closed vocabularies, no text of
	// a record.
	Detail string `json:"detail,omitempty"`
}

// Error returns the place, the fault, what it means and the detail.
func (f *Finding) Error() string {
	text := fmt.Sprintf("%v: %s", f.Fault, f.Fault.Meaning())
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	switch {
	case f.File != "" && f.Line > 0:
		return fmt.Sprintf("%s:%d: %s", f.File, f.Line, text)
	case f.File != "":
		return f.File + ": " + text
	}
	return text
}
