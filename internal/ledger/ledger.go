// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Ledger keeps the books of many runs. Make one with NewLedger.
type Ledger struct {
	options Options
	shards  []*shard
	cursor  atomic.Uint32 // where the next Sweep begins
	plans   sync.Pool

	open, closed, bytes atomic.Int64
}

// NewLedger returns a Ledger without runs.
func NewLedger(o Options) *Ledger {
	l := &Ledger{options: o.withDefaults()}
	l.plans.New = func() any { return &plan{} }
	l.shards = make([]*shard, l.options.Shards)
	for i := range l.shards {
		l.shards[i] = newShard(l)
	}
	return l
}

// Stats is how much a Ledger holds.
type Stats struct {
	Open, Closed int64 // runs
	Bytes        int64 // about what they cost
}

// Stats returns how much l holds now.
func (l *Ledger) Stats() Stats {
	return Stats{Open: l.open.Load(), Closed: l.closed.Load(), Bytes: l.bytes.Load()}
}

func (l *Ledger) shardOf(id ID) *shard {
	return l.shards[hashID(id)>>1&uint64(len(l.shards)-1)]
}

// A plan is the order in which a batch is gone through: by run, and within one
// by when calls began.
type plan struct {
	groups, seen []int32
	sighting     sighting
}

func (p *plan) make(b *Batch) {
	p.groups, p.seen = p.groups[:0], p.seen[:0]
	for i := range b.Groups {
		if g := &b.Groups[i]; len(g.Members) > 0 && g.Policy != nil {
			p.groups = append(p.groups, int32(i))
		} // else its placement stays zero
	}
	for i := range b.Seen {
		p.seen = append(p.seen, int32(i))
	}
	slices.SortFunc(p.groups, func(i, j int32) int {
		return cmp.Or(compareGroups(&b.Groups[i], &b.Groups[j]), cmp.Compare(i, j))
	})
	slices.SortFunc(p.seen, func(i, j int32) int {
		return cmp.Or(bytes.Compare(b.Seen[i].Run[:], b.Seen[j].Run[:]), cmp.Compare(i, j))
	})
}

// Place gives every group of the batch its call. The placements are parallel
// to b.Groups. Runs that had to be closed or forgotten to make room come back
// too. Batches may be placed concurrently; each run sees them one by one.
//
// Placing does not make anything durable: write the records that are asked
// for, then call Settle.
func (l *Ledger) Place(now time.Time, b Batch) ([]Placement, Ended) {
	placements := slices.Grow(b.Room[:0], len(b.Groups))[:len(b.Groups)]
	clear(placements)
	var ended Ended
	p := l.plans.Get().(*plan)
	p.make(&b)
	for groups, seen := p.groups, p.seen; len(groups)+len(seen) > 0; {
		v := visit{now: tickOf(now), batch: &b, placements: placements, ended: &ended, sighting: &p.sighting}
		v.id = nextRun(&b, groups, seen)
		v.groups, groups = cutRun(groups, func(i int32) bool { return b.Groups[i].Run == v.id })
		v.seen, seen = cutRun(seen, func(i int32) bool { return b.Seen[i].Run == v.id })
		l.shardOf(v.id).visit(&v)
	}
	p.sighting.forget()
	l.plans.Put(p)
	return placements, ended
}

func nextRun(b *Batch, groups, seen []int32) ID {
	switch {
	case len(seen) == 0:
		return b.Groups[groups[0]].Run
	case len(groups) == 0:
		return b.Seen[seen[0]].Run
	}
	x, y := b.Groups[groups[0]].Run, b.Seen[seen[0]].Run
	if bytes.Compare(x[:], y[:]) <= 0 {
		return x
	}
	return y
}

func cutRun(list []int32, belongs func(int32) bool) (of, rest []int32) {
	n := 0
	for n < len(list) && belongs(list[n]) {
		n++
	}
	return list[:n], list[n:]
}

// A visit is what one batch brings to one run.
type visit struct {
	now          tick
	id           ID
	batch        *Batch
	groups, seen []int32
	placements   []Placement
	ended        *Ended
	sighting     *sighting
}

func (s *shard) visit(v *visit) {
	s.lock()
	defer s.unlock()
	r := s.runs[v.id]
	if r == nil && len(v.groups) == 0 {
		for _, i := range v.seen {
			seen := &v.batch.Seen[i]
			s.early.note(earlyKey(v.id, seen.Trace), seen.facts(s.options))
		}
		return
	}
	before := int64(0)
	if r == nil {
		r = s.begin(v.id, v.now)
	} else {
		before = r.size()
	}
	s.enter(r, v)
	s.ledger.bytes.Add(r.size() - before)
	s.makeRoom(r, v.now, v.ended)
}

func (s *shard) enter(r *run, v *visit) {
	if len(v.groups) > 0 && s.outlived(r, v.now) {
		s.close(r, WhyLifetime, v.now, v.ended)
	}
	for _, i := range v.seen {
		s.noteSeen(r, &v.batch.Seen[i])
	}
	if len(v.groups) > 0 {
		s.placeAll(r, v)
	}
	for _, i := range v.seen {
		r.keepHops(&v.batch.Seen[i]) // now that the calls above them are known
	}
}

func (s *shard) placeAll(r *run, v *visit) {
	was, fresh := r.is(closed), r.next
	for _, i := range v.groups {
		v.sighting.look(&v.batch.Groups[i])
		s.place(&v.placements[i], r, v.sighting, fresh)
	}
	if was && !r.is(closed) {
		r.opened = v.now
	}
	s.touch(r, v.now)
}
