// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadata"
)

// A reloader keeps the policies in force. Whoever judges takes one state and
// judges a whole batch by it. A file that no longer loads leaves the last good
// policy in force, and says so.
type reloader struct {
	sources  []*policySource
	current  atomic.Pointer[engine.Policies]
	interval time.Duration
	logger   *zap.Logger
	metrics  *metadata.TelemetryBuilder
	status   *statusBoard
	failing  map[string]string // the fault of each policy that does not load

	stop context.CancelFunc
	done sync.WaitGroup
}

func newReloader(sources []*policySource, interval time.Duration, logger *zap.Logger, metrics *metadata.TelemetryBuilder) (*reloader, error) {
	policies, err := loadAll(sources)
	if err != nil {
		return nil, err
	}
	r := &reloader{sources: sources, interval: interval, logger: logger, metrics: metrics, status: &statusBoard{}, failing: map[string]string{}}
	r.current.Store(&policies)
	return r, nil
}

// policies returns the state that is in force now. It is never changed.
func (r *reloader) policies() engine.Policies { return *r.current.Load() }

// start tells what is in force and begins to watch the files.
func (r *reloader) start() {
	for _, p := range r.policies() {
		r.gauge(p.Name, true)
		r.logger.Info("policy loaded", zap.String("policy", p.Name), zap.String("declared_policy_digest", string(p.Truth.DeclaredDigest())))
	}
	if r.interval <= 0 {
		return
	}
	var ctx context.Context
	ctx, r.stop = context.WithCancel(context.Background())
	r.done.Add(1)
	go r.watch(ctx)
}

func (r *reloader) watch(ctx context.Context) {
	defer r.done.Done()
	tick := time.NewTicker(r.interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.reload()
		}
	}
}

func (r *reloader) shutdown() {
	if r.stop != nil {
		r.stop()
		r.done.Wait()
	}
}

// reload looks at every file once and swaps all that changed in one step.
func (r *reloader) reload() {
	next := slices.Clone(r.policies())
	changed := false
	for i, s := range r.sources {
		p, err := s.load()
		switch {
		case errors.Is(err, errBeingWritten):
			// The next look tells.
		case err != nil:
			r.failed(s, err)
		case p != nil:
			changed = true
			r.loaded(s, p, next[i])
			next[i] = p
		case r.failing[s.name] != "":
			r.loaded(s, next[i], next[i])
		}
	}
	if changed {
		r.current.Store(&next)
	}
}

// loaded tells what replaces what, since a valid policy may be a laxer one.
func (r *reloader) loaded(s *policySource, p, before *engine.Policy) {
	delete(r.failing, s.name)
	r.gauge(s.name, true)
	r.count(s.name, "loaded")
	r.logger.Info("policy reloaded", zap.String("policy", s.name),
		zap.String("declared_policy_digest", string(p.Truth.DeclaredDigest())),
		zap.String("previous_policy_digest", string(before.Truth.DeclaredDigest())))
	r.status.works("policy " + s.name)
}

// failed keeps the last good policy, and tells of each fault once.
func (r *reloader) failed(s *policySource, err error) {
	r.gauge(s.name, false)
	if r.failing[s.name] == err.Error() {
		return
	}
	r.failing[s.name] = err.Error()
	r.count(s.name, "refused")
	r.logger.Error("policy does not load, the last good one stays in force", zap.String("policy", s.name), zap.Error(err))
	r.status.fails("policy "+s.name, err)
}

func (r *reloader) gauge(name string, ok bool) {
	n := int64(0)
	if ok {
		n = 1
	}
	r.metrics.ProcessorTdtPolicyLoaded.Record(context.Background(), n, metric.WithAttributes(attribute.String("policy", name)))
}

func (r *reloader) count(name, outcome string) {
	r.metrics.ProcessorTdtPolicyReloads.Add(context.Background(), 1,
		metric.WithAttributes(attribute.String("policy", name), attribute.String("outcome", outcome)))
}
