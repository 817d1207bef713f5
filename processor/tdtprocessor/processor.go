// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.uber.org/zap"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadata"
)

// tdtProcessor judges the tool calls in each batch, keeps evidence of them and
// annotates their spans.
type tdtProcessor struct {
	cfg       *Config
	logger    *zap.Logger
	engine    *engine.Engine
	ledger    *ledger.Ledger
	reloader  *reloader
	journal   *journal  // nil: there is no evidence
	store     *runStore // nil: runs end with the process
	unkept    unkept
	unsent    unsent
	annotator *annotator
	metrics   *counters
	status    statusBoard
	version   string

	now   func() time.Time
	every time.Duration                              // between two sweeps
	emit  func(context.Context, ptrace.Traces) error // sends the spans of closed runs on

	stop context.CancelFunc
	done sync.WaitGroup
}

// newProcessor builds the processor and reads the policies, so that whoever
// validates a configuration learns of a policy that does not load.
func newProcessor(set processor.Settings, cfg *Config) (*tdtProcessor, error) {
	builder, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, fmt.Errorf("own telemetry: %w", err)
	}
	p := &tdtProcessor{
		cfg: cfg, logger: set.Logger, annotator: newAnnotator(cfg), metrics: newCounters(builder),
		version: set.BuildInfo.Version, now: time.Now, every: sweepInterval,
		emit: func(context.Context, ptrace.Traces) error { return nil },
	}
	settings, err := p.settings(set)
	if err != nil {
		return nil, err
	}
	if p.ledger = settings.Ledger; p.store != nil {
		p.store.ledger = p.ledger
	}
	p.unkept.block = settings.Block
	p.engine, err = newEngine(settings, cfg)
	return p, err
}

// start restores runs, opens the journal and begins to watch policies and idle runs.
func (p *tdtProcessor) start(ctx context.Context, host component.Host) error {
	p.status.begin(host)
	if err := p.beginRuns(ctx, host); err != nil {
		return err
	}
	if p.journal != nil {
		if err := p.journal.start(); err != nil {
			return errors.Join(err, p.closeStore(ctx))
		}
	}
	p.reloader.start()
	ctx, p.stop = context.WithCancel(context.Background())
	p.done.Add(1)
	go p.watchRuns(ctx)
	return nil
}

// shutdown closes all runs as they are, and then the journal. It may be called
// without a start and more than once.
func (p *tdtProcessor) shutdown(ctx context.Context) error {
	if p.stop == nil {
		p.metrics.shutdown()
		return nil
	}
	p.stop()
	p.stop = nil
	p.done.Wait()
	p.reloader.shutdown()
	ctx, cancel := p.grace(ctx)
	defer cancel()
	err := p.closeRuns(ctx)
	if p.journal != nil {
		err = errors.Join(err, p.journal.shutdown(ctx))
	}
	err = errors.Join(err, p.closeStore(ctx))
	p.metrics.shutdown()
	return err
}

// grace gives a shutdown the time to write what is held, also where its context
// is over. The disk may stall once for the records and once for the last
// checkpoint.
func (p *tdtProcessor) grace(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 2*p.cfg.Evidence.WaitTimeout)
}

// beginRuns restores the runs that are stored. Whatever began before is lost,
// as far as none were.
func (p *tdtProcessor) beginRuns(ctx context.Context, host component.Host) error {
	now := p.now()
	if p.store == nil {
		p.ledger.Begin(now, now)
		return nil
	}
	if err := p.store.open(ctx, host); err != nil {
		return err
	}
	if err := p.restoreRuns(ctx, now); err != nil {
		return errors.Join(err, p.closeStore(ctx))
	}
	return nil
}

func (p *tdtProcessor) restoreRuns(ctx context.Context, now time.Time) error {
	since, err := p.store.since(ctx, now)
	if err != nil {
		return err
	}
	if p.cfg.HMAC.Key == "" {
		seed, err := p.store.seed(ctx)
		if err != nil {
			return err
		}
		p.engine.Reseed(seed)
	}
	p.ledger.Begin(now, since)
	var policies []*ledger.Policy
	for _, policy := range p.reloader.policies() {
		policies = append(policies, policy.Run)
	}
	return p.store.restore(ctx, now, policies)
}

func (p *tdtProcessor) closeStore(ctx context.Context) error {
	if p.store == nil {
		return nil
	}
	return p.store.close(ctx)
}

// processTraces judges, records and annotates one batch by one state of the
// policies. No content makes it fail: the one error is that of a journal that
// may refuse, and it is retryable.
func (p *tdtProcessor) processTraces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	var err error
	if !p.guard(ctx, int64(td.SpanCount()), func() { err = p.judge(ctx, td) }) {
		p.abandon(ctx, td)
		return td, nil
	}
	return td, err
}

func (p *tdtProcessor) judge(ctx context.Context, td ptrace.Traces) error {
	now := p.now()
	batch, err := p.engine.Process(ctx, now, p.reloader.policies(), td)
	p.metrics.count(ctx, batch)
	if err == nil {
		for i := range batch.Decisions {
			p.annotator.annotate(&batch.Decisions[i])
		}
	}
	p.end(ctx, now, batch, td)
	return err
}

// sweepInterval is how often idle runs are looked for. Runs are closed up to so
// much later than their timeout.
const sweepInterval = time.Second

func (p *tdtProcessor) watchRuns(ctx context.Context) {
	defer p.done.Done()
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.guard(ctx, 0, func() { p.sweep(ctx) })
		}
	}
}
