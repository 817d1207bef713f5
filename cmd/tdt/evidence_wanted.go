// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/report"
)

// wantedLong says for all verbs how a record is named.
const wantedLong = `RECORD is the digest of its payload, as a span or a row has it, its content hash,
the beginning of one of them, such as evidence list prints, or its number in the
journal, the SEQ of evidence list. Equal calls of several runs have equal digests,
and nothing is guessed: the number, or --run, then says which is meant.`

// A wantedFlags says which record is meant.
type wantedFlags struct{ run string }

func (f *wantedFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.run, "run", "", "the record of the run with this id, or with one that begins so")
	_ = c.RegisterFlagCompletionFunc("run", cobra.NoFileCompletions)
}

// digestStart is a digest or enough of its beginning.
var digestStart = regexp.MustCompile(`^sha256:[0-9a-f]{4,64}$`)

// wanted reads the name of a record. where is what the command line calls it.
func (f *wantedFlags) wanted(where, name string) (evidence.Wanted, error) {
	w := evidence.Wanted{RunID: f.run}
	if seq, err := strconv.ParseUint(name, 10, 64); err == nil {
		w.Seq = &seq
		return w, nil
	}
	if !digestStart.MatchString(name) {
		return w, usagef("%s: want sha256: and its 64 lowercase hex digits or at least the first four, or a number as evidence list prints it", where)
	}
	w.Digest = name
	return w, nil
}

// ambiguous tells what can be chosen from, where err says that several records
// fit; any other error stays as it is.
func ambiguous(dir, name string, err error) error {
	several, ok := errors.AsType[*evidence.AmbiguousError](err)
	if !ok {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d records fit %s:\n", dir, several.Total, name)
	t := newTable(&b, "SEQ", "KIND", "RUN", "SPAN", "WHERE")
	for _, rec := range several.Candidates {
		t.row(strconv.FormatUint(rec.JournalSeq, 10), recordWord(rec.Type), report.Cell(rec.RunID), orDash(printable(rec.TraceParent)),
			fmt.Sprintf("%s:%d", rec.File, rec.Line))
	}
	if err := t.flush(); err != nil {
		return err
	}
	if left := several.Total - len(several.Candidates); left > 0 {
		fmt.Fprintf(&b, "and %d more\n", left)
	}
	b.WriteString("name one by its number, SEQ, or say which run with --run")
	return errors.New(b.String())
}
