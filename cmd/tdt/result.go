// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/hex"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A result is one decision as `tdt judge --format json` prints it. Members are
// added, never renamed.
type result struct {
	TraceID     string       `json:"trace_id"`
	SpanID      string       `json:"span_id"`
	Dialect     string       `json:"dialect"`
	ToolName    string       `json:"tool_name"`
	CallID      string       `json:"call_id"`
	Policy      string       `json:"policy"`
	Declared    canon.Digest `json:"declared_policy_digest"`
	Verdict     string       `json:"verdict"`
	Axes        axes         `json:"axes"`
	Reasons     []string     `json:"reasons"`
	Explanation string       `json:"explanation"`

	SourceClass string   `json:"source_class,omitempty"`
	Run         string   `json:"run"`
	Order       int64    `json:"order"`
	OtherSpans  []string `json:"other_spans,omitempty"` // of the same call
	Violated    []string `json:"violated_rules,omitempty"`

	ArgsDigest string       `json:"args_digest,omitempty"`
	Observed   canon.Digest `json:"observed_input_digest,omitempty"`

	agent   string
	carrier []byte
}

// axes has a verdict for each axis, in the order of the spec.
type axes struct {
	Tool      string `json:"tool"`
	Args      string `json:"args"`
	Identity  string `json:"identity"`
	Class     string `json:"class"`
	Approval  string `json:"approval"`
	Scope     string `json:"scope"`
	Redaction string `json:"redaction"`
}

func axesOf(d *truth.Decision) axes {
	at := func(a truth.Axis) string { return d.Findings[a-1].Verdict.String() }
	return axes{
		Tool: at(truth.AxisTool), Args: at(truth.AxisArgs), Identity: at(truth.AxisIdentity), Class: at(truth.AxisClass),
		Approval: at(truth.AxisApproval), Scope: at(truth.AxisScope), Redaction: at(truth.AxisRedaction),
	}
}

// resultOf copies what is printed of a decision, so that its span can go.
func resultOf(d *engine.Decision, run string) *result {
	primary := d.Primary()
	trace := primary.Span.TraceID()
	r := &result{
		TraceID: hex.EncodeToString(trace[:]), SpanID: spanID(primary), Dialect: primary.Obs.Dialect,
		ToolName: d.Tool, CallID: d.CallID, Policy: d.Policy.Name, Declared: d.Policy.Truth.DeclaredDigest(),
		Verdict: d.Verdict().String(), Axes: axesOf(&d.Truth), Reasons: d.Reasons(), Explanation: d.Explanation(),
		SourceClass: d.Source.String(), Run: run, Order: d.Placed.Order, Violated: d.Placed.Violated,
		ArgsDigest: d.ArgsDigest, Observed: d.Observed, agent: agentOf(primary),
	}
	if r.Reasons == nil {
		r.Reasons = []string{}
	}
	for i := range d.Members[1:] {
		r.OtherSpans = append(r.OtherSpans, spanID(&d.Members[i+1]))
	}
	return r
}

func spanID(m *engine.Member) string {
	id := m.Span.SpanID()
	return hex.EncodeToString(id[:])
}

// agentOf names who made the call: the agent, or the service it belongs to.
func agentOf(m *engine.Member) string {
	if m.Obs.Agent != "" {
		return m.Obs.Agent
	}
	return engine.Text(m.Resource.Resource().Attributes(), "service.name")
}

// row is the result as a person reads it.
func (r *result) row() report.Row {
	return report.Row{
		Agent: r.agent, Framework: recognize.Title(r.Dialect), Tool: r.ToolName, Verdict: r.Verdict, Why: r.Explanation,
	}
}
