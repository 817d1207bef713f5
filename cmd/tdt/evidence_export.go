// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const evidenceExportLong = `Puts runs of a journal into a bundle, the form in which evidence is passed on. The
runs are those with a call that all flags let through: of one run, a time range, a
policy or a verdict. Each is exported whole, so that its verdict stays that of all
its calls.

A bundle has one run id. Where -o names a file and there are several runs, they
stand in one bundle under an id of its own; a carrier that several runs have word
for word stands once, with the worst verdict. Where -o names a directory, each run
has a bundle of its own, RUN.tar.gz.

In a bundle a run's carriers come first, in the order of its calls; then what they
supersede and why, the rows, and the record of the run. Rows cite the carriers that
stand. A run that is still open has no rows yet: they are made, with the verdict of
its calls so far. All of it verifies as one set, or no bundle is written.

Exit status: 0 the bundles were written, 3 something does not verify, 1 tdt could
not read or write something or no run fits, 2 it was called wrongly.`

const evidenceExportExample = `  tdt evidence export /var/lib/otelcol/tdt --run 4bf92f3577b34da6a3ce929d0e0e4736 -o run.tar.gz
  tdt evidence export /var/lib/otelcol/tdt --since 2026-01-02 --until 2026-01-03 -o friday/
  tdt evidence export /var/lib/otelcol/tdt --policy policy.yaml --verdict mismatch -o - | tdt verify -`

// A journalExport is one use of the verb.
type journalExport struct {
	streams
	filterFlags
	out    string
	format *format
}

func newEvidenceExport(s streams) *cobra.Command {
	e := &journalExport{streams: s}
	c := &cobra.Command{
		Use: "export DIRECTORY -o {BUNDLE | DIRECTORY/}", Short: "Put runs into bundles",
		Long: evidenceExportLong, Example: evidenceExportExample, Args: cobra.ExactArgs(1),
	}
	e.register(c)
	c.Flags().StringVarP(&e.out, "output", "o", "", "bundle to write, which must not exist, a directory, or - for standard output (required)")
	e.format = formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if e.out == "" {
			return usagef("-o is missing: the bundle to write, a directory, or - for standard output")
		}
		return e.run(args[0])
	}
	return c
}

func (e *journalExport) run(dir string) error {
	f, err := e.filter(e.streams)
	if err != nil {
		return err
	}
	runs, err := selectRuns(dir, f)
	switch {
	case err != nil:
		return err
	case len(runs.order) == 0:
		return fmt.Errorf("%s: no run has a call that fits", dir)
	}
	if err := runs.read(dir); err != nil {
		return err
	}
	if !e.toDirectory() {
		b, err := runs.merged()
		if err != nil {
			return err
		}
		return e.bundle(e.out, b)
	}
	return e.bundles(runs)
}

func (e *journalExport) toDirectory() bool {
	info, err := os.Stat(e.out)
	return strings.HasSuffix(e.out, "/") || err == nil && info.IsDir()
}

// bundles writes a bundle for each run.
func (e *journalExport) bundles(runs *selection) error {
	if err := os.MkdirAll(e.out, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return plainPathError(err)
	}
	for _, id := range runs.order {
		if strings.ContainsAny(id, `/\`) || strings.HasPrefix(id, ".") {
			return fmt.Errorf("run %s: its id is no name of a file", report.Cell(id))
		}
		b, err := runs.runs[id].bundle()
		if err != nil {
			return err
		}
		if err := e.bundle(filepath.Join(e.out, id+".tar.gz"), b); err != nil {
			return err
		}
	}
	return nil
}

// bundle verifies the events as one set and writes them.
func (e *journalExport) bundle(out string, b *bundled) error {
	if len(b.events) > carrier.MaxBundleEvents {
		return fmt.Errorf("run %s: it has %d events, and a bundle holds %d: narrow the range, or give each run a bundle by -o DIRECTORY/",
			report.Cell(b.runID), len(b.events), carrier.MaxBundleEvents)
	}
	var v carrier.Verifier
	f := newFeeder(&v, 0, nil)
	f.files = []string{"run " + report.Cell(b.runID)}
	spool, err := os.CreateTemp("", "tdt-export-*")
	if err != nil {
		return fmt.Errorf("spool events: %w", err)
	}
	defer os.Remove(spool.Name())
	defer spool.Close()
	w := export{streams: e.streams, out: out, format: e.format, writer: carrier.NewBundleWriter(spool), verdict: b.verdict, rows: b.rows}
	w.event.RunID = b.runID
	w.event.ProducerVersion, _ = buildVersion()
	w.carriers = make([]citedCarrier, b.carriers)
	if err := w.refuseOverwrite(); err != nil {
		return err
	}
	for i := range b.events {
		if err := w.addEvent(f, &b.events[i]); err != nil {
			return err
		}
	}
	if f.finish(); f.faults.total > 0 {
		return f.refuse(e.err)
	}
	if b.same > 0 {
		fmt.Fprintf(e.err, "tdt: %s, word for word those of another run, stand once; -o DIRECTORY/ keeps runs apart\n", counted(b.same, "carrier"))
	}
	if b.open > 0 {
		fmt.Fprintf(e.err, "tdt: rows were made for %s, with the verdict so far\n", counted(b.open, "open run"))
	}
	return w.write()
}

// addEvent gives an event its place in the bundle.
func (e *export) addEvent(f *feeder, event *carrier.Event) (err error) {
	event.RunID, event.Seq = e.event.RunID, e.event.Seq
	if e.line, err = carrier.AppendEvent(e.line[:0], event); err == nil {
		err = e.writer.Add(string(e.line))
	}
	if err != nil {
		return fmt.Errorf("run %s: event %d: %w", report.Cell(event.RunID), event.Seq, err)
	}
	f.event(event.Seq+1, f.place(event.Seq+1), string(e.line))
	e.event.Seq++
	return nil
}

// selectRuns reads which runs have a carrier that the filter lets through.
func selectRuns(dir string, f evidence.Filter) (*selection, error) {
	s := &selection{runs: map[string]*exportedRun{}}
	f.Types = []string{carrier.TypeCarrier}
	return s, readJournal(dir, f, func(rec *evidence.Record) error {
		if s.runs[rec.RunID] == nil {
			id := strings.Clone(rec.RunID)
			s.runs[id] = newExportedRun(id)
			s.order = append(s.order, id)
		}
		return nil
	})
}
