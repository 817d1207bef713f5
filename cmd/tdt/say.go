// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A said is what a record says, in columns.
type said struct {
	tool, verdict, more string
}

// sayOf says in a line what the payload of a record says, "" where it is of no
// known type.
func sayOf(e *carrier.Event) string {
	s := saidBy(e)
	var parts []string
	for _, part := range []string{s.tool, s.verdict, s.more} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// saidBy reads the payload of a record. What cannot be read says nothing: that
// it is wrong, tdt verify tells.
func saidBy(e *carrier.Event) said {
	switch e.Type {
	case carrier.TypeCarrier:
		return carrierSays(e)
	case carrier.TypeRow:
		if row, err := carrier.ReadRow(string(e.Data)); err == nil {
			return said{verdict: row.RunVerdict().String(), more: "cites " + shortDigest(row.Content())}
		}
	case engine.TypeRun:
		var r engine.RunRecord
		if json.Unmarshal(e.Data, &r) == nil {
			return said{verdict: r.Verdict.String(), more: fmt.Sprintf("%s, %s, closed: %s", counted(int(r.Calls), "call"), r.Extent, r.Closed)}
		}
	case engine.TypeSupersedes:
		var s superseding
		if json.Unmarshal(e.Data, &s) == nil {
			return said{more: fmt.Sprintf("%s replaces %s", shortDigest(s.Carrier), shortDigests(s.Supersedes))}
		}
	case evidence.TypeGap:
		var g evidence.Gap
		if json.Unmarshal(e.Data, &g) == nil {
			return said{more: fmt.Sprintf("%s: lacks %s", g.Cause, counted(int(g.Records), "record"))}
		}
	}
	return said{}
}

func carrierSays(e *carrier.Event) said {
	rec, err := carrier.Import(string(e.Data))
	if err != nil {
		return said{}
	}
	in := rec.Input()
	return said{
		tool: report.Cell(in.ToolName), verdict: in.Verdict.String(),
		more: fmt.Sprintf("order %d, %s, result %s, identity %s", in.Order, in.SourceClass, in.ResultStatus, in.Identity),
	}
}

// A superseding is a record that says which carriers another one replaces.
type superseding struct {
	Carrier    canon.Digest   `json:"carrier"`
	Schema     string         `json:"schema"`
	Supersedes []canon.Digest `json:"supersedes"`
}

// shortDigest is enough of a digest to find it again in a list.
func shortDigest(d canon.Digest) string { return string(d[:min(len(d), len("sha256:")+12)]) }

func shortDigests(ds []canon.Digest) string {
	var out []string
	for _, d := range ds {
		out = append(out, shortDigest(d))
	}
	return strings.Join(out, ", ")
}
