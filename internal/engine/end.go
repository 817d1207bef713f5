// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// sweepBudget is how many runs one step of a sweep closes, so that no batch
// waits long for the ledger.
const sweepBudget = 512

// End records what is over: for each closed run its rows and its record. A run
// whose record could not be made durable has no Digest; the error says why. The
// runs are returned in any case.
func (e *Engine) End(ctx context.Context, now time.Time, ended ledger.Ended) ([]*ClosedRun, error) {
	var errs error
	runs := make([]*ClosedRun, 0, len(ended.Closed))
	for i := range ended.Closed {
		run, err := closedRun(&ended.Closed[i], now)
		if err != nil {
			errs = errors.Join(errs, err)
			continue
		}
		runs = append(runs, run)
	}
	if e.set.Journal == nil {
		return runs, errs
	}
	for _, run := range runs {
		errs = errors.Join(errs, e.keep(ctx, run))
	}
	return runs, errs
}

// maxEvents bounds the events of one append, so that a long run is not one
// batch of the journal.
const maxEvents = 1024

func (e *Engine) keep(ctx context.Context, run *ClosedRun) error {
	var chunk []carrier.Event
	for rest := run.events; len(rest) > 0; rest = rest[len(chunk):] {
		chunk = rest[:min(len(rest), maxEvents)]
		if err := e.set.Journal.Append(ctx, chunk); err != nil {
			return fmt.Errorf("evidence of a run: %w", err)
		}
	}
	run.Digest = run.digest.Digest()
	e.set.Ledger.Issued(run.Closed, run.digest)
	return nil
}

// Sweep closes runs that are idle or too old, in small steps, and records them.
func (e *Engine) Sweep(ctx context.Context, now time.Time, visit func([]*ClosedRun)) error {
	return e.drain(ctx, now, visit, func() ledger.Ended { return e.set.Ledger.Sweep(now, sweepBudget) })
}

// CloseAll closes every run and records it.
func (e *Engine) CloseAll(ctx context.Context, now time.Time, why ledger.Why, visit func([]*ClosedRun)) error {
	return e.drain(ctx, now, visit, func() ledger.Ended { return e.set.Ledger.CloseAll(now, why, sweepBudget) })
}

func (e *Engine) drain(ctx context.Context, now time.Time, visit func([]*ClosedRun), step func() ledger.Ended) error {
	if e.set.Ledger == nil {
		return nil
	}
	var errs error
	for {
		ended := step()
		if len(ended.Closed) == 0 {
			return errs
		}
		runs, err := e.End(ctx, now, ended)
		errs = errors.Join(errs, err)
		visit(runs)
	}
}
