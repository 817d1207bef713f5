// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"
	"io"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// LooksLikeSegment reports whether a file with these first bytes is a segment by
// the look of its first line. What is cut or changed in that line may not.
func LooksLikeSegment(start []byte) bool {
	first, _, _ := strings.Cut(string(start), "\n")
	return strings.HasPrefix(first, `{"assaycontenthash":"`) && strings.Contains(first, `,"type":"`+TypeHead+`"`+seqIntro)
}

// VerifySegment checks one segment by itself: each line against those before it,
// and each checkpoint against the tree, of which it believes what the head says
// of the lines before. A checkpoint by a known key confirms that. Alone in the
// Report says what was not checked.
//
// Of the options Keys and Carriers count. name is the file in findings. each, when
// set, is told of each record and its line; the event's Data is valid until it
// returns.
func VerifySegment(r io.Reader, name string, o VerifyOptions, each func(line int, e *carrier.Event)) (*Report, error) {
	a := &audit{
		o: o, walker: newWalker(o.Keys), lines: newLineReader(r), limit: noLimit, each: each,
		report: &Report{Keys: map[string]uint64{}, UnknownSigners: map[string]uint64{}, Segments: 1},
	}
	a.walker.enter(0)
	a.walker.name = name
	seen := &walked{}
	finding, err := a.walkLines(seen)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if finding != nil {
		finding.File = name
		a.report.found(finding)
	}
	k := a.walker
	a.report.Bytes, a.report.Uncovered = seen.bytes, a.uncovered
	a.report.Alone = &Alone{Segment: k.number, LinesBefore: k.head.Size, Sealed: k.sealed && finding == nil}
	a.report.conclude()
	return a.report, nil
}
