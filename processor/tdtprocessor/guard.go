// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/tool-decision-truth/collector/internal/engine"
)

// guard runs work and reports whether it came to its end. A panic is a fault of
// ours and must not end the Collector: it is counted for as many spans as it
// struck, and logged by where it happened. Its own words are not logged, since
// they may quote what a span says.
func (p *tdtProcessor) guard(ctx context.Context, spans int64, work func()) (sound bool) {
	defer func() {
		if recover() != nil {
			sound = false
			p.metrics.builder.ProcessorTdtInternalErrors.Add(ctx, spans)
			p.logger.Error("a fault of the processor itself, telemetry goes on without it", zap.StackSkip("where", 1))
		}
	}()
	work()
	return true
}

// abandon is what becomes of a batch that a fault struck as a whole: it goes on
// without verdicts, and with nothing under the reserved names.
func (p *tdtProcessor) abandon(ctx context.Context, td ptrace.Traces) {
	p.guard(ctx, 0, func() {
		if removed := engine.Strip(td); removed > 0 {
			p.metrics.builder.ProcessorTdtSpoofedAttributesRemoved.Add(ctx, removed)
		}
	})
}
