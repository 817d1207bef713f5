// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// The attributes of a projected decision (spec section 11), in the order of
// AppendAttributes. They are a view: nothing is read back from them.
const (
	AttrOperationName = "gen_ai.operation.name"
	AttrToolName      = "gen_ai.tool.name"
	AttrToolNameShort = "tool.name"
	AttrSpanKind      = "openinference.span.kind"
	AttrClaimClass    = "assay.claim_class"
	AttrSchema        = "assay.tdt.schema"
	AttrVerdict       = "assay.tdt.decision_verdict"
	AttrObservedInput = "assay.tdt.observed_input_digest"
	AttrDeclared      = "assay.tdt.declared_policy_digest"
	AttrSourceClass   = "assay.tdt.source_class"
	AttrRunVerdict    = "assay.tdt.run_verdict"
	AttrIdentity      = "assay.tdt.decision_identity_digest"
	AttrContent       = "assay.tdt.carrier_content_digest"
)

// The values of the attributes that have one value.
const (
	OperationExecuteTool = "execute_tool"
	SpanKindTool         = "TOOL"
	ClaimDerived         = "derived"
)

// An Attribute is one attribute of a span, as text.
type Attribute struct{ Key, Value string }

// A Decision is what is projected of one decision: digests and closed words,
// never the arguments nor their digest. What is empty or zero is left out.
type Decision struct {
	ToolName       string
	Schema         string
	Verdict        truth.Verdict
	ObservedInput  canon.Digest
	DeclaredPolicy canon.Digest
	SourceClass    truth.SourceClass
	RunVerdict     truth.Verdict
	Identity       canon.Digest // decision identity
	Content        canon.Digest // of the carrier
}

// Decision returns what is projected of r within a run of the verdict run.
func (r *Record) Decision(run truth.Verdict) Decision {
	return Decision{
		ToolName: strings.Clone(r.in.ToolName), Schema: SchemaCarrier, Verdict: r.in.Verdict,
		ObservedInput: canon.Digest(strings.Clone(string(r.observed))), DeclaredPolicy: canon.Digest(strings.Clone(string(r.in.DeclaredPolicy))),
		SourceClass: r.in.SourceClass, RunVerdict: run, Identity: r.IdentityDigest(), Content: r.ContentDigest(),
	}
}

// SpanName returns the name of the projected span.
func (d *Decision) SpanName() string { return OperationExecuteTool + " " + d.ToolName }

// AppendAttributes appends the attributes of the offline form. On a live span
// only what is missing may be added, which is for its writer to see to.
func (d *Decision) AppendAttributes(dst []Attribute) []Attribute {
	for _, a := range [...]Attribute{
		{AttrOperationName, OperationExecuteTool},
		{AttrToolName, d.ToolName},
		{AttrToolNameShort, d.ToolName},
		{AttrSpanKind, SpanKindTool},
		{AttrClaimClass, ClaimDerived},
		{AttrSchema, d.Schema},
		{AttrVerdict, wordOf(d.Verdict)},
		{AttrObservedInput, string(d.ObservedInput)},
		{AttrDeclared, string(d.DeclaredPolicy)},
		{AttrSourceClass, d.SourceClass.String()},
		{AttrRunVerdict, wordOf(d.RunVerdict)},
		{AttrIdentity, string(d.Identity)},
		{AttrContent, string(d.Content)},
	} {
		if a.Value != "" {
			dst = append(dst, a)
		}
	}
	return dst
}

// wordOf returns the word of v, and none for the zero verdict.
func wordOf(v truth.Verdict) string {
	if v == 0 {
		return ""
	}
	return v.String()
}
