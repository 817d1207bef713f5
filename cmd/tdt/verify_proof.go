// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A proofReport is what a proof shows.
type proofReport struct {
	OK         bool              `json:"ok"`
	Signatures string            `json:"signatures"`
	Digest     canon.Digest      `json:"digest,omitempty"` // of the record's payload
	Type       string            `json:"type,omitempty"`
	RunID      string            `json:"run_id,omitempty"`
	Time       string            `json:"time,omitempty"`
	Seq        uint64            `json:"journal_seq"`
	Checkpoint *checkpointReport `json:"checkpoint,omitempty"`
	Fault      string            `json:"fault,omitempty"`
	Means      string            `json:"means,omitempty"`

	record carrier.Event
}

// errInconclusive ends a run that found nothing wrong and could not check all.
// It has been told already.
var errInconclusive = errors.New("not all of it can be verified")

// verifyProof verifies the proof that the flags name.
func (s streams) verifyProof(flags *verifyFlags) error {
	want := canon.Digest(flags.journals.record)
	if want != "" && !want.Valid() {
		return usagef("--record: want sha256: and 64 lowercase hex digits")
	}
	keys, err := s.keyring(flags.journals.keys, &flags.keys)
	if err != nil {
		return err
	}
	_, text, err := s.read(flags.journals.proof, 4<<20)
	if err != nil {
		return err
	}
	r, err := checkProof(string(text), want, keys)
	if err != nil {
		return err
	}
	if flags.format.value == "json" {
		err = writeJSON(s.out, r)
	} else {
		err = r.print(s.out)
	}
	switch {
	case err != nil:
		return err
	case !r.OK:
		return errFindings
	case r.Signatures == signaturesUnknownKey:
		return errInconclusive
	}
	return nil
}

func checkProof(text string, want canon.Digest, keys *keyring) (*proofReport, error) {
	r := &proofReport{Signatures: signaturesVerified}
	proven, err := evidence.VerifyProof(text, keys)
	finding, isFinding := errors.AsType[*evidence.Finding](err)
	switch {
	case err == nil:
	case !isFinding:
		return nil, err
	case finding.Fault != evidence.FaultKeyUnknown:
		r.Signatures, r.Seq = signaturesNotChecked, finding.Seq
		r.Fault, r.Means = finding.Fault.String(), finding.Fault.Meaning()
		if finding.Detail != "" {
			r.Means += ": " + finding.Detail
		}
		return r, nil
	case keys.given:
		r.Signatures = signaturesUnknownKey
	default:
		r.Signatures = signaturesNotChecked
	}
	e := &proven.Record
	r.record, r.Digest, r.Type, r.RunID, r.Time = *e, proven.Digest, e.Type, e.RunID, e.Time
	r.Seq, r.Checkpoint = proven.Seq, newCheckpointReport(&proven.Checkpoint)
	r.Checkpoint.Keys = proven.Checkpoint.Signers
	if want != "" && want != proven.Digest && want != e.ContentHash {
		r.Fault, r.Means = evidence.FaultRecordDiffers.String(), evidence.FaultRecordDiffers.Meaning()
		return r, nil
	}
	r.OK = true
	return r, nil
}

func (r *proofReport) print(w io.Writer) error {
	if !r.OK {
		_, err := fmt.Fprintf(w, "Not proven: %s (%s).\n", r.Means, r.Fault)
		return err
	}
	fmt.Fprintf(w, "The journal %s has the record %s\n", r.Checkpoint.Origin, r.Digest)
	fmt.Fprintf(w, "as its line %d, of the %d that the checkpoint covers.\n", r.Seq, r.Checkpoint.Size)
	fmt.Fprintf(w, "  %s, run %s, written %s\n", recordWord(r.Type), report.Cell(r.RunID), report.Cell(r.Time))
	if say := sayOf(&r.record); say != "" {
		fmt.Fprintf(w, "  %s\n", say)
	}
	signers := strings.Join(r.Checkpoint.Keys, ", ")
	var err error
	switch r.Signatures {
	case signaturesVerified:
		_, err = fmt.Fprintf(w, "The checkpoint is signed by %s.\n", signers)
	case signaturesUnknownKey:
		_, err = fmt.Fprintf(w, "It cannot be verified who made the checkpoint: signed by %s, and the keys at hand are others.\n", signers)
	default:
		_, err = fmt.Fprintf(w, "The signature by %s was not checked, for want of --keys: anybody could have made this proof.\n", signers)
	}
	return err
}

// namesOf lists the names that were counted.
func namesOf(counts map[string]uint64) string {
	return strings.Join(slices.Sorted(maps.Keys(counts)), ", ")
}
