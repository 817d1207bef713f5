// SPDX-License-Identifier: Apache-2.0

package truth

import "github.com/tool-decision-truth/collector/internal/truth/policy"

// A Finding is what one axis concluded, and by which declared line.
type Finding struct {
	Axis    Axis
	Verdict Verdict

	// Reason is empty exactly where Verdict is Match.
	Reason Reason

	// Rule is the declared pattern that decided, where one did.
	Rule *policy.Rule

	// Location and Keyword name the part of the declared schema that was
	// violated or that is malformed: a JSON pointer and its last keyword.
	Location, Keyword string
}

// A Decision is the verdict on one call with the finding of every axis.
type Decision struct {
	Verdict  Verdict
	Findings [axisCount]Finding
}

// Judge compares one observed call with the declared policy (spec section 5).
// Every axis runs, so the findings explain the verdict and not merely its first
// cause. It does not say that the call was safe, nor that it took effect.
func Judge(p *policy.Policy, c *Call, e *Evidence) Decision {
	d := Decision{Verdict: Match}
	for i, a := range axes {
		f := a.judge(p, c, e)
		f.Axis = a.axis
		d.Findings[i] = f
		d.Verdict = Join(d.Verdict, f.Verdict)
	}
	return d
}

// Unjudged returns the decision on a call that could not be judged at all, with
// no axis that matched. It is what stands where Judge itself broke down.
func Unjudged(why Reason) Decision {
	d := Decision{Verdict: Invalid}
	for i, a := range axes {
		d.Findings[i] = Finding{Axis: a.axis, Verdict: Invalid}
	}
	d.Findings[AxisIdentity-1].Reason = why
	return d
}

// Axes calls yield with each axis's name and verdict, in the order of the spec.
func (d *Decision) Axes(yield func(name, verdict string)) {
	for i := range d.Findings {
		yield(d.Findings[i].Axis.String(), d.Findings[i].Verdict.String())
	}
}
