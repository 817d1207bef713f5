// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// Process judges td, places its calls in their runs, and makes their evidence
// durable. When it returns, a decision that says Recorded can be found in the
// journal. The error is the journal's, and only where Settings.Block asks for
// it: then the batch is to be refused and can be sent again, which makes no
// second record.
func (e *Engine) Process(ctx context.Context, now time.Time, policies Policies, td ptrace.Traces) (*Batch, error) {
	b := e.Judge(policies, td)
	for i := range b.Decisions {
		b.Decisions[i].Evidence = EvidenceDisabled
	}
	if e.set.Ledger == nil {
		return b, nil
	}
	p := e.place(b, td)
	defer p.release()
	placements, ended := e.set.Ledger.Place(now, p.batch)
	p.batch.Room, b.Ended = placements, ended
	for i, d := range p.placed {
		d.Placed, d.Extent = placements[i], sequence.Partial
		e.digest(d)
	}
	var err error
	if e.set.Journal != nil {
		r := e.recording(now, p, placements)
		b.Unrecordable = r.unrecordable
		err = e.record(ctx, r, p, placements)
	}
	e.saveBatch(ctx, p, &b.Ended)
	if err != nil && e.set.Block {
		return b, err // the batch will come again, and its runs are not over
	}
	if e.set.WholeRuns {
		b.end(e.set.Ledger.Close(now, ledger.WhyBatch, p.ids()))
		p.conclude(b.Ended.Closed)
	}
	return b, nil
}

// digest sets the digests of a placed call, where there is a key.
func (e *Engine) digest(d *Decision) {
	if e.set.Key == nil {
		return
	}
	d.ArgsDigest = e.set.Key.ArgsDigest(d.Primary().Obs.Args.Doc)
	d.Observed = canon.ObservedInput(d.Tool, d.ArgsDigest, d.Placed.Order)
}

// record makes the evidence of the batch durable, tells the ledger, and sets
// what the decisions may cite.
func (e *Engine) record(ctx context.Context, r *recording, p *placing, placements []ledger.Placement) (err error) {
	if len(r.events) > 0 {
		err = e.set.Journal.Append(ctx, r.events)
	}
	if err != nil {
		clear(r.digests)
		err = fmt.Errorf("evidence: %w", err)
	}
	e.set.Ledger.Settle(placements, r.digests)
	if err == nil {
		err = e.set.Ledger.Await(ctx, placements)
	}
	for i, d := range p.placed {
		d.Placed = placements[i]
		d.cite()
	}
	return err
}

// cite lets the decision cite its record, if there is one.
func (d *Decision) cite() {
	d.Evidence = EvidenceFailed
	if d.Placed.Digests.IsZero() {
		return
	}
	d.Evidence = EvidenceRecorded
	d.Content = d.Placed.Digests.Carrier.Digest()
	d.Observed = d.Placed.Digests.Observed.Digest()
	d.IdentityDigest = carrier.IdentityDigest(d.Observed, d.Placed.Policy.Digest)
}

// conclude lets the decisions of whole runs say what became of the run.
func (p *placing) conclude(closed []ledger.Closed) {
	runs := make(map[ledger.ID]*ledger.Closed, len(closed))
	for i := range closed {
		runs[closed[i].Run] = &closed[i]
	}
	for i, d := range p.placed {
		if run := runs[p.batch.Groups[i].Run]; run != nil {
			d.Placed.RunVerdict, d.Extent = run.Verdict, run.Extent
		}
	}
}

func (p *placing) ids() []ledger.ID {
	ids := make([]ledger.ID, len(p.batch.Groups))
	for i := range p.batch.Groups {
		ids[i] = p.batch.Groups[i].Run
	}
	return ids
}

func (b *Batch) end(more ledger.Ended) {
	b.Ended.Closed = append(b.Ended.Closed, more.Closed...)
	b.Ended.Forgotten = append(b.Ended.Forgotten, more.Forgotten...)
}
