// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"runtime"
	"slices"
	"time"
)

// sweepChunk is how many runs are closed or forgotten before the lock is given
// to whoever waits for it. A run takes a few microseconds.
const sweepChunk = 64

// Sweep closes the runs that are idle or too old, up to budget of them, and
// forgets closed ones that are remembered for long enough. Call it often with a
// budget that the caller can write down at once: what is left over comes next.
func (l *Ledger) Sweep(now time.Time, budget int) Ended {
	return l.sweepShards(budget, func(s *shard, n int, ended *Ended) int { return s.sweep(tickOf(now), n, ended) })
}

// CloseAll closes every run that is open, up to budget of them. Call it until
// none comes back, and only when every Place was settled.
func (l *Ledger) CloseAll(now time.Time, why Why, budget int) Ended {
	return l.sweepShards(budget, func(s *shard, n int, ended *Ended) int {
		done := 0
		for ; done < n && s.open.last != nil; done++ {
			s.close(s.open.last, why, tickOf(now), ended)
		}
		return done
	})
}

// Close closes those of the runs that are open.
func (l *Ledger) Close(now time.Time, why Why, ids []ID) Ended {
	var ended Ended
	for _, id := range ids {
		s := l.shardOf(id)
		s.lock()
		if r := s.runs[id]; r != nil && !r.is(closed) {
			s.close(r, why, tickOf(now), &ended)
		}
		s.unlock()
	}
	return ended
}

// sweepShards goes through the shards from where it stopped last time. step
// does up to so much work and returns how much it did.
func (l *Ledger) sweepShards(budget int, step func(s *shard, n int, ended *Ended) int) Ended {
	var ended Ended
	begin := l.cursor.Load()
	for i := range uint32(len(l.shards)) {
		at := (begin + i) % uint32(len(l.shards))
		s := l.shards[at]
		for done := sweepChunk; done == sweepChunk && budget > 0; budget -= done {
			s.lock()
			done = step(s, min(sweepChunk, budget), &ended)
			s.unlock()
			runtime.Gosched() // or it would keep a core from batches for its whole time slice
		}
		if budget <= 0 {
			l.cursor.Store(at)
			break
		}
	}
	return ended
}

func (s *shard) sweep(now tick, n int, ended *Ended) (done int) {
	if s.unsorted {
		s.open.sort(now)
		s.closed.sort(now)
		s.unsorted = false
	}
	for r := s.open.last; r != nil && done < n; {
		next := r.newer
		switch {
		case r.flying > 0:
		case s.idle(r, now):
			s.close(r, WhyIdle, now, ended)
			done++
		case s.outlived(r, now):
			s.close(r, WhyLifetime, now, ended)
			done++
		default:
			next = nil // all others were used later
		}
		r = next
	}
	remember := ticks(s.options.Remember)
	for done < n {
		r := s.closed.last
		if r == nil || r.flying > 0 || now.since(r.touched) < remember {
			break
		}
		s.forget(r, ended)
		done++
	}
	return done
}

func (s *shard) idle(r *run, now tick) bool {
	after, quiet := ticks(s.options.IdleTimeout), now.since(r.touched)
	if began := s.options.began; !began.IsZero() {
		quiet = min(quiet, now.since(tickOf(began)))
	}
	return after > 0 && quiet >= after
}

// outlived reports whether r is open for longer than a run may be, and can be
// closed now.
func (s *shard) outlived(r *run, now tick) bool {
	after := ticks(s.options.MaxLifetime)
	return after > 0 && !r.is(closed) && r.flying == 0 && now.since(r.opened) >= after
}

// Runs returns the ids of the runs that placements belong to, each once.
func Runs(placements []Placement) []ID {
	var ids []ID
	for i := range placements {
		if r := placements[i].run; r != nil {
			ids = append(ids, r.id)
		}
	}
	slices.SortFunc(ids, func(a, b ID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
