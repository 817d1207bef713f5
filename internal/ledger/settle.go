// SPDX-License-Identifier: Apache-2.0

package ledger

import "context"

// Settle tells the ledger what became of the placements that Place returned:
// written[i] names the carrier of placements[i], zero where none was written.
// It must be called once after each Place, also when writing failed: until
// then the runs concerned are neither closed nor evicted.
//
// It fills in the Digests of every placement whose decision has a carrier. One
// that another batch is still writing has none yet; Await waits for it.
func (l *Ledger) Settle(placements []Placement, written []Digests) {
	if l.options.Records == 0 {
		return
	}
	for i := range placements {
		p := &placements[i]
		if !p.Record || p.settled || p.run == nil {
			continue
		}
		p.settled = true
		var d Digests
		if i < len(written) {
			d = written[i]
		}
		l.settleOne(p, d)
	}
	for i := range placements {
		if p := &placements[i]; p.run != nil && p.Digests.IsZero() {
			p.shard.lock()
			p.Digests = p.run.digests(p.Order)
			p.shard.unlock()
		}
	}
}

func (l *Ledger) settleOne(p *Placement, d Digests) {
	s, r := p.shard, p.run
	s.lock()
	defer s.unlock()
	before := r.size()
	r.flying--
	p.run.write(p, d, l.options.Records)
	l.bytes.Add(r.size() - before)
	s.announce()
}

// write notes the carrier of the decision that p placed. Where the call has
// been decided anew meanwhile, the carrier does not stand.
func (r *run) write(p *Placement, d Digests, limit int) {
	c := r.call(p.Order)
	switch {
	case c == nil: // the call has left the window: nothing can have changed it since
		if !d.IsZero() {
			i, _ := r.policyKnown(p.Policy)
			r.putRecord(p.Order, d, i, limit)
		}
	case c.is(merged):
		r.supersede(p.Order, int64(c.detail), d.Carrier)
	case c.span != p.span || c.content != p.content:
		r.supersede(p.Order, p.Order, d.Carrier)
	default:
		c.set(pending, false)
		if !d.IsZero() {
			c.set(unwritten, false)
			r.putRecord(p.Order, d, c.policy, limit)
		}
	}
	p.Digests = d
}

// Await waits until no decision of the placements is being written by another
// batch, and fills in the Digests. Call it after Settle, where a span should
// not go on without naming the record that is being made of it. The error is
// that of ctx.
func (l *Ledger) Await(ctx context.Context, placements []Placement) error {
	for i := range placements {
		p := &placements[i]
		for p.run != nil && p.Digests.IsZero() {
			p.shard.lock()
			c := p.run.call(p.Order)
			wait := c != nil && c.is(pending)
			p.Digests = p.run.digests(p.Order)
			change := p.shard.changes(wait)
			p.shard.unlock()
			if !wait {
				break
			}
			select {
			case <-change:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}
