// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/tool-decision-truth/collector/internal/ledger"
)

// Bounds of what is stored: operations in one transaction, the time that one
// may take, and the runs that wait after a failure.
const (
	maxStoredAtOnce = 1024
	maxStoreTime    = 5 * time.Second
	maxUnsaved      = 1 << 20
)

// savings let writers share transactions: while one is under way, all others
// gather for the next.
type savings struct {
	gather sync.Mutex
	next   *saving // what the next transaction stores

	write   sync.Mutex
	unsaved map[ledger.ID]bool // what an earlier one could not
	failing bool
}

// A saving is what one transaction stores.
type saving struct {
	runs map[ledger.ID]bool // whether it was forgotten
	done bool
}

func newSaving() *saving { return &saving{runs: map[ledger.ID]bool{}} }

// Save implements engine.Store. It returns when the runs are stored, or cannot
// be: then they are tried again with the next ones, and until then a restart
// would find them as they were before.
func (s *runStore) Save(ctx context.Context, changed, forgotten []ledger.ID) {
	mine := s.add(changed, forgotten)
	s.write.Lock()
	defer s.write.Unlock()
	if mine.done {
		return // by whoever wrote while this one waited
	}
	s.gather.Lock()
	s.next = newSaving()
	s.gather.Unlock()
	s.store(ctx, mine.runs)
	mine.done = true
}

func (s *runStore) add(changed, forgotten []ledger.ID) *saving {
	s.gather.Lock()
	defer s.gather.Unlock()
	for _, id := range changed {
		if _, there := s.next.runs[id]; !there {
			s.next.runs[id] = false
		}
	}
	for _, id := range forgotten {
		s.next.runs[id] = true
	}
	return s.next
}

// retry stores what could not be stored before.
func (s *runStore) retry(ctx context.Context) {
	s.write.Lock()
	defer s.write.Unlock()
	if len(s.unsaved) > 0 {
		s.store(ctx, nil)
	}
}

// store writes runs as they are now, with those that wait.
func (s *runStore) store(ctx context.Context, runs map[ledger.ID]bool) {
	for id, forgotten := range s.unsaved {
		runs = adding(runs, id, forgotten)
	}
	clear(s.unsaved)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxStoreTime)
	defer cancel()
	var ids []ledger.ID
	var ops []*storage.Operation
	for id, forgotten := range runs {
		op := s.operation(id, forgotten)
		if op == nil {
			continue
		}
		ids, ops = append(ids, id), append(ops, op)
		if len(ops) == maxStoredAtOnce {
			s.transact(ctx, ids, ops, runs)
			ids, ops = ids[:0], nil
		}
	}
	s.transact(ctx, ids, ops, runs)
}

func adding(runs map[ledger.ID]bool, id ledger.ID, forgotten bool) map[ledger.ID]bool {
	if runs == nil {
		runs = map[ledger.ID]bool{}
	}
	runs[id] = runs[id] || forgotten
	return runs
}

// operation returns what is to be done about a run, nil for one that the ledger
// never knew.
func (s *runStore) operation(id ledger.ID, forgotten bool) *storage.Operation {
	key := runPrefix + hex.EncodeToString(id[:])
	text, known := s.ledger.AppendRun(nil, id)
	switch {
	case known:
		return storage.SetOperation(key, text)
	case forgotten:
		return storage.DeleteOperation(key)
	default:
		return nil
	}
}

// transact does all of the operations or remembers to do them later.
func (s *runStore) transact(ctx context.Context, ids []ledger.ID, ops []*storage.Operation, runs map[ledger.ID]bool) {
	if len(ops) == 0 {
		return
	}
	err := s.client.Batch(ctx, ops...)
	s.tell(ctx, err)
	if err == nil {
		return
	}
	for _, id := range ids {
		if forgotten := runs[id]; !forgotten || len(s.unsaved) < maxUnsaved {
			s.unsaved[id] = forgotten
		}
	}
}

// storagePart is what the status calls the storage.
const storagePart = "runs: storage"

// tell counts failures, and tells of the first one and of the end of them.
func (s *runStore) tell(ctx context.Context, err error) {
	if err != nil {
		s.failed(ctx)
	}
	if (err != nil) == s.failing {
		return
	}
	s.failing = err != nil
	if s.failing {
		s.logger.Error("runs are not stored: a restart would find them as they were before", zap.Error(err))
		s.status.fails(storagePart, fmt.Errorf("%q: %w", s.id, err))
		return
	}
	s.logger.Info("runs are stored again")
	s.status.works(storagePart)
}
