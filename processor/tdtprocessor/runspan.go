// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"crypto/sha256"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// Attributes of runs, on the span of a closed run and, so far as they are
// known, on the spans of its calls.
const (
	attrRunExtent     = "assay.tdt.run_extent"
	attrViolatedRules = "assay.tdt.violated_rules"

	attrRun            = "assay.tdt.run"
	attrRunCalls       = "assay.tdt.run_calls"
	attrRunClosed      = "assay.tdt.run_closed"
	attrRunCaveats     = "assay.tdt.run_caveats"
	attrRunRecord      = "assay.tdt.run_record_digest"
	attrRunSupersedes  = "assay.tdt.run_supersedes"
	attrRunPolicies    = "assay.tdt.run_policies"
	attrRunCountPrefix = "assay.tdt.run_calls_"
	attrRulesPrefix    = "assay.tdt.rules_"
)

// runSpanName is the name of the span that stands for a closed run.
const runSpanName = "tdt.run"

// maxListed bounds the lists on a run's span.
const maxListed = 64

// runSpans builds one span of no length for each closed run, in the trace of
// its last call, so that what is known of a run can be found in any backend.
func runSpans(runs []*engine.ClosedRun, scope, version string) ptrace.Traces {
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	td.ResourceSpans().At(0).Resource().Attributes().PutStr("service.name", "otelcol-tdt")
	ss.Scope().SetName(scope)
	ss.Scope().SetVersion(version)
	ss.Spans().EnsureCapacity(len(runs))
	for _, run := range runs {
		fillRunSpan(ss.Spans().AppendEmpty(), run)
	}
	return td
}

func fillRunSpan(span ptrace.Span, run *engine.ClosedRun) {
	r, c := run.Record, run.Closed
	span.SetName(runSpanName)
	span.SetKind(ptrace.SpanKindInternal)
	span.SetTraceID(pcommon.TraceID(c.Trace))
	span.SetSpanID(runSpanID(run))
	span.SetStartTimestamp(pcommon.Timestamp(c.Last))
	span.SetEndTimestamp(pcommon.Timestamp(c.Last))
	attrs := span.Attributes()
	attrs.PutStr(carrier.AttrClaimClass, carrier.ClaimDerived)
	attrs.PutStr(carrier.AttrRunVerdict, r.Verdict.String())
	attrs.PutStr(attrRunExtent, r.Extent.String())
	attrs.PutStr(attrRun, r.Run)
	attrs.PutStr(attrRunClosed, r.Closed.String())
	attrs.PutInt(attrRunCalls, r.Calls)
	for _, n := range []struct {
		word  string
		count int64
	}{{"match", r.Counts.Match}, {"incomplete", r.Counts.Incomplete}, {"mismatch", r.Counts.Mismatch}, {"invalid", r.Counts.Invalid}} {
		attrs.PutInt(attrRunCountPrefix+n.word, n.count)
	}
	putRules(attrs, r.Rules)
	var policies, caveats []string
	for _, p := range r.Policies {
		policies = append(policies, p.Name)
	}
	for _, caveat := range r.Caveats {
		caveats = append(caveats, caveat.String())
	}
	putList(attrs, attrRunPolicies, slices.Compact(policies))
	putList(attrs, attrRunCaveats, caveats)
	if run.Digest != "" {
		attrs.PutStr(attrRunRecord, string(run.Digest))
	}
	if r.Supersedes != "" {
		attrs.PutStr(attrRunSupersedes, string(r.Supersedes))
	}
}

// putRules counts the rules by outcome and lists those that are violated.
func putRules(attrs pcommon.Map, rules []engine.RunRule) {
	if len(rules) == 0 {
		return
	}
	counts := map[sequence.Outcome]int64{}
	var violated []string
	for i := range rules {
		counts[rules[i].Outcome]++
		if rules[i].Outcome == sequence.Violated {
			violated = append(violated, rules[i].RuleID)
		}
	}
	for _, outcome := range []sequence.Outcome{sequence.Held, sequence.Violated, sequence.NotExercised} {
		attrs.PutInt(attrRulesPrefix+outcome.String(), counts[outcome])
	}
	putList(attrs, attrViolatedRules, violated)
}

// putList writes a bounded list of words, and nothing for an empty one.
func putList(attrs pcommon.Map, key string, words []string) {
	if len(words) == 0 {
		return
	}
	words = words[:min(len(words), maxListed)]
	list := attrs.PutEmptySlice(key)
	list.EnsureCapacity(len(words))
	for _, w := range words {
		list.AppendEmpty().SetStr(w)
	}
}

// runSpanID is made of the run and of what it supersedes, so that a run that
// is recorded again has another span, and the same record the same one.
func runSpanID(run *engine.ClosedRun) (id pcommon.SpanID) {
	sum := sha256.Sum256([]byte(runSpanName + run.Record.Run + string(run.Record.Supersedes)))
	copy(id[:], sum[:])
	return id
}
