// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/tool-decision-truth/collector/internal/engine"
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
	var decisions tally[[2]string]
	var dialects, unusable tally[string]
	for i := range b.Decisions {
		d := &b.Decisions[i]
		for j := range d.Members {
			dialects.add(d.Members[j].Obs.Dialect)
		}
		if why := d.Primary().Obs.Args.Why; !d.Primary().Obs.Args.Captured() && why != truth.ArgsAbsent {
			unusable.add(string(why))
		}
		if d.Policy != nil {
			decisions.add([2]string{d.Verdict().String(), d.Policy.Name})
			if n := int64(len(d.Placed.Violated)); n > 0 {
				c.builder.ProcessorTdtRulesViolated.Add(ctx, n, metric.WithAttributes(attribute.String("policy", d.Policy.Name)))
			}
		}
	}
	for label, n := range decisions {
		c.builder.ProcessorTdtDecisions.Add(ctx, n, metric.WithAttributes(
			attribute.String("verdict", label[0]), attribute.String("policy", label[1])))
	}
	for dialect, n := range dialects {
		c.builder.ProcessorTdtCallsRecognized.Add(ctx, n, metric.WithAttributes(attribute.String("dialect", dialect)))
	}
	for reason, n := range unusable {
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
