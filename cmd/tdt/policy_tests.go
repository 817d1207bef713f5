// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/report"
)

const policyTestLong = `Judge calls and compare with what is expected of them: the tests of a policy.

CASES is a YAML or JSON file:

  cases:
    - name: paying needs an approval          # of its own
      call:
        tool_name: pay
        arguments: {amount: 5}                # any value; leave it out for absent
        identity_state: present               # absent, where it is left out
        evidence: {approval_obtained: false}  # and tool_classes, scope_satisfied,
                                              # redaction_applied; else unknown
      want:                                   # at least one of
        verdict: mismatch
        axes: {approval: mismatch}            # those that matter
        reasons: [approval.not_obtained]      # all there are

A field that is not known is refused. Where a case says nothing of classes, those
that the policy gives the tool are known.

Exit status: 0 all cases pass, 3 one does not, 1 a file does not load, 2 tdt was
called wrongly.`

const policyTestExample = `  tdt policy test policy.yaml cases.yaml
  tdt policy test policy.yaml cases.yaml --format junit > report.xml`

// maxCasesFile bounds the memory that cases take.
const maxCasesFile = 16 << 20

func newPolicyTest(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "test POLICY CASES",
		Short:   "Judge calls and compare with what is expected",
		Long:    policyTestLong,
		Example: policyTestExample,
		Args:    cobra.ExactArgs(2),
	}
	as := formatFlag(c, "table", "json", "junit")
	c.RunE = func(_ *cobra.Command, args []string) error {
		return policyTest(s, args[0], args[1], as.value)
	}
	return c
}

// A testReport is the answer of the verb.
type testReport struct {
	policyHead
	Passed int          `json:"passed"`
	Failed int          `json:"failed"`
	Cases  []caseResult `json:"cases"`
}

func policyTest(s streams, policyFile, casesFile, format string) error {
	if err := checkInputs(policyFile, casesFile); err != nil {
		return err
	}
	p, err := s.readPolicy(policyFile)
	if err != nil {
		return err
	}
	label, text, err := s.read(casesFile, maxCasesFile)
	if err != nil {
		return err
	}
	cases, err := readCases(label, text)
	if err != nil {
		return err
	}
	r := &testReport{policyHead: headOf(policyFile, p)}
	for i := range cases {
		result := cases[i].run(p, label)
		r.Cases = append(r.Cases, result)
		if result.OK {
			r.Passed++
		} else {
			r.Failed++
		}
	}
	if err := r.print(s.out, format); err != nil {
		return err
	}
	if r.Failed > 0 {
		return errFindings
	}
	return nil
}

func (r *testReport) print(w io.Writer, format string) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "junit":
		return r.writeJUnit(w)
	}
	if r.Failed > 0 {
		if err := r.printFailures(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %d passed, %d failed\n", r.File, r.Passed, r.Failed)
	return err
}

func (r *testReport) printFailures(w io.Writer) error {
	t := newTable(w, "FAILED", "CASE", "OF", "GOT", "WANT")
	for i := range r.Cases {
		c := &r.Cases[i]
		where, name := fmt.Sprintf("%s:%d", c.File, c.Line), report.Cell(c.Name)
		for _, f := range c.Failures {
			t.row(where, name, f.What, f.Got, f.Want)
			where, name = "", ""
		}
	}
	if err := t.flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// The JUnit report, as far as test runners read it.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr"`
		Line    int           `xml:"line,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func (r *testReport) writeJUnit(w io.Writer) error {
	suite := junitSuite{Name: r.File, Tests: len(r.Cases), Failures: r.Failed}
	for i := range r.Cases {
		c := &r.Cases[i]
		jc := junitCase{Class: r.File, Name: c.Name, File: c.File, Line: c.Line}
		if !c.OK {
			first := c.Failures[0]
			jc.Failure = &junitFailure{Type: first.What, Message: fmt.Sprintf("%s: got %s, want %s", first.What, first.Got, first.Want)}
			for _, f := range c.Failures {
				jc.Failure.Text += fmt.Sprintf("%s: got %s, want %s\n", f.What, f.Got, f.Want)
			}
			jc.Failure.Text += c.Explanation
		}
		suite.Cases = append(suite.Cases, jc)
	}
	text, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return fmt.Errorf("junit report: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
