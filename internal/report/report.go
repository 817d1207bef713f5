// SPDX-License-Identifier: Apache-2.0

// Package report prints decisions for people: the table that `make run` and
// `tdt judge` share.
package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"
)

// A Row is one decision as a person reads it.
type Row struct {
	Agent     string // the agent, or the service where no agent is named
	Framework string
	Tool      string
	Verdict   string
	Why       string
}

// maxCell is the longest cell that is shown whole, in characters.
const maxCell = 48

// colors mark the verdicts on a terminal. A match has none: it is no praise.
// All are equally long, so that they do not disturb the columns.
var colors = map[string]string{
	"match":      "\x1b[39m",
	"incomplete": "\x1b[33m",
	"mismatch":   "\x1b[31m",
	"invalid":    "\x1b[35m",
}

const (
	plain = "\x1b[39m"
	reset = "\x1b[0m"
)

// Table writes rows as aligned columns under a header. With color, verdicts are
// marked by terminal sequences.
func Table(w io.Writer, rows []Row, color bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(verdictColor string, cells ...string) {
		if color {
			cells[3] = verdictColor + cells[3] + reset
		}
		fmt.Fprintln(tw, strings.Join(cells, "\t"))
	}
	line(plain, "AGENT", "FRAMEWORK", "TOOL", "VERDICT", "WHY")
	for _, r := range rows {
		c, ok := colors[r.Verdict]
		if !ok {
			c = plain
		}
		line(c, Cell(r.Agent), Cell(r.Framework), Cell(r.Tool), r.Verdict, r.Why)
	}
	if err := tw.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// Totals says how many rows have each verdict, in the order of severity.
func Totals(counts map[string]int) string {
	total := 0
	var parts []string
	for _, v := range []string{"match", "incomplete", "mismatch", "invalid"} {
		parts = append(parts, strconv.Itoa(counts[v])+" "+v)
		total += counts[v]
	}
	return fmt.Sprintf("%d %s: %s", total, plural(total, "decision"), strings.Join(parts, ", "))
}

// Cell makes a name from telemetry safe to print: what is not printable is
// escaped, what is long is cut, what is empty is a dash. A name cannot move
// the cursor, forge a line or hide a direction mark.
func Cell(name string) string {
	if name == "" {
		return "-"
	}
	var b strings.Builder
	n := 0
	for i, r := range name {
		if n == maxCell {
			b.WriteString("...")
			break
		}
		n++
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(name[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
