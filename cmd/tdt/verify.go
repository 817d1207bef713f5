// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const verifyLong = `Verify evidence: recompute every digest and every relation between records.

A file holds carriers, rows or events, one JSON object a line, or it is a bundle
(.tar.gz), or a segment of a journal; which of them, the content says. Each bundle
and each segment is a set by itself, all other files together are one. In a set, every carrier passes every check, every
row coheres with the carrier it cites, no two carriers are the same, and no two
rows cite one carrier. Carriers alone, without rows, are checked one by one.

With --policy and --requests, the verdicts are derived again: FILE holds the
JSON-RPC requests that a proxy saw, and each carrier must be what the policy
makes of its request. Calls without arguments are taken to have null, as the
proxy that writes such carriers does. The key ties a request to a carrier, so
it is needed for that.
` + verifyJournalLong + `
That evidence verifies says that it is whole and agrees with itself. It does not
say that the calls ran, nor that there were no others.

Exit status: 0 all of it verifies, 3 something does not, 1 tdt could not read
something, a file holds no evidence, or the keys do not suffice, 2 it was called
wrongly.`

const verifyExample = `  tdt verify evidence.tar.gz
  tdt verify carriers.ndjson rows.ndjson --format json
  tdt verify carriers.ndjson --policy policy.yaml --requests requests.ndjson --key-file key --key-id prod-1
  tdt verify /var/lib/otelcol/tdt --keys keys --checkpoint last-checkpoint
  tdt verify /var/lib/otelcol/tdt --keys keys --policy policy.yaml --traces spans.jsonl
  tdt verify --proof proof --keys keys`

// A verifyFlags is what the verb was asked for.
type verifyFlags struct {
	policy, requests string
	traces           []string
	keys             keyFlags
	journals         journalFlags
	format           *format
}

// A setReport says what became of files that stand or fall together.
type setReport struct {
	Kind     string         `json:"kind"` // records, bundle, journal or segment
	Files    []string       `json:"files"`
	OK       bool           `json:"ok"`
	Bundle   *bundleReport  `json:"bundle,omitempty"`
	Events   int            `json:"events"`
	Carriers int            `json:"carriers"`
	Rows     int            `json:"rows"`
	Verified int            `json:"verified_rows"`
	Derived  *derivedReport `json:"derived,omitempty"`
	Journal  *journalReport `json:"journal,omitempty"`
	Faults   int            `json:"faults"`
	First    []fault        `json:"findings"` // those that come first, at most maxFaults
}

// A bundleReport is what the manifest of a bundle that verified says.
type bundleReport struct {
	RunID    string `json:"run_id"`
	Producer string `json:"producer"`
	Version  string `json:"producer_version"`
	RunRoot  string `json:"run_root"`
}

func newBundleReport(m *carrier.Manifest) *bundleReport {
	return &bundleReport{m.RunID, m.Producer, m.ProducerVersion, string(m.RunRoot)}
}

func newVerify(s streams) *cobra.Command {
	var flags verifyFlags
	c := &cobra.Command{
		Use:     "verify {FILE | DIRECTORY}... | verify --proof FILE",
		Short:   "Verify carriers, rows, bundles, journals and proofs, and name the first bad record",
		Long:    verifyLong,
		Example: verifyExample,
		Args: func(c *cobra.Command, args []string) error {
			if flags.journals.proof != "" {
				return cobra.NoArgs(c, args)
			}
			return cobra.MinimumNArgs(1)(c, args)
		},
	}
	c.Flags().StringVar(&flags.policy, "policy", "", "policy to derive the verdicts with again")
	c.Flags().StringVar(&flags.requests, "requests", "", "JSON-RPC requests, a line each, to derive the verdicts from again")
	c.Flags().StringArrayVar(&flags.traces, "traces", nil, "recorded spans, OTLP JSON, to derive the verdicts from again (repeatable, in their order)")
	flags.keys.register(c)
	flags.journals.register(c)
	flags.format = formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, files []string) error {
		if flags.journals.proof != "" {
			return s.verifyProof(&flags)
		}
		return verify(s, files, &flags)
	}
	return c
}

func verify(s streams, files []string, flags *verifyFlags) error {
	if err := checkInputs(slices.Concat(files, flags.traces, []string{flags.policy, flags.requests, flags.journals.keys})...); err != nil {
		return err
	}
	v, err := flags.verifier(s)
	if err != nil {
		return err
	}
	p := s.progress("records verified")
	defer p.stop()
	v.progress = p
	for i, name := range files {
		if err := v.add(i, name); err != nil {
			return err
		}
	}
	v.finishFiles()
	p.stop()
	if err := printVerified(s.out, flags.format.value, v.sets); err != nil {
		return err
	}
	switch {
	case slices.ContainsFunc(v.sets, func(r *setReport) bool { return !r.OK }):
		return errFindings
	case slices.ContainsFunc(v.sets, (*setReport).inconclusive):
		return errInconclusive
	}
	return nil
}

// verifier returns a verifier with what the flags name.
func (v *verifyFlags) verifier(s streams) (*verifier, error) {
	keys, err := s.keyring(v.journals.keys, &v.keys)
	if err != nil {
		return nil, err
	}
	checkpoints, err := s.readCheckpoints(v.journals.checkpoints)
	if err != nil {
		return nil, err
	}
	derive, err := v.derivation(s, keys)
	if err != nil {
		return nil, err
	}
	return &verifier{streams: s, keys: keys, checkpoints: checkpoints, derive: derive}, nil
}

// A verifier verifies what the command line names: each bundle by itself, all
// other files as one set, which is reported where the first of them stands.
type verifier struct {
	streams
	keys        *keyring
	checkpoints []string
	derive      *derivation
	progress    *progress
	sets        []*setReport

	files  *feeder
	report *setReport
}

func (v *verifier) add(order int, name string) error {
	in, kind, err := v.openEvidence(name)
	if err != nil {
		return err
	}
	switch kind {
	case kindDirectory:
		return v.journal(order, name)
	case kindBundle:
		defer in.Close()
		return v.bundle(order, in)
	}
	defer in.Close()
	ahead := bufio.NewReaderSize(in.ReadCloser, 1<<16)
	start, err := ahead.Peek(1 << 16)
	if err != nil && !errors.Is(err, io.EOF) {
		return plainPathError(err)
	}
	in.ReadCloser = readCloser{ahead, in.ReadCloser}
	if evidence.LooksLikeSegment(start) {
		return v.segment(order, in)
	}
	return v.recordFile(order, in)
}

func (v *verifier) recordFile(order int, in *input) error {
	if v.files == nil {
		v.files = newFeeder(&carrier.Verifier{}, order, v.progress)
		v.report = &setReport{Kind: kindRecords.String()}
		v.derive.watch(v.files, v.report)
		v.sets = append(v.sets, v.report)
	}
	return v.files.file(in)
}

// finishFiles ends the set of the files that are no bundles. Carriers alone are
// a set too, for there is nothing that binds them.
func (v *verifier) finishFiles() {
	if v.files == nil {
		return
	}
	v.report.Files = v.files.files
	v.report.conclude(v.files, v.files.finish())
}

func (v *verifier) bundle(order int, in *input) error {
	f := newFeeder(&carrier.Verifier{}, order, v.progress)
	report := &setReport{Kind: kindBundle.String(), Files: []string{in.name}}
	v.derive.watch(f, report)
	v.sets = append(v.sets, report)
	m, err := f.bundle(in)
	if err != nil {
		return err
	}
	if m == nil {
		report.Derived = nil
		report.conclude(f, carrier.Report{})
		return nil
	}
	report.Bundle = newBundleReport(m)
	report.conclude(f, f.finish())
	return nil
}

// finish ends the set. That carriers stand alone is a fault in a bundle only.
func (f *feeder) finish() carrier.Report {
	told := f.verifier.OnFault
	f.verifier.OnFault = func(e *carrier.RecordError) {
		if told != nil && (e.Kind != 0 || f.manifest != nil) {
			told(e)
		}
	}
	counts, _ := f.verifier.Finish() // its faults were told one by one
	return counts
}

func (r *setReport) conclude(f *feeder, counts carrier.Report) {
	r.Events, r.Carriers, r.Rows, r.Verified = f.events, counts.Carriers, counts.Rows, counts.Verified
	r.Faults, r.First = f.faults.total, f.faults.first()
	r.OK = r.Faults == 0
	if r.First == nil {
		r.First = []fault{}
	}
}

// verifyNonClaims says what a verified set does not say (spec section 13).
var verifyNonClaims = []string{
	"that a call took place, or that there were no others",
	"that a verdict is right, unless it was derived again",
	"that a call was safe, authorized, intended, or stopped",
}

func printVerified(w io.Writer, format string, sets []*setReport) error {
	ok := !slices.ContainsFunc(sets, func(r *setReport) bool { return !r.OK })
	if format == "json" {
		return writeJSON(w, struct {
			OK        bool         `json:"ok"`
			Sets      []*setReport `json:"sets"`
			NonClaims []string     `json:"claims_not_made"`
		}{ok, sets, verifyNonClaims})
	}
	t := newTable(w, "SET", "KIND", "EVENTS", "CARRIERS", "ROWS", "VERIFIED", "FAULTS")
	for _, r := range sets {
		t.row(r.name(), r.Kind, fmt.Sprint(r.Events), fmt.Sprint(r.Carriers), fmt.Sprint(r.Rows), r.verifiedCell(), fmt.Sprint(r.Faults))
	}
	if err := t.flush(); err != nil {
		return err
	}
	printJournals(w, sets)
	for _, r := range sets {
		if r.Derived != nil {
			fmt.Fprintf(w, "\n%s\n", r.Derived)
		}
	}
	switch {
	case !ok:
		return printAll(w, sets)
	case slices.ContainsFunc(sets, (*setReport).inconclusive):
		_, err := fmt.Fprintln(w, "\nNothing is wrong that can be told, but not everything could be verified.")
		return err
	}
	if slices.ContainsFunc(sets, func(r *setReport) bool { return r.Journal == nil && r.Rows == 0 }) {
		fmt.Fprintln(w, "\nWhere there are no rows, each carrier was checked by itself.")
	}
	_, err := fmt.Fprintln(w, "\nEverything verifies: the records are whole and agree. That says nothing of calls that are not in them.")
	return err
}

func (r *setReport) name() string {
	if len(r.Files) == 1 {
		return r.Files[0]
	}
	return fmt.Sprintf("%s and %d more", r.Files[0], len(r.Files)-1)
}

// printAll lists the faults of all sets.
func printAll(w io.Writer, sets []*setReport) error {
	var all []fault
	total := 0
	for _, r := range sets {
		all = append(all, r.First...)
		total += r.Faults
	}
	slices.SortStableFunc(all, func(a, b fault) int { return compareLocations(a.location, b.location) })
	fmt.Fprintln(w)
	return printFaults(w, all, total)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
