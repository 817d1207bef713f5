// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// An Axis is one declared dimension of a call.
type Axis uint8

// The axes, in the order in which they are judged and shown. Append only.
const (
	AxisTool Axis = iota + 1
	AxisArgs
	AxisIdentity
	AxisClass
	AxisApproval
	AxisScope
	AxisRedaction

	axisCount = int(AxisRedaction)
)

var axisNames = [...]string{"", "tool", "args", "identity", "class", "approval", "scope", "redaction"}

// String returns the axis's wire name, or "" for a value that is no axis.
func (a Axis) String() string { return nameOr(axisNames[:], int(a), "") }

// axes is the gate. Each judge is total: for every input it returns one of the
// four verdicts, reads no clock, environment or global, and does not panic.
var axes = [axisCount]struct {
	axis  Axis
	judge func(*policy.Policy, *Call, *Evidence) Finding
}{
	{AxisTool, judgeTool},
	{AxisArgs, judgeArgs},
	{AxisIdentity, judgeIdentity},
	{AxisClass, judgeClass},
	{AxisApproval, func(p *policy.Policy, c *Call, e *Evidence) Finding {
		return judgeObligation(p, c.Tool, e, &approval)
	}},
	{AxisScope, func(p *policy.Policy, c *Call, e *Evidence) Finding {
		return judgeObligation(p, c.Tool, e, &scope)
	}},
	{AxisRedaction, func(p *policy.Policy, c *Call, e *Evidence) Finding {
		return judgeObligation(p, c.Tool, e, &redaction)
	}},
}

var matched = Finding{Verdict: Match}

// judgeTool checks the name against the deny and allow lists. Deny wins; an
// allow list that is not empty is exhaustive.
func judgeTool(p *policy.Policy, c *Call, _ *Evidence) Finding {
	if r := firstMatch(p.Deny(), c.Tool); r != nil {
		return Finding{Verdict: Mismatch, Reason: ToolDenied, Rule: r}
	}
	if len(p.Allow()) == 0 {
		return unconstrained(p, ToolUnconstrained, ToolUnconstrainedDenied)
	}
	if r := firstMatch(p.Allow(), c.Tool); r != nil {
		return Finding{Verdict: Match, Rule: r}
	}
	return Finding{Verdict: Mismatch, Reason: ToolNotAllowed}
}

// judgeArgs checks the arguments against the tool's schema. Absent arguments
// are incomplete whatever is declared: nothing can be checked.
func judgeArgs(p *policy.Policy, c *Call, _ *Evidence) Finding {
	if c.Args == nil {
		why := c.ArgsWhy
		if why == NoReason {
			why = ArgsAbsent
		}
		return Finding{Verdict: Incomplete, Reason: why}
	}
	schema := p.Schema(c.Tool)
	if schema == nil {
		return unconstrained(p, ArgsUnconstrained, ArgsUnconstrainedDenied)
	}
	switch r := schema.Check(c.Args.Root()); r.Outcome {
	case policy.Valid:
		return matched
	case policy.Violated:
		return Finding{Verdict: Mismatch, Reason: ArgsSchemaViolated, Location: r.Location, Keyword: r.Keyword}
	default:
		f := Finding{Verdict: Invalid, Reason: ArgsSchemaMalformed, Location: r.Location, Keyword: r.Keyword}
		if fault := schema.Fault(); fault != nil {
			f.Location, f.Keyword = fault.Location, fault.Reason.String()
		}
		return f
	}
}

func judgeIdentity(_ *policy.Policy, c *Call, _ *Evidence) Finding {
	switch c.Identity {
	case IdentityPresent, IdentityAbsent:
		return matched
	case IdentityRequiredMissing:
		return Finding{Verdict: Incomplete, Reason: IdentityReasonMissing}
	default:
		why := c.IdentityWhy
		if why == NoReason {
			why = IdentityReasonInvalid
		}
		return Finding{Verdict: Invalid, Reason: why}
	}
}

func judgeClass(p *policy.Policy, _ *Call, e *Evidence) Finding {
	allow, deny := p.AllowClasses(), p.DenyClasses()
	switch {
	case len(allow) == 0 && len(deny) == 0:
		return matched
	case !e.ClassesKnown:
		return Finding{Verdict: Incomplete, Reason: ClassUnknown}
	case intersects(e.Classes, deny):
		return Finding{Verdict: Mismatch, Reason: ClassDenied}
	case len(allow) > 0 && !intersects(e.Classes, allow):
		return Finding{Verdict: Mismatch, Reason: ClassNotAllowed}
	}
	return matched
}

// An obligation is a duty that a policy attaches to tools, by name or class,
// with the fact that shows it done and the reasons for each other outcome.
type obligation struct {
	declared                                       policy.Obligation
	fact                                           func(*Evidence) Fact
	unknown, undone, undeterminable, contradictory Reason
}

var (
	approval = obligation{
		policy.Approval, func(e *Evidence) Fact { return e.Approval },
		ApprovalUnknown, ApprovalNotObtained, ApprovalUndeterminable, ApprovalContradictory,
	}
	scope = obligation{
		policy.Scope, func(e *Evidence) Fact { return e.Scope },
		ScopeUnknown, ScopeNotSatisfied, ScopeUndeterminable, ScopeContradictory,
	}
	redaction = obligation{
		policy.Redaction, func(e *Evidence) Fact { return e.Redaction },
		RedactionUnknown, RedactionNotApplied, RedactionUndeterminable, RedactionContradictory,
	}
)

// judgeObligation decides first whether the duty applies, then whether it was
// done. What may apply and cannot be evaluated is incomplete, never a match.
func judgeObligation(p *policy.Policy, tool string, e *Evidence, o *obligation) Finding {
	names, classes := p.Obligation(o.declared)
	rule := firstMatch(names, tool)
	switch {
	case rule != nil:
	case len(classes) == 0:
		return matched
	case !e.ClassesKnown:
		return Finding{Verdict: Incomplete, Reason: o.undeterminable}
	case !intersects(e.Classes, classes):
		return matched
	}
	switch o.fact(e) {
	case Yes:
		return Finding{Verdict: Match, Rule: rule}
	case No:
		return Finding{Verdict: Mismatch, Reason: o.undone, Rule: rule}
	case Contradictory:
		return Finding{Verdict: Incomplete, Reason: o.contradictory, Rule: rule}
	default:
		return Finding{Verdict: Incomplete, Reason: o.unknown, Rule: rule}
	}
}

// unconstrained answers for what the policy does not name.
func unconstrained(p *policy.Policy, warn, deny Reason) Finding {
	switch p.UnconstrainedTools() {
	case policy.Allow:
		return matched
	case policy.Warn:
		return Finding{Verdict: Incomplete, Reason: warn}
	default:
		return Finding{Verdict: Mismatch, Reason: deny}
	}
}

func firstMatch(rules []policy.Rule, tool string) *policy.Rule {
	for i := range rules {
		if rules[i].Pattern.Match(tool) {
			return &rules[i]
		}
	}
	return nil
}

func intersects(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}
