// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A recording is what the journal is to hold of one batch.
type recording struct {
	serials *serials
	now     time.Time
	stamp   stamp
	events  []carrier.Event
	digests []ledger.Digests // of the carriers, by placement

	// unrecordable counts decisions that no event can hold. Sending them again
	// would not help, so they never refuse a batch.
	unrecordable int64
}

// maxPayload bounds a carrier so that its event fits into a line that everybody
// reads.
const maxPayload = carrier.MaxEventBytes - 16<<10

// recording builds a carrier for each decision that has none yet, and names
// what it supersedes.
func (e *Engine) recording(now time.Time, p *placing, placements []ledger.Placement) *recording {
	r := &recording{serials: &e.serials, now: now, stamp: newStamp(now), digests: make([]ledger.Digests, len(placements))}
	r.events = make([]carrier.Event, 0, wanted(placements))
	for i := range placements {
		if !placements[i].Record {
			continue
		}
		record, err := e.Carrier(p.placed[i])
		if err != nil {
			r.unrecordable++
			continue
		}
		event := r.stamp.event(p.batch.Groups[i].Run, r.place(&placements[i]))
		event.TraceParent = traceParent(p.placed[i].Primary())
		event.SetRecord(&record)
		if len(event.Data) > maxPayload {
			r.unrecordable++
			continue
		}
		r.events = append(r.events, event)
		observed, _ := ledger.ParseSum(record.ObservedInput())
		// The text is canonical: an order is exact in every reader.
		r.digests[i] = ledger.Digests{Carrier: sha256.Sum256(event.Data), Observed: observed}
		if earlier := placements[i].Supersedes; len(earlier) > 0 {
			r.supersede(event, record.ContentDigest(), earlier)
		}
	}
	return r
}

// wanted returns how many events the placements ask for.
func wanted(placements []ledger.Placement) (n int) {
	for i := range placements {
		if placements[i].Record {
			n++
			n += min(len(placements[i].Supersedes), 1)
		}
	}
	return n
}

// place returns the place of a carrier's event in its run.
func (r *recording) place(p *ledger.Placement) int64 {
	first := (p.Kind == ledger.KindNew || p.Kind == ledger.KindResent) && len(p.Supersedes) == 0
	if first && !p.Late {
		return p.Order
	}
	return r.serials.next(r.now)
}

func traceParent(m *Member) string {
	trace, span := m.Span.TraceID(), m.Span.SpanID()
	var text [55]byte
	out := hex.AppendEncode(append(text[:0], "00-"...), trace[:])
	out = hex.AppendEncode(append(out, '-'), span[:])
	return string(append(out, "-01"...))
}

// A stamp starts events of one time. Those of one run that follow each other
// share its name.
type stamp struct {
	time string
	run  ledger.ID
	name string
}

func newStamp(now time.Time) stamp { return stamp{time: now.UTC().Format(time.RFC3339Nano)} }

// event starts an event of a run.
func (s *stamp) event(run ledger.ID, seq int64) carrier.Event {
	if s.name == "" || s.run != run {
		s.run, s.name = run, hex.EncodeToString(run[:])
	}
	return carrier.Event{RunID: s.name, Seq: seq, Time: s.time}
}

// supersede adds the event that says which carriers the one named replaces.
func (r *recording) supersede(event carrier.Event, by canon.Digest, earlier []ledger.Sum) {
	data := []byte(`{"carrier":"` + string(by) + `","schema":"` + TypeSupersedes + `","supersedes":[`)
	for i, s := range earlier {
		if i > 0 {
			data = append(data, ',')
		}
		data = canon.AppendString(data, string(s.Digest()))
	}
	data = append(data, "]}"...)
	event.Data = nil // it is the carrier's
	event.Seq = r.serials.next(r.now)
	// The data is written here in canonical form, so it is never refused.
	_ = event.SetData(TypeSupersedes, string(data))
	r.events = append(r.events, event)
}
