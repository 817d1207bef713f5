// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/binary"
	"hash/fnv"
	"math/bits"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// A call is what is kept of one recent call. A busy instance holds millions,
// so it is 40 bytes: hashes stand for ids and arguments, an index for the name.
type call struct {
	span    spanKey // of the primary
	detail  uint64  // of the decision; of a merged call, the order of the call it is part of
	content content // what the primary says
	id      uint32  // hash of trace and call id, 0: no id
	args    uint32  // hash of the arguments, meaningless without hasArgs
	end     milli   // when the last of its spans ended
	tool    nameRef
	part    uint8
	verdict truth.Verdict
	layer   Layer // of the outermost span
	policy  uint8 // index into the run's policies
	bits    callBits
}

type callBits uint8

const (
	hasArgs   callBits = 1 << iota
	waits              // a later span with its id goes on with it
	merged             // it turned out to be another call of the run, and does not count
	inRules            // the rules' state has taken it in
	pending            // a record of its decision is being written
	unwritten          // its decision has no record
)

// A content is half of Member.Content. That two texts share it goes unnoticed,
// unless the later one is judged worse: then it counts as changed all the same.
type content uint32

// A milli is a time in ms. It wraps after 49 days, so only the differences of
// times that are close mean something.
type milli uint32

func millis(ns uint64) milli { return milli(ns / 1e6) }

// notAfter reports whether m is u or earlier.
func (m milli) notAfter(u milli) bool { return int32(u-m) >= 0 }

func (c *call) is(b callBits) bool { return c.bits&b != 0 }

func (c *call) set(b callBits, on bool) {
	c.bits &^= b
	if on {
		c.bits |= b
	}
}

// A spanKey is a span id made unique over the traces of a run. 0 is no span.
type spanKey uint64

// A traceFold is what a trace id adds to its span ids.
type traceFold uint64

func foldTrace(t Trace) traceFold {
	a, b := binary.LittleEndian.Uint64(t[:8]), binary.LittleEndian.Uint64(t[8:])
	return traceFold(a*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(b, 29)*0xbf58476d1ce4e5b9)
}

func (f traceFold) key(s Span, part uint8) spanKey {
	if s == (Span{}) {
		return 0
	}
	return spanKey(binary.LittleEndian.Uint64(s[:]) ^ uint64(f) ^ partFold(part))
}

func (f traceFold) span(k spanKey, part uint8) (s Span) {
	if k != 0 {
		binary.LittleEndian.PutUint64(s[:], uint64(k)^uint64(f)^partFold(part))
	}
	return s
}

func partFold(part uint8) uint64 { return uint64(part) * 0xd6e8feb86659fd93 }

// callIDHash never is 0 for an id. That two ids of one trace share a hash is
// unlikely and gains nobody anything: who makes call ids can make equal ones.
func (f traceFold) callIDHash(id string) uint32 {
	if id == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	v := h.Sum64() ^ uint64(f)
	return max(1, uint32(v^v>>32))
}

// A sighting is a Group prepared for comparing it with calls.
type sighting struct {
	*Group
	fold    traceFold
	keys    [maxMembers]spanKey
	parents [maxMembers]spanKey
	members []Member // those that are kept, all but of very large groups
	name    string   // of the tool, clipped
	id      uint32
	args    uint32
	start   uint64
	begin   milli
	end     milli
	said    [maxMembers]content
	layer   Layer // of the outermost span
}

// maxMembers bounds the spans that are kept of one call. Further ones are
// placed like the others, and not known again.
const maxMembers = 16

// look prepares s for g. A sighting can be used again: what it held before of
// other groups lies behind its members.
func (s *sighting) look(g *Group) {
	s.Group, s.fold, s.name, s.args = g, foldTrace(g.Trace), clipName(g.Call.Name), 0
	s.members = g.Members[:min(len(g.Members), maxMembers)]
	s.start, s.layer = g.began().Start, s.members[0].Layer
	end := s.start
	for i, m := range s.members {
		s.keys[i], s.parents[i] = s.fold.key(m.Span, g.Part), s.fold.key(m.Parent, 0)
		s.said[i] = content(m.Content ^ m.Content>>32)
		s.layer, end = min(s.layer, m.Layer), max(end, m.End)
	}
	s.begin, s.end = millis(s.start), millis(end)
	s.id = s.fold.callIDHash(g.CallID)
	if g.Call.HasArgs {
		s.args = binary.LittleEndian.Uint32(g.Args[:])
	}
}

// forget lets go of the batch.
func (s *sighting) forget() { s.Group, s.members, s.name = nil, nil, "" }

// primary returns the key of the span that the decision speaks of.
func (s *sighting) primary() spanKey { return s.keys[0] }

// has reports whether k is one of the group's spans.
func (s *sighting) has(k spanKey) bool {
	if k == 0 {
		return false
	}
	for _, own := range s.keys[:len(s.members)] {
		if own == k {
			return true
		}
	}
	return false
}

// hangsBelow reports whether some span of the group hangs right below k.
func (s *sighting) hangsBelow(k spanKey) bool {
	for i := range s.members {
		if s.parents[i] == k {
			return true
		}
	}
	return false
}

// decide makes c the decision that s brings. Arguments that are known stay
// known, also where an observation without them decides.
func (c *call) decide(s *sighting, tool nameRef, policy uint8) {
	c.span, c.content, c.part = s.primary(), s.said[0], s.Part
	c.detail, c.tool, c.policy = s.Detail, tool, policy
	c.verdict = truth.Join(s.Verdict)
	if s.Call.HasArgs {
		c.args = s.args
		c.set(hasArgs, true)
	}
}

// meet takes in what s says of the call apart from the decision.
func (c *call) meet(s *sighting) {
	if c.id == 0 {
		c.id = s.id
	}
	if c.layer == 0 || s.layer != 0 && s.layer < c.layer {
		c.layer = s.layer
	}
	if c.end.notAfter(s.end) {
		c.end = s.end
	}
	c.set(waits, c.is(waits) || s.Waits)
}

// goesOn reports whether s began before c ended, or one of them waits to be
// gone on with. A retry begins later.
func (c *call) goesOn(s *sighting) bool { return s.begin.notAfter(c.end) || c.is(waits) || s.Waits }
