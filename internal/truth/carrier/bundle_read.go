// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// A BundleLimits bounds what ReadBundle reads, in bytes; 0 means the default.
type BundleLimits struct {
	Compressed   int64 // of the bundle, default 100 MiB
	Decompressed int64 // of the archive in it, default 1 GiB
	Manifest     int64 // of manifest.json, default 10 MiB
	Events       int64 // of events.ndjson, default 500 MiB
}

func (l BundleLimits) withDefaults() BundleLimits {
	return BundleLimits{
		Compressed:   orDefault(l.Compressed, 100<<20),
		Decompressed: orDefault(l.Decompressed, 1<<30),
		Manifest:     orDefault(l.Manifest, 10<<20),
		Events:       orDefault(l.Events, 500<<20),
	}
}

func orDefault(v, otherwise int64) int64 {
	if v == 0 {
		return otherwise
	}
	return v
}

// ReadBundle reads a bundle and calls visit for each event in order, in the
// memory of one event and one line. It checks, in this order: the entries of
// the archive as they come, the manifest by itself, the size of the events,
// each event by itself and with those before, and at the end hash, count and
// root of all events, and that nothing follows.
//
// An event is given to visit once it is good by itself; that the bundle is
// good, only a nil error says. So visit may collect, but must not act. An error
// of visit ends the reading and is returned as it is. The event is valid until
// visit returns.
func ReadBundle(r io.Reader, limits BundleLimits, visit func(*Event) error) (Manifest, error) {
	limits = limits.withDefaults()
	src, err := openArchive(r, limits)
	if err != nil {
		return Manifest{}, err
	}
	b := bundleReader{src: src, limits: limits, visit: visit, log: newEventLog()}
	err = b.entries()
	switch {
	case b.visitErr != nil:
		return Manifest{}, b.visitErr
	case err != nil:
		return Manifest{}, src.explain(err)
	}
	if err := src.checkEnd(); err != nil {
		return Manifest{}, src.explain(err)
	}
	return b.manifest, nil
}

// VerifyBundle reads a bundle and verifies the carriers and rows in it as one
// set (spec section 9). The position of a record is its sequence number.
func VerifyBundle(r io.Reader, limits BundleLimits) (Manifest, Report, error) {
	var v Verifier
	m, err := ReadBundle(r, limits, func(e *Event) error { v.AddEvent(e); return nil })
	if err != nil {
		return m, Report{}, err
	}
	report, err := v.Finish()
	return m, report, err
}

// A bundleReader reads the entries of one archive.
type bundleReader struct {
	src         *archiveSource
	limits      BundleLimits
	visit       func(*Event) error
	manifest    Manifest
	hasManifest bool
	hasEvents   bool
	visitErr    error
	decoder     Decoder
	log         eventLog
}

// entries reads the archive up to its end.
func (b *bundleReader) entries() error {
	archive := tar.NewReader(b.src)
	for {
		h, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && b.hasEvents:
			return nil
		case errors.Is(err, io.EOF) && b.hasManifest:
			return refuse(FaultMissingEntry, entryEvents)
		case errors.Is(err, io.EOF):
			return refuse(FaultMissingEntry, entryManifest)
		case err != nil:
			return err
		}
		if err := b.entry(archive, h); err != nil {
			return err
		}
	}
}

// entry reads one entry. Names of entries are not repeated in errors: whoever
// wrote the archive chose them.
func (b *bundleReader) entry(archive *tar.Reader, h *tar.Header) error {
	switch {
	case !isSafePath(h.Name):
		return refuse(FaultUnsafePath, "")
	case h.Typeflag != tar.TypeReg:
		return refuse(FaultUnexpectedEntry, "")
	case h.Name == entryManifest && b.hasManifest, h.Name == entryEvents && b.hasEvents:
		return refuse(FaultDuplicateEntry, h.Name)
	case h.Name == entryEvents && !b.hasManifest:
		return refuse(FaultEntryOrder, entryEvents)
	case h.Name == entryManifest:
		b.hasManifest = true
		return b.readManifest(archive, h.Size)
	case h.Name == entryEvents:
		b.hasEvents = true
		return b.readEvents(archive, h.Size)
	}
	return refuse(FaultUnexpectedEntry, "")
}

func isSafePath(name string) bool {
	if path.IsAbs(name) || strings.ContainsAny(name, "\\\x00") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return false
		}
	}
	return true
}

func (b *bundleReader) readManifest(archive io.Reader, size int64) error {
	if size > b.limits.Manifest {
		return tooLarge(entryManifest, size, b.limits.Manifest)
	}
	text, err := io.ReadAll(archive)
	if err != nil {
		return err
	}
	b.manifest, err = ParseManifest(string(text))
	return inManifest(err)
}

// inManifest says that a refusal concerns the manifest.
func inManifest(err error) error {
	var fault *FaultError
	if errors.As(err, &fault) {
		fault.Field = strings.TrimSuffix(entryManifest+":"+fault.Field, ":")
	}
	return err
}

func tooLarge(field string, got, limit int64) *FaultError {
	return &FaultError{
		Fault: FaultTooLarge, Field: field,
		Got: strconv.FormatInt(got, 10) + " bytes", Want: "at most " + strconv.FormatInt(limit, 10),
	}
}

// readEvents reads the lines of events.ndjson.
func (b *bundleReader) readEvents(archive io.Reader, size int64) error {
	switch {
	case size > b.limits.Events:
		return tooLarge(entryEvents, size, b.limits.Events)
	case size != b.manifest.EventsBytes:
		return differs(FaultSizeDiffers, "files."+entryEvents+".bytes", b.manifest.EventsBytes, size)
	}
	b.decoder.run = &b.manifest.RunID
	lines := bufio.NewReaderSize(io.TeeReader(archive, b.log.body), MaxEventBytes+2)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return b.at(refuse(FaultLineTooLong, ""))
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case err != nil && len(line) == 0:
			return b.compare()
		}
		if err := b.event(strings.TrimSuffix(string(line), "\n")); err != nil {
			return err
		}
	}
}

// event reads the line of one event.
func (b *bundleReader) event(line string) error {
	switch {
	case b.log.count == MaxBundleEvents:
		return tooManyEvents()
	case strings.TrimSuffix(line, "\r") == "":
		return b.at(refuse(FaultBlankLine, ""))
	}
	e, err := b.decoder.Parse(line)
	if err != nil {
		return b.at(err)
	}
	if err := b.log.next(&e); err != nil {
		return b.at(err)
	}
	b.visitErr = b.visit(&e)
	return b.visitErr
}

// at says which event err concerns: the one that would be next.
func (b *bundleReader) at(err error) error {
	return &RecordError{Kind: KindEvent, Position: b.log.count, Err: err}
}

// compare compares what was read with what the manifest says.
func (b *bundleReader) compare() error {
	got, said := b.log.manifest(), &b.manifest
	switch {
	case got.EventsDigest != said.EventsDigest:
		return differs(FaultHashDiffers, "files."+entryEvents+".sha256", said.EventsDigest, got.EventsDigest)
	case got.EventCount != said.EventCount:
		return differs(FaultCountDiffers, "event_count", said.EventCount, got.EventCount)
	case got.RunRoot != said.RunRoot:
		return differs(FaultRootDiffers, "run_root", said.RunRoot, got.RunRoot)
	case got.EventCount == 0:
		return refuse(FaultNoEvents, entryEvents)
	}
	return nil
}

func differs[T any](fault Fault, field string, said, found T) *FaultError {
	return &FaultError{
		Fault: fault, Field: entryManifest + ":" + field, Got: fmt.Sprint(said), Want: fmt.Sprint(found),
	}
}
