// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync/atomic"
	"time"
)

// A serials gives out numbers that it never gave before, not even in an earlier
// process: they follow the clock. They are larger than any order that a run
// reaches, and below 2^53 for two centuries.
//
// An event's place in its run is the order of its call where that is the first
// record of the call, so that the events of a plain run are numbered as those of
// a bundle are. Records that come later would repeat an id, and take a serial.
type serials struct{ last atomic.Int64 }

func (s *serials) next(now time.Time) int64 {
	for {
		last := s.last.Load()
		next := max(last+1, now.UnixMicro())
		if s.last.CompareAndSwap(last, next) {
			return next
		}
	}
}
