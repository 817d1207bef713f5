// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"slices"
	"sync"

	"github.com/tool-decision-truth/collector/internal/engine"
)

// maxUnkept bounds the events that wait to be recorded, about 50 MB of them.
const maxUnkept = 65_536

// unkept holds closed runs whose records could not be made durable, until the
// journal takes them. With block their spans wait too: nothing goes on without
// its evidence.
type unkept struct {
	block bool

	mu     sync.Mutex
	runs   []*engine.ClosedRun
	events int
}

// add takes in runs that were closed just now, and returns those whose spans go
// on. dropped is how many runs gave way: their records are lost, not their spans.
func (u *unkept) add(closed []*engine.ClosedRun) (on []*engine.ClosedRun, dropped int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, run := range closed {
		u.remove(run.Record.Run)
		if run.Unkept() > 0 {
			u.runs = append(u.runs, run)
			u.events += run.Unkept()
		}
		if run.Unkept() == 0 || !u.block {
			on = append(on, run)
		}
	}
	for u.events > maxUnkept && len(u.runs) > 1 {
		if u.block {
			on = append(on, u.runs[0])
		}
		u.events -= u.runs[0].Unkept()
		u.runs = u.runs[1:]
		dropped++
	}
	return on, dropped
}

// remove forgets an earlier end of a run: the record of its later end has all
// of it.
func (u *unkept) remove(run string) {
	i := slices.IndexFunc(u.runs, func(r *engine.ClosedRun) bool { return r.Record.Run == run })
	if i >= 0 {
		u.events -= u.runs[i].Unkept()
		u.runs = slices.Delete(u.runs, i, i+1)
	}
}

// take returns what waits, for another try. All of it goes back by again.
func (u *unkept) take() []*engine.ClosedRun {
	u.mu.Lock()
	defer u.mu.Unlock()
	runs := u.runs
	u.runs, u.events = nil, 0
	return runs
}

// again takes back what was tried, and returns the runs whose spans go on now.
// What was closed meanwhile stands behind it.
func (u *unkept) again(tried []*engine.ClosedRun) (on []*engine.ClosedRun) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var rest []*engine.ClosedRun
	for _, run := range tried {
		switch {
		case run.Unkept() > 0:
			rest = append(rest, run)
			u.events += run.Unkept()
		case u.block:
			on = append(on, run)
		}
	}
	u.runs = append(rest, u.runs...)
	return on
}
