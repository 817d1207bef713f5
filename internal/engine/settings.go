// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// Located is a span with the scope and the resource that it came under.
type Located struct {
	Resource ptrace.ResourceSpans
	Scope    ptrace.ScopeSpans
	Span     ptrace.Span
}

// A Policy is one loaded policy and the calls that it judges.
type Policy struct {
	Name  string
	Truth *policy.Policy
	Rules *sequence.Rules

	// When holds for the calls that this policy judges. Nil: for all.
	When func(Located) bool
}

// Policies is one state of all policies. A batch is judged by one state.
type Policies []*Policy

// first returns the first policy whose condition holds, or nil.
func (ps Policies) first(at Located) *Policy {
	for _, p := range ps {
		if p.When == nil || p.When(at) {
			return p
		}
	}
	return nil
}

// Settings are what an Engine is built from. What is nil is not asked.
type Settings struct {
	Recognizer *recognize.Recognizer

	// Key digests arguments. Without it there are no digests of calls.
	Key *canon.Key

	// Identity says what is known of who made the call that a span reports.
	Identity func(Located) truth.Identity

	// Believe says what is known of the obligations of a call, from its spans
	// and their children in the batch.
	Believe func([]Located) Facts

	// Boundary says whether a span comes from where the policy is enforced.
	Boundary func(Located) bool

	// StripPrefixes are taken off tool names before they are judged, the first
	// that fits, by the operator's own choice.
	StripPrefixes []string
}

// Facts are what is believed about the obligations of one call.
type Facts struct{ Approval, Scope, Redaction truth.Fact }
