// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth"
)

// A Member is one span of a logical call.
type Member struct {
	Located
	Obs *recognize.Observation
}

// A Decision is one logical call, judged.
type Decision struct {
	// Members are the spans of the call in this batch, the primary first: the
	// one that is best informed.
	Members []Member

	// Policy judged the call. Nil: none is meant for it, and there is no
	// verdict.
	Policy *Policy

	// Tool is the name that was judged.
	Tool string

	// CallID is the id that the model gave the call, or "".
	CallID string

	Identity truth.Identity
	Source   truth.SourceClass
	Result   truth.ResultStatus
	Truth    truth.Decision
}

// Primary returns the span that stands for the call.
func (d *Decision) Primary() *Member { return &d.Members[0] }

// Reasons returns the codes of why axes did not match and of what is odd about
// the name or the span, sorted.
func (d *Decision) Reasons() []string {
	reasons := d.Truth.Reasons(nil)
	obs := d.Primary().Obs
	if obs.Name.Suspicious() {
		for _, name := range obs.Name.Names() {
			reasons = append(reasons, "name."+name)
		}
	}
	for _, name := range obs.Conflict.Names() {
		reasons = append(reasons, "conflict."+name)
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

// judge compares one folded call with the policy that is meant for it.
func (e *Engine) judge(policies Policies, members []Member, family []Located) Decision {
	primary := members[0]
	obs := primary.Obs
	d := Decision{
		Members: members, Policy: policies.first(primary.Located),
		Tool: e.strip(obs.Tool), CallID: callID(members), Source: e.source(primary), Result: result(members),
	}
	if d.Policy == nil {
		return d
	}
	call := truth.Call{Tool: d.Tool, Args: obs.Args.Doc, ArgsWhy: obs.Args.Why, Identity: e.identity(primary.Located)}
	for i := range members {
		if members[i].Obs.Conflict.Has(recognize.ConflictRepeatedKey) {
			call.Identity, call.IdentityWhy = truth.IdentityInvalid, truth.IdentityReasonConflict
		}
	}
	d.Identity = call.Identity
	evidence := e.evidence(d.Policy, d.Tool, family)
	d.Truth = truth.Judge(d.Policy.Truth, &call, &evidence)
	return d
}

func (e *Engine) evidence(p *Policy, tool string, family []Located) truth.Evidence {
	var evidence truth.Evidence
	evidence.Classes, evidence.ClassesKnown = p.Truth.ToolClasses(tool)
	if e.set.Believe != nil {
		f := e.set.Believe(family)
		evidence.Approval, evidence.Scope, evidence.Redaction = f.Approval, f.Scope, f.Redaction
	}
	return evidence
}

func (e *Engine) identity(at Located) truth.Identity {
	if e.set.Identity == nil {
		return truth.IdentityAbsent
	}
	return e.set.Identity(at)
}

// source says how the call came to be known. Arguments from a model's message
// are inferred wherever the span comes from.
func (e *Engine) source(m Member) truth.SourceClass {
	switch {
	case m.Obs.Args.Source == truth.SourceInferred:
		return truth.SourceInferred
	case e.set.Boundary != nil && e.set.Boundary(m.Located):
		return truth.SourceAuthoritative
	}
	return truth.SourceReported
}

// strip takes the first fitting prefix off a name. What would leave nothing
// stays.
func (e *Engine) strip(tool string) string {
	for _, prefix := range e.set.StripPrefixes {
		if rest, ok := strings.CutPrefix(tool, prefix); ok && rest != "" {
			return rest
		}
	}
	return tool
}

// callID returns the first id that a span of the call carries.
func callID(members []Member) string {
	for i := range members {
		if id := members[i].Obs.CallID; id != "" {
			return id
		}
	}
	return ""
}

// result joins what the spans say of the outcome: a failure that one of them
// shows is one, whatever the others leave out.
func result(members []Member) truth.ResultStatus {
	said := truth.ResultNA
	for i := range members {
		switch members[i].Obs.Result {
		case truth.ResultError:
			return truth.ResultError
		case truth.ResultOK:
			said = truth.ResultOK
		}
	}
	return said
}
