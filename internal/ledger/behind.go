// SPDX-License-Identifier: Apache-2.0

package ledger

import "slices"

// fallBehind counts a change that the rules of a policy could not take in.
func (r *run) fallBehind(policy uint8) {
	x := r.needRare()
	for len(x.behind) <= int(policy) {
		x.behind = append(x.behind, 0)
	}
	x.behind[policy]++
	r.caveats.add(CaveatRulesBehind)
}

// ruledName returns the name under which the rules know a call: tool, unless
// it was renamed.
func (s *shard) ruledName(r *run, order int64, tool nameRef) nameRef {
	if x := r.rare(); x != nil {
		for _, n := range x.ruled {
			if n.order == order {
				return n.tool
			}
		}
	}
	return tool
}

// rule notes under which name the rules know a call.
func (x *rare) rule(order int64, tool nameRef) {
	if !slices.ContainsFunc(x.ruled, func(n ruledName) bool { return n.order == order }) {
		x.ruled = append(x.ruled, ruledName{order, tool})
	}
}

func (r *run) forgetRuled(order int64) {
	if x := r.rare(); x != nil {
		x.ruled = slices.DeleteFunc(x.ruled, func(n ruledName) bool { return n.order == order })
	}
}

func (r *run) forgetBroken(order int64) {
	if m := r.more; m != nil {
		m.broken = slices.DeleteFunc(m.broken, func(b broken) bool { return b.order == order })
	}
}

// slide lets the oldest quarter of the window go when it is full. Those calls
// are known by count from then on.
func (s *shard) slide(r *run) {
	if len(r.calls) < s.options.Window {
		return
	}
	drop := max(1, len(r.calls)-s.options.Window*3/4)
	if s.unread(r, r.calls[:drop]) {
		r.caveats.add(CaveatArgumentsUnread)
	}
	r.count(r.calls[:drop])
	r.calls = append(r.calls[:0], r.calls[drop:]...)
	r.caveats.add(CaveatWindowPassed)
	base := r.next - int64(len(r.calls))
	m := r.more // which count has seen to
	if m.kin != nil {
		m.kin.edges = slices.DeleteFunc(m.kin.edges, func(e edge) bool { return e.order < base })
	}
	m.broken = slices.DeleteFunc(m.broken, func(b broken) bool { return b.order < base })
	m.rare.ruled = slices.DeleteFunc(m.rare.ruled, func(n ruledName) bool { return n.order < base })
	s.pruneNames(r)
}

// unread reports whether rules read the arguments of one of calls, which had
// none. Such a call does not match them (spec section 10), so that a rule may
// hold because nobody knows.
func (s *shard) unread(r *run, calls []call) bool {
	for i := range calls {
		c := &calls[i]
		if !c.is(inRules) || c.is(hasArgs) || c.is(merged) {
			continue
		}
		if rules := r.policyAt(c.policy).Rules; rules != nil && rules.DependsOnArgs(s.name(r, c.tool)) {
			return true
		}
	}
	return false
}

// count takes calls that are not kept any more into account.
func (r *run) count(calls []call) {
	x := r.needRare()
	for i := range calls {
		if c := &calls[i]; !c.is(merged) {
			x.gone[c.verdict]++
		}
	}
}
