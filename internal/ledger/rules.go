// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"math"

	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// maxPolicies bounds the policies that are told apart in one run. The last one
// stands for all further ones, and their rules are not evaluated.
const maxPolicies = math.MaxUint8

// policyIndex returns the index of p among the policies of r.
func (r *run) policyIndex(p *Policy) uint8 {
	if r.policy == nil {
		r.policy, r.state = p, p.newState()
		return 0
	}
	if i, ok := r.policyKnown(p); ok {
		return i
	}
	x := r.needRare()
	if len(x.others)+1 >= maxPolicies {
		r.fallBehind(maxPolicies - 1)
		return maxPolicies - 1
	}
	for i := range len(x.others) + 1 {
		if r.policyAt(uint8(i)).Name == p.Name {
			r.caveats.add(CaveatPolicyChanged)
		}
	}
	x.others = append(x.others, policyPart{policy: p, state: p.newState()})
	return uint8(len(x.others))
}

func (r *run) policyKnown(p *Policy) (uint8, bool) {
	if r.policy != nil && r.policy.same(p) {
		return 0, true
	}
	if x := r.rare(); x != nil {
		for i := range x.others {
			if x.others[i].policy.same(p) {
				return uint8(i + 1), true
			}
		}
	}
	return 0, false
}

func (r *run) policyAt(i uint8) *Policy {
	if i == 0 {
		return r.policy
	}
	return r.more.rare.others[i-1].policy
}

// stateAt returns what the rules of a policy saw of r, nil where it has none.
func (r *run) stateAt(i uint8) *sequence.State {
	if i == 0 {
		return r.state
	}
	return r.more.rare.others[i-1].state
}

func (r *run) setState(i uint8, s *sequence.State) {
	if i == 0 {
		r.state = s
	} else {
		r.more.rare.others[i-1].state = s
	}
}

// countCall counts calls of a policy. Those of the first are what is left.
func (r *run) countCall(policy uint8, by int64) {
	if policy > 0 {
		r.more.rare.others[policy-1].calls += by
	}
}

// takeIn shows the call to the rules of its policy, and returns the rules that
// it violated.
func (s *shard) takeIn(r *run, order int64, o *sighting) []string {
	c := r.call(order)
	p := r.policyAt(c.policy)
	if !p.same(o.Policy) {
		return nil // one policy too many
	}
	r.countCall(c.policy, 1)
	state := r.stateAt(c.policy)
	if state == nil && p.Rules != nil {
		state = p.newState() // that of before was lost
		r.setState(c.policy, state)
	}
	if state == nil {
		return nil
	}
	c.set(inRules, true)
	var few [8]sequence.Violation
	violated := state.Take(few[:0], o.Call)
	var ids []string
	for _, v := range violated {
		r.breaks(order, c.policy, v.Rule)
		ids = append(ids, p.Rules.RuleID(v.Rule))
	}
	return ids
}

// breaks notes that a call violated a rule.
func (r *run) breaks(order int64, policy uint8, rule int) {
	if rule > math.MaxUint16 {
		return
	}
	m := r.needMore()
	m.broken = append(m.broken, broken{order: order, rule: uint16(rule), policy: policy})
}

// violatedBy returns the rule_id of each rule that the call violated.
func (r *run) violatedBy(order int64) (ids []string) {
	if r.more == nil {
		return nil
	}
	for _, b := range r.more.broken {
		if p := r.policyAt(b.policy); b.order == order && p.Rules != nil {
			ids = append(ids, p.Rules.RuleID(int(b.rule)))
		}
	}
	return ids
}

// revise shows the rules what became of a call that was before. Whatever they
// cannot take in is counted, and the run's record says so.
func (s *shard) revise(r *run, order int64, before *call, o *sighting) []string {
	c := r.call(order)
	if c.policy != before.policy {
		return s.handOver(r, order, before, o)
	}
	if r.stateAt(c.policy) == nil || !c.is(inRules) {
		return nil
	}
	ruled := s.ruledName(r, order, before.tool)
	if s.name(r, ruled) != o.name {
		r.needRare().rule(order, ruled)
		if s.rebuild(r, c.policy) {
			return r.violatedBy(order)
		}
		r.fallBehind(c.policy)
	}
	if !before.is(hasArgs) || !c.is(hasArgs) || o.Call.HasArgs { // else the rules have the arguments
		r.replaceArgs(order, sequence.Call{Name: s.name(r, ruled), Args: o.Call.Args, HasArgs: o.Call.HasArgs})
	}
	return r.violatedBy(order)
}

// handOver shows a call to the rules of another policy, which judges it from
// now on. Those of the old one cannot take it back.
func (s *shard) handOver(r *run, order int64, before *call, o *sighting) []string {
	r.forgetBroken(order)
	r.countCall(before.policy, -1)
	if before.is(inRules) {
		r.fallBehind(before.policy)
	}
	r.fallBehind(r.call(order).policy)
	return s.takeIn(r, order, o)
}

// replaceArgs puts a call with the arguments that became known in the place of
// the one that the rules saw.
func (r *run) replaceArgs(order int64, known sequence.Call) {
	policy := r.call(order).policy
	violated, err := r.stateAt(policy).Replace(r.placeInState(order), known)
	if err != nil {
		r.fallBehind(policy)
	}
	for _, rule := range violated {
		r.breaks(order, policy, rule)
	}
}

// placeInState returns the index that a call has in the state of its policy.
func (r *run) placeInState(order int64) int {
	policy, after := r.call(order).policy, 0
	for i := order - r.base(); i < int64(len(r.calls)); i++ {
		if c := &r.calls[i]; c.is(inRules) && c.policy == policy {
			after++
		}
	}
	return r.stateAt(policy).Calls() - after
}

// dropFromRules takes a merged call out of what the rules saw, if that can be.
func (s *shard) dropFromRules(r *run, order int64) {
	c := r.call(order)
	if !c.is(inRules) {
		return
	}
	r.forgetBroken(order)
	if r.stateAt(c.policy) != nil && !s.rebuild(r, c.policy) {
		r.fallBehind(c.policy)
	}
}

// rebuild evaluates the rules of a policy anew by the names of its calls. That
// takes all its calls, and rules that do not read the arguments of any.
func (s *shard) rebuild(r *run, policy uint8) bool {
	p, old := r.policyAt(policy), r.stateAt(policy)
	n := 0
	for i := range r.calls {
		c := &r.calls[i]
		if !c.is(inRules) || c.policy != policy {
			continue
		}
		n++
		if ruled := s.ruledName(r, r.base()+int64(i), c.tool); p.Rules.DependsOnArgs(s.name(r, c.tool)) || p.Rules.DependsOnArgs(s.name(r, ruled)) {
			return false
		}
	}
	if n != old.Calls() {
		return false
	}
	s.retake(r, policy, p.newState())
	return true
}

// retake puts the calls of a policy into a fresh state.
func (s *shard) retake(r *run, policy uint8, state *sequence.State) {
	var violated []sequence.Violation
	for i := range r.calls {
		c, order := &r.calls[i], r.base()+int64(i)
		if !c.is(inRules) || c.policy != policy {
			continue
		}
		r.forgetBroken(order)
		r.forgetRuled(order)
		if c.is(merged) {
			c.set(inRules, false)
			continue
		}
		violated = state.Take(violated[:0], sequence.Call{Name: s.name(r, c.tool)})
		for _, v := range violated {
			r.breaks(order, policy, v.Rule)
		}
	}
	r.setState(policy, state)
}
