// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A location is where a record stands.
type location struct {
	File  string `json:"file"`
	Entry string `json:"entry,omitempty"` // of a bundle
	Line  int64  `json:"line,omitempty"`  // from 1; 0: the file as a whole

	order int // of the file on the command line
	part  int // of it, where the parts are files in turn
}

func (p location) String() string {
	at := p.File
	if p.Entry != "" {
		at += "!" + p.Entry
	}
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, p.Line)
	}
	return at
}

func compareLocations(a, b location) int {
	return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.part, b.part), cmp.Compare(a.Line, b.Line))
}

// A fault is one thing that is wrong with evidence.
type fault struct {
	location
	Record string `json:"record"` // carrier, row, event, line, bundle or set
	Fault  string `json:"fault"`
	Field  string `json:"field,omitempty"`
	Got    string `json:"got,omitempty"`
	Want   string `json:"want,omitempty"`
	Means  string `json:"means"`
}

// faultOf tells a refusal of package carrier.
func faultOf(at location, record string, err error) fault {
	out := fault{location: at, Record: record}
	if fe, ok := errors.AsType[*carrier.FaultError](err); ok {
		out.Fault, out.Means = fe.Fault.String(), fe.Fault.Meaning()
		out.Field, out.Got, out.Want = fe.Field, fe.Got, fe.Want
		if te, ok := errors.AsType[*canon.TextError](fe.Cause); ok && out.Got == "" {
			out.Got = fmt.Sprintf("%v at byte %d", te.Fault, te.Offset)
		}
	}
	return out
}

// detail says what is wrong in words.
func (f *fault) detail() string {
	parts := []string{f.Means}
	if f.Got != "" {
		parts = append(parts, "got "+f.Got)
	}
	if f.Want != "" {
		parts = append(parts, "want "+f.Want)
	}
	return strings.Join(parts, ", ")
}

// maxFaults is how many faults are told. Whoever has more needs no list.
const maxFaults = 100

// A faultList keeps the faults that come first and counts all.
type faultList struct {
	kept  []fault
	total int
}

func (l *faultList) add(f fault) {
	l.total++
	l.kept = append(l.kept, f)
	if len(l.kept) >= 4*maxFaults {
		l.kept = l.first()
	}
}

// first returns the faults that come first, in order.
func (l *faultList) first() []fault {
	slices.SortStableFunc(l.kept, func(a, b fault) int { return compareLocations(a.location, b.location) })
	return l.kept[:min(len(l.kept), maxFaults)]
}

// printFaults lists faults, the first bad record first. It is told how many
// there are in all.
func printFaults(w io.Writer, list []fault, total int) error {
	fmt.Fprintf(w, "Not verified: %s, the first at %s.\n\n", counted(total, "fault"), list[0].location)
	t := newTable(w, "WHERE", "RECORD", "FAULT", "FIELD", "DETAIL")
	for i := range list {
		f := &list[i]
		t.row(f.location.String(), f.Record, f.Fault, orDash(f.Field), f.detail())
	}
	if err := t.flush(); err != nil {
		return err
	}
	if left := total - len(list); left > 0 {
		fmt.Fprintf(w, "and %d more\n", left)
	}
	return nil
}
