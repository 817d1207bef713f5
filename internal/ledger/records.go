// SPDX-License-Identifier: Apache-2.0

package ledger

// A record is the carrier that stands for one call, by its digests.
type record struct {
	Digests
	policy uint8
}

// Superseded is a carrier of a run that does not stand any more.
type Superseded struct {
	Order   int64 // in the carrier
	Carrier Sum
	By      int64 // the order of the carrier that stands in its place
}

// maxSuperseded bounds how many superseded carriers a run's record names. The
// carriers that supersede them name them too.
const maxSuperseded = 64

// askRecord decides whether the group has to be written down: where the call's
// decision is the group's, and no carrier of it is written or being written.
func (s *shard) askRecord(p *Placement, r *run, c *call, o *sighting) {
	own := c.span == o.primary() && c.content == o.said[0]
	anew := p.Kind == KindNew || p.Kind == KindReplaced || p.Kind == KindChanged
	p.Record = anew || own && c.is(unwritten) && !c.is(pending)
	if !p.Record {
		p.Digests = r.digests(p.Order)
		return
	}
	c.set(pending, true)
	c.set(unwritten, true)
	r.flying++
	if p.Kind != KindNew {
		p.Supersedes = r.supersededBy(p.Order)
	}
}

// digests returns those of the carrier that stands for the call, zero where
// there is none.
func (r *run) digests(order int64) Digests {
	rec := r.recordOf(order)
	if c := r.call(order); rec == nil || c != nil && c.is(unwritten) {
		return Digests{}
	}
	return rec.Digests
}

func (r *run) recordOf(order int64) *record {
	if r.more == nil {
		return nil
	}
	i := order - r.more.first
	if i < 0 || i >= int64(len(r.more.records)) {
		return nil
	}
	return &r.more.records[i]
}

// takeRecord removes the record of a call.
func (r *run) takeRecord(order int64) (was record) {
	if rec := r.recordOf(order); rec != nil {
		was, *rec = *rec, record{}
	}
	return was
}

// putRecord makes d the record of a call. What stood there is superseded. The
// last records are kept, up to limit.
func (r *run) putRecord(order int64, d Digests, policy uint8, limit int) {
	m := r.needMore()
	if !m.reach(order, int64(limit)) {
		return
	}
	rec := r.recordOf(order)
	if rec.Carrier != d.Carrier {
		r.supersede(order, order, rec.Carrier)
	}
	*rec = record{d, policy}
}

// reach makes room for the record of a call, and reports false where it is too
// old to be kept. Records arrive about in order, not quite: batches overtake
// each other.
func (m *more) reach(order, limit int64) bool {
	n := int64(len(m.records))
	if n == 0 || order-m.first-n >= limit {
		m.records, m.first = m.records[:0], order
	}
	if ahead := m.first - order; ahead > 0 {
		if ahead+int64(len(m.records)) > limit {
			return false
		}
		m.records, m.first = append(make([]record, ahead), m.records...), order
	}
	for int64(len(m.records)) <= order-m.first {
		if int64(len(m.records)) >= limit {
			drop := max(1, limit/4)
			m.records = append(m.records[:0], m.records[drop:]...)
			m.first += drop
			continue
		}
		m.records = appendTight(m.records, record{})
	}
	return true
}

// supersede notes that the carrier d of the call order does not stand any more.
func (r *run) supersede(order, by int64, d Sum) {
	if d.IsZero() {
		return
	}
	m := r.needMore()
	if len(m.superseded) >= maxSuperseded {
		m.superseded = append(m.superseded[:0], m.superseded[1:]...)
	}
	m.superseded = append(m.superseded, Superseded{Order: order, Carrier: d, By: by})
}

// supersededBy returns the carriers that one written now for this call
// replaces: the call's own, and those of calls that were merged into it.
func (r *run) supersededBy(order int64) (sums []Sum) {
	if own := r.recordOf(order); own != nil && !own.IsZero() {
		sums = append(sums, own.Carrier)
	}
	if r.more == nil {
		return sums
	}
	for _, s := range r.more.superseded {
		if s.By == order && s.Order != order {
			sums = append(sums, s.Carrier)
		}
	}
	return sums
}
