// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/evidence"
)

const evidenceProveLong = `Prints a proof that the journal has a record: the record, the hashes that lead from
it to the root of the tree over all lines, and the signed checkpoint with that
root (the C2SP format of transparency logs). tdt verify --proof checks it without
the journal, and so shows the record to somebody who may not see the others.

` + wantedLong + `

A record can be proven once a checkpoint covers it, at the latest
checkpoint_interval after it was written.

Exit status: 0, 1 there is no such record, more than one fits, no checkpoint
covers it yet, or the journal is damaged, 2 usage.`

const evidenceProveExample = `  tdt evidence prove /var/lib/otelcol/tdt --record sha256:135c2796af89 >proof
  tdt evidence prove /var/lib/otelcol/tdt --record 17 -o proof
  tdt verify --proof proof --keys keys`

func newEvidenceProve(s streams) *cobra.Command {
	var record, out string
	var which wantedFlags
	c := &cobra.Command{
		Use: "prove DIRECTORY --record RECORD", Short: "Prove that the journal has a record",
		Long: evidenceProveLong, Example: evidenceProveExample, Args: cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&record, "record", "", "the record: a digest, its beginning, or a number (required)")
	_ = c.RegisterFlagCompletionFunc("record", cobra.NoFileCompletions)
	which.register(c)
	c.Flags().StringVarP(&out, "output", "o", stdinName, "file to write, which must not exist, or - for standard output")
	c.RunE = func(_ *cobra.Command, args []string) error {
		wanted, err := which.wanted("--record", record)
		if err != nil {
			return err
		}
		proof, err := prove(args[0], wanted)
		if err != nil {
			return ambiguous(args[0], record, err)
		}
		return s.writeNew(out, []byte(proof.String()), 0o644)
	}
	return c
}

// prove makes the proof of the one record that is wanted.
func prove(dir string, wanted evidence.Wanted) (*evidence.Proof, error) {
	r, err := openJournal(dir, evidence.Filter{})
	if err != nil {
		return nil, err
	}
	if err := r.Close(); err != nil {
		return nil, plainPathError(err)
	}
	proof, err := evidence.Prove(dir, wanted)
	if finding, ok := errors.AsType[*evidence.Finding](err); ok {
		return nil, fmt.Errorf("%s: %w", dir, finding)
	}
	if err != nil {
		return nil, plainPathError(err)
	}
	return proof, nil
}
