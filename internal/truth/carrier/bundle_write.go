// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// MaxBundleEvents is how many events a bundle may hold.
const MaxBundleEvents = 100_000

// A BundleWriter writes one bundle (spec section 12). The manifest stands first
// in the archive and holds the hash of all events, so the events go to a spool
// first, and from there into the archive: the writer itself needs the memory of
// one event, however many there are.
type BundleWriter struct {
	spool   io.ReadWriteSeeker
	out     *bufio.Writer
	decoder Decoder
	log     eventLog
}

// NewBundleWriter returns a writer that keeps the events in spool, which is
// empty and the writer's own until Finish: a temporary file, say.
func NewBundleWriter(spool io.ReadWriteSeeker) *BundleWriter {
	return &BundleWriter{spool: spool, out: bufio.NewWriterSize(spool, 1<<16), log: newEventLog()}
}

// Add adds one event line, as AppendEvent writes it or a journal holds it,
// without its newline. The line is read strictly first: a bundle is never
// written that ReadBundle refuses. Events are numbered on from 0 and are all of
// one run and one source.
func (b *BundleWriter) Add(line string) error {
	if b.log.count == MaxBundleEvents {
		return tooManyEvents()
	}
	e, err := b.decoder.Parse(line)
	if err != nil {
		return err
	}
	if err := b.log.next(&e); err != nil {
		return err
	}
	if b.decoder.run == nil {
		b.log.runID = strings.Clone(e.RunID)
		b.decoder.run = &b.log.runID
	}
	_, _ = b.out.WriteString(line) // an error stays with out
	b.log.bytes += int64(len(line)) + 1
	_, _ = io.WriteString(b.log.body, line)
	_, _ = b.log.body.Write(newline)
	if err := b.out.WriteByte('\n'); err != nil {
		return fmt.Errorf("spool events: %w", err)
	}
	return nil
}

// Finish writes the bundle to w: the manifest, in the name of producer, and the
// events. It refuses a bundle without events. Equal events make equal bytes.
func (b *BundleWriter) Finish(w io.Writer, producer, version string) (Manifest, error) {
	if b.log.count == 0 {
		return Manifest{}, refuse(FaultNoEvents, entryEvents)
	}
	if err := b.out.Flush(); err != nil {
		return Manifest{}, fmt.Errorf("spool events: %w", err)
	}
	if _, err := b.spool.Seek(0, io.SeekStart); err != nil {
		return Manifest{}, fmt.Errorf("rewind spool: %w", err)
	}
	m := b.log.manifest()
	m.Producer, m.ProducerVersion = producer, version
	text := m.AppendJSON(nil)
	if _, err := ParseManifest(string(text)); err != nil {
		return Manifest{}, err
	}
	if err := writeArchive(w, text, b.spool, m.EventsBytes); err != nil {
		return Manifest{}, fmt.Errorf("write bundle: %w", err)
	}
	return m, nil
}

func writeArchive(w io.Writer, manifest []byte, events io.Reader, size int64) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(z)
	if err := writeEntry(archive, entryManifest, int64(len(manifest))); err != nil {
		return err
	}
	if _, err := archive.Write(manifest); err != nil {
		return err
	}
	if err := writeEntry(archive, entryEvents, size); err != nil {
		return err
	}
	if _, err := io.CopyN(archive, events, size); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return z.Close()
}

// writeEntry writes a header that holds nothing of the machine or the time.
func writeEntry(archive *tar.Writer, name string, size int64) error {
	return archive.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR,
	})
}

var newline = []byte{'\n'}

// An eventLog follows the events of one bundle and makes what a manifest says
// of them.
type eventLog struct {
	runID, source string
	count, bytes  int64
	body, root    hash.Hash
}

func newEventLog() eventLog { return eventLog{body: sha256.New(), root: sha256.New()} }

// next takes the event that must come next. Its run was checked.
func (l *eventLog) next(e *Event) error {
	switch {
	case e.Seq != l.count:
		return &FaultError{
			Fault: FaultSequenceGap, Field: "assayseq", Got: strconv.FormatInt(e.Seq, 10), Want: strconv.FormatInt(l.count, 10),
		}
	case l.count > 0 && e.Source != l.source:
		return refuse(FaultOtherSource, "source")
	}
	if l.count == 0 {
		l.source = strings.Clone(e.Source)
	}
	l.count++
	_, _ = io.WriteString(l.root, string(e.ContentHash)) // a hash does not fail
	_, _ = l.root.Write(newline)
	return nil
}

func (l *eventLog) manifest() Manifest {
	return Manifest{
		RunID: l.runID, EventCount: l.count, RunRoot: digestOf(l.root), EventsDigest: digestOf(l.body), EventsBytes: l.bytes,
	}
}

func digestOf(h hash.Hash) canon.Digest {
	return canon.Digest("sha256:" + hex.EncodeToString(h.Sum(nil)))
}

func tooManyEvents() *FaultError {
	return &FaultError{Fault: FaultTooManyEvents, Want: "at most " + strconv.Itoa(MaxBundleEvents)}
}
