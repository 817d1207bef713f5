// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A RunRecord is what is recorded of a closed run, and what the command line
// prints of one. A later record of the run supersedes an earlier one.
type RunRecord struct {
	Schema  string          `json:"schema"`
	Run     string          `json:"run"`
	Extent  sequence.Extent `json:"extent"`
	Verdict truth.Verdict   `json:"run_verdict"`
	Closed  ledger.Why      `json:"closed"`

	// Caveats say what a reader must know: why the extent is partial, and what
	// is odd about the order.
	Caveats []ledger.Caveat `json:"caveats"`

	Calls  int64     `json:"calls"`
	Counts RunCounts `json:"counts"`

	Policies []RunPolicy `json:"policies"`
	Rules    []RunRule   `json:"rules"`

	// Uncited is how many calls have no record that a row could cite.
	Uncited    int64        `json:"uncited,omitempty"`
	Supersedes canon.Digest `json:"supersedes,omitempty"`
}

// RunCounts are numbers of calls by verdict.
type RunCounts struct {
	Match      int64 `json:"match"`
	Incomplete int64 `json:"incomplete"`
	Mismatch   int64 `json:"mismatch"`
	Invalid    int64 `json:"invalid"`
}

// A RunPolicy is one policy that judged calls of the run.
type RunPolicy struct {
	Name   string       `json:"name"`
	Digest canon.Digest `json:"declared_policy_digest"`
	Calls  int64        `json:"calls"`

	// Seen is how many of them its rules saw: fewer than Calls where the run
	// was evicted and went on, or where what they had seen was lost.
	Seen int64 `json:"calls_seen_by_rules"`
}

// A RunRule is the record of one rule, and by whose policy.
type RunRule struct {
	Policy string `json:"policy"`
	sequence.Record

	// Behind is how many changes of decisions the rule could not take in.
	Behind int64 `json:"behind,omitempty"`
}

// RecordOf returns what is recorded of c.
func RecordOf(c *ledger.Closed) *RunRecord {
	r := &RunRecord{
		Schema: TypeRun, Run: hex.EncodeToString(c.Run[:]),
		Extent: c.Extent, Verdict: c.Verdict, Closed: c.Why, Caveats: c.Caveats,
		Calls: c.Calls, Counts: RunCounts(c.Counts), Uncited: c.Uncited,
		Policies: []RunPolicy{}, Rules: []RunRule{},
	}
	if r.Caveats == nil {
		r.Caveats = []ledger.Caveat{}
	}
	if !c.Supersedes.IsZero() {
		r.Supersedes = c.Supersedes.Digest()
	}
	for _, j := range c.Policies {
		r.Policies = append(r.Policies, RunPolicy{Name: j.Policy.Name, Digest: j.Policy.Digest, Calls: j.Calls, Seen: j.Seen})
		for _, rec := range j.Records {
			r.Rules = append(r.Rules, RunRule{Policy: j.Policy.Name, Record: rec, Behind: j.Behind})
		}
	}
	return r
}

// A ClosedRun is a closed run with the events that record it.
type ClosedRun struct {
	Record *RunRecord
	Closed *ledger.Closed

	// Digest is that of the run's record, set where it is durable.
	Digest canon.Digest

	events []carrier.Event // until they are durable
	digest ledger.Sum
}

// Unkept returns how many events of the run are not durable yet.
func (r *ClosedRun) Unkept() int { return len(r.events) }

// closedRun builds the rows of a closed run and its record. A row cites each
// carrier that stands, with the verdict of the run. Where the error says that
// there can be none, the run is returned without.
func (e *Engine) closedRun(c *ledger.Closed, now time.Time) (*ClosedRun, error) {
	out := &ClosedRun{Record: RecordOf(c), Closed: c}
	if e.set.Journal == nil {
		return out, nil
	}
	place := e.placesFrom(c, now)
	stamp := newStamp(now)
	events := make([]carrier.Event, 0, len(c.Cited)+1)
	for _, cited := range c.Cited {
		row, err := carrier.BuildRow(carrier.Citation{
			Content:  cited.Carrier.Digest(),
			Identity: carrier.IdentityDigest(cited.Observed.Digest(), cited.Policy.Digest),
			// The run's verdict covers every call's: it is the worst of them.
			Verdict: truth.Match,
		}, c.Verdict, carrier.EventRef(out.Record.Run, cited.Order))
		if err != nil {
			return out, fmt.Errorf("row: %w", err)
		}
		event := stamp.event(c.Run, place())
		event.SetRow(&row)
		events = append(events, event)
	}
	text, err := json.Marshal(out.Record)
	if err != nil {
		return out, fmt.Errorf("run record: %w", err)
	}
	event := stamp.event(c.Run, place())
	if err := event.SetData(TypeRun, string(text)); err != nil {
		return out, fmt.Errorf("run record: %w", err)
	}
	if len(event.Data) > maxPayload {
		return out, fmt.Errorf("run record: it has %d bytes, want at most %d", len(event.Data), maxPayload)
	}
	out.digest, _ = ledger.ParseSum(canon.Sum(event.Data))
	events = append(events, event)
	out.events = events
	return out, nil
}

// placesFrom returns what numbers the events of a closed run: on behind its
// last order, unless an earlier record of the run, or a late call, may stand there.
func (e *Engine) placesFrom(c *ledger.Closed, now time.Time) func() int64 {
	if !c.Supersedes.IsZero() || slices.Contains(c.Caveats, ledger.CaveatLate) {
		return func() int64 { return e.serials.next(now) }
	}
	next := c.Next - 1
	return func() int64 { next++; return next }
}
