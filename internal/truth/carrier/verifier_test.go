// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A setInput is the input of the vectors of sets.
type setInput struct {
	Events []struct {
		Type    string          `json:"type"`
		Payload json.RawMessage `json:"payload"`
	} `json:"events"`
}

func (in *setInput) give(t testing.TB, carrier, row func(int64, string)) {
	t.Helper()
	for i, e := range in.Events {
		switch e.Type {
		case "carrier":
			carrier(int64(i), string(e.Payload))
		case "row":
			row(int64(i), string(e.Payload))
		default:
			t.Fatalf("unknown type %q", e.Type)
		}
	}
}

func TestSetVectors(t *testing.T) {
	for _, v := range vectors(t, "bundles") {
		t.Run(v.ID, func(t *testing.T) {
			var in setInput
			var want struct {
				OK       bool            `json:"ok"`
				Carriers int             `json:"carriers"`
				Rows     int             `json:"rows"`
				Verified int             `json:"verified_rows"`
				Failed   []string        `json:"failed"`
				Spans    json.RawMessage `json:"spans"`
			}
			unmarshalStrict(t, v.Input, &in)
			unmarshalStrict(t, v.Want, &want)
			p := NewProjector()
			in.give(t, p.AddCarrier, p.AddRow)
			projection, err := p.Project()
			assert.Equal(t, [3]int{want.Carriers, want.Rows, want.Verified},
				[3]int{p.report.Carriers, p.report.Rows, p.report.Verified})
			if !want.OK {
				requireRefusal(t, err)
				assert.Nil(t, projection)
				return
			}
			require.NoError(t, err)
			var out strings.Builder
			_, err = projection.WriteTo(&out)
			require.NoError(t, err)
			var doc struct {
				Spans json.RawMessage `json:"spans"`
			}
			require.NoError(t, json.Unmarshal([]byte(out.String()), &doc))
			assert.JSONEq(t, string(want.Spans), string(doc.Spans))
		})
	}
}

func TestDivergentSetsAreRefused(t *testing.T) {
	want := map[string][2]string{
		"bundles/unchecked/001": {"missing", "decision_identity.declared_policy_digest"},
		"bundles/unchecked/002": {"raw_arguments", "arguments"},
	}
	seen := 0
	for _, v := range vectors(t, "divergent") {
		if v.Area != "bundles" {
			continue
		}
		seen++
		var in setInput
		unmarshalStrict(t, v.Input, &in)
		var verifier Verifier
		in.give(t, verifier.AddCarrier, verifier.AddRow)
		report, err := verifier.Finish()
		fault, field, ok := FaultOf(err)
		require.True(t, ok)
		assert.Equal(t, KindCarrier, report.First.Kind)
		assert.Equal(t, want[v.ID], [2]string{fault.String(), field})
		assert.Equal(t, 1, report.Faults, "the row is not blamed for its carrier")
	}
	require.Len(t, want, seen, "a new divergence needs a test")
}

// A testSet is a set of records that verifies.
type testSet struct {
	carriers, rows []string
}

func newTestSet(t testing.TB, n int) (s testSet) {
	t.Helper()
	in := exampleInput(t)
	for i := range n {
		in.Order, in.Verdict = int64(i), truth.Verdicts()[i%4]
		rec, err := Build(in)
		require.NoError(t, err)
		row, err := BuildRow(rec.Citation(), truth.Invalid, EventRef("run", int64(2*i)))
		require.NoError(t, err)
		s.carriers = append(s.carriers, string(rec.AppendJSON(nil)))
		s.rows = append(s.rows, string(row.AppendJSON(nil)))
	}
	return s
}

func TestSetVerifiesInAnyOrder(t *testing.T) {
	s := newTestSet(t, 5)
	for name, give := range map[string]func(*Verifier){
		"in pairs": func(v *Verifier) {
			for i := range s.rows {
				v.AddCarrier(int64(2*i), s.carriers[i])
				v.AddRow(int64(2*i+1), s.rows[i])
			}
		},
		"rows first": func(v *Verifier) {
			for i := range s.rows {
				v.AddRow(int64(i), s.rows[i])
			}
			for i := range s.rows {
				v.AddCarrier(int64(10+i), s.carriers[i])
			}
		},
		"carriers first, backwards": func(v *Verifier) {
			for i := range s.rows {
				v.AddCarrier(int64(i), s.carriers[4-i])
			}
			for i := range s.rows {
				v.AddRow(int64(10+i), s.rows[i])
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var v Verifier
			give(&v)
			report, err := v.Finish()
			require.NoError(t, err)
			assert.Equal(t, Report{Carriers: 5, Rows: 5, Verified: 5}, report)
		})
	}
}

func TestSetNamesTheFirstBadRecord(t *testing.T) {
	s := newTestSet(t, 3)
	other := newTestSet(t, 4).carriers[3]
	spoil := func(text, field, value string) string { return withMember(t, text, field, value) }
	rec := func(i int) step { return step{KindCarrier, s.carriers[i]} }
	row := func(i int) step { return step{KindRow, s.rows[i]} }
	for _, tt := range []struct {
		name     string
		steps    []step
		kind     RecordKind
		position int64
		fault    Fault
		field    string
		faults   int
	}{
		{"nothing", nil, 0, 0, FaultNoRows, "", 1},
		{"carriers alone", []step{rec(0), rec(1)}, 0, 0, FaultNoRows, "", 1},
		{"a row without its carrier", []step{rec(0), row(0), row(1), row(2)}, KindRow, 2, FaultCarrierMissing, "evidence_ref.digest", 2},
		{"a missing carrier comes before a bad one", []step{row(0), {KindCarrier, "{"}}, KindRow, 0, FaultCarrierMissing, "evidence_ref.digest", 2},
		{"a carrier twice", []step{rec(0), row(0), rec(0)}, KindCarrier, 2, FaultDuplicateCarrier, "", 1},
		{"an uncited carrier twice", []step{rec(0), row(0), rec(1), rec(1)}, KindCarrier, 3, FaultDuplicateCarrier, "", 1},
		{"a row twice", []step{rec(0), row(0), row(0)}, KindRow, 2, FaultDuplicateCitation, "evidence_ref.digest", 1},
		{"a row twice before its carrier", []step{row(0), row(0), rec(0)}, KindRow, 1, FaultDuplicateCitation, "evidence_ref.digest", 1},
		{"a carrier that is no text", []step{{KindCarrier, ""}, rec(0), row(0)}, KindCarrier, 0, FaultNotJSON, "", 1},
		{"a row that is no text", []step{rec(0), row(0), {KindRow, "["}}, KindRow, 2, FaultNotJSON, "", 1},
		{
			"an uncited carrier of another schema", []step{rec(0), row(0), {KindCarrier, spoil(other, "schema", `"x"`)}},
			KindCarrier, 2, FaultUnexpectedValue, "schema", 1,
		},
		{
			"a row's verdict below its carrier's", []step{rec(1), {KindRow, rebind(t, spoil(s.rows[1], "run_verdict", `"match"`))}},
			KindRow, 1, FaultNotCovered, "run_verdict", 1,
		},
		{
			"a row's verdict below its carrier's, row first", []step{{KindRow, rebind(t, spoil(s.rows[1], "run_verdict", `"match"`))}, rec(1)},
			KindRow, 0, FaultNotCovered, "run_verdict", 1,
		},
		{
			"a row of another identity", []step{rec(0), {KindRow, spoil(s.rows[0], "decision_identity_digest", quote(string(canon.Sum(nil))))}},
			KindRow, 1, FaultIdentityDiffers, "decision_identity_digest", 1,
		},
		{
			"a row bound to something else", []step{{KindRow, spoil(s.rows[0], "coherence_binding", quote(string(canon.Sum(nil))))}, rec(0)},
			KindRow, 0, FaultNotRecomputed, "coherence_binding", 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var v Verifier
			told := 0
			v.OnFault = func(*RecordError) { told++ }
			for i, st := range tt.steps {
				st.give(&v, int64(i))
			}
			report, err := v.Finish()
			requireFault(t, err, tt.fault, tt.field)
			require.NotNil(t, report.First)
			assert.Equal(t, tt.kind, report.First.Kind)
			assert.Equal(t, tt.position, report.First.Position)
			assert.Equal(t, tt.faults, report.Faults)
			assert.Equal(t, tt.faults, told)
			if tt.kind != 0 {
				assert.Contains(t, err.Error(), fmt.Sprintf("%v at %d", tt.kind, tt.position))
			}
		})
	}
}

type step struct {
	kind RecordKind
	text string
}

func (s step) give(v *Verifier, at int64) {
	if s.kind == KindCarrier {
		v.AddCarrier(at, s.text)
		return
	}
	v.AddRow(at, s.text)
}

// TestSetRefusesEachMutation spoils one record of a set in each way, and takes
// the whole set down with it, unless the change is one that each decoder lets
// pass: then the row no longer finds the carrier.
func TestSetRefusesEachMutation(t *testing.T) {
	rec, row := exampleRow(t)
	carrier, rowText := string(rec.AppendJSON(nil)), string(row.AppendJSON(nil))
	for _, m := range recordMutations(&rec) {
		mutated := withMember(t, carrier, m.field, m.value)
		if got, err := Import(mutated); err == nil && got.ContentDigest() == rec.ContentDigest() {
			continue
		}
		var v Verifier
		v.AddRow(0, rowText)
		v.AddCarrier(1, mutated)
		_, err := v.Finish()
		requireRefusal(t, err)
	}
	for _, m := range rowMutations(&row) {
		var v Verifier
		v.AddCarrier(0, carrier)
		v.AddRow(1, withMember(t, rowText, m.field, m.value))
		_, err := v.Finish()
		switch {
		case m.fault == 0:
			require.NoError(t, err)
		case m.fault == FaultContentDiffers:
			requireFault(t, err, FaultCarrierMissing, "evidence_ref.digest")
		case m.fault == FaultVerdictDiffers: // the row's own verdict is the one given
			requireRefusal(t, err)
		case m.in != "":
			requireFault(t, err, m.fault, m.in)
		default:
			requireFault(t, err, m.fault, m.field)
		}
	}
}

func BenchmarkVerifySet(b *testing.B) {
	s := newTestSet(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		var v Verifier
		for i := range s.rows {
			v.AddCarrier(int64(2*i), s.carriers[i])
			v.AddRow(int64(2*i+1), s.rows[i])
		}
		if _, err := v.Finish(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(s.rows))/b.Elapsed().Seconds(), "rows/s")
}

func TestParsedRecordsVerifyLikeTexts(t *testing.T) {
	for _, v := range vectors(t, "bundles") {
		var in setInput
		unmarshalStrict(t, v.Input, &in)
		var texts, parsed Verifier
		in.give(t, texts.AddCarrier, texts.AddRow)
		var doc canon.Doc
		add := func(kind RecordKind) func(int64, string) {
			return func(at int64, text string) {
				require.NoError(t, doc.Parse(text, canon.Limits{}))
				parsed.AddNode(kind, at, doc.Root())
			}
		}
		in.give(t, add(KindCarrier), add(KindRow))
		wantReport, wantErr := texts.Finish()
		gotReport, gotErr := parsed.Finish()
		assert.Equal(t, wantReport, gotReport, v.ID)
		assert.Equal(t, wantErr, gotErr, v.ID)
	}
}
