// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strings"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A Member is one span of a logical call.
type Member struct {
	Located
	Obs *recognize.Observation

	// What the span says by itself: Obs of a primary knows what others say too.
	layer   recognize.Layer
	content uint64
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

	// ArgsDigest and Observed are the digests of the call, empty without a key.
	ArgsDigest string
	Observed   canon.Digest

	// Run is the run that the call belongs to, set where it is placed.
	Run ledger.ID

	// Placed says what the call is to its run. Its Kind is zero where there is
	// no ledger or no policy.
	Placed ledger.Placement

	// Extent says whether the run can still go on. It is partial unless the
	// batch holds the whole of it.
	Extent sequence.Extent

	// Evidence says what became of the decision's record.
	Evidence Evidence

	// Content and IdentityDigest are those of the record that stands for the
	// call. They are set only where the journal holds it.
	Content, IdentityDigest canon.Digest

	family []Located // the call's spans and their children, where somebody asks
	part   int       // numbers the calls of a span that covers several, from 1
}

// Follows reports whether the call was decided by an earlier batch, and these
// spans leave that decision as it is. It may be that of another span, or of
// another policy than the one in force now.
func (d *Decision) Follows() bool {
	p := &d.Placed
	switch p.Kind {
	case ledger.KindJoined:
		return true
	case ledger.KindResent:
		return p.Verdict != d.Truth.Verdict || p.Primary != ledger.Span(d.Primary().Span.SpanID()) ||
			p.Policy.Name != d.Policy.Name || p.Policy.Digest != d.Policy.Truth.DeclaredDigest()
	default:
		return false
	}
}

// Verdict returns the decision as it is known now.
func (d *Decision) Verdict() truth.Verdict {
	if d.Placed.Kind != 0 {
		return d.Placed.Verdict
	}
	return d.Truth.Verdict
}

// Primary returns the span that stands for the call.
func (d *Decision) Primary() *Member { return &d.Members[0] }

// decisionOn returns what is known of a folded call before it is judged.
func (e *Engine) decisionOn(p *Policy, members []Member) Decision {
	obs := members[0].Obs
	return Decision{
		Members: members, Policy: p,
		Tool: e.strip(obs.Tool), CallID: obs.CallID, Source: truth.SourceReported, Result: obs.Result,
	}
}

// judge compares one folded call with the policy that is meant for it.
func (e *Engine) judge(d *Decision) {
	d.Source = e.source(d.Primary())
	if d.Policy == nil {
		return
	}
	obs := d.Primary().Obs
	call := truth.Call{Tool: d.Tool, Args: obs.Args.Doc, ArgsWhy: obs.Args.Why, Identity: e.identity(d.Primary().Located)}
	if obs.Conflict.Has(recognize.ConflictRepeatedKey) {
		call.Identity, call.IdentityWhy = truth.IdentityInvalid, truth.IdentityReasonConflict
	}
	d.Identity = call.Identity
	evidence := e.evidence(d.Policy, d.Tool, d.family)
	d.Truth = truth.Judge(d.Policy.Truth, &call, &evidence)
}

// rejudge judges a call under another name, and reports whether it could: a
// fault of ours leaves the decision as it was.
func (e *Engine) rejudge(d *Decision, tool string) (sound bool) {
	before := *d
	defer func() {
		if recover() != nil {
			*d, sound = before, false
		}
	}()
	d.Tool = tool
	e.judge(d)
	return true
}

// faulted judges a call that a fault of ours struck. Its identity is invalid,
// so the verdict is, and none of the settings' functions is asked again.
func (e *Engine) faulted(d *Decision) {
	d.Source = truth.SourceReported
	d.Identity, d.Truth = truth.IdentityInvalid, truth.Unjudged(truth.IdentityReasonFault)
	if d.Policy == nil {
		return
	}
	defer func() {
		// The policy itself faults. The decision stands as it was made above.
		_ = recover()
	}()
	args := &d.Primary().Obs.Args
	call := truth.Call{Tool: d.Tool, Args: args.Doc, ArgsWhy: args.Why, Identity: d.Identity, IdentityWhy: truth.IdentityReasonFault}
	var evidence truth.Evidence
	evidence.Classes, evidence.ClassesKnown = d.Policy.Truth.ToolClasses(d.Tool)
	d.Truth = truth.Judge(d.Policy.Truth, &call, &evidence)
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
func (e *Engine) source(m *Member) truth.SourceClass {
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
