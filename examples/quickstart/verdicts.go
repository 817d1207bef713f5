// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/report"
)

// readVerdicts reads the spans that the Collector wrote, as any reader of the
// file would, and returns a row a decision with how many have each verdict.
func readVerdicts(file string) ([]report.Row, map[string]int, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, fmt.Errorf("read what the Collector wrote: %w", err)
	}
	defer f.Close()
	var found []decided
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(lines.Bytes())
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		found = append(found, decisionsOf(td)...)
	}
	if err := lines.Err(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	slices.SortStableFunc(found, func(a, b decided) int {
		return cmp.Or(cmp.Compare(a.row.Framework, b.row.Framework), cmp.Compare(a.start, b.start))
	})
	counts := map[string]int{}
	rows := make([]report.Row, len(found))
	for i, d := range found {
		rows[i] = d.row
		counts[d.row.Verdict]++
	}
	return rows, counts, nil
}

type decided struct {
	start pcommon.Timestamp
	row   report.Row
}

// decisionsOf returns the decisions of td. A span that another one stands for
// is the same decision, and is left out.
func decisionsOf(td ptrace.Traces) []decided {
	var found []decided
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				attrs := span.Attributes()
				if text(attrs, "assay.tdt.decision_verdict") == "" || text(attrs, "assay.tdt.primary_span_id") != "" {
					continue
				}
				found = append(found, decided{span.StartTimestamp(), report.Row{
					Agent:     cmp.Or(text(attrs, "gen_ai.agent.name"), text(rs.Resource().Attributes(), "service.name")),
					Framework: recognize.Title(text(attrs, "assay.tdt.dialect")),
					Tool:      text(attrs, "tool.name"),
					Verdict:   text(attrs, "assay.tdt.decision_verdict"),
					Why:       text(attrs, "assay.tdt.explanation"),
				}})
			}
		}
	}
	return found
}

func text(attrs pcommon.Map, key string) string {
	if v, ok := attrs.Get(key); ok {
		return v.AsString()
	}
	return ""
}
