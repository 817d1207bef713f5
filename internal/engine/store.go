// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"slices"

	"github.com/tool-decision-truth/collector/internal/ledger"
)

// A Store makes the state of runs outlive the process. It answers for itself:
// what it cannot keep never harms a batch.
type Store interface {
	// Save stores those of the changed runs that the ledger knows, as
	// ledger.AppendRun writes them when it is called or later. It drops what it
	// has of the forgotten ones, unless they are known again.
	Save(ctx context.Context, changed, forgotten []ledger.ID)
}

func (e *Engine) save(ctx context.Context, changed, forgotten []ledger.ID) {
	if e.set.Store != nil && len(changed)+len(forgotten) > 0 {
		e.set.Store.Save(ctx, changed, forgotten)
	}
}

// saveBatch stores the runs that the batch said something about. Those that it
// closed wait for their record: until that is durable, a restart is to find
// them open, and close them again.
func (e *Engine) saveBatch(ctx context.Context, p *placing, ended *ledger.Ended) {
	if e.set.Store == nil {
		return
	}
	changed := p.runs()
	for i := range ended.Closed {
		if at, found := slices.BinarySearchFunc(changed, ended.Closed[i].Run, compareIDs); found {
			changed = slices.Delete(changed, at, at+1)
		}
	}
	e.save(ctx, changed, ended.Forgotten)
}

// saveClosed stores closed runs whose records are durable, or which have none.
func (e *Engine) saveClosed(ctx context.Context, runs []*ClosedRun) {
	if e.set.Store == nil {
		return
	}
	ids := make([]ledger.ID, len(runs))
	for i, run := range runs {
		ids[i] = run.Closed.Run
	}
	e.save(ctx, ids, nil)
}

// runs returns the runs that the batch says something about and that the ledger
// may know, sorted, each once.
func (p *placing) runs() []ledger.ID {
	ids := make([]ledger.ID, 0, len(p.traces.traces))
	for i := range p.traces.traces {
		if t := &p.traces.traces[i]; t.followed {
			ids = append(append(ids, t.first()), t.more...)
		}
	}
	slices.SortFunc(ids, compareIDs)
	return slices.Compact(ids)
}

func compareIDs(a, b ledger.ID) int { return slices.Compare(a[:], b[:]) }
