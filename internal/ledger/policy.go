// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A Policy is one loaded form of a policy, as far as runs are concerned.
type Policy struct {
	Name   string
	Digest canon.Digest // the declared digest, which does not cover the rules

	// Rules may be nil: the policy has none, or they are not loaded any more.
	Rules *sequence.Rules

	fingerprint string // of the rules
}

// NewPolicy returns the Policy of one loaded policy. Call it once a load: two
// of them are the same form where name, digest and rules agree.
func NewPolicy(name string, digest canon.Digest, rules *sequence.Rules) *Policy {
	p := &Policy{Name: name, Digest: digest}
	if rules != nil && rules.Len() > 0 {
		p.Rules = rules
		// A state that took nothing in is stored as the rules' fingerprint.
		if text, err := rules.NewState(1).MarshalBinary(); err == nil {
			p.fingerprint = string(text)
		}
	}
	return p
}

func (p *Policy) same(other *Policy) bool {
	return p == other || p.Name == other.Name && p.Digest == other.Digest && p.fingerprint == other.fingerprint
}

// newState returns the rules' state of a run without calls, nil without rules.
func (p *Policy) newState() *sequence.State {
	if p.Rules == nil {
		return nil
	}
	return p.Rules.NewState(spannedBound)
}

// spannedBound is how many spanned indices are kept of a rule whose record
// grows with the run.
const spannedBound = 64
