// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// sweepBudget is how many runs one step of a sweep closes, so that no batch
// waits long for the ledger.
const sweepBudget = 512

// yieldEvery is after how many runs whoever records them lets batches go first:
// a core would be theirs for a whole time slice otherwise, which is 10 ms.
const yieldEvery = 32

// End records what is over: for each closed run its rows and its record. A run
// whose record could not be made durable has no Digest; the error says why, and
// Keep tries again. The runs are returned in any case.
func (e *Engine) End(ctx context.Context, now time.Time, ended ledger.Ended) ([]*ClosedRun, error) {
	var errs error
	runs := make([]*ClosedRun, 0, len(ended.Closed))
	for i := range ended.Closed {
		run, err := e.closedRun(&ended.Closed[i], now)
		errs = errors.Join(errs, err)
		runs = append(runs, run)
		if i%yieldEvery == yieldEvery-1 {
			runtime.Gosched()
		}
	}
	if e.set.Journal == nil {
		e.saveClosed(ctx, runs)
		return runs, errs
	}
	return runs, errors.Join(errs, e.Keep(ctx, runs))
}

// maxEvents bounds the events of one append, so that neither a long run nor
// many short ones are one batch of the journal.
const maxEvents = 1024

// Keep makes the records of closed runs durable, those that have none yet. What
// is durable already is not written again.
func (e *Engine) Keep(ctx context.Context, runs []*ClosedRun) error {
	if e.set.Journal == nil {
		return nil
	}
	var errs error
	for len(runs) > 0 {
		n := takeRuns(runs)
		if err := e.keep(ctx, runs[:n]); err != nil {
			errs = errors.Join(errs, fmt.Errorf("evidence of %d closed runs: %w", n, err))
		}
		runs = runs[n:]
	}
	return errs
}

// takeRuns returns how many of the first runs fit one append. One fits always.
func takeRuns(runs []*ClosedRun) int {
	events := 0
	for i, run := range runs {
		events += len(run.events)
		if events > maxEvents {
			return max(i, 1)
		}
	}
	return len(runs)
}

// keep records runs together, so that they share a sync.
func (e *Engine) keep(ctx context.Context, runs []*ClosedRun) error {
	total := 0
	for _, run := range runs {
		total += len(run.events)
	}
	events := make([]carrier.Event, 0, total)
	for _, run := range runs {
		events = append(events, run.events...)
	}
	for len(events) > 0 {
		n := min(len(events), maxEvents)
		if err := e.set.Journal.Append(ctx, events[:n]); err != nil {
			return err
		}
		events = events[n:]
	}
	for _, run := range runs {
		if len(run.events) > 0 {
			run.events, run.Digest = nil, run.digest.Digest()
			e.set.Ledger.Issued(run.Closed, run.digest)
		}
	}
	e.saveClosed(ctx, runs)
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
		if len(ended.Closed)+len(ended.Forgotten) == 0 {
			return errs
		}
		e.save(ctx, nil, ended.Forgotten)
		runs, err := e.End(ctx, now, ended)
		errs = errors.Join(errs, err)
		visit(runs)
	}
}
