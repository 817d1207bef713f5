// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const exportLong = `Put carriers and rows into a bundle, the form in which evidence is passed on.

The records verify as one set first; if anything does not, no bundle is written.
Where there are carriers alone, a row is made for each: its run verdict is that
of all of them together, so they should be of one run. A carrier without a
verdict can have no row. The events of the bundle stand in the order of the
files, rows that were made last.

Equal records, run id, source and time make equal bytes.

Exit status: 0 the bundle was written, 3 something does not verify, 1 tdt could
not read or write something, 2 it was called wrongly.`

const exportExample = `  tdt export --run-id nightly-7 -o evidence.tar.gz carriers.ndjson
  tdt export --run-id nightly-7 --source urn:example:agents --time 2026-01-02T03:04:05Z -o - carriers.ndjson rows.ndjson`

// producerName is who a bundle says wrote it.
const producerName = "tdt"

// An export is one use of the verb.
type export struct {
	streams
	event  carrier.Event // what all events have in common
	out    string
	format *format

	writer   *carrier.BundleWriter
	line     []byte
	carriers []citedCarrier
	rows     int
	faults   *feeder
	verdicts []truth.Verdict
	orders   []int64
	verdict  truth.Verdict // of the run
}

// A citedCarrier is what of a carrier a row needs.
type citedCarrier struct {
	at       location
	citation carrier.Citation
	seq      int64
}

func newExport(s streams) *cobra.Command {
	e := &export{streams: s, verdict: truth.Match}
	c := &cobra.Command{
		Use:     "export --run-id ID -o BUNDLE FILE...",
		Short:   "Put carriers and rows into a bundle",
		Long:    exportLong,
		Example: exportExample,
		Args:    cobra.MinimumNArgs(1),
	}
	c.Flags().StringVar(&e.event.RunID, "run-id", "", "name of the run, without a colon (required)")
	c.Flags().StringVar(&e.event.Source, "source", "urn:tool-decision-truth:tdt", "URI of where the records come from")
	c.Flags().StringVar(&e.event.Time, "time", "", "time of the events, RFC 3339 (default now)")
	c.Flags().StringVarP(&e.out, "output", "o", "", "file to write, which must not exist, or - for standard output (required)")
	e.format = formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, files []string) error {
		if err := e.prepare(); err != nil {
			return err
		}
		return e.run(files)
	}
	return c
}

// prepare checks the flags before anything is read.
func (e *export) prepare() error {
	version, revision := buildVersion()
	e.event.Producer, e.event.ProducerVersion, e.event.Git = producerName, version, revision
	if e.event.Time == "" {
		e.event.Time = time.Now().UTC().Format(time.RFC3339)
	}
	switch {
	case e.event.RunID == "":
		return usagef("--run-id is missing")
	case e.out == "":
		return usagef("-o is missing: the file to write, or - for standard output")
	}
	probe := e.event
	if err := probe.SetData("probe", "null"); err != nil {
		return err
	}
	if _, err := carrier.AppendEvent(nil, &probe); err != nil {
		return usagef("%w", flagFault(err))
	}
	return e.refuseOverwrite()
}

func (e *export) refuseOverwrite() error {
	if _, err := os.Lstat(e.out); e.out != stdinName && err == nil {
		return fmt.Errorf("%s: it exists, and evidence is not overwritten", e.out)
	}
	return nil
}

// flagFault says a refusal of the envelope by the flag that is at fault.
func flagFault(err error) error {
	fe, ok := errors.AsType[*carrier.FaultError](err)
	if !ok {
		return err
	}
	flag := map[string]string{"source": "--source", "time": "--time", "assayrunid": "--run-id"}[fe.Field]
	if flag == "" || fe.Want == "" {
		return err
	}
	return fmt.Errorf("%s: want %s", flag, fe.Want)
}

func (e *export) run(files []string) error {
	spool, err := os.CreateTemp("", "tdt-export-*")
	if err != nil {
		return fmt.Errorf("spool events: %w", err)
	}
	defer discard(spool)
	e.writer = carrier.NewBundleWriter(spool)
	var problem error
	var v carrier.Verifier
	f, err := e.feedSet(&v, files, func(r *seen) {
		if problem == nil {
			problem = e.add(r)
		}
	})
	if err != nil {
		return err
	}
	if f.manifest != nil {
		return &contentError{f.files[0], 0, "a bundle already", wantRecords}
	}
	f.finish()
	e.faults = f
	if f.faults.total == 0 && problem == nil && e.rows == 0 {
		problem = e.makeRows()
	}
	switch {
	case f.faults.total > 0:
		return f.refuse(e.err)
	case problem != nil:
		return problem
	}
	return e.write()
}

// add puts one record into the bundle. A bad one is skipped: the verifier says
// what is wrong with it, and there will be no bundle.
func (e *export) add(r *seen) error {
	switch r.kind {
	case carrier.KindCarrier:
		return e.addCarrier(r)
	case carrier.KindRow:
		return e.addRow(r)
	}
	return &contentError{r.at.File, int(r.at.Line), "an event of another kind", "carriers and rows (tdt evidence makes bundles of journals)"}
}

func (e *export) addRow(r *seen) error {
	row, err := carrier.ReadRow(r.text)
	if err != nil {
		return nil
	}
	e.rows++
	e.verdict = truth.Join(e.verdict, row.RunVerdict())
	e.event.SetRow(&row)
	return e.append(r.at)
}

func (e *export) addCarrier(r *seen) error {
	rec, err := carrier.Import(r.text)
	if err != nil {
		return nil
	}
	in := rec.Input()
	e.carriers = append(e.carriers, citedCarrier{r.at, rec.Citation(), e.event.Seq})
	e.verdicts, e.orders = append(e.verdicts, in.Verdict), append(e.orders, in.Order)
	e.event.SetRecord(&rec)
	return e.append(r.at)
}

// append writes the event and numbers on.
func (e *export) append(at location) (err error) {
	if e.line, err = carrier.AppendEvent(e.line[:0], &e.event); err == nil {
		err = e.writer.Add(string(e.line))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	e.event.Seq++
	return nil
}

// makeRows makes a row for each carrier.
func (e *export) makeRows() error {
	for _, c := range e.carriers {
		if c.citation.Unclassified {
			e.faults.faults.add(faultOf(c.at, carrier.KindCarrier.String(),
				&carrier.FaultError{Fault: carrier.FaultUnclassified, Field: "decision_verdict"}))
		}
	}
	if e.faults.faults.total > 0 {
		return nil
	}
	e.verdict = truth.RunVerdict(e.verdicts, e.orders)
	for _, c := range e.carriers {
		row, err := carrier.BuildRow(c.citation, e.verdict, carrier.EventRef(e.event.RunID, c.seq))
		if err != nil {
			return fmt.Errorf("%s: %w", c.at, err)
		}
		e.event.SetRow(&row)
		if err := e.append(c.at); err != nil {
			return err
		}
		e.rows++
	}
	return nil
}

// write writes the bundle, whole or not at all, and says what it holds.
func (e *export) write() error {
	if e.out == stdinName {
		m, err := e.writer.Finish(e.streams.out, producerName, e.event.ProducerVersion)
		if err != nil {
			return err
		}
		return e.tell(e.err, &m)
	}
	m, err := e.writeFile()
	if err != nil {
		return err
	}
	return e.tell(e.streams.out, m)
}

func (e *export) writeFile() (*carrier.Manifest, error) {
	tmp, err := os.CreateTemp(filepath.Dir(e.out), ".tdt-export-*")
	if err != nil {
		return nil, fmt.Errorf("write bundle: %w", err)
	}
	defer discard(tmp)
	m, err := e.writer.Finish(tmp, producerName, e.event.ProducerVersion)
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		return nil, err
	}
	if err := os.Rename(tmp.Name(), e.out); err != nil {
		return nil, fmt.Errorf("write bundle: %w", err)
	}
	return &m, nil
}

// discard removes a file, if it has not got another name by now.
func discard(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}

func (e *export) tell(w io.Writer, m *carrier.Manifest) error {
	if e.format.value == "json" {
		return writeJSON(w, struct {
			RunID      string `json:"run_id"`
			Carriers   int    `json:"carriers"`
			Rows       int    `json:"rows"`
			RunVerdict string `json:"run_verdict"`
			RunRoot    string `json:"run_root"`
		}{m.RunID, len(e.carriers), e.rows, e.verdict.String(), string(m.RunRoot)})
	}
	_, err := fmt.Fprintf(w, "Run %s: %s and %s, run verdict %s.\nRun root %s.\n",
		m.RunID, counted(len(e.carriers), "carrier"), counted(e.rows, "row"), e.verdict, m.RunRoot)
	return err
}
