// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/tool-decision-truth/collector/internal/ledger"
)

// Keys in the storage. A run lies under runPrefix and its id in hex.
const (
	storageName = "runs"
	runPrefix   = "run/"
	sinceKey    = "since" // when the storage began, in ns since 1970
	seedKey     = "seed"  // of the engine's hashes, where there is no HMAC key
)

// runStore keeps the state of runs in a storage extension, so that a restart
// goes on where the instance stopped.
type runStore struct {
	id     component.ID // of the extension
	owner  component.ID // of this processor
	logger *zap.Logger
	status *statusBoard
	failed func(context.Context) // counts a failure

	ledger *ledger.Ledger
	client storage.Client

	savings
}

func newRunStore(p *tdtProcessor, owner component.ID) *runStore {
	return &runStore{
		id: *p.cfg.Runs.Storage, owner: owner, logger: p.logger, status: &p.status,
		savings: savings{next: newSaving(), unsaved: map[ledger.ID]bool{}},
		failed:  func(ctx context.Context) { p.metrics.builder.ProcessorTdtRunStorageFailures.Add(ctx, 1) },
	}
}

// open finds the extension. One that is not there, or that could not give back
// what it stored, is refused.
func (s *runStore) open(ctx context.Context, host component.Host) error {
	found, ok := host.GetExtensions()[s.id]
	if !ok {
		return fmt.Errorf("runs: storage: there is no extension %q, want one that is configured and listed in service::extensions", s.id)
	}
	extension, ok := found.(storage.Extension)
	if !ok {
		return fmt.Errorf("runs: storage: the extension %q stores nothing, want a storage extension such as file_storage", s.id)
	}
	client, err := extension.GetClient(ctx, component.KindProcessor, s.owner, storageName)
	if err != nil {
		return fmt.Errorf("runs: storage: %q: %w", s.id, err)
	}
	if _, ok := client.(storage.Walker); !ok {
		return errors.Join(
			fmt.Errorf("runs: storage: the extension %q cannot list what it holds, so runs could not be restored, want one that can, such as file_storage", s.id),
			client.Close(ctx))
	}
	s.client = client
	return nil
}

// since returns when the storage began: whatever came later was stored.
func (s *runStore) since(ctx context.Context, now time.Time) (time.Time, error) {
	text, err := s.remembered(ctx, sinceKey, func() ([]byte, error) {
		return strconv.AppendInt(nil, now.UnixNano(), 10), nil
	})
	if err != nil {
		return time.Time{}, err
	}
	ns, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return now, nil // it is not ours, so what it says of before cannot be relied on
	}
	return time.Unix(0, ns), nil
}

// seed returns secret bytes that are the same after a restart.
func (s *runStore) seed(ctx context.Context) ([]byte, error) {
	return s.remembered(ctx, seedKey, func() ([]byte, error) {
		seed := make([]byte, 32)
		_, err := rand.Read(seed)
		return seed, err
	})
}

// remembered returns what lies under key, and puts it there the first time.
func (s *runStore) remembered(ctx context.Context, key string, first func() ([]byte, error)) ([]byte, error) {
	value, err := s.client.Get(ctx, key)
	if err == nil && value == nil {
		if value, err = first(); err == nil {
			err = s.client.Set(ctx, key, value)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("runs: storage: %q: %w", s.id, err)
	}
	return value, nil
}

// restore gives the ledger every run that is stored. One that cannot be read is
// dropped, and counts as lost.
func (s *runStore) restore(ctx context.Context, now time.Time, policies []*ledger.Policy) error {
	restored, refused := 0, 0
	var why error
	err := s.client.(storage.Walker).Walk(ctx, func(key string, value []byte) ([]*storage.Operation, error) {
		name, ok := strings.CutPrefix(key, runPrefix)
		if !ok {
			return nil, nil
		}
		err := s.restoreOne(now, name, value, policies)
		if err == nil {
			restored++
			return nil, nil
		}
		refused, why = refused+1, err
		return []*storage.Operation{storage.DeleteOperation(key)}, nil
	})
	if err != nil {
		return fmt.Errorf("runs: storage: %q: list: %w", s.id, err)
	}
	s.logger.Info("runs restored", zap.Int("runs", restored))
	if refused > 0 {
		s.logger.Error("stored runs cannot be read and are lost", zap.Int("runs", refused), zap.NamedError("last", why))
	}
	return nil
}

func (s *runStore) restoreOne(now time.Time, name string, value []byte, policies []*ledger.Policy) error {
	var id ledger.ID
	if len(name) != hex.EncodedLen(len(id)) {
		return ledger.ErrStored
	}
	if _, err := hex.Decode(id[:], []byte(name)); err != nil {
		return ledger.ErrStored
	}
	_, err := s.ledger.Restore(now, value, policies)
	if err != nil {
		s.ledger.Lost(id)
	}
	return err
}

// close stores what is left to store and lets go of the storage.
func (s *runStore) close(ctx context.Context) error {
	if s.client == nil {
		return nil
	}
	s.retry(ctx)
	return s.client.Close(ctx)
}
