// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const verifyJournalLong = `
A directory is a journal of the Collector processor. Every line is checked
against all before it: its link, its place, its content hash, the tree of all
lines at each checkpoint, the segments against their successors. --keys names
the keys that sign checkpoints, a line each, present and past ones:
  NAME+HASH+KEY                     the public key of a signing key
  hmac-sha256 ID text:SECRET        an HMAC key (or base64:, hex:)
Without it, signatures are not checked, and whoever can write to the directory
could have written all of it anew. A key that is not in the file makes what it
signed impossible to verify, not bad. --checkpoint names a checkpoint that was
kept elsewhere, as the Collector's log has it: only that shows that the newest
part of a journal was cut off. A journal that is being written is read as far as
it is durable.

A file that is a segment of a journal is checked in the same way, as far as it can
be by itself; what could not be checked is said.

With --policy and --traces, the verdicts of a journal, a bundle or carriers are
derived again from recorded spans, which the same engine judges once more.

--proof verifies a proof of tdt evidence prove, without the journal.
`

// A journalFlags says how journals and proofs are verified.
type journalFlags struct {
	keys        string
	checkpoints []string
	proof       string
	record      string
}

func (f *journalFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.keys, "keys", "", "file of keys that sign checkpoints, and digest arguments")
	c.Flags().StringArrayVar(&f.checkpoints, "checkpoint", nil, "file with a checkpoint that was kept elsewhere (repeatable)")
	c.Flags().StringVar(&f.proof, "proof", "", "proof that a journal has a record")
	c.Flags().StringVar(&f.record, "record", "", "digest of the record that the proof must be of")
}

// A keyring is the keys that the command line names.
type keyring struct {
	*evidence.Keys
	given bool // there are some, so that a signature that they cannot check is told
}

// secretPrefix begins the lines of a file of keys that hold a secret.
const secretPrefix = "hmac-sha256 "

// keyring reads the file of keys, and adds the one key of the other flags.
func (s streams) keyring(file string, one *keyFlags) (*keyring, error) {
	k := &keyring{Keys: &evidence.Keys{}}
	if file != "" {
		label, text, err := s.read(file, maxSecretFile)
		if err != nil {
			return nil, err
		}
		if strings.Contains("\n"+string(text), "\n"+secretPrefix) {
			if text, err = readSecretFile(file); err != nil {
				return nil, fmt.Errorf("keys %w", err)
			}
		}
		if k.Keys, err = evidence.ParseKeys(string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", label, err)
		}
		k.given = true
	}
	if one.id == "" {
		return k, nil
	}
	secret, err := one.secret()
	if err != nil {
		return nil, err
	}
	if _, there := k.ArgsKey(one.id); there {
		return k, nil
	}
	k.given = true
	if err := k.AddSecret(one.id, secret); err != nil {
		return nil, usagef("--key-id: %w", err)
	}
	return k, nil
}

// readCheckpoints reads the checkpoints that were kept elsewhere.
func (s streams) readCheckpoints(files []string) (notes []string, err error) {
	for _, file := range files {
		_, text, err := s.read(file, 1<<20)
		if err != nil {
			return nil, err
		}
		notes = append(notes, string(text))
	}
	return notes, nil
}

// A journalReport is what became of a journal. The findings stand beside it.
type journalReport struct {
	evidence.Report
	Findings *struct{} `json:"findings,omitempty"` // hides those of Report

	Latest     *checkpointReport `json:"latest,omitempty"`
	Live       bool              `json:"live"`
	Signatures string            `json:"signatures"`
	unused     int               // checkpoints that were given and not compared
}

// A checkpointReport says what a checkpoint covers.
type checkpointReport struct {
	Origin string   `json:"origin"`
	Size   uint64   `json:"size"`
	Root   string   `json:"root"`
	Keys   []string `json:"keys"`
}

func newCheckpointReport(c *evidence.Checkpoint) *checkpointReport {
	if c == nil {
		return nil
	}
	return &checkpointReport{c.Origin, c.Size, fmt.Sprintf("%x", c.Root), c.Keys}
}

// What became of signatures. The words are output that scripts read.
const (
	signaturesVerified   = "verified"
	signaturesUnknownKey = "unknown_key"
	signaturesNotChecked = "not_checked"
)

// journal verifies the journal in a directory.
func (v *verifier) journal(order int, dir string) error {
	live, err := evidence.InUse(dir)
	if err != nil {
		return plainPathError(err)
	}
	found, err := evidence.Verify(dir, evidence.VerifyOptions{
		// What the links and the tree hold is what was written. To read each carrier
		// beside that takes several times as long, and finds only what the writer
		// itself did wrong.
		Keys: v.keys, Checkpoints: v.checkpoints, Carriers: v.derive != nil, Live: live,
	})
	switch {
	case errors.Is(err, evidence.ErrNoJournal):
		return &contentError{dir, 0, "a directory without a journal", wantRecords + ", a bundle, or the directory of a journal"}
	case err != nil:
		return plainPathError(err)
	}
	report := &setReport{
		Kind: kindDirectory.String(), Files: []string{dir}, Events: int(found.Lines), Carriers: int(found.Carriers), Rows: int(found.Rows),
		Journal: newJournalReport(found, live, v.keys),
	}
	v.sets = append(v.sets, report)
	for i := range found.Findings {
		report.First = append(report.First, findingFault(order, i, dir, &found.Findings[i]))
	}
	report.Faults = found.FindingsTotal
	if err := v.derive.journal(order, dir, report); err != nil {
		return err
	}
	if report.OK = report.Faults == 0; report.OK {
		report.First = []fault{}
	}
	return nil
}

// segment verifies a segment that was copied out of its journal. Its records
// are of many runs, and what a row cites may lie in another segment, so that
// they are no set: as in a journal, the links and the tree hold them.
func (v *verifier) segment(order int, in *input) error {
	report := &setReport{Kind: kindSegment.String(), Files: []string{in.name}, First: []fault{}}
	f := newFeeder(&carrier.Verifier{}, order, v.progress)
	v.derive.watch(f, report)
	options := evidence.VerifyOptions{Keys: v.keys, Carriers: true}
	found, err := evidence.VerifySegment(in, in.name, options, func(line int, e *carrier.Event) {
		f.sawEvent(location{File: in.name, Line: int64(line), order: order}, e)
		v.progress.add(1)
	})
	if err != nil {
		return plainPathError(err)
	}
	report.Events, report.Carriers, report.Rows = int(found.Lines), int(found.Carriers), int(found.Rows)
	report.Journal = newJournalReport(found, false, v.keys)
	report.Journal.unused = len(v.checkpoints)
	for i := range found.Findings {
		f.faults.add(findingFault(order, -1, "", &found.Findings[i]))
	}
	report.Faults, report.First = f.faults.total, append(report.First, f.faults.first()...)
	report.OK = report.Faults == 0
	v.sets = append(v.sets, report)
	return nil
}

func newJournalReport(found *evidence.Report, live bool, keys *keyring) *journalReport {
	r := &journalReport{Report: *found, Latest: newCheckpointReport(found.Latest), Live: live, Signatures: signaturesVerified}
	switch {
	case !keys.given:
		r.Signatures = signaturesNotChecked
	case found.Outcome == evidence.CannotVerify:
		r.Signatures = signaturesUnknownKey
	}
	return r
}

// findingFault tells a finding as a fault, the n-th of its journal.
func findingFault(order, n int, dir string, f *evidence.Finding) fault {
	out := fault{
		location: location{File: filepath.Join(dir, f.File), Line: int64(f.Line), order: order, part: n + 1},
		Record:   "journal", Fault: f.Fault.String(), Means: f.Fault.Meaning(),
	}
	if f.Detail != "" {
		out.Means += ": " + f.Detail
	}
	switch {
	case f.Line > 0:
		out.Record, out.Field = "line", fmt.Sprintf("tdtseq %d", f.Seq)
	case f.File != "":
		out.Record = "segment"
	}
	return out
}

// inconclusive reports whether nothing was found in a journal, and keys were
// given that did not suffice, or not all of it could be derived again.
func (r *setReport) inconclusive() bool {
	if !r.OK || r.Journal == nil {
		return false
	}
	unsigned := r.Journal.Signatures != signaturesNotChecked && r.Journal.Outcome != evidence.Sound
	return unsigned || r.Derived != nil && r.Derived.CannotVerify > 0
}

// verifiedCell is how many rows cohere with their carriers. In a journal only
// the rows of what is exported are compared.
func (r *setReport) verifiedCell() string {
	if r.Journal != nil {
		return "-"
	}
	return fmt.Sprint(r.Verified)
}

// printJournals says of each journal what a table cannot.
func printJournals(w io.Writer, sets []*setReport) {
	for _, r := range sets {
		if r.Journal == nil {
			continue
		}
		fmt.Fprintf(w, "\n%s: %s, %s, of which %s.\n", r.name(),
			counted(r.Journal.Segments, "segment"), counted(int(r.Journal.Lines), "line"), counted(int(r.Journal.Records), "record"))
		for _, line := range r.Journal.remarks() {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
}

// maxRemarks is how many gaps are told one by one.
const maxRemarks = 10

// remarks are what a reader of a journal must know beside its faults.
func (r *journalReport) remarks() []string {
	out := []string{r.signatureRemark()}
	add := func(holds bool, format string, args ...any) {
		if holds {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	if r.Latest != nil {
		add(true, "The last checkpoint covers %s; %s behind it.", counted(int(r.Latest.Size), "line"), lieOrLies(r.Uncovered))
	}
	if alone := r.Alone; alone != nil {
		add(true, "This is segment %d by itself. Not checked: whether the next segment names it, and what its rows cite.", alone.Segment)
		add(alone.LinesBefore > 0, "Not checked: the %s before it, of which its head says what they were.", counted(int(alone.LinesBefore), "line"))
		add(!alone.Sealed, "Not checked: whether lines are missing at its end, since it has no seal there.")
		add(r.unused > 0, "Not checked: %s kept elsewhere, which takes the directory of the journal.", counted(r.unused, "checkpoint"))
	}
	add(r.Live, "The journal is being written: it was read as far as it is durable.")
	add(r.Removed > 0, "Retention removed %s.", counted(int(r.Removed), "segment"))
	add(r.Pruned > 0, "%s end before what retention kept, and could not be compared.", counted(r.Pruned, "checkpoint"))
	for i := range r.Gaps[:min(len(r.Gaps), maxRemarks)] {
		g := &r.Gaps[i]
		add(true, "%s:%d: the journal lacks %s here: %s%s.", g.File, g.Line, counted(int(g.Records), "record"), g.Cause, sideFile(&g.Gap))
	}
	add(r.GapsTotal > maxRemarks, "and %d more gaps.", r.GapsTotal-maxRemarks)
	return out
}

func lieOrLies(lines uint64) string {
	if lines == 1 {
		return "1 line lies"
	}
	return fmt.Sprintf("%d lines lie", lines)
}

func sideFile(g *evidence.Gap) string {
	if g.File == "" {
		return ""
	}
	return fmt.Sprintf(", %d bytes are set aside in %s", g.Bytes, g.File)
}

func (r *journalReport) signatureRemark() string {
	switch {
	case r.Signatures == signaturesNotChecked:
		return "Signatures were not checked, for want of --keys: whoever can write here could have written all of it."
	case r.UnknownKeys > 0:
		return fmt.Sprintf("%s cannot be verified: signed by %s, and the keys at hand are others.",
			counted(int(r.UnknownKeys), "checkpoint"), namesOf(r.UnknownSigners))
	case r.Checkpoints == 0:
		return "There is no checkpoint yet, so nothing is signed."
	}
	return fmt.Sprintf("%s, signed by %s.", counted(int(r.Checkpoints), "checkpoint"), namesOf(r.Keys))
}
