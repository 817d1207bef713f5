// SPDX-License-Identifier: Apache-2.0

package engine

import (
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
	r := &recording{serials: &e.serials, now: now, digests: make([]ledger.Digests, len(placements))}
	for i := range placements {
		if !placements[i].Record {
			continue
		}
		record, err := e.Carrier(p.placed[i])
		if err != nil {
			r.unrecordable++
			continue
		}
		event := eventOf(p.batch.Groups[i].Run, r.place(&placements[i]), now)
		event.TraceParent = traceParent(p.placed[i].Primary())
		event.SetRecord(&record)
		if len(event.Data) > maxPayload {
			r.unrecordable++
			continue
		}
		r.events = append(r.events, event)
		content, _ := ledger.ParseSum(record.ContentDigest())
		observed, _ := ledger.ParseSum(record.ObservedInput())
		r.digests[i] = ledger.Digests{Carrier: content, Observed: observed}
		if earlier := placements[i].Supersedes; len(earlier) > 0 {
			r.supersede(event, record.ContentDigest(), earlier)
		}
	}
	return r
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
	return "00-" + hex.EncodeToString(trace[:]) + "-" + hex.EncodeToString(span[:]) + "-01"
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
