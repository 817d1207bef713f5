// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"
)

const carriersLong = `Judges recorded spans and prints the evidence of each decision, a bare carrier a
line. What a later span of a call brought is in it: each call has one carrier.

Carriers hold digests of arguments under the key, and no arguments.

Exit status: 0, 1 a file could not be read, 2 usage.`

func newCarriers(s streams) *cobra.Command {
	var flags judgeFlags
	c := &cobra.Command{
		Use:     "carriers --policy POLICY --key-id ID [--key-file FILE] FILE...",
		Short:   "Print the evidence of recorded tool calls, a carrier a line",
		Long:    carriersLong,
		Example: "  tdt carriers --policy policy.yaml --key-file key --key-id k1 spans.jsonl >carriers.ndjson",
		Args:    cobra.MinimumNArgs(1),
	}
	c.Flags().StringVar(&flags.policy, "policy", "", "the policy file")
	flags.keys.register(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		j, err := newJudging(s, &flags)
		if err != nil {
			return err
		}
		if j.key == nil {
			return usagef("carriers need a key: --key-id, and --key-file or the variable %s", keyVariable)
		}
		j.carriers = true
		w := bufio.NewWriter(s.out)
		if err := j.printCarriers(args, w); err != nil {
			return err
		}
		return w.Flush()
	}
	return c
}

func (j *judging) printCarriers(files []string, w *bufio.Writer) error {
	quiet := newDecisionPrinter(streams{out: w, err: j.err}, "json")
	return j.judgeFiles(files, quiet, newResults(func(r *result) error {
		quiet.counts[r.Verdict]++
		_, err := fmt.Fprintf(w, "%s\n", r.carrier)
		return err
	}))
}
