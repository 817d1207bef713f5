// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"io"
	"os"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// An evidenceKind says in which form evidence comes.
type evidenceKind uint8

const (
	kindRecords   evidenceKind = iota + 1 // carriers, rows or events, a line each
	kindBundle                            // an archive of events
	kindDirectory                         // a journal
	kindSegment                           // a file of a journal
)

func (k evidenceKind) String() string {
	return [...]string{"", "records", "bundle", "journal", "segment"}[k]
}

// openEvidence opens what name is and looks what that is. A file is told by its first bytes, not
// by its name; what was looked at can still be read.
func (s streams) openEvidence(name string) (*input, evidenceKind, error) {
	if name != stdinName {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return nil, kindDirectory, nil
		}
	}
	in, err := s.open(name)
	if err != nil {
		return nil, 0, err
	}
	ahead := bufio.NewReaderSize(in.ReadCloser, 1<<16)
	const gzip = "\x1f\x8b"
	start, err := ahead.Peek(len(gzip))
	if err != nil && !errors.Is(err, io.EOF) {
		in.Close()
		return nil, 0, plainPathError(err)
	}
	in.ReadCloser = readCloser{ahead, in.ReadCloser}
	if string(start) == gzip {
		return in, kindBundle, nil
	}
	return in, kindRecords, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// A feeder gives records to a verifier, as one set, and keeps the place of
// whatever is refused.
type feeder struct {
	verifier *carrier.Verifier
	files    []string
	first    int // place of the first file on the command line
	events   int
	faults   faultList
	progress *progress
	decoder  carrier.Decoder
	manifest *carrier.Manifest // of a bundle that is whole
	refused  bool              // the bundle is not

	// onRecord, when set, sees each carrier and row, good or not, and the other
	// events.
	onRecord func(*seen)
}

// A seen is the text of one carrier or row and where it stands.
type seen struct {
	kind carrier.RecordKind // 0: the payload of an event of another type
	at   location
	text string
	time string // of its event, "" for a bare record

	traceParent string // likewise
}

// newFeeder returns a feeder of v. first is the place of its first file on the
// command line.
func newFeeder(v *carrier.Verifier, first int, p *progress) *feeder {
	f := &feeder{verifier: v, first: first, progress: p}
	v.OnFault = func(e *carrier.RecordError) {
		at := location{File: f.files[0], order: f.first}
		if e.Kind != 0 {
			at = f.place(e.Position)
		}
		f.faults.add(faultOf(at, e.Kind.String(), e.Err))
	}
	return f
}

// lineBits of a position are the line, the others the file.
const lineBits = 40

// place returns where in a set of files the record at position stands.
func (f *feeder) place(position int64) location {
	i := int(position >> lineBits)
	return location{File: f.files[i], Line: position & (1<<lineBits - 1), order: f.first + i}
}

// file gives all records of a file.
func (f *feeder) file(in *input) error {
	f.files = append(f.files, in.name)
	at := int64(len(f.files)-1) << lineBits
	return readRecords(in, func(r *record) error {
		f.record(at|int64(r.line), r)
		f.progress.add(1)
		return nil
	})
}

func (f *feeder) record(position int64, r *record) {
	at := f.place(position)
	switch {
	case r.err != nil || r.kind == 0:
		_, err := carrier.Import(r.text)
		f.faults.add(faultOf(at, "line", err))
	case r.kind == carrier.KindEvent:
		f.event(position, at, r.text)
	default:
		f.verifier.AddNode(r.kind, position, r.node)
		f.saw(&seen{kind: r.kind, at: at, text: r.text})
	}
}

// event gives the record in a line that is an event. Whether lines are missing
// only a bundle or a journal can tell.
func (f *feeder) event(position int64, at location, line string) {
	f.events++
	e, err := f.decoder.Parse(line)
	if err != nil {
		f.faults.add(faultOf(at, carrier.KindEvent.String(), err))
		return
	}
	e.Seq = position
	f.verifier.AddEvent(&e)
	f.sawEvent(at, &e)
}

func (f *feeder) saw(r *seen) {
	if f.onRecord != nil {
		f.onRecord(r)
	}
}

func (f *feeder) sawEvent(at location, e *carrier.Event) {
	if f.onRecord != nil {
		f.onRecord(&seen{eventKinds[e.Type], at, string(e.Data), e.Time, e.TraceParent})
	}
}

var eventKinds = map[string]carrier.RecordKind{
	carrier.TypeCarrier: carrier.KindCarrier, carrier.TypeRow: carrier.KindRow,
}

// eventsEntry is the entry of a bundle in which records stand.
const eventsEntry = "events.ndjson"

// bundle gives all records of a bundle, which is a set by itself. A bundle that
// is refused is a fault, not an error: there is no manifest then, and nothing
// in it counts.
func (f *feeder) bundle(in *input) (*carrier.Manifest, error) {
	f.files = []string{in.name}
	at := func(seq int64) location {
		return location{File: in.name, Entry: eventsEntry, Line: seq + 1, order: f.first}
	}
	f.verifier.OnFault = func(e *carrier.RecordError) {
		where := at(e.Position)
		if e.Kind == 0 {
			where = location{File: in.name, order: f.first}
		}
		f.faults.add(faultOf(where, e.Kind.String(), e.Err))
	}
	m, err := carrier.ReadBundle(in, carrier.BundleLimits{}, func(e *carrier.Event) error {
		f.events++
		f.verifier.AddEvent(e)
		f.sawEvent(at(e.Seq), e)
		f.progress.add(1)
		return nil
	})
	if err == nil {
		return &m, nil
	}
	refused, ok := bundleFault(in.name, err)
	if !ok {
		return nil, plainPathError(err)
	}
	refused.order = f.first
	f.faults, f.events, f.refused = faultList{}, 0, true
	f.faults.add(refused)
	f.verifier.OnFault = nil // what it still has to say is of no use
	return nil, nil
}

// bundleFault tells why a bundle is refused, and false where err is not about
// the bundle.
func bundleFault(file string, err error) (fault, bool) {
	at := location{File: file}
	if re, ok := errors.AsType[*carrier.RecordError](err); ok {
		at.Entry, at.Line = eventsEntry, re.Position+1
		return faultOf(at, re.Kind.String(), re.Err), true
	}
	_, _, ok := carrier.FaultOf(err)
	return faultOf(at, kindBundle.String(), err), ok
}

// feedSet gives v one set: a bundle, or files of records. Faults are in the
// feeder; whether the set is whole is for the caller to ask v.
func (s streams) feedSet(v *carrier.Verifier, names []string, onRecord func(*seen)) (*feeder, error) {
	if err := checkInputs(names...); err != nil {
		return nil, err
	}
	p := s.progress("records read")
	defer p.stop()
	f := newFeeder(v, 0, p)
	f.onRecord = onRecord
	for _, name := range names {
		if err := f.setFile(s, name, len(names)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// setFile gives one of the files of a set.
func (f *feeder) setFile(s streams, name string, of int) error {
	in, kind, err := s.openEvidence(name)
	if err != nil {
		return err
	}
	switch {
	case kind == kindDirectory:
		return &contentError{name, 0, "a directory", wantRecords + ", or a bundle"}
	case kind == kindRecords:
		defer in.Close()
		return f.file(in)
	case of > 1:
		in.Close()
		return &contentError{in.name, 0, "a bundle, which is a set by itself", "it alone, or files of records"}
	}
	defer in.Close()
	f.manifest, err = f.bundle(in)
	return err
}

// refuse tells the faults of a set from which nothing is made.
func (f *feeder) refuse(w io.Writer) error {
	if err := printFaults(w, f.faults.first(), f.faults.total); err != nil {
		return err
	}
	return errFindings
}
