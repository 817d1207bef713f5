// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A plainCall is one line of `tdt judge --calls`.
type plainCall struct {
	ToolName      *string         `json:"tool_name"`
	Arguments     json.RawMessage `json:"arguments"`
	IdentityState *string         `json:"identity_state"`
	Evidence      plainEvidence   `json:"evidence"`
}

// plainEvidence is what is known beside the call. What is missing or null is
// unknown.
type plainEvidence struct {
	ToolClasses      *[]string `json:"tool_classes"`
	ApprovalObtained *bool     `json:"approval_obtained"`
	ScopeSatisfied   *bool     `json:"scope_satisfied"`
	RedactionApplied *bool     `json:"redaction_applied"`
}

// argumentLimits are those of recorded spans.
var argumentLimits = canon.Limits{Bytes: recognize.DefaultMaxArgBytes, Members: recognize.DefaultMaxArgMembers}

// parsePlainCall reads one line. Its faults never quote what stands there.
func parsePlainCall(line string) (*plainCall, error) {
	dec := json.NewDecoder(strings.NewReader(line))
	dec.DisallowUnknownFields()
	var c plainCall
	if err := dec.Decode(&c); err != nil {
		return nil, plainCallFault(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("want one JSON object a line, found more")
	}
	if err := eachOnce(line, "tool_name", "arguments", "identity_state", "evidence"); err != nil {
		return nil, err
	}
	if c.ToolName == nil {
		return nil, errors.New(`want "tool_name", a string`)
	}
	return &c, nil
}

// eachOnce refuses an object with a member that is not written exactly as one
// of names, or with one that is there twice: the decoder takes the last, in any
// case of letters. Arguments are not looked into: what is wrong with them is
// said by the verdict.
func eachOnce(object string, names ...string) error {
	dec := json.NewDecoder(strings.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return plainCallFault(err)
	}
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		name, _ := key.(string)
		var value json.RawMessage
		if err = errors.Join(err, dec.Decode(&value)); err != nil {
			return plainCallFault(err)
		}
		switch {
		case !slices.Contains(names, name):
			return errUnknownField
		case seen[name]:
			return fmt.Errorf("%s occurs twice", name)
		case name == "evidence" && string(value) != "null":
			err = eachOnce(string(value), "tool_classes", "approval_obtained", "scope_satisfied", "redaction_applied")
		}
		if err != nil {
			return err
		}
		seen[name] = true
	}
	return nil
}

var errUnknownField = errors.New("an unknown field, known are tool_name, arguments, identity_state, and evidence with tool_classes, " +
	"approval_obtained, scope_satisfied, redaction_applied")

func plainCallFault(err error) error {
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return fmt.Errorf("got a JSON %s, want an object", wrongType.Value)
	case errors.As(err, &wrongType):
		return fmt.Errorf("%s: got a JSON %s, want %s", wrongType.Field, wrongType.Value, wrongType.Type)
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return errUnknownField
	}
	return errors.New("it is not a JSON object")
}

// call returns the call as the gate takes it. Arguments that are unusable are
// absent, for their own reason.
func (c *plainCall) call() *truth.Call {
	out := &truth.Call{Tool: *c.ToolName, Identity: truth.IdentityAbsent}
	if c.IdentityState != nil {
		out.Identity = 0 // a word that is not known is invalid
		_ = out.Identity.UnmarshalText([]byte(*c.IdentityState))
	}
	if c.Arguments == nil {
		return out
	}
	doc := &canon.Doc{}
	err := doc.Parse(string(bytes.TrimSpace(c.Arguments)), argumentLimits)
	var fault *canon.TextError
	switch {
	case err == nil:
		out.Args = doc
	case errors.As(err, &fault):
		out.ArgsWhy = truth.Reason("args." + fault.Fault.String())
	default:
		out.ArgsWhy = truth.ArgsNotJSON
	}
	return out
}

// evidence returns what is known. The policy's own classes serve where the line
// says nothing of classes.
func (c *plainCall) evidence(p *engine.Policy) *truth.Evidence {
	e := &truth.Evidence{}
	if c.Evidence.ToolClasses != nil {
		e.Classes, e.ClassesKnown = *c.Evidence.ToolClasses, true
	} else {
		e.Classes, e.ClassesKnown = p.Truth.ToolClasses(*c.ToolName)
	}
	for _, f := range []struct {
		said *bool
		to   *truth.Fact
	}{
		{c.Evidence.ApprovalObtained, &e.Approval},
		{c.Evidence.ScopeSatisfied, &e.Scope},
		{c.Evidence.RedactionApplied, &e.Redaction},
	} {
		if f.said != nil {
			*f.to = truth.FactOf(*f.said)
		}
	}
	return e
}

// plainSpanned bounds the calls that the record of a rule names. The others are
// counted.
const plainSpanned = 10_000

// plainRun names the one run that a file of plain calls is.
const plainRun = "calls"

// plainCalls judges a file of plain calls, which is one run.
func (j *judging) plainCalls(file string, out *decisionPrinter) error {
	in, err := j.open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := newLineReader(in, maxOTLPLine)
	run := &plainRunState{extent: j.extent, worst: truth.Match, rules: j.policy.Rules.NewState(plainSpanned)}
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", in.name, plainPathError(err))
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		c, err := parsePlainCall(line)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", in.name, lines.n, err)
		}
		if err := out.decision(j.judgePlain(c, run)); err != nil {
			return err
		}
	}
	out.run(run.record(j.policy))
	return nil
}

// plainRunState is the run so far.
type plainRunState struct {
	extent sequence.Extent
	worst  truth.Verdict
	rules  *sequence.State
	calls  int64
	unread bool // a rule read arguments that a call did not have
}

func (j *judging) judgePlain(c *plainCall, run *plainRunState) *result {
	call := c.call()
	d := truth.Judge(j.policy.Truth, call, c.evidence(j.policy))
	r := &result{
		ToolName: call.Tool, Policy: j.policy.Name, Declared: j.policy.Truth.DeclaredDigest(),
		Verdict: d.Verdict.String(), Axes: axesOf(&d), Reasons: d.Reasons([]string{}), Explanation: d.Explanation(),
		Run: plainRun, Order: run.calls,
	}
	if j.key != nil {
		r.ArgsDigest = j.key.ArgsDigest(call.Args)
		r.Observed = canon.ObservedInput(call.Tool, r.ArgsDigest, run.calls)
	}
	seen := sequence.Call{Name: call.Tool}
	if call.Args != nil {
		seen.Args, seen.HasArgs = call.Args.Root(), true
	}
	run.unread = run.unread || !seen.HasArgs && j.policy.Rules.DependsOnArgs(call.Tool)
	for _, v := range run.rules.Take(nil, seen) {
		r.Violated = append(r.Violated, j.policy.Rules.RuleID(v.Rule))
	}
	run.calls++
	run.worst = truth.Join(run.worst, d.Verdict)
	return r
}

// record says what became of the run.
func (s *plainRunState) record(p *engine.Policy) *engine.RunRecord {
	r := &engine.RunRecord{Run: plainRun, Extent: s.extent, Verdict: s.worst, Calls: s.calls}
	if s.unread {
		r.Caveats = append(r.Caveats, ledger.CaveatArgumentsUnread)
	}
	for _, rec := range s.rules.Records(s.extent) {
		r.Rules = append(r.Rules, engine.RunRule{Policy: p.Name, Record: rec})
	}
	return r
}
