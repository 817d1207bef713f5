// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// A policyCase is one call and what is expected of its verdict.
type policyCase struct {
	name string
	line int
	call *plainCall

	verdict string            // "": nothing is expected
	axes    map[string]string // by name, those that are expected
	reasons []string          // sorted; nil: nothing is expected
}

// A caseReader reads the file of cases. It goes on after a fault, so that the
// author sees all of them at once.
type caseReader struct {
	file  string
	errs  policy.Errors
	names map[string]bool
}

// readCases reads the text of a file of cases, as strictly as a policy is read.
func readCases(file string, text []byte) ([]policyCase, error) {
	root, err := tree.Read(file, text)
	if err != nil {
		return nil, err
	}
	r := &caseReader{file: file, names: map[string]bool{}}
	r.errs = root.Strict(file, tree.Path{})
	var cases []policyCase
	path := tree.Path{}
	list := r.members(root, path, []string{"cases"}, "cases")["cases"]
	if r.want(list, canon.KindArray, path.Key("cases")) {
		if len(list.Items) == 0 {
			r.fail(list.Pos(), path.Key("cases"), "it has no case: an empty file must not pass")
		}
		for i, item := range list.Items {
			cases = append(cases, r.read(item, path.Key("cases").Index(i)))
		}
	}
	return cases, r.errs.Err()
}

func (r *caseReader) fail(at tree.Pos, path tree.Path, format string, args ...any) {
	r.errs = append(r.errs, &policy.Error{
		File: r.file, Line: at.Line, Column: at.Column, Path: path.String(), Msg: fmt.Sprintf(format, args...),
	})
}

// want reports whether n is there and of the kind, and otherwise says so. What
// is not there was told when it was looked for.
func (r *caseReader) want(n *tree.Node, kind canon.Kind, path tree.Path) bool {
	if n == nil || n.Kind == kind {
		return n != nil
	}
	r.fail(n.Pos(), path, "got %s, want %s", n.Kind, kind)
	return false
}

// members returns the members of a mapping by name, and refuses unknown ones
// and the lack of a required one.
func (r *caseReader) members(n *tree.Node, path tree.Path, known []string, required ...string) map[string]*tree.Node {
	out := map[string]*tree.Node{}
	if !r.want(n, canon.KindObject, path) {
		return out
	}
	for i, key := range n.Keys {
		if !slices.Contains(known, key) {
			r.fail(n.KeyPos[i], path.Key(key), "unknown field, known here are %s", strings.Join(known, ", "))
			continue
		}
		out[key] = n.Items[i]
	}
	for _, name := range required {
		if out[name] == nil {
			r.fail(n.Pos(), path, "the field %s is missing", name)
		}
	}
	return out
}

func (r *caseReader) read(n *tree.Node, path tree.Path) policyCase {
	c := policyCase{line: n.Line}
	m := r.members(n, path, []string{"name", "call", "want"}, "name", "call", "want")
	if name := m["name"]; r.want(name, canon.KindString, path.Key("name")) {
		c.name = name.Str
		switch {
		case c.name == "":
			r.fail(name.Pos(), path.Key("name"), "a case needs a name")
		case r.names[c.name]:
			r.fail(name.Pos(), path.Key("name"), "another case has this name")
		}
		r.names[c.name] = true
	}
	if call := m["call"]; r.want(call, canon.KindObject, path.Key("call")) {
		c.call = r.readCall(call, path.Key("call"))
	}
	r.readWant(&c, m["want"], path.Key("want"))
	return c
}

// readCall reads a call as tdt judge --calls does.
func (r *caseReader) readCall(n *tree.Node, path tree.Path) *plainCall {
	call, err := parsePlainCall(string(n.AppendJSON(nil)))
	if err != nil {
		r.fail(n.Pos(), path, "%v", err)
		return nil
	}
	if state := call.IdentityState; state != nil && !slices.Contains(truth.Identities(), *state) {
		// The gate takes any other word for invalid; in a test it is a mistake.
		r.fail(n.Pos(), path.Key("identity_state"), "want one of %s", strings.Join(truth.Identities(), ", "))
	}
	return call
}

func (r *caseReader) readWant(c *policyCase, n *tree.Node, path tree.Path) {
	if n == nil {
		return
	}
	m := r.members(n, path, []string{"verdict", "axes", "reasons"})
	if n.Kind == canon.KindObject && len(m) == 0 {
		r.fail(n.Pos(), path, "nothing is expected: want a verdict, axes or reasons")
	}
	if v := m["verdict"]; v != nil {
		c.verdict = r.readVerdict(v, path.Key("verdict"))
	}
	if axes := m["axes"]; axes != nil {
		c.axes = map[string]string{}
		for name, v := range r.members(axes, path.Key("axes"), axisNames()) {
			c.axes[name] = r.readVerdict(v, path.Key("axes").Key(name))
		}
	}
	if reasons := m["reasons"]; r.want(reasons, canon.KindArray, path.Key("reasons")) {
		c.reasons = r.readReasons(reasons, path.Key("reasons"))
	}
}

func (r *caseReader) readVerdict(n *tree.Node, path tree.Path) string {
	if !r.want(n, canon.KindString, path) {
		return ""
	}
	if _, ok := truth.ParseVerdict(n.Str); !ok {
		r.fail(n.Pos(), path, "want one of match, incomplete, mismatch, invalid")
	}
	return n.Str
}

func (r *caseReader) readReasons(n *tree.Node, path tree.Path) []string {
	reasons := []string{}
	for i, item := range n.Items {
		if r.want(item, canon.KindString, path.Index(i)) && !truth.Reason(item.Str).Known() {
			r.fail(item.Pos(), path.Index(i), "there is no such reason")
		}
		reasons = append(reasons, item.Str)
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

func axisNames() []string {
	var names []string
	for a := truth.AxisTool; a.String() != ""; a++ {
		names = append(names, a.String())
	}
	return names
}

// A caseFailure is one thing that is not as a case expects.
type caseFailure struct {
	What string `json:"what"` // verdict, reasons, or the name of an axis
	Got  string `json:"got"`
	Want string `json:"want"`
}

// A caseResult is what became of a case.
type caseResult struct {
	Name        string        `json:"name"`
	File        string        `json:"file"`
	Line        int           `json:"line"`
	OK          bool          `json:"ok"`
	Verdict     string        `json:"verdict"`
	Axes        axes          `json:"axes"`
	Reasons     []string      `json:"reasons"`
	Explanation string        `json:"explanation"`
	Failures    []caseFailure `json:"failures"`
}

// run judges the call of the case, and compares.
func (c *policyCase) run(p *policy.Policy, file string) caseResult {
	d := truth.Judge(p, c.call.call(), c.call.evidence(&engine.Policy{Truth: p}))
	r := caseResult{
		Name: c.name, File: file, Line: c.line, Verdict: d.Verdict.String(), Axes: axesOf(&d),
		Reasons: d.Reasons([]string{}), Explanation: d.Explanation(), Failures: []caseFailure{},
	}
	r.compare("verdict", r.Verdict, c.verdict)
	d.Axes(func(name, verdict string) { r.compare(name, verdict, c.axes[name]) })
	if c.reasons != nil && !slices.Equal(r.Reasons, c.reasons) {
		r.Failures = append(r.Failures, caseFailure{"reasons", words(r.Reasons), words(c.reasons)})
	}
	r.OK = len(r.Failures) == 0
	return r
}

func (r *caseResult) compare(what, got, want string) {
	if want != "" && got != want {
		r.Failures = append(r.Failures, caseFailure{what, got, want})
	}
}

func words(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, " ")
}
