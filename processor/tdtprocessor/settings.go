// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"crypto/rand"
	"fmt"

	"go.opentelemetry.io/collector/processor"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// settings compiles the configuration into what the engine is built from, and
// sets the processor's own parts beside it.
func (p *tdtProcessor) settings(set processor.Settings) (*engine.Settings, error) {
	expr, err := newExpressions(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	s, err := callSettings(expr, p.cfg)
	if err != nil {
		return nil, err
	}
	sources, err := newPolicySources(expr, p.cfg.Policies)
	if err != nil {
		return nil, err
	}
	if p.reloader, err = newReloader(sources, p.cfg.ReloadInterval, set.Logger, p.metrics.builder); err != nil {
		return nil, err
	}
	p.reloader.status = &p.status
	if p.cfg.Evidence.Directory != "" {
		if p.journal, err = newJournal(p, set.ID); err != nil {
			return nil, err
		}
		s.Journal, s.Block = p.journal, p.cfg.Evidence.OnFailure == FailureBlock
		// Only evidence holds digests of calls, so nothing else needs the key.
		if s.Key, err = canon.NewKey(p.cfg.HMAC.KeyID, []byte(p.cfg.HMAC.Key)); err != nil {
			return nil, fmt.Errorf("hmac: %w", err)
		}
	}
	if p.cfg.Runs.Storage != nil {
		p.store = newRunStore(p, set.ID)
		s.Store = p.store
	}
	runSettings(s, p.cfg)
	return s, nil
}

// callSettings compiles what the configuration says about single calls.
func callSettings(expr *expressions, cfg *Config) (*engine.Settings, error) {
	recognizer, err := newRecognizer(expr, &cfg.Recognize)
	if err != nil {
		return nil, fmt.Errorf("recognize: %w", err)
	}
	facts, err := compileFacts(expr, &cfg.Facts)
	if err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	boundaries, err := expr.conditions(cfg.Boundaries)
	if err != nil {
		return nil, fmt.Errorf("boundaries: %w", err)
	}
	s := &engine.Settings{
		Recognizer:    recognizer,
		Identity:      cfg.Identity.identity,
		ReadsReserved: len(cfg.Recognize.Custom) > 0,
		StripPrefixes: cfg.Recognize.StripPrefixes,
	}
	if facts.configured() {
		s.Believe = facts.believe
	}
	if len(boundaries) > 0 {
		s.Boundary = func(at engine.Located) bool { return anyHolds(context.Background(), boundaries, at) }
	}
	return s, nil
}

// runSettings says what a run is and how long it is kept.
func runSettings(s *engine.Settings, cfg *Config) {
	opts := ledger.Options{
		MaxRuns: cfg.Runs.MaxRuns, IdleTimeout: cfg.Runs.IdleTimeout, MaxLifetime: cfg.Runs.MaxLifetime,
		Stored: cfg.Runs.Storage != nil, SameTool: recognize.SameTool,
	}
	if s.Journal != nil {
		opts.Records = ledger.DefaultRecords
	}
	s.Ledger = ledger.NewLedger(opts)
	s.WholeRuns = cfg.Runs.Scope == ScopeBatch
	for _, key := range cfg.Runs.Key {
		if key != traceIDKey {
			s.RunKey = append(s.RunKey, key)
		}
	}
}

// traceIDKey is the run key that is no attribute. Where no attribute is there,
// the trace is the run in any case.
const traceIDKey = "trace_id"

// newEngine keys the engine's own hashes with the HMAC key, so that they are
// the same after a restart, or else with bytes of this process alone.
func newEngine(s *engine.Settings, cfg *Config) (*engine.Engine, error) {
	seed := []byte("tdt engine seed\n" + string(cfg.HMAC.Key))
	if cfg.HMAC.Key == "" {
		seed = make([]byte, 32)
		if _, err := rand.Read(seed); err != nil {
			return nil, fmt.Errorf("random seed: %w", err)
		}
	}
	return engine.New(*s, seed), nil
}
