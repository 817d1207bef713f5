// SPDX-License-Identifier: Apache-2.0

package ledger

import "github.com/tool-decision-truth/collector/internal/truth"

func (s *shard) readRare(d *reader, r *run, policies int) {
	var x rare
	copy(x.trace[:], d.bytes(len(x.trace)))
	copy(x.issued[:], d.bytes(len(x.issued)))
	for v := truth.Match; v <= truth.Invalid; v++ {
		x.gone[v] = int64(d.number(maxOrder + 1))
	}
	x.merged = int64(d.number(maxOrder + 1))
	for range d.length(maxTraces+1, 9) {
		x.traces = append(x.traces, rootedTrace{traceFold(d.fixed()), d.small(1) == 1})
	}
	for range d.length(policies, 1) {
		x.behind = append(x.behind, int64(d.number(maxOrder)))
	}
	for range d.length(maxWindow, 2) {
		order := int64(d.number(maxOrder))
		name := d.text(maxNameLen)
		if d.check(r.call(order) != nil); d.bad {
			return
		}
		x.ruled = append(x.ruled, ruledName{order, s.refer(r, name)})
	}
	r.takeRare(&x)
}

// takeRare gives r what x says, and no room for what it does not.
func (r *run) takeRare(x *rare) {
	own := r.rare()
	if own == nil && x.isZero() {
		return
	}
	own = r.needRare()
	x.others, x.names = own.others, own.names
	*own = *x
}

func (x *rare) isZero() bool {
	return x.trace == Trace{} && x.issued.IsZero() && x.gone == [truth.Invalid + 1]int64{} && x.merged == 0 &&
		len(x.traces)+len(x.behind)+len(x.ruled) == 0
}

// sound reports whether the numbers of r agree with each other, and completes
// what follows from them.
func (r *run) sound() bool {
	if r.worst != 0 && r.worst < truth.Mismatch || (r.policy == nil) != (r.next == 0) {
		return false
	}
	by, gone := r.counts()
	total, judged := int64(0), int64(0)
	for _, n := range by {
		total += n
	}
	x := r.rare()
	if x != nil {
		for _, j := range x.others {
			judged += j.calls
		}
	}
	if total+gone != r.next || judged > total {
		return false
	}
	for i := range 1 + r.others() {
		if !r.soundRules(uint8(i)) {
			return false
		}
	}
	was := r.is(incomplete)
	r.recount()
	return was == r.is(incomplete)
}

func (r *run) others() int {
	if x := r.rare(); x != nil {
		return len(x.others)
	}
	return 0
}

// soundRules reports whether the rules of a policy saw no fewer calls than the
// run says. Where their state was not restored, the calls count as not seen.
func (r *run) soundRules(policy uint8) bool {
	if r.policy == nil {
		return true
	}
	state, seen := r.stateAt(policy), 0
	for i := range r.calls {
		c := &r.calls[i]
		if c.policy != policy || !c.is(inRules) {
			continue
		}
		seen++
		if state == nil {
			c.set(inRules, false)
		}
	}
	if state != nil {
		return seen <= state.Calls()
	}
	if p := r.policyAt(policy); p.Rules == nil && p.fingerprint != "" {
		r.fallBehind(policy)
	}
	return true
}
