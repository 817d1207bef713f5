// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"encoding/hex"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// Attributes of the view beside those of the projection (spec section 11).
const (
	attrDialect     = "assay.tdt.dialect"
	attrPolicy      = "assay.tdt.policy"
	attrEvidence    = "assay.tdt.evidence"
	attrReason      = "assay.tdt.reason"
	attrReasons     = "assay.tdt.reasons"
	attrExplanation = "assay.tdt.explanation"
	attrPrimary     = "assay.tdt.primary_span_id"
)

// Bounds of what is written, so that no span grows with what it reports.
const (
	maxReasons     = 16
	maxExplanation = 1024
)

// annotator writes the view of a decision onto its spans.
type annotator struct {
	removeArguments bool
	custom          map[string][]string // keys with arguments, of each custom dialect
	mark            map[truth.Verdict]bool
}

func newAnnotator(cfg *Config) *annotator {
	a := &annotator{
		removeArguments: cfg.Arguments == ArgumentsRemove, custom: argumentsOfCustom(cfg.Recognize.Custom),
		mark: map[truth.Verdict]bool{},
	}
	for _, word := range cfg.MarkStatus {
		if v, ok := truth.ParseVerdict(word); ok {
			a.mark[v] = true
		}
	}
	return a
}

// annotate writes the decision's verdict onto every span of the call. A call
// that no policy is meant for is left as it came.
func (a *annotator) annotate(d *engine.Decision) {
	if d.Policy == nil {
		return
	}
	view := viewOf(d)
	for i := range d.Members {
		span := d.Members[i].Span
		attrs := span.Attributes()
		if earlier, ok := written(span); ok {
			if earlier >= d.Verdict() {
				continue // the span covers several calls, and shows the worst
			}
			attrs.RemoveIf(func(key string, _ pcommon.Value) bool { return recognize.Reserved(key) })
		}
		attrs.EnsureCapacity(attrs.Len() + view.size())
		view.put(attrs, d.Members[i].Obs)
		if primary := view.primary; primary != span.SpanID() {
			attrs.PutStr(attrPrimary, hex.EncodeToString(primary[:]))
		}
		if a.mark[d.Verdict()] {
			span.Status().SetCode(ptrace.StatusCodeError)
		}
		if a.removeArguments {
			recognize.RemoveArguments(span)
			for _, key := range a.custom[d.Members[i].Obs.Dialect] {
				attrs.Remove(key)
			}
		}
	}
}

// written returns the verdict that this processor has put on span already.
func written(span ptrace.Span) (truth.Verdict, bool) {
	v, ok := span.Attributes().Get(carrier.AttrVerdict)
	if !ok {
		return 0, false
	}
	return truth.ParseVerdict(v.Str())
}

// annotateRoots writes the verdict of runs that are over onto the root spans of
// their traces in this batch, since lists of traces show roots. Where a trace
// has several runs, the worst one counts.
func (a *annotator) annotateRoots(td ptrace.Traces, batch *engine.Batch, runs []*engine.ClosedRun) {
	over := make(map[ledger.ID]*engine.ClosedRun, len(runs))
	for _, run := range runs {
		over[run.Closed.Run] = run
	}
	worst := map[pcommon.TraceID]*engine.ClosedRun{}
	for i := range batch.Decisions {
		run := over[batch.Decisions[i].Run]
		if run == nil {
			continue
		}
		for j := range batch.Decisions[i].Members {
			trace := batch.Decisions[i].Members[j].Span.TraceID()
			if known := worst[trace]; known == nil || run.Record.Verdict > known.Record.Verdict {
				worst[trace] = run
			}
		}
	}
	if len(worst) > 0 {
		putOnRoots(td, worst)
	}
}

func putOnRoots(td ptrace.Traces, runs map[pcommon.TraceID]*engine.ClosedRun) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				run := runs[span.TraceID()]
				if run == nil || !span.ParentSpanID().IsEmpty() {
					continue
				}
				span.Attributes().PutStr(carrier.AttrRunVerdict, run.Record.Verdict.String())
				span.Attributes().PutStr(attrRunExtent, run.Record.Extent.String())
			}
		}
	}
}

// A view is what all spans of one call show.
type view struct {
	decision    *engine.Decision
	verdict     truth.Verdict
	policy      string
	declared    string
	primary     pcommon.SpanID
	reasons     []string
	explanation string
}

// followsExplanation stands on a span whose call was decided by an earlier one.
const followsExplanation = "This call was judged by an earlier observation of it."

func viewOf(d *engine.Decision) *view {
	v := &view{
		decision: d, verdict: d.Verdict(), policy: d.Policy.Name, declared: string(d.Policy.Truth.DeclaredDigest()),
		primary: d.Primary().Span.SpanID(),
	}
	if d.Follows() {
		v.policy, v.declared = d.Placed.Policy.Name, string(d.Placed.Policy.Digest)
		v.primary, v.explanation = pcommon.SpanID(d.Placed.Primary), followsExplanation
		return v
	}
	v.reasons, v.explanation = d.Reasons(), d.Explanation()
	v.reasons = v.reasons[:min(len(v.reasons), maxReasons)]
	v.explanation = bounded(v.explanation)
	return v
}

// bounded cuts a sentence that is too long, and no character in two.
func bounded(sentence string) string {
	if len(sentence) <= maxExplanation {
		return sentence
	}
	return strings.ToValidUTF8(sentence[:maxExplanation-len(ellipsis)], "") + ellipsis
}

const ellipsis = "…"

// size is how many attributes put writes at most, so that a span's attributes
// move once.
func (v *view) size() int {
	const always, missing, primary, run = 9, 4, 1, 3
	n := always + missing + primary + run
	if len(v.reasons) > 0 {
		n += 2
	}
	if v.decision.Evidence == engine.EvidenceRecorded {
		n += 3
	}
	return n
}

func (v *view) put(attrs pcommon.Map, obs *recognize.Observation) {
	d := v.decision
	if d.Tool != "" { // else whoever reads the view would look for the name elsewhere
		addMissing(attrs, carrier.AttrOperationName, carrier.OperationExecuteTool)
		addMissing(attrs, carrier.AttrToolName, d.Tool)
		addMissing(attrs, carrier.AttrToolNameShort, d.Tool)
		addMissing(attrs, carrier.AttrSpanKind, carrier.SpanKindTool)
	}
	attrs.PutStr(carrier.AttrClaimClass, carrier.ClaimDerived)
	attrs.PutStr(carrier.AttrSchema, carrier.SchemaCarrier)
	attrs.PutStr(carrier.AttrVerdict, v.verdict.String())
	attrs.PutStr(carrier.AttrDeclared, v.declared)
	attrs.PutStr(carrier.AttrSourceClass, d.Source.String())
	attrs.PutStr(attrPolicy, v.policy)
	attrs.PutStr(attrDialect, obs.Dialect)
	attrs.PutStr(attrEvidence, d.Evidence.String())
	attrs.PutStr(attrExplanation, v.explanation)
	if len(v.reasons) > 0 {
		attrs.PutStr(attrReason, v.reasons[0])
		putList(attrs, attrReasons, v.reasons)
	}
	v.putDigests(attrs)
	v.putRun(attrs)
}

// putDigests writes what the journal holds, and nothing that it does not.
func (v *view) putDigests(attrs pcommon.Map) {
	if d := v.decision; d.Evidence == engine.EvidenceRecorded {
		attrs.PutStr(carrier.AttrObservedInput, string(d.Observed))
		attrs.PutStr(carrier.AttrIdentity, string(d.IdentityDigest))
		attrs.PutStr(carrier.AttrContent, string(d.Content))
	}
}

// putRun writes what is known of the run so far.
func (v *view) putRun(attrs pcommon.Map) {
	d := v.decision
	if d.Placed.Kind == 0 {
		return
	}
	attrs.PutStr(carrier.AttrRunVerdict, d.Placed.RunVerdict.String())
	attrs.PutStr(attrRunExtent, d.Extent.String())
	putList(attrs, attrViolatedRules, d.Placed.Violated)
}

// addMissing never overwrites what the instrumentation wrote.
func addMissing(attrs pcommon.Map, key, value string) {
	if _, ok := attrs.Get(key); !ok {
		attrs.PutStr(key, value)
	}
}
