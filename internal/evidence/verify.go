// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// ErrNoJournal says that a directory has no segment.
var ErrNoJournal = errors.New("no journal")

// VerifyOptions say what Verify knows beside the directory.
type VerifyOptions struct {
	// Keys verify the checkpoints; *Keys is one. Without any, the outcome is
	// CannotVerify at best.
	Keys note.Verifiers

	// Checkpoints are signed checkpoints of the journal that were kept elsewhere.
	// Only they can show that its newest part was deleted, or that it was
	// rewritten by somebody who has the key.
	Checkpoints []string

	// Carriers has each carrier checked as carrier.Import does.
	Carriers bool

	// Live stops at the last line that a writer has made durable. Use it for a
	// journal that is being written; for any other it would overlook its end.
	Live bool
}

// Verify checks the journal in dir, from its first line to its last, in constant
// memory. It finds each line and each segment that was changed, removed, added,
// moved or cut since it was written, as far as what is there can show it; see
// docs/evidence.md for what cannot.
//
// That a journal is sound does not say that its records are true, nor that all
// was recorded that happened: it says that they are what was written.
//
// The error is about reading, or about a checkpoint in the options that is none.
// What is wrong with the journal is in the Report.
func Verify(dir string, o VerifyOptions) (*Report, error) {
	a := &audit{
		dir: dir, o: o, walker: newWalker(o.Keys), lines: newLineReader(nil),
		report:   &Report{Keys: map[string]uint64{}, UnknownSigners: map[string]uint64{}},
		position: positionIn(dir), limit: noLimit,
	}
	if a.position != nil && o.Live {
		a.limit = *a.position
	}
	a.walker.onHead = a.head
	if err := a.readKept(); err != nil {
		return nil, err
	}
	// Which segments there are is asked after how far they are durable, so that
	// a live journal has at least those.
	segments, err := listSegments(dir)
	if err != nil {
		return nil, err
	}
	segments = a.skipForeign(segments)
	if len(segments) == 0 && len(a.kept) == 0 && a.report.FindingsTotal == 0 && a.position == nil {
		return nil, fmt.Errorf("%w in %s", ErrNoJournal, dir)
	}
	for i := range segments {
		if err := a.segment(segments, i); err != nil {
			return nil, err
		}
	}
	a.finish(segments)
	a.report.conclude()
	return a.report, nil
}

// An audit is one run of Verify.
type audit struct {
	dir    string
	o      VerifyOptions
	walker *walker
	lines  *lineReader
	report *Report
	kept   []keptCheckpoint

	position *position // nil when there is none
	limit    position  // where a live journal ends

	first     uint64  // segment that was gone through
	before    *walked // the segment before, nil when it is missing
	oldest    uint64  // that the newest head says was kept
	uncovered uint64

	each func(line int, e *carrier.Event) // told of each record; may be nil
}

// A walked is a segment that was gone through.
type walked struct {
	number uint64
	sound  bool
	bytes  int64          // that are part of the journal
	digest [hashSize]byte // of bytes
}

// skipForeign reports what has the name of a segment and is none.
func (a *audit) skipForeign(list []segmentFile) []segmentFile {
	return slices.DeleteFunc(list, func(s segmentFile) bool {
		switch {
		case s.number == 0:
			a.report.found(&Finding{Fault: FaultForeignFile, Detail: "a name between those of segments"})
		case !s.regular:
			a.report.found(&Finding{Fault: FaultForeignFile, File: segmentName(s.number), Detail: "not a regular file"})
		}
		return s.number == 0 || !s.regular || s.number > a.limit.segment
	})
}

// segment verifies one segment.
func (a *audit) segment(list []segmentFile, i int) error {
	s := list[i]
	if i > 0 && list[i-1].number+1 != s.number {
		a.missing(list[i-1].number + 1)
	}
	f, err := openForReading(a.dir, segmentName(s.number))
	if errors.Is(err, fs.ErrNotExist) && a.o.Live && a.report.Segments == 0 {
		return nil // removed by retention since it was listed
	}
	if err != nil {
		return err
	}
	end, err := a.endOf(list, i, f)
	if err == nil {
		err = a.walk(s, f, end)
	}
	return errors.Join(err, f.Close())
}

// missing reports a segment that is not there, and forgets what led up to it.
func (a *audit) missing(number uint64) {
	a.report.found(&Finding{Fault: FaultSegmentMissing, File: segmentName(number)})
	a.lose()
}

// lose forgets the place in the journal: the next head is believed.
func (a *audit) lose() {
	a.before, a.walker.at = nil, nil
}

// endOf returns how much of a segment is part of the journal.
func (a *audit) endOf(list []segmentFile, i int, f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	if list[i].number == a.limit.segment && a.limit.offset < size {
		a.report.Unsettled += size - a.limit.offset
		size = a.limit.offset
	}
	end := segmentEnd(a.dir, list[i].number, size, list)
	a.report.Abandoned += size - end
	return end, nil
}

// walk goes through the first end bytes of a segment.
func (a *audit) walk(s segmentFile, f *os.File, end int64) error {
	a.report.Segments++
	if a.first == 0 {
		a.first = s.number
	}
	a.walker.enter(s.number)
	a.lines.reset(io.NewSectionReader(f, 0, end))
	seen := &walked{number: s.number}
	finding, err := a.walkLines(seen)
	if err != nil {
		return fmt.Errorf("read %s: %w", segmentName(s.number), err)
	}
	a.report.Bytes += seen.bytes
	a.before = seen
	if finding == nil {
		seen.sound, seen.digest = true, a.walker.chain.digest()
		return nil
	}
	a.report.found(finding)
	a.walker.at = nil
	return nil
}

// walkLines goes through the lines of a segment up to the first that is not
// good.
func (a *audit) walkLines(seen *walked) (*Finding, error) {
	for {
		text, whole, err := a.lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if finding := a.line(text, whole); finding != nil {
			return finding, nil
		}
		seen.bytes += int64(len(text) + 1)
	}
	if a.walker.lineNo == 0 {
		return &Finding{Fault: FaultHead, File: segmentName(seen.number), Detail: "the segment is empty"}, nil
	}
	return nil, nil
}

// line verifies one line and counts it.
func (a *audit) line(text []byte, whole bool) *Finding {
	k := a.walker
	if !whole {
		k.lineNo++
		return k.finding(FaultTornTail, "")
	}
	l, finding := k.next(text)
	if finding != nil {
		return finding
	}
	a.report.Lines++
	a.uncovered++
	switch {
	case k.gap != nil:
		a.report.gap(PlacedGap{File: k.name, Line: k.lineNo, Seq: l.seq, Gap: *k.gap})
	case k.checkpoint != nil:
		a.checkpoint()
	case l.is(TypeHead):
	default:
		if finding := a.record(&l); finding != nil {
			return finding
		}
	}
	return a.compareKept()
}

func (a *audit) record(l *line) *Finding {
	a.report.Records++
	if a.each != nil {
		e, err := a.walker.decoder.Parse(string(l.event) + "}")
		if err != nil {
			return a.walker.finding(FaultContent, "")
		}
		a.each(a.walker.lineNo, &e)
	}
	if l.is(carrier.TypeRow) {
		a.report.Rows++
	}
	if !l.is(carrier.TypeCarrier) {
		return nil
	}
	a.report.Carriers++
	if !a.o.Carriers {
		return nil
	}
	if _, err := carrier.Import(string(l.data)); err != nil {
		fault, field, _ := carrier.FaultOf(err)
		return a.walker.finding(FaultCarrier, "%s %s", field, fault)
	}
	return nil
}

func (a *audit) checkpoint() {
	c := a.walker.checkpoint
	if !a.walker.signatureKnown {
		a.report.UnknownKeys++
		for _, name := range c.Signers {
			a.report.UnknownSigners[name]++
		}
		return
	}
	a.report.Checkpoints++
	for _, name := range c.Keys {
		a.report.Keys[name]++
	}
	a.report.Latest, a.uncovered = c, 1 // the line of the checkpoint itself
}

// head compares a segment's head with the segment before it.
func (a *audit) head(h *head) *Finding {
	a.oldest = h.Oldest
	a.beginKept(h)
	p := h.Previous
	switch {
	case p == nil:
		return nil
	case a.before == nil:
		if p.State == leftCorrupt {
			// Retention never removes what no later checkpoint covers.
			a.report.found(&Finding{Fault: FaultSegmentMissing, File: segmentName(p.Segment)})
		}
		return nil
	case p.Segment != a.before.number:
		return a.walker.finding(FaultHead, "the head names segment %d before it, want %d", p.Segment, a.before.number)
	case p.State == leftCorrupt:
		return a.sameCorruption(p)
	case !a.before.sound:
		return nil // reported already
	case p.Bytes != a.before.bytes, p.Digest != digestText(a.before.digest):
		a.report.found(&Finding{
			Fault: FaultSegmentChanged, File: segmentName(p.Segment),
			Detail: fmt.Sprintf("digest %s of %d bytes, want %s of %d", digestText(a.before.digest), a.before.bytes, p.Digest, p.Bytes),
		})
		a.lose()
	}
	return nil
}

// sameCorruption checks that a segment that was found changed is as it was
// found.
func (a *audit) sameCorruption(p *predecessor) *Finding {
	f, err := openForReading(a.dir, segmentName(p.Segment))
	if err != nil {
		return a.walker.finding(FaultHead, "the segment before cannot be read")
	}
	sum, err := digestOf(f, math.MaxInt64)
	if closeErr := f.Close(); err != nil || closeErr != nil {
		return a.walker.finding(FaultHead, "the segment before cannot be read")
	}
	if digestText(sum) != p.Digest {
		a.report.found(&Finding{Fault: FaultSegmentChanged, File: segmentName(p.Segment), Detail: "it was changed again after it had been found changed"})
	}
	return nil
}

// finish reports what only the end shows.
func (a *audit) finish(list []segmentFile) {
	a.report.Uncovered = a.uncovered
	a.finishKept()
	if a.first > 0 && a.oldest > 0 {
		first := a.first
		if first > a.oldest {
			a.report.Findings = slices.Insert(a.report.Findings, 0, Finding{Fault: FaultSegmentMissing, File: segmentName(a.oldest)})
			a.report.FindingsTotal++
		}
		a.report.Removed = min(first, a.oldest) - 1
	}
	if a.position != nil {
		a.comparePosition(list)
	}
}

// comparePosition reports records that were durable and are gone. The position
// is not signed: this finds accidents, and attackers who overlook it.
func (a *audit) comparePosition(list []segmentFile) {
	var last walked
	if a.before != nil {
		last = *a.before
	}
	p := a.position
	behind := p.segment > last.number || p.segment == last.number && last.sound && p.offset > last.bytes
	if len(list) == 0 || behind {
		a.report.found(&Finding{
			Fault: FaultRecordMissing, File: segmentName(p.segment), Seq: p.seq,
			Detail: fmt.Sprintf("the position file names byte %d and line %d", p.offset, p.seq),
		})
	}
}
