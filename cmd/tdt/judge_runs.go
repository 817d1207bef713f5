// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A runLine is a run as `tdt judge --format json` prints it, behind the
// decisions. Members are added, never renamed.
type runLine struct {
	Run     string     `json:"run"`
	Extent  string     `json:"extent"`
	Verdict string     `json:"run_verdict"`
	Rules   []ruleLine `json:"rules"`
	Calls   int64      `json:"calls"`
	Caveats []string   `json:"caveats"`
}

type ruleLine struct {
	RuleID  string `json:"rule_id"`
	ID      string `json:"id,omitempty"`
	Kind    string `json:"kind"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`

	// Spanned may hold the first of them only; SpannedTotal counts all.
	Spanned      []int `json:"spanned"`
	SpannedTotal int   `json:"spanned_total"`
}

func runLineOf(r *engine.RunRecord) runLine {
	line := runLine{
		Run: r.Run, Extent: r.Extent.String(), Verdict: r.Verdict.String(), Calls: r.Calls,
		Rules: make([]ruleLine, len(r.Rules)), Caveats: []string{},
	}
	for _, c := range r.Caveats {
		line.Caveats = append(line.Caveats, c.String())
	}
	for i := range r.Rules {
		rule := &r.Rules[i]
		line.Rules[i] = ruleLine{
			RuleID: rule.RuleID, ID: rule.ID, Kind: rule.Kind.String(), Outcome: rule.Outcome.String(),
			Reason: rule.Reason.String(), Spanned: rule.Spanned, SpannedTotal: rule.SpannedTotal,
		}
	}
	return line
}

// A runList holds runs until they are printed in the order in which they began,
// whatever the order in which they end.
type runList struct {
	began map[string]int
	lines []runLine
}

// met notes that a decision of the run was printed.
func (l *runList) met(run string) {
	if l.began == nil {
		l.began = map[string]int{}
	}
	if _, ok := l.began[run]; !ok {
		l.began[run] = len(l.began)
	}
}

func (l *runList) sort() {
	slices.SortStableFunc(l.lines, func(a, b runLine) int { return cmp.Compare(l.began[a.Run], l.began[b.Run]) })
}

// run takes in a run that is over.
func (p *decisionPrinter) run(r *engine.RunRecord) {
	line := runLineOf(r)
	p.runs.lines = append(p.runs.lines, line)
	// A run does not forget: what a span said before it was sent again, and said
	// something better, is a finding too.
	p.findings = p.findings || r.Verdict >= truth.Mismatch
	for i := range line.Rules {
		p.findings = p.findings || line.Rules[i].Outcome == sequence.Violated.String()
	}
	if p.json && len(p.runs.lines) >= maxHeld {
		p.printRuns()
	}
}

// printRuns prints the runs that wait, as JSON. In a table they stand last.
func (p *decisionPrinter) printRuns() {
	if !p.json {
		return
	}
	p.runs.sort()
	for i := range p.runs.lines {
		writeJSONLine(p.w, &p.runs.lines[i])
	}
	p.runs.lines = p.runs.lines[:0]
}

// print prints a table of the runs, and one of what became of each rule in them.
func (l *runList) print(w *bufio.Writer) error {
	if len(l.lines) == 0 {
		return nil
	}
	l.sort()
	fmt.Fprintln(w)
	t := newTable(w, "RUN", "EXTENT", "VERDICT", "CALLS", "CAVEATS")
	for i := range l.lines {
		r := &l.lines[i]
		t.row(report.Cell(r.Run), r.Extent, r.Verdict, count(r.Calls), orDash(strings.Join(r.Caveats, " ")))
	}
	if err := t.flush(); err != nil {
		return err
	}
	if !slices.ContainsFunc(l.lines, func(r runLine) bool { return len(r.Rules) > 0 }) {
		return nil
	}
	fmt.Fprintln(w)
	t = newTable(w, "RUN", "RULE", "OUTCOME", "REASON", "CALLS IT READ")
	for i := range l.lines {
		for j := range l.lines[i].Rules {
			r := &l.lines[i].Rules[j]
			t.row(report.Cell(l.lines[i].Run), report.Cell(r.RuleID), r.Outcome, orDash(r.Reason), orDash(spannedCell(r.Spanned, r.SpannedTotal)))
		}
	}
	return t.flush()
}

// spannedCell lists the calls that a rule read, as far as they are known.
func spannedCell(spanned []int, total int) string {
	cell := strings.Trim(fmt.Sprint(spanned[:min(len(spanned), maxSpannedCell)]), "[]")
	if total > maxSpannedCell || total > len(spanned) {
		cell += fmt.Sprintf(" … (%d in all)", total)
	}
	return cell
}

// maxSpannedCell is how many calls a cell of a table lists.
const maxSpannedCell = 16
