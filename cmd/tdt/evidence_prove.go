// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

const evidenceProveLong = `Prints a proof that the journal has a record: the record, the hashes that lead from
it to the root of the tree over all lines, and the signed checkpoint with that
root (the C2SP format of transparency logs). tdt verify --proof checks it without
the journal, and so shows the record to somebody who may not see the others.

The digest is that of the record's payload, as a span or a row has it, or its
content hash. A record can be proven once a checkpoint covers it, at the latest
checkpoint_interval after it was written.

Exit status: 0, 1 there is no such record, or no checkpoint covers it yet, or the
journal is damaged, 2 usage.`

const evidenceProveExample = `  tdt evidence prove /var/lib/otelcol/tdt --record sha256:135c… >proof
  tdt verify --proof proof --keys keys`

func newEvidenceProve(s streams) *cobra.Command {
	var record, out string
	c := &cobra.Command{
		Use: "prove DIRECTORY --record DIGEST", Short: "Prove that the journal has a record",
		Long: evidenceProveLong, Example: evidenceProveExample, Args: cobra.ExactArgs(1),
	}
	c.Flags().StringVar(&record, "record", "", "digest of the record (required)")
	c.Flags().StringVarP(&out, "output", "o", stdinName, "file to write, which must not exist, or - for standard output")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if !canon.Digest(record).Valid() {
			return usagef("--record: want sha256: and 64 lowercase hex digits")
		}
		r, err := openJournal(args[0], evidence.Filter{})
		if err != nil {
			return err
		}
		if err := r.Close(); err != nil {
			return plainPathError(err)
		}
		proof, err := evidence.Prove(args[0], canon.Digest(record))
		if finding, ok := errors.AsType[*evidence.Finding](err); ok {
			return fmt.Errorf("%s: %w", args[0], finding)
		}
		if err != nil {
			return plainPathError(err)
		}
		return s.writeNew(out, []byte(proof.String()), 0o644)
	}
	return c
}
