// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A replay is what the engine makes of recorded spans: every decision that it
// would record, in their order. Carriers are compared with it.
type replay struct {
	keyIDs    []string
	keys      []*canon.Key
	decisions []replayed
	bySpan    map[spanKey][]int32
	byCall    map[string][]int32
	byOrder   map[int64][]int32
}

// A spanKey is a trace id and a span id.
type spanKey [24]byte

// A replayed is one decision as it was made again. Its span can go.
type replayed struct {
	tool, callID string
	order        int64
	source       truth.SourceClass
	result       truth.ResultStatus
	identity     truth.Identity
	axes         [7]truth.Verdict
	args         []string // digests, by key
}

// replayOf judges recordings once more, to compare carriers with.
func (s streams) replayOf(policy string, files []string, keys *keyring) (*derivation, error) {
	ids := keys.ArgsKeyIDs()
	if len(ids) == 0 {
		return nil, usagef("--traces needs keys, by --keys or --key-id: only a key ties a recorded call to a carrier")
	}
	j, err := newJudging(s, &judgeFlags{policy: policy})
	if err != nil {
		return nil, err
	}
	r := &replay{keyIDs: ids, bySpan: map[spanKey][]int32{}, byCall: map[string][]int32{}, byOrder: map[int64][]int32{}}
	for _, id := range ids {
		key, _ := keys.ArgsKey(id)
		r.keys = append(r.keys, key)
	}
	p := s.progress("spans read")
	defer p.stop()
	for _, file := range files {
		err := s.readTraces(file, func(td ptrace.Traces) error {
			p.add(int64(td.SpanCount()))
			return r.batch(j, td)
		})
		if err != nil {
			return nil, err
		}
	}
	return &derivation{name: filepath.Base(policy), policy: j.policy.Truth, replay: r}, nil
}

// batch takes in what one export request brings.
func (r *replay) batch(j *judging, td ptrace.Traces) error {
	b, err := j.engine.Process(context.Background(), epoch, engine.Policies{j.policy}, td)
	if err != nil {
		return err
	}
	for i := range b.Decisions {
		d := &b.Decisions[i]
		switch d.Placed.Kind {
		case ledger.KindNew, ledger.KindReplaced, ledger.KindChanged:
			r.add(d)
		}
	}
	return nil
}

func (r *replay) add(d *engine.Decision) {
	out := replayed{
		tool: d.Tool, callID: strings.ToValidUTF8(d.CallID, "\uFFFD"), order: d.Placed.Order,
		source: d.Source, result: d.Result, identity: d.Identity,
	}
	for i := range d.Truth.Findings {
		out.axes[i] = d.Truth.Findings[i].Verdict
	}
	for _, key := range r.keys {
		out.args = append(out.args, key.ArgsDigest(d.Primary().Obs.Args.Doc))
	}
	n := int32(len(r.decisions))
	r.decisions = append(r.decisions, out)
	at := keyOfSpan(d.Primary().Span)
	r.bySpan[at] = append(r.bySpan[at], n)
	r.byOrder[out.order] = append(r.byOrder[out.order], n)
	if out.callID != "" {
		r.byCall[out.callID] = append(r.byCall[out.callID], n)
	}
}

func keyOfSpan(span ptrace.Span) (k spanKey) {
	trace, id := span.TraceID(), span.SpanID()
	copy(k[:], trace[:])
	copy(k[len(pcommon.TraceID{}):], id[:])
	return k
}

// parseTraceParent reads the ids in a traceparent.
func parseTraceParent(s string) (k spanKey, ok bool) {
	parts := strings.Split(s, "-")
	if len(parts) != 4 || len(parts[1]) != 32 || len(parts[2]) != 16 {
		return k, false
	}
	_, err := hex.Decode(k[:], []byte(parts[1]+parts[2]))
	return k, err == nil
}

// compare compares a carrier with the recorded call that it fits best.
func (r *replay) compare(in *carrier.Input, traceParent string) (why deriveFault, got, want string) {
	key := -1
	for i, id := range r.keyIDs {
		if id == in.KeyID {
			key = i
		}
	}
	candidates := r.candidates(in, traceParent)
	switch {
	case len(candidates) == 0:
		return deriveCallMissing, "", ""
	case key < 0:
		return deriveUnknownKey, in.KeyID, ""
	}
	best := -1
	for _, i := range candidates {
		fault, at := r.decisions[i].compare(in, key)
		if fault.why == "" {
			return "", "", ""
		}
		if at > best {
			best, why, got, want = at, fault.why, fault.got, fault.want
		}
	}
	return why, got, want
}

// candidates returns the decisions that a carrier may be about: those of its
// span, where it names one, or those of its call id or its order.
func (r *replay) candidates(in *carrier.Input, traceParent string) []int32 {
	if at, ok := parseTraceParent(traceParent); ok {
		return r.bySpan[at]
	}
	if in.CallID != "" {
		return r.byCall[in.CallID]
	}
	return r.byOrder[in.Order]
}

// A difference is in what a carrier and a call differ.
type difference struct {
	why       deriveFault
	got, want string
}

// compare returns the first difference, and how many checks it passed before.
func (d *replayed) compare(in *carrier.Input, key int) (difference, int) {
	checks := []difference{
		differ(in.ToolName == d.tool, deriveToolDiffers, "", ""),
		differ(in.CallID == d.callID, deriveCallDiffers, "", ""),
		differ(in.ArgsDigest == d.args[key], deriveArgsDiffer, in.ArgsDigest, d.args[key]),
		differ(d.sameSource(in.SourceClass), deriveSource, in.SourceClass.String(), d.source.String()),
		differ(in.ResultStatus == d.result, deriveResult, in.ResultStatus.String(), d.result.String()),
		differ((in.Identity == truth.IdentityInvalid) == (d.identity == truth.IdentityInvalid), deriveIdentity, in.Identity.String(), d.identity.String()),
		d.compareVerdict(in),
		differ(in.Order == d.order, deriveOrder, "", ""),
	}
	for i, c := range checks {
		if c.why != "" {
			return c, i
		}
	}
	return difference{}, len(checks)
}

func differ(same bool, why deriveFault, got, want string) difference {
	if same {
		return difference{}
	}
	return difference{why, got, want}
}

// sameSource allows for boundaries, which the operator of the processor names.
func (d *replayed) sameSource(s truth.SourceClass) bool {
	return s == d.source || s == truth.SourceAuthoritative && d.source == truth.SourceReported
}

// compareVerdict joins the axes again. Identity is the carrier's word, since it
// depends on the processor's configuration; so do the facts about obligations,
// which are unknown here.
func (d *replayed) compareVerdict(in *carrier.Input) difference {
	if in.Unclassified {
		return difference{}
	}
	certain, open := identityVerdict(in.Identity), false
	for i, v := range d.axes {
		switch axis := truth.Axis(i + 1); axis {
		case truth.AxisIdentity:
		case truth.AxisApproval, truth.AxisScope, truth.AxisRedaction:
			open = open || v == truth.Incomplete
		default:
			certain = truth.Join(certain, v)
		}
	}
	derived := certain
	if open {
		derived = truth.Join(certain, truth.Incomplete)
	}
	switch {
	case in.Verdict == derived:
		return difference{}
	case open && in.Verdict >= certain && in.Verdict <= truth.Join(certain, truth.Mismatch):
		return difference{deriveFacts, in.Verdict.String(), derived.String()}
	}
	return difference{deriveVerdict, in.Verdict.String(), derived.String()}
}

// identityVerdict is the identity axis (spec section 5).
func identityVerdict(i truth.Identity) truth.Verdict {
	switch i {
	case truth.IdentityPresent, truth.IdentityAbsent:
		return truth.Match
	case truth.IdentityRequiredMissing:
		return truth.Incomplete
	}
	return truth.Invalid
}

// journal derives the carriers of a journal again. What cannot be is counted,
// and no fault.
func (d *derivation) journal(order int, dir string, report *setReport) error {
	if d == nil {
		return nil
	}
	if d.replay == nil {
		return usagef("%s: a journal is derived again from spans, by --traces", dir)
	}
	report.Derived = &derivedReport{Policy: d.name, Digest: d.policy.DeclaredDigest()}
	r, err := evidence.OpenReader(dir, evidence.Filter{Types: []string{carrier.TypeCarrier}})
	if err != nil {
		return plainPathError(err)
	}
	defer r.Close()
	for rec, err := range r.All() {
		if _, damaged := errors.AsType[*evidence.Finding](err); damaged {
			return nil // that is told already
		}
		if err != nil {
			return plainPathError(err)
		}
		d.journalRecord(order, dir, rec, report)
	}
	return nil
}

func (d *derivation) journalRecord(order int, dir string, rec *evidence.Record, report *setReport) {
	c, err := carrier.Import(string(rec.Data))
	if err != nil {
		return // that is told already
	}
	in := c.Input()
	why, got, want := d.compare(&in, rec.TraceParent)
	if report.Derived.count(why) || deriveFaults[why].cannot {
		return
	}
	report.Faults++
	if len(report.First) < maxFaults {
		at := location{File: filepath.Join(dir, rec.File), Line: int64(rec.Line), order: order, part: report.Faults}
		report.First = append(report.First, why.at(at, got, want))
	}
}
