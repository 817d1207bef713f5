// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

const policyExplainLong = `Say which declared line decides each axis for a tool, and what each fact that
may be observed of a call would do to the verdict. The verdict of a call is the
worst of its axes.

What is asked is the gate itself: nothing here is a second reading of the
policy. Classes are those that the policy gives the tool, or those of --classes;
an empty --classes says that it has none.

Exit status: 0 the answer was printed, 1 the policy does not load, 2 tdt was
called wrongly.`

const policyExplainExample = `  tdt policy explain policy.yaml --tool pay
  tdt policy explain policy.yaml --tool pay --classes money,external --format json`

// An explainedRule is a declared line.
type explainedRule struct {
	Field   string `json:"field"`
	Pattern string `json:"pattern,omitempty"`
	Value   string `json:"value,omitempty"`
	Line    int    `json:"line,omitempty"`
}

func (r *explainedRule) String() string {
	if r == nil {
		return "nothing declared"
	}
	out := r.Field
	if r.Pattern != "" {
		out += fmt.Sprintf(" %q", r.Pattern)
	}
	if r.Value != "" {
		out += ": " + r.Value
	}
	if r.Line > 0 {
		out += fmt.Sprintf(" (line %d)", r.Line)
	}
	return out
}

// An explainedFact says what one observation would do.
type explainedFact struct {
	If      string `json:"if"` // "" where nothing observed matters
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	Text    string `json:"text,omitempty"`
}

// An explainedAxis is one axis of the gate for one tool.
type explainedAxis struct {
	Axis      string          `json:"axis"`
	DecidedBy *explainedRule  `json:"decided_by"` // null: nothing is declared
	Facts     []explainedFact `json:"facts"`
}

// An explanation is the answer of the verb.
type explanation struct {
	policyHead
	Tool    string          `json:"tool_name"`
	Classes []string        `json:"tool_classes"` // null: unknown
	Axes    []explainedAxis `json:"axes"`
}

func newPolicyExplain(s streams) *cobra.Command {
	var tool string
	var classes []string
	c := &cobra.Command{
		Use:     "explain POLICY --tool NAME",
		Short:   "Say which declared line decides each axis for a tool",
		Long:    policyExplainLong,
		Example: policyExplainExample,
		Args:    cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&tool, "tool", "", "name of the tool (required)")
	c.Flags().StringSliceVar(&classes, "classes", nil, "classes that the tool is known to have, in place of the policy's")
	as := formatFlag(c, "table", "json")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("tool") {
			return usagef("--tool is missing")
		}
		p, err := s.readPolicy(args[0])
		if err != nil {
			return err
		}
		e := explainer{policy: p, tool: tool}
		e.classes, e.known = p.ToolClasses(tool)
		if cmd.Flags().Changed("classes") {
			e.classes, e.known = append([]string{}, classes...), true
		}
		answer := &explanation{headOf(args[0], p), tool, e.classes, e.axes()}
		if as.value == "json" {
			return writeJSON(s.out, answer)
		}
		return answer.print(s.out)
	}
	return c
}

func (e *explanation) print(w io.Writer) error {
	classes := "unknown"
	switch {
	case len(e.Classes) > 0:
		classes = strings.Join(e.Classes, ", ")
	case e.Classes != nil:
		classes = "none"
	}
	fmt.Fprintf(w, "Tool %s, classes %s, by %s (%s)\n\n", report.Cell(e.Tool), classes, e.File, e.Digest)
	t := newTable(w, "AXIS", "DECIDED BY", "IF", "VERDICT", "BECAUSE")
	for i := range e.Axes {
		axis := &e.Axes[i]
		name, rule := axis.Axis, axis.DecidedBy.String()
		for _, f := range axis.Facts {
			t.row(name, rule, orDash(f.If), f.Verdict, orDash(f.Text))
			name, rule = "", ""
		}
	}
	return t.flush()
}

// ruleOf tells a declared pattern.
func ruleOf(r *policy.Rule) *explainedRule {
	if r == nil {
		return nil
	}
	return &explainedRule{Field: fmt.Sprintf("%s[%d]", r.Field, r.Index), Pattern: r.Pattern.String(), Line: r.Line}
}
