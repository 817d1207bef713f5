// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const evidenceShowLong = `Shows one record whole, and the records that refer to it.

` + wantedLong + `

With --format json it is the line of the journal itself.

Exit status: 0, 1 there is no such record, more than one fits, or it could not be
read, 2 usage.`

const evidenceShowExample = `  tdt evidence show /var/lib/otelcol/tdt sha256:135c2796af89
  tdt evidence show /var/lib/otelcol/tdt sha256:135c2796af89 --run 4bf92f35
  tdt evidence show /var/lib/otelcol/tdt 17`

func newEvidenceShow(s streams) *cobra.Command {
	c := &cobra.Command{
		Use: "show DIRECTORY RECORD", Short: "Show one record", Long: evidenceShowLong, Example: evidenceShowExample, Args: cobra.ExactArgs(2),
	}
	var which wantedFlags
	which.register(c)
	as := formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		wanted, err := which.wanted("RECORD", args[1])
		if err != nil {
			return err
		}
		found, err := findRecord(args[0], wanted)
		if err != nil {
			return ambiguous(args[0], args[1], err)
		}
		if as.value == "json" {
			_, err := fmt.Fprintln(s.out, found.record.Text)
			return err
		}
		return found.print(s.out)
	}
	return c
}

// A shownRecord is a record and those that refer to it.
type shownRecord struct {
	record  *evidence.Record
	digest  canon.Digest
	related []string
}

// allTypes are all event types that a journal may have.
func allTypes() []string {
	var types []string
	for t := range recordWords {
		types = append(types, t)
	}
	return types
}

// findRecord finds the one record that is wanted, and in a second reading what
// refers to it. Where several fit, the error says which.
func findRecord(dir string, wanted evidence.Wanted) (*shownRecord, error) {
	var fit evidence.AmbiguousError
	err := readJournal(dir, evidence.Filter{Types: allTypes(), Wanted: &wanted}, func(rec *evidence.Record) error {
		fit.Add(rec)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case fit.Total == 0:
		return nil, fmt.Errorf("%s: it has no such record", dir)
	case fit.Total > 1:
		return nil, &fit
	}
	found := &shownRecord{record: fit.Candidates[0], digest: canon.Sum(fit.Candidates[0].Data)}
	related := evidence.Filter{RunID: found.record.RunID, Types: []string{carrier.TypeRow, engine.TypeSupersedes, engine.TypeRun}}
	return found, readJournal(dir, related, found.relate)
}

// relate notes a record that refers to the one that is shown.
func (f *shownRecord) relate(rec *evidence.Record) error {
	if !bytes.Contains(rec.Data, []byte(f.digest)) {
		return nil
	}
	line := fmt.Sprintf("%s %d, %s", recordWord(rec.Type), rec.JournalSeq, shortDigest(canon.Sum(rec.Data)))
	if says := sayOf(&rec.Event); says != "" {
		line += ": " + says
	}
	f.related = append(f.related, line)
	return nil
}

func (f *shownRecord) print(w io.Writer) error {
	rec := f.record
	fmt.Fprintf(w, "%s %d of the journal, %s:%d\n", recordWord(rec.Type), rec.JournalSeq, rec.File, rec.Line)
	for _, m := range [][2]string{
		{"digest", string(f.digest)}, {"content hash", string(rec.ContentHash)}, {"type", rec.Type},
		{"run", rec.RunID + ", event " + strconv.FormatInt(rec.Seq, 10)}, {"time", rec.Time}, {"span", rec.TraceParent},
		{"written by", rec.Source + ", " + rec.Producer + " " + rec.ProducerVersion},
	} {
		if m[1] != "" {
			fmt.Fprintf(w, "  %-13s %s\n", m[0], printable(m[1]))
		}
	}
	for _, line := range f.related {
		fmt.Fprintf(w, "  %-13s %s\n", "referred to", line)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, rec.Data, "", "  "); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", pretty.Bytes())
	return err
}

// printable escapes what could move a cursor or hide.
func printable(s string) string {
	if quoted := strconv.QuoteToGraphic(s); quoted != `"`+s+`"` {
		return quoted
	}
	return s
}
