// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

const policyLong = `Look at a declared policy: whether it says what it seems to, what its digest is,
how it judges a tool, and whether it judges as its author expects.

A policy is one YAML or JSON document.`

// newPolicy returns the verb that holds those about policies.
func newPolicy(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Check, digest, explain and test a policy",
		Long:  policyLong,
		Args:  noVerb,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newPolicyCheck(s), newPolicyDigest(s), newPolicyExplain(s), newPolicyTest(s))
	return c
}

// maxPolicyFile is more than a policy may have, so that the reader itself says
// what is too much.
const maxPolicyFile = 16 << 20

// readPolicy reads the policy in a file. Its error names every fault, with file
// and line.
func (s streams) readPolicy(name string) (*policy.Policy, error) {
	label, text, err := s.read(name, maxPolicyFile)
	if err != nil {
		return nil, err
	}
	return policy.Read(label, text)
}

const policyDigestLong = `Print the digest that names what a policy declares.

Two policies with one digest constrain alike, whatever their layout, the order
of their lists, and their names and operational fields. The digest stands in
every carrier and on every span that the policy judged.

Exit status: 0 the digest was printed, 1 the policy does not load, 2 tdt was
called wrongly.`

const policyDigestExample = `  tdt policy digest policy.yaml
  tdt policy digest policy.yaml --canonical | sha256sum`

func newPolicyDigest(s streams) *cobra.Command {
	var canonical bool
	c := &cobra.Command{
		Use:     "digest POLICY",
		Short:   "Print the declared digest of a policy",
		Long:    policyDigestLong,
		Example: policyDigestExample,
		Args:    cobra.ExactArgs(1),
	}
	c.Flags().BoolVar(&canonical, "canonical", false, "print the canonical text that the digest is of, without a newline")
	as := formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		p, err := s.readPolicy(args[0])
		if err != nil {
			return err
		}
		switch {
		case canonical:
			_, err = s.out.Write(p.Canonical())
		case as.value == "json":
			err = writeJSON(s.out, headOf(args[0], p))
		default:
			_, err = fmt.Fprintln(s.out, p.DeclaredDigest())
		}
		return err
	}
	return c
}

// A policyHead names a policy in the answers of verbs.
type policyHead struct {
	File    string       `json:"file"`
	Name    string       `json:"name,omitempty"`
	Version string       `json:"version"`
	Digest  canon.Digest `json:"declared_policy_digest"`
}

func headOf(file string, p *policy.Policy) policyHead {
	return policyHead{file, p.Name(), p.Version(), p.DeclaredDigest()}
}
