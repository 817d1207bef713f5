// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

const runsLong = `Lists the runs that are recorded in a journal: each with its verdict, how many
calls it had, what became of the rules about their order, and what a reader must
know (caveats). A run that is still open has no record yet. A run that was closed
more than once, since calls came late, shows with its last record; --all shows
every record. With one --run, its rules and policies are listed.

"complete" and "partial" say whether more calls may belong to the run.

With --format json each run is an object on a line, the record as it stands in
the journal and its place.

Exit status: 0, 1 the journal could not be read, 2 usage.`

const runsExample = `  tdt runs /var/lib/otelcol/tdt --since 24h --verdict mismatch
  tdt runs /var/lib/otelcol/tdt --run 4bf92f3577b34da6a3ce929d0e0e4736
  tdt runs /var/lib/otelcol/tdt --violated --format json`

// A runsFlags selects records of runs.
type runsFlags struct {
	filterFlags
	all, violated bool
	format        *format
}

// A recordedRun is the record of a run and where it stands. As JSON its members
// stand beside those of the record.
type recordedRun struct {
	engine.RunRecord
	Seq    uint64       `json:"journal_seq"`
	Time   string       `json:"time"`
	Digest canon.Digest `json:"digest"`
}

func newRuns(s streams) *cobra.Command {
	var flags runsFlags
	c := &cobra.Command{
		Use: "runs DIRECTORY", Short: "List the runs that a journal records, with verdicts and rules",
		Long: runsLong, Example: runsExample, Args: cobra.ExactArgs(1),
	}
	flags.register(c)
	c.Flags().BoolVar(&flags.all, "all", false, "every record of a run, and not the last one alone")
	c.Flags().BoolVar(&flags.violated, "violated", false, "only runs that violate a rule")
	flags.format = formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		runs, err := flags.read(s, args[0])
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(s.out, 1<<16)
		if flags.format.value == "json" {
			for _, r := range runs {
				writeJSONLine(w, r)
			}
			return w.Flush()
		}
		if err := printRecordedRuns(w, runs, flags.run != ""); err != nil {
			return err
		}
		return w.Flush()
	}
	return c
}

// read returns the runs that the flags select, in the order of their records.
func (f *runsFlags) read(s streams, dir string) (runs []*recordedRun, err error) {
	filter, err := f.filter(s)
	if err != nil {
		return nil, err
	}
	verdicts, policy := filter.Verdicts, filter.Policy
	// These are the record's own here, and not those of its carriers.
	filter.Verdicts, filter.Policy, filter.Types = nil, "", []string{engine.TypeRun}
	err = readJournal(dir, filter, func(rec *evidence.Record) error {
		run := &recordedRun{Seq: rec.JournalSeq, Time: rec.Time, Digest: canon.Sum(rec.Data)}
		if err := json.Unmarshal(rec.Data, &run.RunRecord); err != nil {
			return fmt.Errorf("%s:%d: it is not the record of a run", rec.File, rec.Line)
		}
		runs = append(runs, run)
		return nil
	})
	if !f.all {
		runs = lastOfEach(runs)
	}
	return slices.DeleteFunc(runs, func(r *recordedRun) bool { return !r.wanted(verdicts, policy, f.violated) }), err
}

// lastOfEach keeps the last record of each run.
func lastOfEach(runs []*recordedRun) []*recordedRun {
	last := make(map[string]*recordedRun, len(runs))
	for _, r := range runs {
		last[r.Run] = r
	}
	return slices.DeleteFunc(runs, func(r *recordedRun) bool { return last[r.Run] != r })
}

func (r *recordedRun) wanted(verdicts []truth.Verdict, policy canon.Digest, violated bool) bool {
	if len(verdicts) > 0 && !slices.Contains(verdicts, r.Verdict) {
		return false
	}
	judged := func(p engine.RunPolicy) bool { return p.Digest == policy }
	if policy != "" && !slices.ContainsFunc(r.Policies, judged) {
		return false
	}
	return !violated || r.rules(sequence.Violated) > 0
}

// rules counts the rules with an outcome.
func (r *recordedRun) rules(o sequence.Outcome) (n int) {
	for i := range r.Rules {
		if r.Rules[i].Outcome == o {
			n++
		}
	}
	return n
}

func printRecordedRuns(w *bufio.Writer, runs []*recordedRun, details bool) error {
	if len(runs) > 0 {
		t := newTable(w, "RUN", "CLOSED", "WHY", "EXTENT", "VERDICT", "CALLS", "MATCH", "INCOMPLETE", "MISMATCH", "INVALID", "RULES", "CAVEATS")
		for _, r := range runs {
			t.row(report.Cell(r.Run), report.Cell(r.Time), r.Closed.String(), r.Extent.String(), r.Verdict.String(), count(r.Calls),
				count(r.Counts.Match), count(r.Counts.Incomplete), count(r.Counts.Mismatch), count(r.Counts.Invalid), r.ruleCell(), r.caveatCell())
		}
		if err := t.flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if details {
		for _, r := range runs {
			if err := r.printDetails(w); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "%s.\n", counted(len(runs), "run"))
	return err
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

// ruleCell says how many rules were violated, held and not exercised.
func (r *recordedRun) ruleCell() string {
	if len(r.Rules) == 0 {
		return "-"
	}
	return fmt.Sprintf("%d violated, %d held, %d not exercised", r.rules(sequence.Violated), r.rules(sequence.Held), r.rules(sequence.NotExercised))
}

func (r *recordedRun) caveatCell() string {
	var words []string
	for _, c := range r.Caveats {
		words = append(words, c.String())
	}
	return orDash(strings.Join(words, " "))
}

// printDetails lists the policies and the rules of one run.
func (r *recordedRun) printDetails(w *bufio.Writer) error {
	t := newTable(w, "POLICY", "CALLS", "DECLARED")
	for _, p := range r.Policies {
		t.row(report.Cell(p.Name), count(p.Calls), string(p.Digest))
	}
	if err := t.flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if len(r.Rules) == 0 {
		return nil
	}
	t = newTable(w, "POLICY", "RULE", "OUTCOME", "REASON", "CALLS IT READ")
	for i := range r.Rules {
		rule := &r.Rules[i]
		spanned := strings.Trim(fmt.Sprint(rule.Spanned), "[]")
		if rule.SpannedTotal > len(rule.Spanned) {
			spanned += fmt.Sprintf(" … (%d in all)", rule.SpannedTotal)
		}
		t.row(report.Cell(rule.Policy), report.Cell(rule.RuleID), rule.Outcome.String(), orDash(rule.Reason.String()), orDash(spanned))
	}
	if err := t.flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}
