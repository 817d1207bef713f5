// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A runWriter makes the records of a run as a journal has them.
type runWriter struct {
	t   testing.TB
	run *exportedRun
}

func newRunWriter(t testing.TB, id string) *runWriter { return &runWriter{t, newExportedRun(id)} }

func (w *runWriter) add(e carrier.Event) {
	e.RunID, e.Source, e.Time = w.run.id, "urn:test:"+w.run.id, "2026-01-02T03:04:05Z"
	require.NoError(w.t, w.run.add(&evidence.Record{Event: e}))
}

func (w *runWriter) carrier(order int64, v truth.Verdict) carrier.Record {
	rec := testRecord(w.t, testKey(w.t), order, v)
	var e carrier.Event
	e.SetRecord(&rec)
	w.add(e)
	return rec
}

func (w *runWriter) row(rec carrier.Record, run truth.Verdict) {
	row, err := carrier.BuildRow(rec.Citation(), run, carrier.EventRef(w.run.id, rec.Input().Order))
	require.NoError(w.t, err)
	var e carrier.Event
	e.SetRow(&row)
	w.add(e)
}

func (w *runWriter) replaces(by, earlier carrier.Record) {
	var e carrier.Event
	require.NoError(w.t, e.SetData(engine.TypeSupersedes,
		fmt.Sprintf(`{"carrier":%q,"schema":%q,"supersedes":[%q]}`, by.ContentDigest(), engine.TypeSupersedes, earlier.ContentDigest())))
	w.add(e)
}

func (w *runWriter) closed() {
	var e carrier.Event
	require.NoError(w.t, e.SetData(engine.TypeRun, `{"schema":"assay.tdt.run.v0"}`))
	w.add(e)
}

// kinds says in a word what each event of a bundle is.
func kinds(b *bundled) (words []string) {
	for i := range b.events {
		e := &b.events[i]
		word := recordWord(e.Type)
		switch e.Type {
		case carrier.TypeCarrier:
			rec, _ := carrier.Import(string(e.Data))
			word = fmt.Sprintf("%d %s", rec.Input().Order, rec.Input().Verdict)
		case carrier.TypeRow:
			row, _ := carrier.ReadRow(string(e.Data))
			word = "row " + row.RunVerdict().String()
		}
		words = append(words, word)
	}
	return words
}

// TestWhatStandsInABundle holds what of a run is exported, and in which order:
// each bundle must verify as a set, so no two rows may cite one carrier.
func TestWhatStandsInABundle(t *testing.T) {
	for _, tt := range []struct {
		name    string
		write   func(w *runWriter)
		want    []string
		open    int
		verdict truth.Verdict
	}{
		{"a plain run", func(w *runWriter) {
			a, b := w.carrier(0, truth.Match), w.carrier(1, truth.Mismatch)
			w.row(a, truth.Mismatch)
			w.row(b, truth.Mismatch)
			w.closed()
		}, []string{"0 match", "1 mismatch", "row mismatch", "row mismatch", "run"}, 0, truth.Mismatch},
		{"carriers that came out of order", func(w *runWriter) {
			b, a := w.carrier(1, truth.Match), w.carrier(0, truth.Match)
			w.row(a, truth.Match)
			w.row(b, truth.Match)
		}, []string{"0 match", "1 match", "row match", "row match"}, 0, truth.Match},
		{"a carrier that was superseded is there, and no row cites it", func(w *runWriter) {
			a, b := w.carrier(0, truth.Incomplete), w.carrier(0, truth.Match)
			w.replaces(b, a)
			w.row(b, truth.Match)
		}, []string{"0 match", "0 incomplete", "supersedes", "row match"}, 0, truth.Match},
		{"a decision that came back", func(w *runWriter) {
			a, b := w.carrier(0, truth.Incomplete), w.carrier(0, truth.Mismatch)
			w.replaces(b, a)
			w.replaces(a, b)
			w.row(a, truth.Mismatch)
		}, []string{"0 incomplete", "0 mismatch", "supersedes", "supersedes", "row mismatch"}, 0, truth.Mismatch},
		{"a run that was closed twice has its last rows", func(w *runWriter) {
			a := w.carrier(0, truth.Match)
			w.row(a, truth.Match)
			w.closed()
			b := w.carrier(1, truth.Mismatch)
			w.row(a, truth.Mismatch)
			w.row(b, truth.Mismatch)
			w.closed()
		}, []string{"0 match", "1 mismatch", "row mismatch", "row mismatch", "run", "run"}, 0, truth.Mismatch},
		{"a run that is open gets rows", func(w *runWriter) {
			w.carrier(0, truth.Match)
			w.carrier(1, truth.Incomplete)
		}, []string{"0 match", "1 incomplete", "row incomplete", "row incomplete"}, 1, truth.Incomplete},
		{"what an open run was before is not forgotten", func(w *runWriter) {
			a, b := w.carrier(0, truth.Mismatch), w.carrier(0, truth.Match)
			w.replaces(b, a)
		}, []string{"0 match", "0 mismatch", "supersedes", "row mismatch"}, 1, truth.Mismatch},
		{"an order that repeats makes an open run invalid", func(w *runWriter) {
			w.carrier(0, truth.Match)
			w.carrier(0, truth.Incomplete)
		}, []string{"0 match", "0 incomplete", "row invalid", "row invalid"}, 1, truth.Invalid},
		{"a carrier that is there twice stands once", func(w *runWriter) {
			w.carrier(0, truth.Match)
			w.carrier(0, truth.Match)
		}, []string{"0 match", "row match"}, 1, truth.Match},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newRunWriter(t, "run-1")
			tt.write(w)
			b, err := w.run.bundle()
			require.NoError(t, err)
			assert.Equal(t, tt.want, kinds(b))
			assert.Equal(t, tt.open, b.open)
			assert.Equal(t, tt.verdict, b.verdict)
			verifies(t, b)
		})
	}
}

// verifies holds that the events are one set that coheres.
func verifies(t *testing.T, b *bundled) {
	t.Helper()
	var v carrier.Verifier
	f := newFeeder(&v, 0, nil)
	f.files = []string{"bundle"}
	for i := range b.events {
		e := b.events[i]
		e.RunID, e.Seq, e.Producer, e.ProducerVersion, e.Git = b.runID, int64(i), "test", "1", "none"
		line, err := carrier.AppendEvent(nil, &e)
		require.NoError(t, err)
		f.event(int64(i)+1, f.place(int64(i)+1), string(line))
	}
	f.finish()
	assert.Empty(t, f.faults.first())
}

// TestRunsInOneBundle puts runs together that have a carrier in common, which can
// stand once alone.
func TestRunsInOneBundle(t *testing.T) {
	x, y := newRunWriter(t, "run-x"), newRunWriter(t, "run-y")
	x.row(x.carrier(0, truth.Match), truth.Match)
	x.closed()
	same, other := y.carrier(0, truth.Match), y.carrier(1, truth.Mismatch)
	y.row(same, truth.Mismatch)
	y.row(other, truth.Mismatch)
	y.closed()
	s := selection{runs: map[string]*exportedRun{"run-x": x.run, "run-y": y.run}, order: []string{"run-x", "run-y"}}
	b, err := s.merged()
	require.NoError(t, err)
	assert.Equal(t, []string{"0 match", "1 mismatch", "row mismatch", "row mismatch", "run", "run"}, kinds(b), "the worse row stays")
	assert.Equal(t, 1, b.same)
	assert.Equal(t, truth.Mismatch, b.verdict)
	assert.Regexp(t, "^runs-[0-9a-f]{32}$", b.runID)
	for i := range b.events {
		assert.Equal(t, "urn:test:run-x", b.events[i].Source, "a bundle has one source")
	}
	verifies(t, b)
}
