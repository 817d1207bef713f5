// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A Journal makes events durable. When Append returns nil they are.
type Journal interface {
	Append(ctx context.Context, events []carrier.Event) error
}

// Evidence says what became of a decision's record. The zero value is none.
type Evidence uint8

// What becomes of records. Append only: the strings are wire format.
const (
	EvidenceDisabled Evidence = iota + 1 // there is no journal
	EvidenceRecorded                     // the journal holds it
	EvidenceFailed                       // it could not be written
)

var evidenceNames = [...]string{"", "disabled", "recorded", "failed"}

// String returns the wire form, or "" for what is no Evidence.
func (e Evidence) String() string {
	if int(e) >= len(evidenceNames) {
		return ""
	}
	return evidenceNames[e]
}

// Types of the events of ours that lie beside carriers and rows.
const (
	// TypeSupersedes names the carriers that another one replaces.
	TypeSupersedes = "assay.tdt.supersedes.v0"
	// TypeRun is the record of a closed run.
	TypeRun = "assay.tdt.run.v0"
)

// Carrier builds the record of one placed decision. It needs a key.
func (e *Engine) Carrier(d *Decision) (carrier.Record, error) {
	return carrier.Build(carrier.Input{
		ToolName: d.Tool, ArgsDigest: d.ArgsDigest, Order: d.Placed.Order,
		SourceClass: d.Source, CallID: strings.ToValidUTF8(d.CallID, "\uFFFD"), ResultStatus: d.Result,
		Identity: d.Identity, KeyID: e.set.Key.ID(),
		Verdict: d.Truth.Verdict, DeclaredPolicy: d.Policy.Truth.DeclaredDigest(),
	})
}

// eventOf starts an event of a run.
func eventOf(run ledger.ID, seq int64, now time.Time) carrier.Event {
	return carrier.Event{RunID: hex.EncodeToString(run[:]), Seq: seq, Time: now.UTC().Format(time.RFC3339Nano)}
}

// events builds what the journal is to hold of the batch: a carrier for each
// decision that has none yet, and what it supersedes. digests has those of the
// carriers, by placement.
func (e *Engine) events(p *placing, placements []ledger.Placement, now time.Time) (events []carrier.Event, digests []ledger.Digests, err error) {
	digests = make([]ledger.Digests, len(placements))
	for i := range placements {
		if !placements[i].Record {
			continue
		}
		d := p.placed[i]
		record, err := e.Carrier(d)
		if err != nil {
			return nil, nil, fmt.Errorf("carrier: %w", err)
		}
		event := eventOf(p.batch.Groups[i].Run, placements[i].Order, now)
		span, trace := d.Primary().Span.SpanID(), d.Primary().Span.TraceID()
		event.TraceParent = "00-" + hex.EncodeToString(trace[:]) + "-" + hex.EncodeToString(span[:]) + "-01"
		event.SetRecord(&record)
		events = append(events, event)
		content, _ := ledger.ParseSum(record.ContentDigest())
		observed, _ := ledger.ParseSum(record.ObservedInput())
		digests[i] = ledger.Digests{Carrier: content, Observed: observed}
		if len(placements[i].Supersedes) > 0 {
			events = append(events, supersedes(event, record.ContentDigest(), placements[i].Supersedes))
		}
	}
	return events, digests, nil
}

// supersedes is the event that says which carriers the one named replaces.
func supersedes(event carrier.Event, by canon.Digest, earlier []ledger.Sum) carrier.Event {
	data := []byte(`{"carrier":"` + string(by) + `","schema":"` + TypeSupersedes + `","supersedes":[`)
	for i, s := range earlier {
		if i > 0 {
			data = append(data, ',')
		}
		data = canon.AppendString(data, string(s.Digest()))
	}
	data = append(data, "]}"...)
	event.Data = nil // it is the carrier's
	// The data is written here in canonical form, so it is never refused.
	_ = event.SetData(TypeSupersedes, string(data))
	return event
}
