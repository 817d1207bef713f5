// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"strings"
	"testing"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// FuzzRecords reads any text as evidence: it never fails but with a word for
// what the text is, and never tells a line that is not there.
func FuzzRecords(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "{}", "[]", "{\n", "{\"recipe\":1}\n{", "{\"args_digest\":\"\"}\r\n\r\nx", "\x1f\x8b\x08", "tools: {}", "{\"specversion\":\"1.0\"}",
		"{\"schema\":\"assay.tool_decision_truth.v0\",\"a\":1,\"a\":2}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v carrier.Verifier
		feed := newFeeder(&v, 0, nil)
		err := feed.file(&input{"f", io.NopCloser(strings.NewReader(text))})
		if content, ok := err.(*contentError); ok && (content.is == "" || content.line > strings.Count(text, "\n")+1) {
			t.Fatalf("%+v", content)
		}
		feed.finish()
		for _, fault := range feed.faults.first() {
			if fault.Fault == "" || fault.Means == "" || fault.Line > int64(strings.Count(text, "\n")+1) {
				t.Fatalf("%+v", fault)
			}
		}
	})
}

// FuzzCases reads any text as cases of a policy; those that are read can be
// run.
func FuzzCases(f *testing.F) {
	for _, seed := range []string{
		"", "cases: []", "cases: [{name: a, call: {tool_name: b}, want: {verdict: match}}]", "cases: [{name: a}]", "cases: {a: 1}",
		"cases:\n- name: x\n  call: {tool_name: y, arguments: [1, null], identity_state: absent, evidence: {tool_classes: [a]}}\n  want: {axes: {tool: match}, reasons: []}\n",
		"cases: [&a {name: b, call: {tool_name: *a}}]", "cases: [{name: 1, call: 2, want: 3}]",
	} {
		f.Add(seed)
	}
	p, err := policy.Read("p", []byte("tools: {allow: [y]}"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cases, err := readCases("f", []byte(text))
		if err != nil {
			return
		}
		if len(cases) == 0 {
			t.Fatal("a file without cases is read")
		}
		for i := range cases {
			if r := cases[i].run(p, "f"); r.Verdict == "" || r.OK != (len(r.Failures) == 0) {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// FuzzRequests reads any line as a JSON-RPC message: it is taken, or it is said
// what it is.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":1}}}`,
		`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"a","arguments":{"b":1,"b":2}}}`, `{"jsonrpc":"2.0","jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":null,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"id":{},"method":"tools/call"}`, "[]", "x",
	} {
		f.Add(seed)
	}
	p, err := policy.Read("p", []byte("{}"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line string) {
		r := &requests{policy: p}
		if is := r.add(line); is != "" && len(r.calls) > 0 {
			t.Fatalf("it is %s, and a call", is)
		}
		for i := range r.calls {
			call, why := r.lookup(&carrier.Input{Order: int64(i)})
			if why != "" || call.args == nil && call.argsWhy == "" {
				t.Fatalf("%q: %+v", why, call)
			}
			if call.args != nil && call.args.Root().Kind() == canon.KindNone {
				t.Fatal("arguments that are none")
			}
		}
	})
}
