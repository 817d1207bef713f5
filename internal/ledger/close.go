// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// Closed is what the record of a run must say. A run that is closed again,
// because of what came later, has a new record, which supersedes the old one.
type Closed struct {
	Run   ID
	Trace Trace  // of the run; where it has several, that of its last call
	Last  uint64 // when its latest call began, in ns since 1970

	Verdict truth.Verdict
	Extent  sequence.Extent
	Why     Why
	Caveats []Caveat // in the order of the vocabulary

	// Calls counts decisions, Counts them by verdict as they stand now. The
	// verdict of the run may be worse than any of them: it does not forget.
	Calls  int64
	Counts Counts

	// Next is the order after the last one. It exceeds Calls where calls were
	// merged: their orders stay taken.
	Next int64

	// Policies judged the calls, in the order in which they first did.
	Policies []Judged

	// Cited are the carriers that stand, in the run's order. Uncited counts the
	// calls without: not written, or so many calls ago that it is not kept.
	Cited      []Cited
	Uncited    int64
	Superseded []Superseded

	// Supersedes is the run's earlier record, zero where there is none.
	Supersedes Sum

	run   *run
	shard *shard
}

// Counts are numbers of calls by verdict.
type Counts struct{ Match, Incomplete, Mismatch, Invalid int64 }

// Judged is a policy in a run, and the records of its rules over the calls
// that it judged. Spanned indices count these calls alone.
type Judged struct {
	Policy  *Policy
	Calls   int64             // that it judged
	Seen    int64             // of these, those that its rules saw
	Behind  int64             // changes that its rules could not take in
	Records []sequence.Record // nil where it has no rules, or they are lost
}

// Cited is the carrier that stands for a call.
type Cited struct {
	Order  int64
	Policy *Policy
	Digests
}

// caveats returns what follows from why a run is closed, for that record alone.
func (w Why) caveats() caveats {
	switch w {
	case WhyLifetime:
		return 1 << CaveatLifetime
	case WhyShutdown:
		return 1 << CaveatShutdown
	default:
		return 0
	}
}

// close closes r, which is open, and adds what its record must say.
func (s *shard) close(r *run, why Why, now tick, ended *Ended) {
	if why == WhyEvicted {
		r.caveats.add(CaveatEvicted)
	}
	ended.Closed = append(ended.Closed, s.report(r, why))
	r.set(closed, true)
	s.open.remove(r)
	s.closed.pushFront(r)
	s.ledger.open.Add(-1)
	s.ledger.closed.Add(1)
	r.touched = now
	if why == WhyEvicted {
		before := r.size()
		r.hollow()
		s.ledger.bytes.Add(r.size() - before)
	}
}

// report returns what the record of r must say.
func (s *shard) report(r *run, why Why) Closed {
	known := r.caveats | why.caveats()
	if !r.rootsSeen() {
		known.add(CaveatRootUnseen)
	}
	if s.unread(r, r.calls) {
		known.add(CaveatArgumentsUnread)
	}
	c := Closed{
		Run: r.id, Trace: Trace(r.id), Last: r.latest, Next: r.next,
		Verdict: r.verdict(), Extent: r.extent(known), Why: why, Caveats: known.list(),
		run: r, shard: s,
	}
	if s.options.Extent != 0 {
		c.Extent = s.options.Extent
	}
	by, _ := r.counts()
	c.Counts = Counts{Match: by[truth.Match], Incomplete: by[truth.Incomplete], Mismatch: by[truth.Mismatch], Invalid: by[truth.Invalid]}
	c.Calls = by[truth.Match] + by[truth.Incomplete] + by[truth.Mismatch] + by[truth.Invalid]
	if x := r.rare(); x != nil {
		c.Supersedes = x.issued
		if x.trace != (Trace{}) {
			c.Trace = x.trace
		}
	}
	c.Policies = r.judgements(c.Extent)
	r.cite(&c)
	return c
}

// judgements returns what each policy of r concluded.
func (r *run) judgements(e sequence.Extent) []Judged {
	if r.policy == nil {
		return nil
	}
	x := r.rare()
	if x == nil {
		x = &rare{}
	}
	all := make([]Judged, 1, 1+len(x.others))
	by, _ := r.counts()
	first := policyPart{policy: r.policy, state: r.state}
	for _, n := range by {
		first.calls += n
	}
	for _, other := range x.others {
		first.calls -= other.calls
		all = append(all, other.conclude(e))
	}
	all[0] = first.conclude(e)
	for i, n := range x.behind {
		all[i].Behind = n
	}
	return all
}

func (j *policyPart) conclude(e sequence.Extent) Judged {
	out := Judged{Policy: j.policy, Calls: j.calls}
	if j.state != nil {
		out.Seen, out.Records = int64(j.state.Calls()), j.state.Records(e)
	}
	return out
}

// cite lists the carriers that stand.
func (r *run) cite(c *Closed) {
	c.Uncited = c.Calls
	if r.more == nil {
		return
	}
	m := r.more
	if len(m.records) > 0 {
		c.Cited = make([]Cited, 0, len(m.records))
	}
	for i := range m.records {
		order := m.first + int64(i)
		if d := r.digests(order); !d.IsZero() {
			c.Cited = append(c.Cited, Cited{Order: order, Policy: r.policyAt(m.records[i].policy), Digests: d})
		}
	}
	c.Uncited -= int64(len(c.Cited))
	c.Superseded = append(c.Superseded, m.superseded...)
}

// hollow drops what the calls of r were and keeps what became of them.
func (r *run) hollow() {
	r.count(r.calls)
	r.calls, r.state = nil, nil
	x := r.more.rare
	for i := range x.others {
		x.others[i].state = nil
	}
	x.ruled, x.names = nil, nil
	r.more = &more{first: r.next, rare: x}
}

// Issued tells the ledger the digest of the record that was made of c, so that
// a later record of the run can say what it supersedes.
func (l *Ledger) Issued(c *Closed, digest Sum) {
	if c.run == nil {
		return
	}
	c.shard.lock()
	defer c.shard.unlock()
	before := c.run.size()
	c.run.needRare().issued = digest
	if c.shard.runs[c.Run] == c.run {
		l.bytes.Add(c.run.size() - before)
	}
}
