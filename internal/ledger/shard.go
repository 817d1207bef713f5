// SPDX-License-Identifier: Apache-2.0

package ledger

import "sync"

// A shard holds some of the runs under one lock. Every run is in exactly one of
// the two lists.
type shard struct {
	mu      sync.Mutex
	ledger  *Ledger
	options *Options

	runs         map[ID]*run
	open, closed list
	unsorted     bool // runs were restored, in no order

	names names
	early early
	lost  forgotten

	waiting chan struct{} // closed and dropped at the next change that somebody waits for
}

func newShard(l *Ledger) *shard {
	s := &shard{ledger: l, options: &l.options, runs: map[ID]*run{}}
	perShard := max(1, l.options.MaxRuns/len(l.shards))
	s.early.limit, s.lost.limit = perShard, perShard
	return s
}

func (s *shard) lock()   { s.mu.Lock() }
func (s *shard) unlock() { s.mu.Unlock() }

// changes returns a channel that is closed at the next announcement.
func (s *shard) changes(wanted bool) <-chan struct{} {
	if wanted && s.waiting == nil {
		s.waiting = make(chan struct{})
	}
	return s.waiting
}

// announce wakes up whoever waits for a record.
func (s *shard) announce() {
	if s.waiting != nil {
		close(s.waiting)
		s.waiting = nil
	}
}

// begin opens a run that is not known.
func (s *shard) begin(id ID, now tick) *run {
	r := &run{id: id, touched: now, opened: now}
	if s.lost.has(id) {
		r.caveats.add(CaveatStateLost)
	}
	s.runs[id] = r
	s.open.pushFront(r)
	s.ledger.open.Add(1)
	return r
}

// reopen makes a closed run open again, because its record would now say
// something else.
func (s *shard) reopen(r *run, p *Placement) {
	if !r.is(closed) {
		return
	}
	p.Late = true
	r.caveats.add(CaveatLate)
	r.set(closed, false)
	s.closed.remove(r)
	s.open.pushFront(r)
	s.ledger.open.Add(1)
	s.ledger.closed.Add(-1)
}

// touch makes r the run that was used last.
func (s *shard) touch(r *run, now tick) {
	if r.is(closed) {
		return
	}
	if now.since(r.touched) > 0 {
		r.touched = now
	}
	s.open.remove(r)
	s.open.pushFront(r)
}

// forget drops a closed run for good. What comes of it later begins a new run,
// which knows that it lost something.
func (s *shard) forget(r *run, ended *Ended) {
	s.closed.remove(r)
	delete(s.runs, r.id)
	s.lost.add(r.id)
	s.ledger.closed.Add(-1)
	s.ledger.bytes.Add(-r.size())
	if s.options.Stored {
		ended.Forgotten = append(ended.Forgotten, r.id)
	}
}

// makeRoom closes and forgets what is over the bounds, sparing r. It does a
// bounded amount of work: what is left to do, the next one does.
func (s *shard) makeRoom(r *run, now tick, ended *Ended) {
	l, o := s.ledger, s.options
	for range maxEvictions {
		switch {
		case l.closed.Load() > int64(o.MaxClosed) && s.forgetOldest(r, ended):
		case l.open.Load() > int64(o.MaxRuns) && s.evictOldest(r, now, ended):
		case l.bytes.Load() > o.MaxBytes && (s.forgetOldest(r, ended) || s.evictOldest(r, now, ended)):
		default:
			return
		}
	}
}

const maxEvictions = 16

func (s *shard) forgetOldest(spare *run, ended *Ended) bool {
	r := s.closed.oldest(func(r *run) bool { return r != spare && r.flying == 0 })
	if r == nil {
		return false
	}
	s.forget(r, ended)
	return true
}

func (s *shard) evictOldest(spare *run, now tick, ended *Ended) bool {
	r := s.open.oldest(func(r *run) bool { return r != spare && r.flying == 0 })
	if r == nil {
		return false
	}
	s.close(r, WhyEvicted, now, ended)
	return true
}
