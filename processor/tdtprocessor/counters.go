// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadata"
)

// counters are the processor's own metrics. Labels are closed words and names
// from the configuration: nothing that a span says becomes one.
type counters struct {
	builder *metadata.TelemetryBuilder
}

func newCounters(b *metadata.TelemetryBuilder) *counters { return &counters{builder: b} }

func (c *counters) shutdown() { c.builder.Shutdown() }

// count adds up one batch before it touches an instrument: a batch has many
// decisions and few different labels.
func (c *counters) count(ctx context.Context, b *engine.Batch) {
	c.builder.ProcessorTdtSpansInspected.Add(ctx, b.Spans)
	if b.Spoofed > 0 {
		c.builder.ProcessorTdtSpoofedAttributesRemoved.Add(ctx, b.Spoofed)
	}
	if b.Faults > 0 {
		c.builder.ProcessorTdtInternalErrors.Add(ctx, b.Faults)
	}
	if b.Unrecordable > 0 {
		c.evidenceFailed(ctx, reasonUnrecordable)
	}
	var seen seenCalls
	for i := range b.Decisions {
		seen.add(&b.Decisions[i])
	}
	c.add(ctx, &seen)
}

// seenCalls are the calls of one batch, by label.
type seenCalls struct {
	decisions          tally[[2]string] // by verdict and policy
	dialects, unusable tally[string]
	violated           map[string]int64 // by policy
}

func (s *seenCalls) add(d *engine.Decision) {
	for i := range d.Members {
		s.dialects.add(d.Members[i].Obs.Dialect)
	}
	if d.Placed.Kind == ledger.KindJoined || d.Placed.Kind == ledger.KindResent {
		return // its decision was counted when it was taken
	}
	if args := &d.Primary().Obs.Args; !args.Captured() && args.Why != truth.ArgsAbsent {
		s.unusable.add(string(args.Why))
	}
	if d.Policy == nil {
		return
	}
	s.decisions.add([2]string{d.Verdict().String(), d.Policy.Name})
	if n := len(d.Placed.Violated); n > 0 {
		if s.violated == nil {
			s.violated = map[string]int64{}
		}
		s.violated[d.Policy.Name] += int64(n)
	}
}

func (c *counters) add(ctx context.Context, s *seenCalls) {
	for label, n := range s.decisions {
		c.builder.ProcessorTdtDecisions.Add(ctx, n, metric.WithAttributes(
			attribute.String("verdict", label[0]), attribute.String("policy", label[1])))
	}
	for policy, n := range s.violated {
		c.builder.ProcessorTdtRulesViolated.Add(ctx, n, metric.WithAttributes(attribute.String("policy", policy)))
	}
	for dialect, n := range s.dialects {
		c.builder.ProcessorTdtCallsRecognized.Add(ctx, n, metric.WithAttributes(attribute.String("dialect", dialect)))
	}
	for reason, n := range s.unusable {
		c.builder.ProcessorTdtArgumentsUnusable.Add(ctx, n, metric.WithAttributes(attribute.String("reason", reason)))
	}
}

// reasonUnrecordable stands beside the journal's own reasons: no record can hold
// the decision, and to send it again would not help.
const reasonUnrecordable = "unrecordable"

// evidenceFailed counts a batch that lacks evidence.
func (c *counters) evidenceFailed(ctx context.Context, reason string) {
	c.builder.ProcessorTdtEvidenceFailures.Add(ctx, 1, metric.WithAttributes(attribute.String("reason", reason)))
}

func (c *counters) evidenceHealthy(ok bool) {
	n := int64(0)
	if ok {
		n = 1
	}
	c.builder.ProcessorTdtEvidenceHealthy.Record(context.Background(), n)
}

// countRuns adds up closed runs by why they were closed.
func (c *counters) countRuns(ctx context.Context, runs []*engine.ClosedRun) {
	var by tally[string]
	for _, run := range runs {
		by.add(run.Record.Closed.String())
	}
	for why, n := range by {
		c.builder.ProcessorTdtRunsClosed.Add(ctx, n, metric.WithAttributes(attribute.String("why", why)))
	}
}

// A tally counts by label. The zero tally is empty and ready.
type tally[L comparable] map[L]int64

func (t *tally[L]) add(label L) {
	if *t == nil {
		*t = tally[L]{}
	}
	(*t)[label]++
}
