// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadata"
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
	attrRunCarriers    = "assay.tdt.run_carrier_digests"
	attrRunSupersedes  = "assay.tdt.run_supersedes"
	attrRunPolicies    = "assay.tdt.run_policies"
	attrRunCountPrefix = "assay.tdt.run_calls_"
	attrRulesPrefix    = "assay.tdt.rules_"
	attrRulesSuffix    = "_rules"
)

// runSpanName is the name of the span that stands for a closed run.
const runSpanName = "tdt.run"

// Bounds of the lists on a run's span. The counts beside them are of all.
const (
	maxListed      = 64
	maxListedBytes = 8 << 10
)

// runSpans builds one span of no length for each closed run, in the trace of
// its last call, so that what is known of a run can be found in any backend. It
// has no parent: which span the trace's root is, is not known here any more.
func runSpans(runs []*engine.ClosedRun, now time.Time, version string) ptrace.Traces {
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	td.ResourceSpans().At(0).Resource().Attributes().PutStr("service.name", "otelcol-tdt")
	ss.Scope().SetName(metadata.ScopeName)
	ss.Scope().SetVersion(version)
	ss.Spans().EnsureCapacity(len(runs))
	for _, run := range runs {
		fillRunSpan(ss.Spans().AppendEmpty(), run, now)
	}
	return td
}

func fillRunSpan(span ptrace.Span, run *engine.ClosedRun, now time.Time) {
	r, at := run.Record, pcommon.Timestamp(run.Closed.Last)
	if at == 0 { // no call says when it began
		at = pcommon.NewTimestampFromTime(now)
	}
	span.SetName(runSpanName)
	span.SetKind(ptrace.SpanKindInternal)
	span.SetTraceID(pcommon.TraceID(run.Closed.Trace))
	span.SetSpanID(runSpanID(run))
	span.SetStartTimestamp(at)
	span.SetEndTimestamp(at)
	attrs := span.Attributes()
	attrs.PutStr(carrier.AttrClaimClass, carrier.ClaimDerived)
	attrs.PutStr(carrier.AttrRunVerdict, r.Verdict.String())
	attrs.PutStr(attrRunExtent, r.Extent.String())
	attrs.PutStr(attrRun, r.Run)
	attrs.PutStr(attrRunClosed, r.Closed.String())
	putCounts(attrs, r)
	putRules(attrs, r.Rules)
	putList(attrs, attrRunPolicies, policyNames(r))
	putList(attrs, attrRunCaveats, words(r.Caveats))
	putRecords(attrs, run)
}

func putCounts(attrs pcommon.Map, r *engine.RunRecord) {
	attrs.PutInt(attrRunCalls, r.Calls)
	attrs.PutInt(attrRunCountPrefix+"match", r.Counts.Match)
	attrs.PutInt(attrRunCountPrefix+"incomplete", r.Counts.Incomplete)
	attrs.PutInt(attrRunCountPrefix+"mismatch", r.Counts.Mismatch)
	attrs.PutInt(attrRunCountPrefix+"invalid", r.Counts.Invalid)
}

// putRules counts the rules by outcome, and lists them.
func putRules(attrs pcommon.Map, rules []engine.RunRule) {
	if len(rules) == 0 {
		return
	}
	by := map[sequence.Outcome][]string{}
	for i := range rules {
		by[rules[i].Outcome] = append(by[rules[i].Outcome], rules[i].RuleID)
	}
	for _, outcome := range []sequence.Outcome{sequence.Held, sequence.Violated, sequence.NotExercised} {
		attrs.PutInt(attrRulesPrefix+outcome.String(), int64(len(by[outcome])))
		putList(attrs, "assay.tdt."+outcome.String()+attrRulesSuffix, by[outcome])
	}
}

// putRecords writes the digests of the run's records, where they are durable:
// of its own, of the one that it replaces, and of the carriers that it cites.
func putRecords(attrs pcommon.Map, run *engine.ClosedRun) {
	if run.Record.Supersedes != "" {
		attrs.PutStr(attrRunSupersedes, string(run.Record.Supersedes))
	}
	if run.Digest == "" {
		return
	}
	attrs.PutStr(attrRunRecord, string(run.Digest))
	var carriers []string
	for _, cited := range run.Closed.Cited[:min(len(run.Closed.Cited), maxListed)] {
		carriers = append(carriers, string(cited.Carrier.Digest()))
	}
	putList(attrs, attrRunCarriers, carriers)
}

// policyNames lists each name once: a policy may have judged in several forms.
func policyNames(r *engine.RunRecord) (names []string) {
	for _, p := range r.Policies {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

func words(caveats []ledger.Caveat) (list []string) {
	for _, c := range caveats {
		list = append(list, c.String())
	}
	return list
}

// putList writes a bounded list of words, and nothing for an empty one.
func putList(attrs pcommon.Map, key string, words []string) {
	if len(words) == 0 {
		return
	}
	words = words[:min(len(words), maxListed)]
	list := attrs.PutEmptySlice(key)
	list.EnsureCapacity(len(words))
	size := 0
	for _, w := range words {
		if size += len(w); size > maxListedBytes {
			break
		}
		list.AppendEmpty().SetStr(w)
	}
}

// runSpanID is made of the run's record, so that a run that is recorded again
// has another span, and the same record the same one.
func runSpanID(run *engine.ClosedRun) (id pcommon.SpanID) {
	record, err := json.Marshal(run.Record)
	if err != nil { // a record is made of words and numbers
		record = []byte(run.Record.Run)
	}
	sum := sha256.Sum256(append([]byte(runSpanName), record...))
	copy(id[:], sum[:])
	return id
}
