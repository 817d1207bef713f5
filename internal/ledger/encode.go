// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// storedVersion begins every stored run.
const storedVersion = 1

// AppendRun appends the stored form of a run to dst, and reports whether there
// is such a run. Store it after Settle: what was not settled counts as not
// written. It holds no arguments and no verdicts but those of calls; it names
// tools and policies.
func (l *Ledger) AppendRun(dst []byte, id ID) ([]byte, bool) {
	s := l.shardOf(id)
	s.lock()
	defer s.unlock()
	r := s.runs[id]
	if r == nil {
		return dst, false
	}
	start := len(dst)
	w := writer{dst: append(dst, storedVersion)}
	w.run(s, r)
	return binary.LittleEndian.AppendUint32(w.dst, crc32.ChecksumIEEE(w.dst[start:])), true
}

// A writer appends varints, bytes and lists with their lengths.
type writer struct{ dst []byte }

func (w *writer) number(v uint64)  { w.dst = binary.AppendUvarint(w.dst, v) }
func (w *writer) fixed(v uint64)   { w.dst = binary.LittleEndian.AppendUint64(w.dst, v) }
func (w *writer) bytes(b []byte)   { w.dst = append(w.dst, b...) }
func (w *writer) text(s string)    { w.number(uint64(len(s))); w.dst = append(w.dst, s...) }
func (w *writer) small(v ...uint8) { w.dst = append(w.dst, v...) }

func (w *writer) run(s *shard, r *run) {
	w.bytes(r.id[:])
	w.fixed(uint64(r.touched)<<32 | uint64(r.opened))
	w.number(uint64(r.next))
	w.fixed(r.latest)
	w.number(uint64(r.caveats))
	w.small(uint8(r.worst), uint8(r.bits))

	x := r.rare()
	if x == nil {
		x = &rare{}
	}
	w.policies(r, x)
	w.number(uint64(len(r.calls)))
	for i := range r.calls {
		w.call(s, r, &r.calls[i])
	}
	w.kin(r)
	w.records(r)
	w.rare(s, r, x)
}

func (w *writer) policies(r *run, x *rare) {
	if r.policy == nil {
		w.number(0)
		return
	}
	w.number(uint64(1 + len(x.others)))
	for i := range 1 + len(x.others) {
		p, state := r.policyAt(uint8(i)), r.stateAt(uint8(i))
		w.text(p.Name)
		w.text(string(p.Digest))
		w.text(p.fingerprint)
		if i > 0 {
			w.number(uint64(x.others[i-1].calls))
		}
		var text []byte
		if state != nil {
			text, _ = state.MarshalBinary() // which has no error to return
		}
		w.text(string(text))
	}
}

func (w *writer) call(s *shard, r *run, c *call) {
	bits := c.bits &^ pending // whoever wrote it will be gone
	w.fixed(uint64(c.span))
	w.fixed(c.detail)
	w.fixed(uint64(c.id)<<32 | uint64(c.args))
	w.fixed(uint64(c.content)<<32 | uint64(c.end))
	w.small(c.part, uint8(c.verdict), uint8(c.layer), c.policy, uint8(bits))
	w.text(s.name(r, c.tool))
}

func (w *writer) kin(r *run) {
	edges, hops := r.edges(), r.hops()
	w.number(uint64(len(edges)))
	for _, e := range edges {
		w.fixed(uint64(e.span))
		w.fixed(uint64(e.parent))
		w.number(uint64(e.content))
		w.number(uint64(e.order))
		w.small(uint8(e.layer))
	}
	w.number(uint64(len(hops)))
	for i := range hops { // the oldest first
		h := hops[(r.more.kin.turn+i)%len(hops)]
		w.fixed(uint64(h.span))
		w.fixed(uint64(h.to))
	}
}

func (w *writer) records(r *run) {
	m := r.more
	if m == nil {
		m = &more{}
	}
	w.number(uint64(len(m.records)))
	if len(m.records) > 0 {
		w.number(uint64(m.first))
	}
	for i := range m.records {
		d := &m.records[i]
		w.bytes(d.Carrier[:])
		w.bytes(d.Observed[:])
		w.small(d.policy)
	}
	w.number(uint64(len(m.superseded)))
	for i := range m.superseded {
		d := &m.superseded[i]
		w.number(uint64(d.Order))
		w.bytes(d.Carrier[:])
		w.number(uint64(d.By))
	}
	w.number(uint64(len(m.broken)))
	for _, b := range m.broken {
		w.number(uint64(b.order))
		w.number(uint64(b.rule))
		w.small(b.policy)
	}
}

func (w *writer) rare(s *shard, r *run, x *rare) {
	w.bytes(x.trace[:])
	w.bytes(x.issued[:])
	for v := truth.Match; v <= truth.Invalid; v++ {
		w.number(uint64(x.gone[v]))
	}
	w.number(uint64(x.merged))
	w.number(uint64(len(x.traces)))
	for _, t := range x.traces {
		w.fixed(uint64(t.fold))
		w.small(flag(t.root))
	}
	w.number(uint64(len(x.behind)))
	for _, n := range x.behind {
		w.number(uint64(n))
	}
	w.number(uint64(len(x.ruled)))
	for _, n := range x.ruled {
		w.number(uint64(n.order))
		w.text(s.name(r, n.tool))
	}
}

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
