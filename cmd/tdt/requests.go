// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

const (
	wantRequests    = "JSON-RPC messages, one a line"
	maxRequestLine  = 64 << 20
	methodToolsCall = "tools/call"
)

// A request is one tools/call of a recording of JSON-RPC messages.
type request struct {
	tool, callID string
	args         string       // JSON text
	unusable     truth.Reason // why there is none
}

// requests are the tool calls of a recording, in the order in which they came:
// the order that carriers made from them have (spec section 12).
type requests struct {
	policy *policy.Policy
	calls  []request
	doc    canon.Doc
}

func (s streams) readRequests(name string, p *policy.Policy) (*requests, error) {
	in, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	all := &requests{policy: p}
	lines := newLineReader(in, maxRequestLine)
	for {
		line, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", in.name, plainPathError(err))
		case strings.TrimSpace(line) == "":
			continue
		}
		if is := all.add(line); is != "" {
			return nil, &contentError{in.name, lines.n, is, wantRequests}
		}
	}
}

// add takes one line, and says what it is if it is no message.
func (r *requests) add(line string) (is string) {
	err := r.doc.Parse(line, canon.Limits{Bytes: maxRequestLine})
	if te, ok := errors.AsType[*canon.TextError](err); ok && te.Fault == canon.FaultDuplicateKey {
		return r.addLoose(line, te.Fault)
	}
	if err != nil {
		return describeText(line, err)
	}
	root := r.doc.Root()
	if version, _ := root.Get("jsonrpc"); version.Str() != "2.0" {
		return describe(root)
	}
	method, _ := root.Get("method")
	id, _ := root.Get("id")
	if method.Str() != methodToolsCall || id.Kind() != canon.KindString && id.Kind() != canon.KindNumber {
		return ""
	}
	params, _ := root.Get("params")
	tool, _ := params.Get("name")
	call := request{tool: tool.Str(), callID: "req_" + id.Str() + id.Number(), args: "null"}
	if args, ok := params.Get("arguments"); ok {
		call.args = string(args.AppendJCS(nil))
	}
	r.calls = append(r.calls, call)
	return ""
}

// addLoose takes a line in which a key repeats. Its arguments are unusable: of
// two readings neither is better. Everything else is read as the proxy reads
// it, so that the calls behind it keep their order.
func (r *requests) addLoose(line string, fault canon.Fault) (is string) {
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if json.Unmarshal([]byte(line), &m) != nil || m.JSONRPC != "2.0" {
		return fmt.Sprintf("JSON that is refused: %v", fault)
	}
	var id any
	if json.Unmarshal(m.ID, &id) != nil || id == nil || m.Method != methodToolsCall {
		return ""
	}
	callID := "req_" + strings.Trim(string(m.ID), `"`)
	if s, ok := id.(string); ok {
		callID = "req_" + s
	}
	r.calls = append(r.calls, request{tool: m.Params.Name, callID: callID, unusable: truth.ArgsDuplicateKey})
	return ""
}

// lookup finds the call of a carrier by its order. Nothing is known of it but
// what the policy itself says.
func (r *requests) lookup(in *carrier.Input) (*observed, deriveFault) {
	if in.Order < 0 || in.Order >= int64(len(r.calls)) {
		return nil, deriveCallMissing
	}
	call := &r.calls[in.Order]
	o := &observed{tool: call.tool, callID: call.callID, argsWhy: call.unusable}
	o.evidence.Classes, o.evidence.ClassesKnown = r.policy.ToolClasses(call.tool)
	if call.unusable == truth.NoReason && r.doc.Parse(call.args, canon.Limits{}) == nil {
		o.args = &r.doc
	}
	return o, ""
}
