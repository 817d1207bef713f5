// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// Why a stored run is refused.
var (
	ErrStored        = errors.New("not a stored run")
	ErrStoredVersion = errors.New("stored by another version")
	ErrKnown         = errors.New("the run is there already")
)

// Restore takes in a run that AppendRun wrote. The run goes on as if nothing
// had been in between, with those of its policies that are among policies, in
// the same form. Of others it knows the name and what they judged, and their
// rules are behind.
//
// It refuses whatever AppendRun does not write, and then changes nothing. What
// a store's owner can forge it cannot tell.
func (l *Ledger) Restore(now time.Time, data []byte, policies []*Policy) (ID, error) {
	if len(data) < 5 {
		return ID{}, ErrStored
	}
	body := data[:len(data)-4]
	switch {
	case data[0] != storedVersion:
		return ID{}, fmt.Errorf("got version %d, want %d: %w", data[0], storedVersion, ErrStoredVersion)
	case crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(data[len(body):]):
		return ID{}, fmt.Errorf("checksum differs: %w", ErrStored)
	}
	d := reader{rest: body[1:]}
	var id ID
	copy(id[:], d.bytes(len(id)))
	s := l.shardOf(id)
	s.lock()
	defer s.unlock()
	r := &run{id: id}
	s.read(&d, r, policies)
	if d.check(len(d.rest) == 0); d.bad || !r.sound() {
		return ID{}, ErrStored
	}
	if s.runs[id] != nil {
		return ID{}, ErrKnown
	}
	r.bringUp(tickOf(now))
	s.adopt(r)
	return id, nil
}

func (s *shard) adopt(r *run) {
	s.runs[r.id] = r
	s.unsorted = true
	s.ledger.bytes.Add(r.size())
	if r.is(closed) {
		s.closed.pushFront(r)
		s.ledger.closed.Add(1)
	} else {
		s.open.pushFront(r)
		s.ledger.open.Add(1)
	}
}

// bringUp keeps a clock that was set back from making r young for years.
func (r *run) bringUp(now tick) {
	if now.since(r.touched) < 0 {
		r.touched = now
	}
	if now.since(r.opened) < 0 {
		r.opened = now
	}
}

const maxStoredText = 1 << 20

func (s *shard) read(d *reader, r *run, policies []*Policy) {
	times := d.fixed()
	r.touched, r.opened = tick(times>>32), tick(times)
	r.next = int64(d.number(maxOrder + 1))
	r.latest = d.fixed()
	r.caveats = caveats(d.number(1<<(lastCaveat+1) - 1))
	r.worst = truth.Verdict(d.small(uint8(truth.Invalid)))
	r.bits = runBits(d.small(uint8(closed | ofTrace | rooted | incomplete)))

	known := r.readPolicies(d, policies)
	n := d.length(maxWindow, 40)
	d.check(int64(n) <= r.next)
	for range n {
		if d.bad {
			return
		}
		r.calls = append(r.calls, s.readCall(d, r, known))
	}
	r.readKin(d)
	r.readRecords(d, known)
	s.readRare(d, r, known)
}

// readPolicies returns how many policies there are.
func (r *run) readPolicies(d *reader, policies []*Policy) int {
	n := d.length(maxPolicies, 4)
	for i := range n {
		stored := &Policy{Name: d.text(maxStoredText), Digest: canon.Digest(d.text(maxStoredText)), fingerprint: d.text(maxStoredText)}
		j := policyPart{policy: stored}
		if i > 0 {
			j.calls = int64(d.number(uint64(r.next)))
		}
		j.restore(d, policies)
		if i == 0 {
			r.policy, r.state = j.policy, j.state
		} else {
			r.needRare().others = append(r.needRare().others, j)
		}
	}
	return n
}

// restore finds the policy among those that are loaded, and the state of its
// rules.
func (j *policyPart) restore(d *reader, policies []*Policy) {
	text := d.text(maxStoredText)
	for _, p := range policies {
		if !p.same(j.policy) {
			continue
		}
		j.policy = p
		if text != "" {
			j.state = p.newState()
			d.check(j.state != nil && j.state.UnmarshalBinary([]byte(text)) == nil)
		}
		return
	}
}

func (s *shard) readCall(d *reader, r *run, policies int) call {
	var c call
	c.span, c.detail = spanKey(d.fixed()), d.fixed()
	pair := d.fixed()
	c.id, c.args = uint32(pair>>32), uint32(pair)
	pair = d.fixed()
	c.content, c.end = content(pair>>32), milli(pair)
	c.part, c.verdict = d.small(math.MaxUint8), truth.Verdict(d.small(uint8(truth.Invalid)))
	c.layer, c.policy = Layer(d.small(uint8(LayerHandler))), d.small(math.MaxUint8)
	c.bits = callBits(d.small(uint8(hasArgs | waits | merged | inRules | unwritten)))
	d.check(c.verdict >= truth.Match && int(c.policy) < policies)
	if name := d.text(maxNameLen); !d.bad {
		c.tool = s.refer(r, name)
	}
	return c
}

func (r *run) readKin(d *reader) {
	for range d.length(maxWindow*maxMembers, 19) {
		e := edge{span: spanKey(d.fixed()), parent: spanKey(d.fixed()), content: content(d.number(math.MaxUint32))}
		e.order, e.layer = int64(d.number(maxOrder)), Layer(d.small(uint8(LayerHandler)))
		d.check(r.call(e.order) != nil)
		if d.bad {
			return
		}
		r.needKin().edges = append(r.needKin().edges, e)
	}
	for range d.length(maxHops, 16) {
		r.needKin().hops = append(r.needKin().hops, hop{spanKey(d.fixed()), spanKey(d.fixed())})
	}
}

func (r *run) readRecords(d *reader, policies int) {
	n := d.length(math.MaxInt32, 65)
	if n > 0 {
		r.needMore().first = int64(d.number(maxOrder + 1))
		d.check(r.more.first+int64(n) <= r.next)
	}
	for range n {
		var rec record
		copy(rec.Carrier[:], d.bytes(len(rec.Carrier)))
		copy(rec.Observed[:], d.bytes(len(rec.Observed)))
		rec.policy = d.small(math.MaxUint8)
		if d.check(int(rec.policy) < policies); d.bad {
			return
		}
		r.needMore().records = append(r.needMore().records, rec)
	}
	for range d.length(maxSuperseded, 34) {
		var s Superseded
		s.Order = int64(d.number(maxOrder))
		copy(s.Carrier[:], d.bytes(len(s.Carrier)))
		s.By = int64(d.number(maxOrder))
		r.needMore().superseded = append(r.needMore().superseded, s)
	}
	r.readBroken(d, policies)
}

func (r *run) readBroken(d *reader, policies int) {
	for range d.length(math.MaxInt32, 3) {
		b := broken{order: int64(d.number(maxOrder)), rule: uint16(d.number(math.MaxUint16)), policy: d.small(math.MaxUint8)}
		if d.check(r.call(b.order) != nil && int(b.policy) < policies); d.bad {
			return
		}
		if p := r.policyAt(b.policy); p.Rules == nil || int(b.rule) < p.Rules.Len() {
			r.needMore().broken = append(r.needMore().broken, b)
		}
	}
}
