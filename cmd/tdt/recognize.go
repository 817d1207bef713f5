// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/report"
)

const recognizeLong = `Says of each recorded span which dialect takes it for a tool call, why, and what
was read from where; and of the others what was missing. Run it when spans show
no verdict.

No value of an argument is printed, only whether arguments were found and where.

Exit status: 0, 1 a file could not be read, 2 usage.`

func newRecognize(s streams) *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:     "recognize FILE...",
		Short:   "Say which recorded spans are tool calls, and why",
		Long:    recognizeLong,
		Example: "  tdt recognize spans.jsonl\n  tdt recognize --all --format json spans.jsonl",
		Args:    cobra.MinimumNArgs(1),
	}
	c.Flags().BoolVar(&all, "all", false, "show also the spans that have nothing of a tool call")
	format := formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		return recognizeFiles(s, args, format.value == "json", all)
	}
	return c
}

// A recognition is one span as `tdt recognize --format json` prints it.
type recognition struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
	Name    string `json:"name"`

	Taken   bool     `json:"taken"`
	Dialect string   `json:"dialect,omitempty"`
	Layer   string   `json:"layer,omitempty"`
	Because []string `json:"because,omitempty"`
	Also    []string `json:"also,omitempty"`

	Tool      *readField `json:"tool_name,omitempty"`
	CallID    *readField `json:"call_id,omitempty"`
	Session   *readField `json:"session,omitempty"`
	Arguments *readArgs  `json:"arguments,omitempty"`
	Marks     []string   `json:"marks,omitempty"`
	Conflicts []string   `json:"conflicts,omitempty"`
	NameFlags []string   `json:"name_flags,omitempty"`

	Veto string     `json:"veto,omitempty"`
	Near []nearMiss `json:"near,omitempty"`
}

type readField struct {
	Value string `json:"value"`
	From  string `json:"from"`
}

type readArgs struct {
	Usable bool   `json:"usable"`
	Why    string `json:"why,omitempty"`
	From   string `json:"from,omitempty"`
}

type nearMiss struct {
	Dialect string   `json:"dialect"`
	Held    []string `json:"held"`
	Missing []string `json:"missing"`
}

func recognizeFiles(s streams, files []string, asJSON, all bool) error {
	if err := checkInputs(files...); err != nil {
		return err
	}
	r, err := recognize.New(recognize.Options{})
	if err != nil {
		return err
	}
	w := bufio.NewWriter(s.out)
	taken, spans := 0, 0
	for _, file := range files {
		err := s.readTraces(file, func(td ptrace.Traces) error {
			eachLocated(td, func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, sp ptrace.Span) {
				spans++
				got := recognitionOf(r, rs, ss, sp)
				if got.Taken {
					taken++
				}
				if !all && !got.Taken && got.Veto == "" && len(got.Near) == 0 {
					return
				}
				if asJSON {
					writeJSONLine(w, got)
					return
				}
				got.print(w)
			})
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !asJSON {
		fmt.Fprintf(w, "%s, %s taken for tool calls.\n", counted(spans, "span"), counted(taken, "span"))
	}
	return w.Flush()
}

func eachLocated(td ptrace.Traces, visit func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span)) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, sp := range ss.Spans().All() {
				visit(rs, ss, sp)
			}
		}
	}
}

func recognitionOf(r *recognize.Recognizer, rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, sp ptrace.Span) *recognition {
	e := r.Explain(rs, ss, sp)
	trace, id := sp.TraceID(), sp.SpanID()
	got := &recognition{
		TraceID: hex.EncodeToString(trace[:]), SpanID: hex.EncodeToString(id[:]), Name: sp.Name(),
		Because: e.Because, Also: e.Also,
	}
	if e.Veto != "" {
		got.Veto = e.Veto + ": " + e.VetoWhy
	}
	for _, n := range e.Near {
		got.Near = append(got.Near, nearMiss{n.Dialect, n.Held, n.Missing})
	}
	if o := e.Observation; o != nil {
		got.observe(o)
	}
	return got
}

func (g *recognition) observe(o *recognize.Observation) {
	field := func(value, from string) *readField {
		if value == "" {
			return nil
		}
		return &readField{value, from}
	}
	g.Taken, g.Dialect, g.Layer = true, o.Dialect, o.Layer.String()
	g.Tool = field(o.Tool, o.ToolFrom)
	g.CallID = field(o.CallID, o.CallIDFrom)
	g.Session = field(o.Session, o.SessionFrom)
	g.Arguments = &readArgs{Usable: o.Args.Captured(), Why: string(o.Args.Why), From: o.Args.From}
	g.Marks, g.Conflicts, g.NameFlags = o.Marks.Names(), o.Conflict.Names(), o.Name.Names()
}

// print shows the span as a short paragraph.
func (g *recognition) print(w *bufio.Writer) {
	fmt.Fprintf(w, "%s  %s\n", g.SpanID, report.Cell(g.Name))
	line := func(what, text string) {
		if text != "" {
			fmt.Fprintf(w, "    %-12s %s\n", what, text)
		}
	}
	if g.Taken {
		line("taken as", g.Dialect+" ("+recognize.Title(g.Dialect)+"), layer "+g.Layer)
		line("because", strings.Join(g.Because, "; "))
		line("also", strings.Join(g.Also, ", "))
		for _, f := range []struct {
			what string
			f    *readField
		}{{"tool", g.Tool}, {"call id", g.CallID}, {"session", g.Session}} {
			if f.f != nil {
				line(f.what, report.Cell(f.f.Value)+"  from "+f.f.From)
			} else if f.what == "tool" {
				line(f.what, "not on the span")
			}
		}
		line("arguments", g.Arguments.text())
		line("marks", strings.Join(g.Marks, ", "))
		line("conflicts", strings.Join(g.Conflicts, ", "))
		line("name", strings.Join(g.NameFlags, ", "))
	} else {
		line("not taken", g.Veto)
	}
	for _, n := range g.Near {
		has := ""
		if len(n.Held) > 0 {
			has = "has " + strings.Join(n.Held, "; ") + ", "
		}
		line("near", n.Dialect+": "+has+"lacks "+strings.Join(n.Missing, "; "))
	}
	fmt.Fprintln(w)
}

func (a *readArgs) text() string {
	if a.Usable {
		return "usable, from " + a.From
	}
	if a.From == "" {
		return a.Why
	}
	return a.Why + ", from " + a.From
}
