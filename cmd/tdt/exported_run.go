// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// maxExported bounds the events that one export holds in memory, about 1 KB each.
const maxExported = 2_000_000

// A selection is the runs that are exported, in the order of their first calls.
type selection struct {
	runs   map[string]*exportedRun
	order  []string
	events int
}

// read reads all events of the runs.
func (s *selection) read(dir string) error {
	return readJournal(dir, evidence.Filter{}, func(rec *evidence.Record) error {
		run := s.runs[rec.RunID]
		if run == nil {
			return nil
		}
		if s.events++; s.events > maxExported {
			return fmt.Errorf("%s: the runs have more than %d events: narrow the range", dir, maxExported)
		}
		return run.add(rec)
	})
}

// An exportedRun is what a journal has of one run.
type exportedRun struct {
	id         string
	carriers   []exportedCarrier
	byDigest   map[canon.Digest]int
	superseded map[canon.Digest]bool
	replaces   []carrier.Event                // records that say what a carrier supersedes
	rows       map[canon.Digest]carrier.Event // the last row of each carrier
	records    []carrier.Event                // of the run
}

// An exportedCarrier is a carrier and what is needed to order and to cite it.
type exportedCarrier struct {
	event  carrier.Event
	digest canon.Digest
	record carrier.Record
}

func newExportedRun(id string) *exportedRun {
	return &exportedRun{
		id: id, byDigest: map[canon.Digest]int{}, superseded: map[canon.Digest]bool{}, rows: map[canon.Digest]carrier.Event{},
	}
}

// add takes in the next event of the run.
func (r *exportedRun) add(rec *evidence.Record) error {
	switch rec.Type {
	case carrier.TypeCarrier:
		c, err := carrier.Import(string(rec.Data))
		if err != nil {
			return fmt.Errorf("%s:%d: %w", rec.File, rec.Line, err)
		}
		digest := c.ContentDigest()
		if _, twice := r.byDigest[digest]; !twice {
			r.byDigest[digest] = len(r.carriers)
			r.carriers = append(r.carriers, exportedCarrier{rec.Event, digest, c})
		}
	case carrier.TypeRow:
		row, err := carrier.ReadRow(string(rec.Data))
		if err != nil {
			return fmt.Errorf("%s:%d: %w", rec.File, rec.Line, err)
		}
		r.rows[row.Content()] = rec.Event
	case engine.TypeSupersedes:
		var s superseding
		if err := json.Unmarshal(rec.Data, &s); err != nil {
			return fmt.Errorf("%s:%d: it is not a record that supersedes", rec.File, rec.Line)
		}
		for _, d := range s.Supersedes {
			r.superseded[d] = true
		}
		delete(r.superseded, s.Carrier)
		r.replaces = append(r.replaces, rec.Event)
	case engine.TypeRun:
		r.records = append(r.records, rec.Event)
	}
	return nil
}

// An exportedRow is a row of a bundle.
type exportedRow struct {
	digest  canon.Digest // of its carrier
	verdict truth.Verdict
	event   carrier.Event
}

// ordered puts the carriers that stand first, in the order of the calls, and
// returns how many these are.
func (r *exportedRun) ordered() (standing int) {
	place := func(c exportedCarrier) int {
		if r.superseded[c.digest] {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(r.carriers, func(x, y exportedCarrier) int {
		return cmp.Or(cmp.Compare(place(x), place(y)), cmp.Compare(x.record.Input().Order, y.record.Input().Order))
	})
	for _, c := range r.carriers {
		standing += 1 - place(c)
	}
	return standing
}

// standingRows returns a row for each of the carriers given. made reports
// whether some were not in the journal.
func (r *exportedRun) standingRows(carriers []exportedCarrier) (rows []exportedRow, made bool, err error) {
	for i := range carriers {
		c := &carriers[i]
		event, there := r.rows[c.digest]
		if !there {
			made = true
			if event, err = r.makeRow(c); err != nil {
				return nil, made, err
			}
		}
		row, err := carrier.ReadRow(string(event.Data))
		if err != nil {
			return nil, made, err
		}
		rows = append(rows, exportedRow{c.digest, row.RunVerdict(), event})
	}
	return rows, made, nil
}

// makeRow makes the row that a carrier of an open run has not got yet.
func (r *exportedRun) makeRow(c *exportedCarrier) (event carrier.Event, err error) {
	row, err := carrier.BuildRow(c.record.Citation(), r.verdict(), carrier.EventRef(r.id, c.record.Input().Order))
	if err != nil {
		return event, fmt.Errorf("carrier %s: %w", c.digest, err)
	}
	event = carrier.Event{Source: c.event.Source, Time: c.event.Time, Producer: producerName}
	event.ProducerVersion, event.Git = buildVersion()
	event.SetRow(&row)
	return event, nil
}

// verdict is that of the run so far. It does not forget what was superseded,
// except where that only lacked something.
func (r *exportedRun) verdict() truth.Verdict {
	var verdicts []truth.Verdict
	var orders []int64
	worst := truth.Match
	for i := range r.carriers {
		in := r.carriers[i].record.Input()
		switch {
		case !r.superseded[r.carriers[i].digest]:
			verdicts, orders = append(verdicts, in.Verdict), append(orders, in.Order)
		case in.Verdict > truth.Incomplete:
			worst = truth.Join(worst, in.Verdict)
		}
	}
	return truth.Join(worst, truth.RunVerdict(verdicts, orders))
}

// A bundled is the events of one bundle, in their order.
type bundled struct {
	runID    string
	events   []carrier.Event
	carriers int
	rows     int
	verdict  truth.Verdict // the worst of the runs
	open     int           // runs for which rows were made
	same     int           // carriers of one run that another run has, too

	seen   map[canon.Digest]bool // carriers
	rowFor map[canon.Digest]int  // places of rows in events, by carrier
}

func newBundled(runID string) *bundled {
	return &bundled{runID: runID, verdict: truth.Match, seen: map[canon.Digest]bool{}, rowFor: map[canon.Digest]int{}}
}

// bundle returns the events of one run.
func (r *exportedRun) bundle() (*bundled, error) { return newBundled(r.id).of([]*exportedRun{r}) }

// merged returns the events of all runs, under an id of its own where there are
// several.
func (s *selection) merged() (*bundled, error) {
	if len(s.order) == 1 {
		return s.runs[s.order[0]].bundle()
	}
	h := sha256.New()
	var runs []*exportedRun
	for _, id := range s.order {
		h.Write([]byte(id + "\n"))
		runs = append(runs, s.runs[id])
	}
	return newBundled("runs-" + hex.EncodeToString(h.Sum(nil)[:16])).of(runs)
}

// of fills b with runs: first all carriers, then all rows, then the records of
// the runs. All events of a bundle have one source.
func (b *bundled) of(runs []*exportedRun) (*bundled, error) {
	standing := make([]int, len(runs))
	for i, r := range runs {
		standing[i] = r.ordered()
		b.addCarriers(r.carriers[:standing[i]])
	}
	for i, r := range runs {
		b.addCarriers(r.carriers[standing[i]:])
		b.events = append(b.events, r.replaces...)
	}
	for i, r := range runs {
		rows, made, err := r.standingRows(r.carriers[:standing[i]])
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", report.Cell(r.id), err)
		}
		if made {
			b.open++
		}
		b.addRows(rows)
	}
	for _, r := range runs {
		b.events = append(b.events, r.records...)
	}
	for i := range b.events {
		b.events[i].Source = b.events[0].Source
	}
	return b, nil
}

func (b *bundled) addCarriers(carriers []exportedCarrier) {
	for i := range carriers {
		c := &carriers[i]
		if b.seen[c.digest] {
			b.same++
			continue
		}
		b.seen[c.digest] = true
		b.carriers++
		b.events = append(b.events, c.event)
	}
}

// addRows adds rows. Of two rows of one carrier the worse one stays.
func (b *bundled) addRows(rows []exportedRow) {
	for _, row := range rows {
		b.verdict = truth.Join(b.verdict, row.verdict)
		at, twice := b.rowFor[row.digest]
		switch {
		case !twice:
			b.rowFor[row.digest] = len(b.events)
			b.events = append(b.events, row.event)
			b.rows++
		case rowVerdict(&b.events[at]) < row.verdict:
			b.events[at] = row.event
		}
	}
}

func rowVerdict(e *carrier.Event) truth.Verdict {
	row, err := carrier.ReadRow(string(e.Data))
	if err != nil {
		return truth.Invalid
	}
	return row.RunVerdict()
}
