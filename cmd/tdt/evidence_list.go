// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

const evidenceListLong = `Lists the records of a journal in their order, those that all flags let through.
--policy and --verdict select carriers, and the rows that cite them. With
--type the journal's own records show, too: head, checkpoint, seal and gap.

With --format json each record is an object on a line, its payload under "data".

Exit status: 0, 1 the journal could not be read, 2 usage.`

const evidenceListExample = `  tdt evidence list /var/lib/otelcol/tdt --since 1h --verdict mismatch,invalid
  tdt evidence list /var/lib/otelcol/tdt --type run --format json
  tdt evidence list /var/lib/otelcol/tdt --type gap`

// A listedRecord is a record as --format json prints it.
type listedRecord struct {
	Seq         uint64          `json:"journal_seq"`
	Kind        string          `json:"kind"`
	Type        string          `json:"type"`
	Time        string          `json:"time"`
	RunID       string          `json:"run_id"`
	RunSeq      int64           `json:"run_seq"`
	TraceParent string          `json:"traceparent,omitempty"`
	Digest      canon.Digest    `json:"digest"` // of the payload
	ContentHash canon.Digest    `json:"content_hash"`
	File        string          `json:"file"`
	Line        int             `json:"line"`
	Data        json.RawMessage `json:"data"`
}

func listed(rec *evidence.Record) *listedRecord {
	return &listedRecord{
		Seq: rec.JournalSeq, Kind: recordWord(rec.Type), Type: rec.Type, Time: rec.Time, RunID: rec.RunID, RunSeq: rec.Seq,
		TraceParent: rec.TraceParent, Digest: canon.Sum(rec.Data), ContentHash: rec.ContentHash,
		File: rec.File, Line: rec.Line, Data: rec.Data,
	}
}

func newEvidenceList(s streams) *cobra.Command {
	var filters filterFlags
	var types []string
	c := &cobra.Command{
		Use: "list DIRECTORY", Short: "List records", Long: evidenceListLong, Example: evidenceListExample, Args: cobra.ExactArgs(1),
	}
	filters.register(c)
	c.Flags().StringSliceVar(&types, "type", nil, "of this type: carrier, row, run, supersedes, head, checkpoint, seal, gap (repeatable)")
	as := formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		f, err := filters.filter(s)
		if err != nil {
			return err
		}
		if f.Types, err = recordTypes(types); err != nil {
			return err
		}
		w := bufio.NewWriterSize(s.out, 1<<16)
		l := recordLister{w: w, json: as.value == "json"}
		if err := readJournal(args[0], f, l.add); err != nil {
			return err
		}
		if err := l.finish(); err != nil {
			return err
		}
		return w.Flush()
	}
	return c
}

// tableChunk is how many rows of a table are aligned together, so that a list
// needs no memory for all of it.
const tableChunk = 1000

// A recordLister prints records as they come.
type recordLister struct {
	w     *bufio.Writer
	json  bool
	t     *table
	rows  int
	total int
}

func (l *recordLister) add(rec *evidence.Record) error {
	l.total++
	if l.json {
		writeJSONLine(l.w, listed(rec))
		return nil
	}
	if l.t == nil {
		l.t = newTable(l.w, "SEQ", "TIME", "RUN", "KIND", "TOOL", "VERDICT", "DIGEST", "SAYS")
	}
	says := saidBy(&rec.Event)
	l.t.row(strconv.FormatUint(rec.JournalSeq, 10), report.Cell(rec.Time), report.Cell(rec.RunID), recordWord(rec.Type),
		orDash(says.tool), orDash(says.verdict), shortDigest(canon.Sum(rec.Data)), orDash(says.more))
	if l.rows++; l.rows < tableChunk {
		return nil
	}
	return l.flush()
}

func (l *recordLister) flush() error {
	if l.t == nil {
		return nil
	}
	t := l.t
	l.t, l.rows = nil, 0
	return t.flush()
}

func (l *recordLister) finish() error {
	if l.json {
		return nil
	}
	if err := l.flush(); err != nil {
		return err
	}
	if l.total > 0 {
		fmt.Fprintln(l.w)
	}
	_, err := fmt.Fprintf(l.w, "%s.\n", counted(l.total, "record"))
	return err
}
