// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
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
	runs   []*engine.ClosedRun          // in the order in which they were closed
	latest map[string]*engine.ClosedRun // by run; what runs holds beside it is out of date
	events int
}

// add takes in runs that were closed just now, and returns those whose spans go
// on. dropped is how many runs gave way: their records are lost, not their spans.
func (u *unkept) add(closed []*engine.ClosedRun) (on []*engine.ClosedRun, dropped int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, run := range closed {
		u.forget(run.Record.Run)
		if run.Unkept() > 0 {
			u.hold(run)
			u.runs = append(u.runs, run)
		}
		if run.Unkept() == 0 || !u.block {
			on = append(on, run)
		}
	}
	for u.events > maxUnkept && len(u.runs) > 1 {
		run := u.runs[0]
		u.runs = u.runs[1:]
		if u.latest[run.Record.Run] != run {
			continue
		}
		u.forget(run.Record.Run)
		dropped++
		if u.block {
			on = append(on, run)
		}
	}
	return on, dropped
}

// hold makes run the one of its id that waits.
func (u *unkept) hold(run *engine.ClosedRun) {
	if u.latest == nil {
		u.latest = map[string]*engine.ClosedRun{}
	}
	u.latest[run.Record.Run] = run
	u.events += run.Unkept()
}

// forget drops an earlier end of a run: the record of its later end has all of
// it.
func (u *unkept) forget(id string) {
	if run := u.latest[id]; run != nil {
		u.events -= run.Unkept()
		delete(u.latest, id)
	}
}

// take returns what waits, for another try. All of it goes back by again.
func (u *unkept) take() (runs []*engine.ClosedRun) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, run := range u.runs {
		if u.latest[run.Record.Run] == run {
			runs = append(runs, run)
		}
	}
	u.runs, u.latest, u.events = nil, nil, 0
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
		case run.Unkept() > 0 && u.latest[run.Record.Run] == nil:
			rest = append(rest, run)
			u.hold(run)
		case run.Unkept() == 0 && u.block:
			on = append(on, run)
		}
	}
	u.runs = append(rest, u.runs...)
	return on
}
