// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
)

// end records the runs that the batch ended.
func (p *tdtProcessor) end(ctx context.Context, now time.Time, batch *engine.Batch, td ptrace.Traces) {
	if len(batch.Ended.Closed) == 0 {
		return
	}
	runs, err := p.engine.End(ctx, now, batch.Ended)
	p.notRecorded(err)
	p.annotator.annotateRoots(td, batch, runs)
	p.closed(ctx, runs)
}

// closed counts closed runs and sends their spans on.
func (p *tdtProcessor) closed(ctx context.Context, runs []*engine.ClosedRun) {
	p.metrics.countRuns(ctx, runs)
	on, dropped := p.unkept.add(runs)
	if dropped > 0 {
		p.logger.Error("records of closed runs are given up, too many wait", zap.Int("runs", dropped))
	}
	p.send(ctx, on)
}

// send sends the spans of closed runs on. What is refused for now waits for the
// next sweep: the records of the runs do not depend on it.
func (p *tdtProcessor) send(ctx context.Context, runs []*engine.ClosedRun) {
	if len(runs) == 0 {
		return
	}
	err := p.emit(ctx, runSpans(runs, p.now(), p.version))
	if err == nil {
		return
	}
	dropped := len(runs)
	if !consumererror.IsPermanent(err) {
		dropped = p.unsent.add(runs)
	}
	p.logger.Warn("spans of closed runs were refused", zap.Int("runs", len(runs)), zap.Int("dropped", dropped), zap.Error(err))
	p.metrics.builder.ProcessorTdtRunSpansDropped.Add(ctx, int64(dropped))
}

// sendAgain sends on what was refused before.
func (p *tdtProcessor) sendAgain(ctx context.Context) {
	for _, runs := range p.unsent.take() {
		p.send(ctx, runs)
	}
}

// keep tries again to record closed runs.
func (p *tdtProcessor) keep(ctx context.Context) {
	runs := p.unkept.take()
	if len(runs) == 0 {
		return
	}
	p.notRecorded(p.engine.Keep(ctx, runs))
	p.send(ctx, p.unkept.again(runs))
}

func (p *tdtProcessor) notRecorded(err error) {
	if err != nil {
		p.logger.Error("a closed run is not recorded", zap.Error(err))
	}
}

func (p *tdtProcessor) sweep(ctx context.Context) {
	if p.store != nil {
		p.store.retry(ctx)
	}
	p.sendAgain(ctx)
	p.keep(ctx)
	p.notRecorded(p.engine.Sweep(ctx, p.now(), func(runs []*engine.ClosedRun) { p.closed(ctx, runs) }))
	p.metrics.builder.ProcessorTdtRunsOpen.Record(ctx, p.ledger.Stats().Open)
}

// closeRuns closes all runs as they are; with a storage they stay open, and go
// on after the restart. The spans of those that cannot be recorded go on without
// a digest: there will be no other time.
func (p *tdtProcessor) closeRuns(ctx context.Context) error {
	defer p.giveUpUnsent(ctx)
	if p.store == nil {
		p.notRecorded(p.engine.CloseAll(ctx, p.now(), ledger.WhyShutdown, func(runs []*engine.ClosedRun) { p.closed(ctx, runs) }))
	}
	p.keep(ctx)
	lost := p.unkept.take()
	if len(lost) == 0 || p.store != nil { // what is stored is open, and is closed again
		return nil
	}
	if p.unkept.block {
		p.send(ctx, lost)
	}
	return fmt.Errorf("evidence: the records of %d closed runs are lost", len(lost))
}

// giveUpUnsent tries a last time to send on what was refused.
func (p *tdtProcessor) giveUpUnsent(ctx context.Context) {
	p.sendAgain(ctx)
	for _, runs := range p.unsent.take() {
		p.metrics.builder.ProcessorTdtRunSpansDropped.Add(ctx, int64(len(runs)))
	}
}
