// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"slices"
	"time"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A Filter says which records a Reader returns: those for which all of it
// holds. The zero Filter is all records but the journal's own.
type Filter struct {
	RunID string

	// Wanted, when set, is what a record must fit besides.
	Wanted *Wanted

	// Since is the first time that is wanted, Until the first that is not.
	Since, Until time.Time

	// Types are the event types that are wanted; empty means all. Only a type
	// that is listed returns records of the journal itself.
	Types []string

	// Policy and Verdicts select carriers, by their declared policy digest and
	// their verdict, and the rows that cite a carrier which the Reader has
	// returned. Records of other types have neither, and are left out.
	Policy   canon.Digest
	Verdicts []truth.Verdict
}

// A matcher applies a filter to lines.
type matcher struct {
	f        Filter
	run      []byte // as it stands between its quotes
	wanted   *fitter
	policy   []byte
	verdicts [][]byte
	cited    map[canon.Digest]struct{} // carriers that matched, for rows
}

func newMatcher(f Filter) *matcher {
	m := &matcher{f: f}
	if f.RunID != "" {
		quoted := canon.AppendString(nil, f.RunID)
		m.run = quoted[1 : len(quoted)-1]
	}
	if f.Wanted != nil {
		m.wanted = newFitter(*f.Wanted)
	}
	if f.Policy != "" {
		m.policy = []byte(`,"declared_policy_digest":"` + string(f.Policy) + `"`)
	}
	for _, v := range f.Verdicts {
		m.verdicts = append(m.verdicts, []byte(`"decision_verdict":"`+v.String()+`"`))
	}
	if m.onCarriers() {
		m.cited = map[canon.Digest]struct{}{}
	}
	return m
}

func (m *matcher) onCarriers() bool { return m.policy != nil || m.verdicts != nil }

func (m *matcher) match(l *line) bool {
	switch {
	case len(m.f.Types) == 0 && l.isOwn():
		return false
	case len(m.f.Types) > 0 && !slices.Contains(m.f.Types, string(l.eventType)):
		return false
	case m.run != nil && !bytes.Equal(m.run, l.runID):
		return false
	case !m.inTime(l):
		return false
	case m.wanted != nil && !m.wanted.fits(l):
		return false
	}
	return !m.onCarriers() || m.matchPayload(l)
}

func (m *matcher) inTime(l *line) bool {
	if m.f.Since.IsZero() && m.f.Until.IsZero() {
		return true
	}
	at := parseTime(l.time)
	return !at.Before(m.f.Since) && (m.f.Until.IsZero() || at.Before(m.f.Until))
}

// matchPayload looks for the members as text: in canonical form a quote within
// a string is escaped, so that they cannot be part of one.
func (m *matcher) matchPayload(l *line) bool {
	switch string(l.eventType) {
	case carrier.TypeCarrier:
		if m.policy != nil && !bytes.Contains(l.data, m.policy) {
			return false
		}
		if m.verdicts != nil && !slices.ContainsFunc(m.verdicts, func(v []byte) bool { return bytes.Contains(l.data, v) }) {
			return false
		}
		m.cited[canon.Sum(l.data)] = struct{}{}
		return true
	case carrier.TypeRow:
		row, err := carrier.ReadRow(string(l.data))
		if err != nil {
			return false
		}
		_, cited := m.cited[row.Content()]
		return cited
	}
	return false
}
