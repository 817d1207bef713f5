// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/spf13/cobra"

const evidenceLong = `Reads the journal that the Collector processor keeps, also while it is being
written: what is shown is durable. None of these verbs needs a key or an
argument of a call; tdt verify checks what they show.`

func newEvidence(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "evidence",
		Short: "List, show, export and prove the records of a journal",
		Long:  evidenceLong,
		Args:  noVerb,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newEvidenceList(s), newEvidenceShow(s), newEvidenceExport(s), newEvidenceProve(s), newEvidenceKeygen(s))
	return c
}
