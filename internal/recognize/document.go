// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"fmt"
	"slices"
	"strings"
)

// FrameworkTable returns the table of supported frameworks for the README, in
// Markdown. It is made of the dialects and changes with them.
func FrameworkTable() string {
	var b strings.Builder
	b.WriteString("| framework or instrumentation | dialect | arguments from | call id |\n|---|---|---|---|\n")
	rows := map[string]int{}
	var titles []string
	names := map[string][]string{}
	for _, d := range Dialects() {
		if d.Companion {
			continue
		}
		if _, ok := rows[d.Title]; !ok {
			rows[d.Title] = len(titles)
			titles = append(titles, d.Title)
		}
		names[d.Title] = append(names[d.Title], "`"+d.Name+"`")
	}
	slices.SortStableFunc(titles, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	for _, title := range titles {
		d := firstTitled(title)
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", title, strings.Join(names[title], ", "), argsCell(d), idCell(d))
	}
	return b.String()
}

func firstTitled(title string) Dialect {
	all := Dialects()
	return all[slices.IndexFunc(all, func(d Dialect) bool { return d.Title == title && !d.Companion })]
}

func argsCell(d Dialect) string {
	for _, s := range d.Args {
		if s.As == EncPartial || s.As == EncFlat || s.As == EncToolCallText {
			continue
		}
		return "`" + strings.TrimSuffix(s.From(), ".") + "`, " + s.As.String()
	}
	return "never exact or never there"
}

func idCell(d Dialect) string {
	if len(d.CallID) == 0 {
		return "none"
	}
	return "`" + d.CallID[0].From() + "`"
}

// conditionsText lists conditions for the documentation.
func conditionsText(d Dialect) string {
	var parts []string
	for _, p := range d.When {
		parts = append(parts, "`"+p.String()+"`")
	}
	for _, p := range d.Unless {
		parts = append(parts, "not `"+p.String()+"`")
	}
	return strings.Join(parts, "; ")
}

func sourcesText(sources []Source, encoded bool) string {
	var parts []string
	for _, s := range sources {
		text := "`" + strings.TrimSuffix(s.From(), ".") + "`"
		if s.Span != "" {
			text = "span name `" + s.Span + "`"
		}
		if encoded && s.As.String() != "" {
			text += " (" + s.As.String() + ")"
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", then ")
}

// A Sample is one span of a dialect with what is read from it, for the
// documentation.
type Sample struct {
	Dialect string
	From    string   // the recording that it is taken from, or ""
	Span    []string // one line each: name, scope, attributes, events
	Read    []string // one line each: what is read, from where
}

// DialectsDocument returns docs/dialects.md: every dialect with its conditions
// and places, and a sample span of each.
func DialectsDocument(samples []Sample) string {
	var b strings.Builder
	b.WriteString(`# Dialects

How the tool calls of each instrumentation are told apart and read. This page is generated from the table of dialects
(` + "`internal/recognize/dialects_*.go`" + `) and from the sample spans that its tests hold.

A span often speaks several dialects at once. The first in this list whose conditions hold names the decision; each field is then
read from the first place, in one order of precedence for all dialects, that holds a usable value. What no exact decoder can read is
no argument: it is named by its reason, and the call is judged without arguments.

`)
	b.WriteString("## Never taken\n\n| veto | why | where |\n|---|---|---|\n")
	for _, v := range Vetoes() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", v.Name, v.Why, conditionsText(Dialect{When: v.When}))
	}
	fmt.Fprintf(&b, "| %s | %s | `%s` other than `%s` |\n", otherMethods, otherMethodIs, mcpMethodKey, mcpToolsCall)
	b.WriteString("\n## Order of precedence\n\n")
	for _, order := range []struct {
		field string
		keys  []string
	}{{"Tool name", toolOrder}, {"Call id", callIDOrder}, {"Arguments", argsOrder}, {"Session", sessionOrder}, {"Agent", agentOrder}} {
		fmt.Fprintf(&b, "%s: `%s`.\n\n", order.field, strings.Join(order.keys, "`, `"))
	}
	for _, d := range Dialects() {
		b.WriteString(dialectSection(d, samples))
	}
	return b.String()
}

func dialectSection(d Dialect, samples []Sample) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s. Layer: %s.", d.Name, d.Title, d.Layer)
	if d.Companion {
		b.WriteString(" Adds to a call that another span describes; alone it is no call.")
	}
	if d.Note != "" {
		fmt.Fprintf(&b, " Note: %s.", d.Note)
	}
	fmt.Fprintf(&b, "\n\n| | |\n|---|---|\n| told apart by | %s |\n| tool name | %s |\n| call id | %s |\n| arguments | %s |\n\n",
		conditionsText(d), sourcesText(d.Tool, false), sourcesText(d.CallID, false), sourcesText(d.Args, true))
	for _, s := range samples {
		if s.Dialect != d.Name {
			continue
		}
		if s.From != "" {
			fmt.Fprintf(&b, "From `%s`:\n\n", s.From)
		}
		fmt.Fprintf(&b, "```\n%s\n--- is read as\n%s\n```\n\n", strings.Join(s.Span, "\n"), strings.Join(s.Read, "\n"))
	}
	return b.String()
}
