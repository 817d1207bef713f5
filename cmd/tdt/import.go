// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const importLong = `Read evidence that another system wrote, and report what it holds.

The files are a bundle, or carriers and rows. Every check of tdt verify is made,
and the decisions are listed: what each carrier says, its digests, and the row
that cites it. A carrier without a verdict is told where no row cites it, for
none can be bound to it. Nothing is written and nothing is kept.

What a report shows is what the records say. That they are whole does not make
it true.

Exit status: 0 all of it was accepted, 3 something was refused, 1 tdt could not
read something or a file holds no evidence, 2 it was called wrongly.`

const importExample = `  tdt import bundle.tar.gz
  tdt import carriers.ndjson --format json`

// An importedDecision is what one carrier says, and the row that cites it.
type importedDecision struct {
	location
	ToolName       string       `json:"tool_name"`
	Order          int64        `json:"order"`
	Verdict        *string      `json:"decision_verdict"` // null: unclassified
	SourceClass    string       `json:"source_class"`
	CallID         string       `json:"call_id"`
	ResultStatus   string       `json:"result_status"`
	IdentityState  string       `json:"identity_state"`
	KeyID          string       `json:"key_id"`
	DeclaredPolicy canon.Digest `json:"declared_policy_digest"`
	ObservedInput  canon.Digest `json:"observed_input_digest"`
	Identity       canon.Digest `json:"decision_identity_digest"`
	Content        canon.Digest `json:"carrier_content_digest"`
	Row            *importedRow `json:"row"` // null: none cites it
}

// An importedRow is what a row says beside its carrier.
type importedRow struct {
	location
	RunVerdict string `json:"run_verdict"`
	Ref        string `json:"ref"`
}

// An importReport is the answer of the verb.
type importReport struct {
	OK        bool                `json:"ok"`
	Kind      string              `json:"kind"`
	Files     []string            `json:"files"`
	Bundle    *bundleReport       `json:"bundle,omitempty"`
	Decisions []*importedDecision `json:"decisions"`
	Faults    int                 `json:"faults"`
	First     []fault             `json:"findings"`
	NonClaims []string            `json:"claims_not_made"`

	rows map[canon.Digest]*importedRow
}

func newImport(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "import FILE...",
		Short:   "Read evidence of another system and report what it holds",
		Long:    importLong,
		Example: importExample,
		Args:    cobra.MinimumNArgs(1),
	}
	as := formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, files []string) error {
		r := &importReport{
			Kind: kindRecords.String(), NonClaims: verifyNonClaims,
			Decisions: []*importedDecision{}, rows: map[canon.Digest]*importedRow{},
		}
		if err := r.read(s, files); err != nil {
			return err
		}
		if err := r.print(s.out, as.value); err != nil {
			return err
		}
		if !r.OK {
			return errFindings
		}
		return nil
	}
	return c
}

func (r *importReport) read(s streams, files []string) error {
	var v carrier.Verifier
	f, err := s.feedSet(&v, files, r.add)
	if err != nil {
		return err
	}
	if f.manifest != nil {
		r.Kind, r.Bundle = kindBundle.String(), newBundleReport(f.manifest)
	}
	f.finish()
	if f.refused {
		r.Kind, r.Decisions = kindBundle.String(), r.Decisions[:0]
	}
	for _, d := range r.Decisions {
		if d.Row = r.rows[d.Content]; d.Row == nil && d.Verdict == nil {
			f.faults.add(faultOf(d.location, carrier.KindCarrier.String(),
				&carrier.FaultError{Fault: carrier.FaultUnclassified, Field: "decision_verdict"}))
		}
	}
	r.Files, r.Faults, r.First = f.files, f.faults.total, f.faults.first()
	r.OK = r.Faults == 0
	if r.First == nil {
		r.First = []fault{}
	}
	return nil
}

// add takes one record. What is refused the verifier tells.
func (r *importReport) add(s *seen) {
	switch s.kind {
	case carrier.KindRow:
		if row, err := carrier.ReadRow(s.text); err == nil {
			r.rows[cloneDigest(row.Content())] = &importedRow{
				s.at, row.RunVerdict().String(), strings.Clone(row.Ref()),
			}
		}
	case carrier.KindCarrier:
		if rec, err := carrier.Import(s.text); err == nil {
			r.Decisions = append(r.Decisions, newImportedDecision(s.at, &rec))
		}
	}
}

// newImportedDecision keeps what a carrier says, and not the text it stands in.
func newImportedDecision(at location, rec *carrier.Record) *importedDecision {
	in := rec.Input()
	d := &importedDecision{
		location: at, ToolName: strings.Clone(in.ToolName), Order: in.Order, SourceClass: in.SourceClass.String(),
		CallID: strings.Clone(in.CallID), ResultStatus: in.ResultStatus.String(), IdentityState: in.Identity.String(),
		KeyID: strings.Clone(in.KeyID), DeclaredPolicy: cloneDigest(in.DeclaredPolicy),
		ObservedInput: cloneDigest(rec.ObservedInput()), Identity: rec.IdentityDigest(), Content: cloneDigest(rec.ContentDigest()),
	}
	if !in.Unclassified {
		verdict := in.Verdict.String()
		d.Verdict = &verdict
	}
	return d
}

func cloneDigest(d canon.Digest) canon.Digest { return canon.Digest(strings.Clone(string(d))) }

func (r *importReport) print(w io.Writer, format string) error {
	if format == "json" {
		return writeJSON(w, r)
	}
	if len(r.Decisions) > 0 {
		if err := r.printDecisions(w); err != nil {
			return err
		}
	}
	if r.OK {
		_, err := fmt.Fprintln(w, "Accepted. That the records are whole does not make true what they say.")
		return err
	}
	return printFaults(w, r.First, r.Faults)
}

func (r *importReport) printDecisions(w io.Writer) error {
	if b := r.Bundle; b != nil {
		fmt.Fprintf(w, "Run %s, written by %s %s.\n\n", report.Cell(b.RunID), report.Cell(b.Producer), report.Cell(b.Version))
	}
	counts, none := map[string]int{}, 0
	t := newTable(w, "ORDER", "TOOL", "VERDICT", "RUN", "SOURCE", "RESULT", "IDENTITY", "CALL")
	for _, d := range r.Decisions {
		verdict, run := "-", "-"
		if d.Verdict != nil {
			verdict = *d.Verdict
			counts[verdict]++
		} else {
			none++
		}
		if d.Row != nil {
			run = d.Row.RunVerdict
		}
		t.row(strconv.FormatInt(d.Order, 10), report.Cell(d.ToolName), verdict, run, d.SourceClass, d.ResultStatus, d.IdentityState, report.Cell(d.CallID))
	}
	if err := t.flush(); err != nil {
		return err
	}
	totals := report.Totals(counts)
	if none > 0 {
		totals += fmt.Sprintf("; %s without a verdict", counted(none, "carrier"))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", totals)
	return err
}
