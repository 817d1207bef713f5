// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// An explainer asks the gate about one tool, one observation after another.
type explainer struct {
	policy  *policy.Policy
	tool    string
	classes []string
	known   bool
}

func (e *explainer) axes() []explainedAxis {
	return []explainedAxis{
		e.toolAxis(), e.argsAxis(), e.identityAxis(), e.classAxis(),
		e.dutyAxis(&duties[0]), e.dutyAxis(&duties[1]), e.dutyAxis(&duties[2]),
	}
}

// ask returns what the gate finds on one axis.
func (e *explainer) ask(axis truth.Axis, c truth.Call, ev truth.Evidence) truth.Finding {
	c.Tool = e.tool
	if c.Identity == 0 {
		c.Identity = truth.IdentityAbsent
	}
	d := truth.Judge(e.policy, &c, &ev)
	return d.Findings[axis-truth.AxisTool]
}

// fact tells a finding as the consequence of what was observed.
func fact(observed string, f truth.Finding) explainedFact {
	return explainedFact{observed, f.Verdict.String(), string(f.Reason), f.Reason.Text()}
}

// evidence is what is known of the tool's classes.
func (e *explainer) evidence() truth.Evidence {
	return truth.Evidence{Classes: e.classes, ClassesKnown: e.known}
}

func (e *explainer) unconstrained() *explainedRule {
	return &explainedRule{Field: "enforcement.unconstrained_tools", Value: e.policy.UnconstrainedTools().String()}
}

func (e *explainer) toolAxis() explainedAxis {
	f := e.ask(truth.AxisTool, truth.Call{}, truth.Evidence{})
	rule := ruleOf(f.Rule)
	switch {
	case rule != nil:
	case len(e.policy.Allow()) > 0:
		rule = &explainedRule{Field: "tools.allow"}
	default:
		rule = e.unconstrained()
	}
	return explainedAxis{truth.AxisTool.String(), rule, []explainedFact{fact("", f)}}
}

func (e *explainer) argsAxis() explainedAxis {
	a := explainedAxis{Axis: truth.AxisArgs.String(), DecidedBy: e.unconstrained()}
	absent := fact("arguments are absent or unusable", e.ask(truth.AxisArgs, truth.Call{}, truth.Evidence{}))
	var doc canon.Doc
	_ = doc.Parse("null", canon.Limits{}) // it is JSON
	given := e.ask(truth.AxisArgs, truth.Call{Args: &doc}, truth.Evidence{})
	i := slices.IndexFunc(e.policy.Schemas(), func(s policy.ToolSchema) bool { return s.Tool == e.tool })
	if i < 0 {
		a.Facts = []explainedFact{absent, fact("there are arguments", given)}
		return a
	}
	s := &e.policy.Schemas()[i]
	a.DecidedBy = &explainedRule{Field: schemaField(s), Line: s.Pos.Line}
	if fault := s.Fault(); fault != nil {
		malformed := fact("there are arguments", given)
		malformed.Text += fmt.Sprintf(" (%v: %v)", fault.Reason, fault)
		a.Facts = []explainedFact{absent, malformed}
		return a
	}
	a.Facts = []explainedFact{
		absent,
		fact("arguments are valid", truth.Finding{Verdict: truth.Match}),
		fact("arguments are not valid", truth.Finding{Verdict: truth.Mismatch, Reason: truth.ArgsSchemaViolated}),
	}
	return a
}

func schemaField(s *policy.ToolSchema) string {
	if s.Constraint {
		return "constraints." + s.Tool
	}
	return "schemas." + s.Tool
}

func (e *explainer) identityAxis() explainedAxis {
	a := explainedAxis{Axis: truth.AxisIdentity.String()}
	for _, word := range truth.Identities() {
		var id truth.Identity
		_ = id.UnmarshalText([]byte(word)) // it is one of its own words
		a.Facts = append(a.Facts, fact("identity is "+word, e.ask(truth.AxisIdentity, truth.Call{Identity: id}, truth.Evidence{})))
	}
	return a
}

func (e *explainer) classAxis() explainedAxis {
	a := explainedAxis{Axis: truth.AxisClass.String()}
	allow, deny := e.policy.AllowClasses(), e.policy.DenyClasses()
	ask := func(ev truth.Evidence) truth.Finding { return e.ask(truth.AxisClass, truth.Call{}, ev) }
	var fields []string
	if len(deny) > 0 {
		fields = append(fields, "tools.deny_classes")
	}
	if len(allow) > 0 {
		fields = append(fields, "tools.allow_classes")
	}
	switch {
	case len(fields) == 0:
		a.Facts = []explainedFact{fact("", ask(truth.Evidence{}))}
		return a
	case e.known:
		a.Facts = []explainedFact{fact("", ask(e.evidence()))}
	default:
		a.Facts = []explainedFact{fact("classes are unknown", ask(truth.Evidence{}))}
		for _, class := range distinct(deny, allow) {
			a.Facts = append(a.Facts, fact("its one class is "+class, ask(oneClass(class))))
		}
		a.Facts = append(a.Facts, fact("it has none of these classes", ask(truth.Evidence{ClassesKnown: true})))
	}
	a.DecidedBy = &explainedRule{Field: strings.Join(fields, ", ")}
	return a
}

// A duty is an obligation as the verb asks about it.
type duty struct {
	axis       truth.Axis
	obligation policy.Obligation
	field      string // of its classes
	what       string // the fact that shows it done
	set        func(*truth.Evidence, truth.Fact)
}

var duties = [...]duty{
	{truth.AxisApproval, policy.Approval, "tools.approval_required_classes", "approval_obtained",
		func(e *truth.Evidence, f truth.Fact) { e.Approval = f }},
	{truth.AxisScope, policy.Scope, "tools.restrict_scope_classes", "scope_satisfied",
		func(e *truth.Evidence, f truth.Fact) { e.Scope = f }},
	{truth.AxisRedaction, policy.Redaction, "tools.redact_args_classes", "redaction_applied",
		func(e *truth.Evidence, f truth.Fact) { e.Redaction = f }},
}

func (e *explainer) dutyAxis(d *duty) explainedAxis {
	a := explainedAxis{Axis: d.axis.String()}
	names, classes := e.policy.Obligation(d.obligation)
	ask := func(ev truth.Evidence) truth.Finding { return e.ask(d.axis, truth.Call{}, ev) }
	switch {
	case slices.ContainsFunc(names, func(r policy.Rule) bool { return r.Pattern.Match(e.tool) }):
		a.DecidedBy = ruleOf(ask(truth.Evidence{}).Rule)
		a.Facts = d.facts("", e.evidence(), ask)
	case len(classes) == 0:
		a.Facts = []explainedFact{fact("", ask(truth.Evidence{}))}
	default:
		a.DecidedBy = &explainedRule{Field: d.field}
		a.Facts = e.classDuty(d, classes, ask)
	}
	return a
}

// classDuty tells the facts of a duty that depends on classes.
func (e *explainer) classDuty(d *duty, classes []string, ask func(truth.Evidence) truth.Finding) []explainedFact {
	if e.known {
		if !slices.ContainsFunc(e.classes, func(c string) bool { return slices.Contains(classes, c) }) {
			return []explainedFact{fact("", ask(e.evidence()))}
		}
		return d.facts("", e.evidence(), ask)
	}
	facts := []explainedFact{fact("classes are unknown", ask(truth.Evidence{}))}
	for _, class := range distinct(classes) {
		facts = append(facts, d.facts("it has class "+class+" and ", oneClass(class), ask)...)
	}
	return append(facts, fact("it has none of these classes", ask(truth.Evidence{ClassesKnown: true})))
}

// facts tells what each value of the duty's fact would do.
func (d *duty) facts(prefix string, ev truth.Evidence, ask func(truth.Evidence) truth.Finding) []explainedFact {
	var facts []explainedFact
	for _, f := range []truth.Fact{truth.Unknown, truth.Yes, truth.No, truth.Contradictory} {
		d.set(&ev, f)
		facts = append(facts, fact(prefix+d.what+" is "+f.String(), ask(ev)))
	}
	return facts
}

func oneClass(class string) truth.Evidence {
	return truth.Evidence{Classes: []string{class}, ClassesKnown: true}
}

// distinct returns the words of the lists, each once, in order.
func distinct(lists ...[]string) []string {
	var out []string
	for _, word := range slices.Concat(lists...) {
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}
