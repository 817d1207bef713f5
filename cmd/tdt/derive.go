// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// An observed is a call as a recording has it.
type observed struct {
	tool, callID string
	args         *canon.Doc   // nil: absent or unusable
	argsWhy      truth.Reason // why
	evidence     truth.Evidence
}

// A lookup finds the call that a carrier is about, or says why it cannot.
type lookup func(in *carrier.Input) (*observed, deriveFault)

// A derivation makes carriers again, from the policy and a recording of the
// calls, and compares. It is the strongest check there is: whatever a carrier
// says is derived anew, except who made the call and how it ended.
type derivation struct {
	name   string
	policy *policy.Policy
	key    func(id string) (*canon.Key, bool)
	lookup lookup
	replay *replay // in place of lookup
}

// A derivedReport counts what came of it.
type derivedReport struct {
	Policy       string       `json:"policy"`
	Digest       canon.Digest `json:"declared_policy_digest"`
	Agree        int          `json:"agree"`
	Differ       int          `json:"differ"`
	CannotVerify int          `json:"cannot_verify"`

	// Why counts what could not be verified, by reason.
	Why map[deriveFault]int `json:"cannot_verify_why,omitempty"`
}

// String says it in one line.
func (r *derivedReport) String() string {
	return fmt.Sprintf("Derived again with %s (%s): %d agree, %d differ, %d cannot be verified.",
		r.Policy, r.Digest, r.Agree, r.Differ, r.CannotVerify)
}

// A deriveFault says why a carrier is not what it was derived to be. The zero
// value is none.
type deriveFault string

// The faults of a derivation. The strings are output that scripts read.
const (
	deriveOtherPolicy  deriveFault = "other_policy"
	deriveCallMissing  deriveFault = "call_missing"
	deriveCallDiffers  deriveFault = "call_differs"
	deriveToolDiffers  deriveFault = "tool_differs"
	deriveUnknownKey   deriveFault = "unknown_key"
	deriveArgsUnusable deriveFault = "args_unusable"
	deriveArgsDiffer   deriveFault = "args_differ"
	deriveVerdict      deriveFault = "verdict_differs"
	deriveSource       deriveFault = "source_differs"
	deriveResult       deriveFault = "result_differs"
	deriveIdentity     deriveFault = "identity_differs"
	deriveOrder        deriveFault = "order_differs"
	deriveFacts        deriveFault = "facts_unknown"
)

// deriveFaults gives each its field and what it says. Where cannot holds, the
// carrier may well be right: it cannot be told with what is at hand.
var deriveFaults = map[deriveFault]struct {
	field, means string
	cannot       bool
}{
	deriveOtherPolicy:  {"declared_policy_digest", "the carrier was judged by another policy", true},
	deriveCallMissing:  {"order", "the recording has no such call", false},
	deriveCallDiffers:  {"call_id", "the recorded call has another id", false},
	deriveToolDiffers:  {"tool_name", "the recorded call is of another tool", false},
	deriveUnknownKey:   {"key_id", "the key of the arguments digest is not at hand", true},
	deriveArgsUnusable: {"args_digest", "the recorded arguments are unusable, and the carrier's are not absent", true},
	deriveArgsDiffer:   {"args_digest", "the recorded arguments have another digest", false},
	deriveVerdict:      {"decision_verdict", "the policy makes another verdict of the recorded call", false},
	deriveSource:       {"source_class", "the recorded call came to be known in another way", false},
	deriveResult:       {"result_status", "the recorded call ended otherwise", false},
	deriveIdentity:     {"identity_state", "the recorded span contradicts itself, and the carrier does not, or the other way round", false},
	deriveOrder:        {"order", "the recording has the call at another place in its run: its spans may have come in another order", true},
	deriveFacts:        {"decision_verdict", "the verdict depends on facts that the processor was told to believe, and tdt was not", true},
}

// watch has every carrier that f sees derived again.
func (d *derivation) watch(f *feeder, r *setReport) {
	if d == nil {
		return
	}
	r.Derived = &derivedReport{Policy: d.name, Digest: d.policy.DeclaredDigest()}
	f.onRecord = func(s *seen) {
		if s.kind != carrier.KindCarrier {
			return
		}
		rec, err := carrier.Import(s.text)
		if err != nil {
			return // the verifier says so
		}
		in := rec.Input()
		why, got, want := d.compare(&in, s.traceParent)
		if r.Derived.count(why) {
			return
		}
		f.faults.add(why.at(s.at, got, want))
	}
}

// count counts one comparison, and reports whether carrier and call agree.
func (r *derivedReport) count(why deriveFault) bool {
	switch {
	case why == "":
		r.Agree++
	case deriveFaults[why].cannot:
		r.CannotVerify++
		if r.Why == nil {
			r.Why = map[deriveFault]int{}
		}
		r.Why[why]++
	default:
		r.Differ++
	}
	return why == ""
}

// at tells the fault of the carrier at a place.
func (why deriveFault) at(where location, got, want string) fault {
	what := deriveFaults[why]
	return fault{
		location: where, Record: carrier.KindCarrier.String(), Fault: string(why), Field: what.field,
		Got: got, Want: want, Means: what.means,
	}
}

// compare returns the first thing in which a carrier is not what its call
// makes of it. got and want are digests or words of vocabularies.
func (d *derivation) compare(in *carrier.Input, traceParent string) (why deriveFault, got, want string) {
	if digest := d.policy.DeclaredDigest(); in.DeclaredPolicy != digest {
		return deriveOtherPolicy, string(in.DeclaredPolicy), string(digest)
	}
	if d.replay != nil {
		return d.replay.compare(in, traceParent)
	}
	call, why := d.lookup(in)
	switch {
	case why != "":
		return why, "", ""
	case call.tool != in.ToolName:
		return deriveToolDiffers, "", ""
	case call.callID != in.CallID:
		return deriveCallDiffers, "", ""
	}
	key, ok := d.key(in.KeyID)
	if !ok {
		return deriveUnknownKey, in.KeyID, ""
	}
	if digest := key.ArgsDigest(call.args); digest != in.ArgsDigest {
		if call.args == nil && call.argsWhy != truth.ArgsAbsent {
			return deriveArgsUnusable, string(call.argsWhy), ""
		}
		return deriveArgsDiffer, in.ArgsDigest, digest
	}
	decision := truth.Judge(d.policy, &truth.Call{
		Tool: call.tool, Args: call.args, ArgsWhy: call.argsWhy, Identity: in.Identity,
	}, &call.evidence)
	if !in.Unclassified && decision.Verdict != in.Verdict {
		return deriveVerdict, in.Verdict.String(), decision.Verdict.String()
	}
	return "", "", ""
}

// derivation returns what --policy with --requests or --traces asks for, nil
// where nothing.
func (v *verifyFlags) derivation(s streams, keys *keyring) (*derivation, error) {
	switch {
	case v.policy == "" && v.requests == "" && len(v.traces) == 0:
		return nil, nil
	case v.requests != "" && len(v.traces) > 0:
		return nil, usagef("--requests and --traces are two recordings, want one")
	case v.policy == "" || v.requests == "" && len(v.traces) == 0:
		return nil, usagef("to derive verdicts again, both --policy and --requests are needed, or --policy and --traces")
	case len(v.traces) > 0:
		return s.replayOf(v.policy, v.traces, keys)
	}
	key, err := v.keys.load()
	if err != nil {
		return nil, err
	}
	if key == nil {
		return nil, usagef("--requests needs --key-id: only a key ties a request to a carrier")
	}
	p, err := s.readPolicy(v.policy)
	if err != nil {
		return nil, err
	}
	requests, err := s.readRequests(v.requests, p)
	if err != nil {
		return nil, err
	}
	return &derivation{
		name: v.policy, policy: p, lookup: requests.lookup,
		key: func(id string) (*canon.Key, bool) { return key, id == key.ID() },
	}, nil
}
