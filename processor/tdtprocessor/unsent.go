// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"sync"

	"github.com/tool-decision-truth/collector/internal/engine"
)

// maxUnsent bounds the closed runs whose spans wait to be sent on.
const maxUnsent = 4096

// unsent holds closed runs whose spans the next consumer refused for now. The
// zero unsent is empty and ready.
type unsent struct {
	mu    sync.Mutex
	held  [][]*engine.ClosedRun
	count int
}

// add takes in runs, and returns how many of the oldest gave way to them.
func (u *unsent) add(runs []*engine.ClosedRun) (dropped int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.held, u.count = append(u.held, runs), u.count+len(runs)
	for u.count > maxUnsent && len(u.held) > 1 {
		n := len(u.held[0])
		u.held, u.count, dropped = u.held[1:], u.count-n, dropped+n
	}
	return dropped
}

// take returns what waits, in the order in which it came.
func (u *unsent) take() [][]*engine.ClosedRun {
	u.mu.Lock()
	defer u.mu.Unlock()
	held := u.held
	u.held, u.count = nil, 0
	return held
}
