// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"sync"
	"time"
)

// A refusals counts the records that were not accepted, until the journal can
// say so in a gap.
type refusals struct {
	mu   sync.Mutex
	gaps [len(reasonNames)]Gap
	any  bool
}

// add counts records that were refused at a time.
func (r *refusals) add(cause Reason, records int, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := &r.gaps[cause]
	if g.Records == 0 {
		g.Since = at.UTC()
	}
	g.Records += uint64(records)
	g.Until = at.UTC()
	r.any = true
}

// pending returns a gap for each cause, without forgetting it.
func (r *refusals) pending() []Gap {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.any {
		return nil
	}
	var out []Gap
	for cause, g := range r.gaps {
		if g.Records > 0 {
			g.Cause, g.Schema = Reason(cause), TypeGap
			out = append(out, g)
		}
	}
	return out
}

// written forgets what gaps, which are durable now, have counted.
func (r *refusals) written(gaps []Gap) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.any = false
	for _, w := range gaps {
		g := &r.gaps[w.Cause]
		g.Records -= min(g.Records, w.Records)
		g.Since = g.Until
	}
	for _, g := range r.gaps {
		r.any = r.any || g.Records > 0
	}
}
