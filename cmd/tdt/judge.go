// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tool-decision-truth/collector/internal/report"
)

const judgeLong = `Judges the tool calls in recorded spans against a policy, with the engine of the
Collector processor. A FILE holds OTLP JSON: one document, or one export request
a line, as the Collector's file exporter writes it.

With --calls the file holds plain calls instead, a JSON object a line:
  {"tool_name": "pay", "arguments": {"amount": 5}, "evidence": {"approval_obtained": true}}
so that a policy can be tried without a trace. "arguments" may be any JSON value
or missing; "identity_state" and "evidence" may be missing too. The file is one
run.

Behind the decisions come the runs, and what became of each rule about order in
them. A recording may end before its runs do, so they are partial; with --complete
nothing more will come. --format json prints an object a line: one for each
decision, and behind them one for each run, which has "rules".

Exit status: 0 every call matches and no rule is violated, 3 there are findings,
1 a file could not be read, 2 usage.`

const judgeExample = `  tdt judge --policy policy.yaml spans.jsonl
  tdt judge --policy policy.yaml --format json - <spans.jsonl
  tdt judge --policy policy.yaml --calls calls.ndjson`

// judgeFlags are the flags of verbs that judge recordings.
type judgeFlags struct {
	policy   string
	calls    string
	complete bool
	keys     keyFlags
}

func newJudge(s streams) *cobra.Command {
	var flags judgeFlags
	c := &cobra.Command{
		Use:     "judge --policy POLICY {FILE... | --calls FILE}",
		Short:   "Judge recorded tool calls against a policy",
		Long:    judgeLong,
		Example: judgeExample,
	}
	c.Flags().StringVar(&flags.policy, "policy", "", "the policy file")
	c.Flags().StringVar(&flags.calls, "calls", "", "judge plain calls in this file, a JSON object a line")
	c.Flags().BoolVar(&flags.complete, "complete", false, "say that nothing follows: every run is whole")
	flags.keys.register(c)
	format := formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		return judge(s, &flags, newDecisionPrinter(s, format.value), args)
	}
	return c
}

func judge(s streams, flags *judgeFlags, out *decisionPrinter, files []string) error {
	j, err := newJudging(s, flags)
	if err != nil {
		return err
	}
	switch {
	case flags.calls != "" && len(files) > 0:
		return usagef("--calls FILE stands for itself, want no other file")
	case flags.calls != "":
		err = j.plainCalls(flags.calls, out)
	case len(files) == 0:
		return usagef("want a file of recorded spans, - for standard input, or --calls FILE")
	default:
		err = j.recordings(files, out)
	}
	if err != nil {
		// What was judged before the fault is shown as far as it was printed;
		// totals would look like an answer.
		return errors.Join(err, out.w.Flush())
	}
	if err := out.finish(); err != nil {
		return err
	}
	if out.findings {
		return errFindings
	}
	return nil
}

// A decisionPrinter prints decisions and runs as a table or as JSON lines.
type decisionPrinter struct {
	w        *bufio.Writer
	errw     io.Writer
	json     bool
	color    bool
	rows     []report.Row
	counts   map[string]int
	runs     runList
	findings bool
}

func newDecisionPrinter(s streams, format string) *decisionPrinter {
	f, ok := s.out.(*os.File)
	return &decisionPrinter{
		w: bufio.NewWriterSize(s.out, 1<<16), errw: s.err, json: format == "json", counts: map[string]int{},
		color: ok && term.IsTerminal(int(f.Fd())),
	}
}

func (p *decisionPrinter) decision(r *result) error {
	p.counts[r.Verdict]++
	p.runs.met(r.Run)
	if r.Verdict != "match" {
		p.findings = true
	}
	if p.json {
		writeJSONLine(p.w, r)
		return nil
	}
	p.rows = append(p.rows, r.row())
	if len(p.rows) >= maxHeld {
		return p.table()
	}
	return nil
}

// table prints the rows that wait.
func (p *decisionPrinter) table() error {
	if len(p.rows) == 0 {
		return nil
	}
	err := report.Table(p.w, p.rows, p.color)
	p.rows = p.rows[:0]
	return err
}

// finish prints what waits and the totals.
func (p *decisionPrinter) finish() error {
	p.printRuns()
	if !p.json {
		if err := p.table(); err != nil {
			return err
		}
		if err := p.runs.print(p.w); err != nil {
			return err
		}
		fmt.Fprintf(p.w, "\n%s.\n", report.Totals(p.counts))
	}
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
