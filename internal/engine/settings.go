// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
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

	// Run is what the ledger knows of the policy, made once a load.
	Run *ledger.Policy

	// When holds for the calls that this policy judges. Nil: for all.
	When func(Located) bool
}

// NewPolicy returns a policy that is ready to judge, with its rules about order.
// The error is the policy's own: it names file, line and field.
func NewPolicy(name, file string, text []byte, when func(Located) bool) (*Policy, error) {
	read, err := policy.Read(file, text)
	if err != nil {
		return nil, err
	}
	rules, err := sequence.Load(file, read)
	if err != nil {
		return nil, err
	}
	return &Policy{
		Name: name, Truth: read, Rules: rules, When: when,
		Run: ledger.NewPolicy(name, read.DeclaredDigest(), rules),
	}, nil
}

// Policies is one state of all policies. A batch is judged by one state.
type Policies []*Policy

// first returns the first policy whose condition holds, or nil. A condition
// that faults is not sound and claims the call: what it would have said is not
// known, and no other policy may judge in its place.
func (ps Policies) first(at Located) (claimed *Policy, sound bool) {
	defer func() {
		if recover() != nil {
			sound = false
		}
	}()
	for _, p := range ps {
		claimed = p
		if p.When == nil || p.When(at) {
			return p, true
		}
	}
	return nil, true
}

// Settings are what an Engine is built from. What is nil is not asked.
type Settings struct {
	Recognizer *recognize.Recognizer

	// Ledger places calls in their runs. Nil: calls have no order, and runs are
	// not judged.
	Ledger *ledger.Ledger

	// RunKey says what the spans of a run share.
	RunKey RunKey

	// Journal makes evidence durable. It needs a Key and a Ledger. Nil: there
	// is no evidence.
	Journal Journal

	// Store keeps runs over a restart. It needs a Ledger with Options.Stored.
	// Nil: they end with the process.
	Store Store

	// Block refuses a batch whose evidence cannot be made durable. Else it goes
	// on and says so.
	Block bool

	// WholeRuns says that each batch holds whole runs, which end with it.
	WholeRuns bool

	// Key digests arguments. Without it there are no digests of calls.
	Key *canon.Key

	// Identity says what is known of who made the call that a span reports.
	Identity func(Located) truth.Identity

	// Believe says what is known of the obligations of a call, from its spans
	// and their children in the batch.
	Believe func([]Located) Facts

	// Boundary says whether a span comes from where the policy is enforced.
	Boundary func(Located) bool

	// ReadsReserved says that some function here may read any attribute, so
	// that reserved ones are removed before it is asked.
	ReadsReserved bool

	// StripPrefixes are taken off tool names before they are judged, the first
	// that fits, by the operator's own choice.
	StripPrefixes []string
}

// Facts are what is believed about the obligations of one call.
type Facts struct{ Approval, Scope, Redaction truth.Fact }
