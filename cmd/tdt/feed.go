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
)

func (k evidenceKind) String() string {
	return [...]string{"", "records", "bundle", "journal"}[k]
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

	// onCarrier, when set, sees the text of each line or event that looks like a
	// carrier, good or not.
	onCarrier func(at place, text string)
}

// newFeeder returns a feeder of v. first is the place of its first file on the
// command line.
func newFeeder(v *carrier.Verifier, first int, p *progress) *feeder {
	f := &feeder{verifier: v, first: first, progress: p}
	v.OnFault = func(e *carrier.RecordError) {
		at := place{File: f.files[0], order: f.first}
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
func (f *feeder) place(position int64) place {
	i := int(position >> lineBits)
	return place{File: f.files[i], Line: position & (1<<lineBits - 1), order: f.first + i}
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
		if r.kind == carrier.KindCarrier {
			f.sawCarrier(at, r.text)
		}
	}
}

// event gives the record in a line that is an event. Whether lines are missing
// only a bundle or a journal can tell.
func (f *feeder) event(position int64, at place, line string) {
	f.events++
	e, err := f.decoder.Parse(line)
	if err != nil {
		f.faults.add(faultOf(at, carrier.KindEvent.String(), err))
		return
	}
	e.Seq = position
	f.verifier.AddEvent(&e)
	if e.Type == carrier.TypeCarrier {
		f.sawCarrier(at, string(e.Data))
	}
}

func (f *feeder) sawCarrier(at place, text string) {
	if f.onCarrier != nil {
		f.onCarrier(at, text)
	}
}

// eventsEntry is the entry of a bundle in which records stand.
const eventsEntry = "events.ndjson"

// bundle gives all records of a bundle, which is a set by itself. A bundle that
// is refused is a fault, not an error: nothing in it counts then.
func (f *feeder) bundle(in *input) (carrier.Manifest, bool, error) {
	f.files = []string{in.name}
	at := func(seq int64) place { return place{in.name, eventsEntry, seq + 1, f.first} }
	f.verifier.OnFault = func(e *carrier.RecordError) {
		where := at(e.Position)
		if e.Kind == 0 {
			where = place{File: in.name, order: f.first}
		}
		f.faults.add(faultOf(where, e.Kind.String(), e.Err))
	}
	m, err := carrier.ReadBundle(in, carrier.BundleLimits{}, func(e *carrier.Event) error {
		f.events++
		f.verifier.AddEvent(e)
		if e.Type == carrier.TypeCarrier {
			f.sawCarrier(at(e.Seq), string(e.Data))
		}
		f.progress.add(1)
		return nil
	})
	if err == nil {
		return m, true, nil
	}
	refused, ok := bundleFault(in.name, err)
	if !ok {
		return m, false, plainPathError(err)
	}
	refused.order = f.first
	f.faults = faultList{}
	f.faults.add(refused)
	return m, false, nil
}

// bundleFault tells why a bundle is refused, and false where err is not about
// the bundle.
func bundleFault(file string, err error) (fault, bool) {
	at := place{File: file}
	if re, ok := errors.AsType[*carrier.RecordError](err); ok {
		at.Entry, at.Line = eventsEntry, re.Position+1
		return faultOf(at, re.Kind.String(), re.Err), true
	}
	_, _, ok := carrier.FaultOf(err)
	return faultOf(at, kindBundle.String(), err), ok
}
