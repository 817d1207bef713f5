// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"fmt"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// Wanted says which record is meant: one for which all of it holds. Equal calls
// have equal digests, since neither run nor span is part of them, so that it may
// fit several records. The zero Wanted fits all.
type Wanted struct {
	Digest string  // of the payload, or the content hash, or the beginning of one of them
	Seq    *uint64 // in the journal
	RunID  string  // or its beginning
}

// MaxCandidates is how many records that fit are named.
const MaxCandidates = 10

// An AmbiguousError says that several records fit where one is meant.
type AmbiguousError struct {
	Candidates []*Record // the first of them, at most MaxCandidates
	Total      int
}

// Add counts a record that fits.
func (e *AmbiguousError) Add(rec *Record) {
	if e.Total++; e.Total <= MaxCandidates {
		e.Candidates = append(e.Candidates, rec)
	}
}

// Error says how many there are.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d records fit, want one", e.Total)
}

// A fitter looks for what is wanted in lines.
type fitter struct {
	seq    *uint64
	digest []byte
	run    []byte // as it stands behind its quote
}

func newFitter(w Wanted) *fitter {
	quoted := canon.AppendString(nil, w.RunID)
	return &fitter{w.Seq, []byte(w.Digest), quoted[1 : len(quoted)-1]}
}

func (f *fitter) fits(l *line) bool {
	if f.seq != nil && *f.seq != l.seq || !bytes.HasPrefix(l.runID, f.run) {
		return false
	}
	return bytes.HasPrefix(l.contentHash, f.digest) || bytes.HasPrefix([]byte(canon.Sum(l.data)), f.digest)
}
