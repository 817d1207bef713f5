// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"strings"

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
