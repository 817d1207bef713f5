// SPDX-License-Identifier: Apache-2.0

package evidence

import "sync"

// A Health says whether the journal works. The zero Health says that it does.
type Health struct {
	// Reason is 0 when records are being written, otherwise the worst of what is
	// wrong. The journal tries again by itself: all of this is recoverable,
	// except ReasonCorrupt, which stays until the next start so that it is seen.
	Reason Reason

	// Err has the details, or is nil.
	Err error
}

// OK reports whether records are being written and nothing was found changed.
func (h Health) OK() bool { return h.Reason == 0 }

// healthOrder lists what can be wrong at one time, the worst first.
var healthOrder = [...]Reason{ReasonStalled, ReasonDiskFull, ReasonWrite, ReasonSync, ReasonCheckpoint, ReasonCorrupt}

// A healthState keeps what is wrong and tells when that changes. Telling
// happens under the lock, so that states are told in the order in which they
// came.
type healthState struct {
	mu     sync.Mutex
	errs   [len(reasonNames)]error
	active [len(reasonNames)]bool
	told   Reason
	tell   func(Health)
}

// raise notes that something is wrong.
func (h *healthState) raise(r Reason, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.active[r], h.errs[r] = true, err
	h.report()
}

// clear notes that these are over.
func (h *healthState) clear(reasons ...Reason) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range reasons {
		h.active[r], h.errs[r] = false, nil
	}
	h.report()
}

// now returns the state as it was last told.
func (h *healthState) now() Health {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Health{Reason: h.told, Err: h.errs[h.told]}
}

func (h *healthState) report() {
	worst := Reason(0)
	for _, r := range healthOrder {
		if h.active[r] {
			worst = r
			break
		}
	}
	if worst != h.told {
		h.told = worst
		h.tell(Health{Reason: worst, Err: h.errs[worst]})
	}
}
