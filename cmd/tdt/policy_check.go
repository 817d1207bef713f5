// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/lint"
)

const policyCheckLong = `Load a policy, print its digest, and point out what in it silently constrains
nothing or cannot mean what it seems to.

Each finding is one line: file:line:column, its code, the field, and what is
wrong. Each is proven from the rules by which policies are judged, so there are
no matters of taste among them; still, a policy may mean it so. --ignore leaves
findings of a code out.

Codes: %s.

Exit status: 0 there are no findings, 3 there are, 1 the policy does not load,
2 tdt was called wrongly.`

const policyCheckExample = `  tdt policy check policy.yaml
  tdt policy check policy.yaml --ignore tools.unconstrained --format json`

func newPolicyCheck(s streams) *cobra.Command {
	var ignore []string
	c := &cobra.Command{
		Use:     "check POLICY",
		Short:   "Point out what in a policy silently constrains nothing",
		Long:    fmt.Sprintf(policyCheckLong, codeList()),
		Example: policyCheckExample,
		Args:    cobra.ExactArgs(1),
	}
	c.Flags().StringArrayVar(&ignore, "ignore", nil, "leave out findings of this `CODE`; may be repeated")
	_ = c.RegisterFlagCompletionFunc("ignore", cobra.FixedCompletions(codeWords(), cobra.ShellCompDirectiveNoFileComp))
	as := formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		for _, code := range ignore {
			if !lint.Code(code).Known() {
				return usagef("--ignore: there is no code %q (see tdt policy check --help)", code)
			}
		}
		return policyCheck(s, args[0], ignore, as.value)
	}
	return c
}

func policyCheck(s streams, name string, ignore []string, format string) error {
	label, text, err := s.read(name, maxPolicyFile)
	if err != nil {
		return err
	}
	p, found, err := lint.Check(label, text)
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(f lint.Finding) bool { return slices.Contains(ignore, string(f.Code)) })
	answer := struct {
		policyHead
		Findings []lint.Finding `json:"findings"`
	}{headOf(label, p), append([]lint.Finding{}, found...)}
	if format == "json" {
		err = writeJSON(s.out, answer)
	} else {
		w := bufio.NewWriter(s.out)
		for _, f := range found {
			fmt.Fprintf(w, "%s:%d:%d: %s: %s: %s\n", f.File, f.Line, f.Column, f.Code, f.Path, f.Msg)
		}
		fmt.Fprintf(w, "%s declares %s: %s\n", label, p.DeclaredDigest(), counted(len(found), "finding"))
		err = w.Flush()
	}
	if err == nil && len(found) > 0 {
		return errFindings
	}
	return err
}

func codeWords() []string {
	var words []string
	for _, c := range lint.Codes() {
		words = append(words, string(c))
	}
	return words
}

// codeList renders the codes as a paragraph of help.
func codeList() string {
	const width = 80
	var b strings.Builder
	column := len("Codes: ")
	for i, word := range codeWords() {
		if i > 0 {
			b.WriteString(",")
			column++
		}
		if column+1+len(word)+1 > width {
			b.WriteString("\n" + word)
			column = len(word)
			continue
		}
		if i > 0 {
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
