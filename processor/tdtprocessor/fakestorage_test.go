// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// A fakeStorage is a storage extension that keeps what it holds in memory, and
// is its own client. It outlives the processors that use it, as a disk does.
type fakeStorage struct {
	component.StartFunc
	component.ShutdownFunc

	mu      sync.Mutex
	held    map[string][]byte
	batches int   // that were asked for
	err     error // what writing fails with
	listing error // what listing fails with
	closed  int
}

var (
	_ storage.Extension = (*fakeStorage)(nil)
	_ storage.Walker    = (*fakeStorage)(nil)
)

func newFakeStorage() *fakeStorage { return &fakeStorage{held: map[string][]byte{}} }

func (s *fakeStorage) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return s, nil
}

func (s *fakeStorage) Get(ctx context.Context, key string) ([]byte, error) {
	op := storage.GetOperation(key)
	err := s.Batch(ctx, op)
	return op.Value, err
}

func (s *fakeStorage) Set(ctx context.Context, key string, value []byte) error {
	return s.Batch(ctx, storage.SetOperation(key, value))
}

func (s *fakeStorage) Delete(ctx context.Context, key string) error {
	return s.Batch(ctx, storage.DeleteOperation(key))
}

func (s *fakeStorage) Batch(_ context.Context, ops ...*storage.Operation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches++
	if s.err != nil {
		return s.err
	}
	for _, op := range ops {
		switch op.Type {
		case storage.Get:
			op.Value = slices.Clone(s.held[op.Key])
		case storage.Set:
			s.held[op.Key] = slices.Clone(op.Value)
		case storage.Delete:
			delete(s.held, op.Key)
		}
	}
	return nil
}

func (s *fakeStorage) Close(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed++
	return nil
}

func (s *fakeStorage) Walk(ctx context.Context, visit storage.WalkFunc) error {
	s.mu.Lock()
	held, err := maps.Clone(s.held), s.listing
	s.mu.Unlock()
	if err != nil {
		return err
	}
	var ops []*storage.Operation
	for _, key := range slices.Sorted(maps.Keys(held)) {
		more, err := visit(key, held[key])
		if err != nil {
			return err
		}
		ops = append(ops, more...)
	}
	return s.Batch(ctx, ops...)
}

func (s *fakeStorage) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// copy returns a storage that holds what s holds now.
func (s *fakeStorage) copy() *fakeStorage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &fakeStorage{held: maps.Clone(s.held)}
}

// stored returns the ids of the runs that s holds, in hex.
func (s *fakeStorage) stored() (runs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(s.held)) {
		if name, ok := strings.CutPrefix(key, runPrefix); ok {
			runs = append(runs, name)
		}
	}
	return runs
}

// A storageHost has one extension, named file_storage.
type storageHost struct {
	component.Host
	extension component.Component
}

func hostWith(extension component.Component) *storageHost {
	return &storageHost{Host: componenttest.NewNopHost(), extension: extension}
}

func (h *storageHost) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("file_storage"): h.extension}
}
