// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// givenVerdict is the verdict that word names, or none.
func givenVerdict(word string) truth.Verdict {
	v, ok := truth.ParseVerdict(word)
	if !ok {
		return 0
	}
	return v
}

func TestRowVectors(t *testing.T) {
	for _, v := range vectors(t, "rows") {
		t.Run(v.ID, func(t *testing.T) {
			var in struct {
				Carrier    string `json:"carrier"`
				Row        string `json:"row"`
				RunVerdict string `json:"run_verdict"`
				Ref        string `json:"ref"`
			}
			var want struct {
				Row     json.RawMessage `json:"row"`
				Refused bool            `json:"refused"`
				OK      bool            `json:"ok"`
			}
			unmarshalStrict(t, v.Input, &in)
			unmarshalStrict(t, v.Want, &want)
			switch v.Op {
			case "row":
				row, err := buildRow(in.Carrier, in.RunVerdict, in.Ref)
				if want.Refused {
					requireRefusal(t, err)
					return
				}
				require.NoError(t, err)
				assert.JSONEq(t, string(want.Row), string(row.AppendJSON(nil)))
			case "verify_row":
				err := verifyRow(in.Row, in.Carrier, in.RunVerdict)
				if want.OK {
					require.NoError(t, err)
					return
				}
				requireRefusal(t, err)
			default:
				t.Fatalf("unknown op %q", v.Op)
			}
		})
	}
}

func requireRefusal(t *testing.T, err error) {
	t.Helper()
	_, _, ok := FaultOf(err)
	require.True(t, ok, "want a refusal, got %v", err)
}

func buildRow(carrier, verdict, ref string) (Row, error) {
	c, err := Cite(carrier)
	if err != nil {
		return Row{}, err
	}
	return BuildRow(c, givenVerdict(verdict), ref)
}

func verifyRow(row, carrier, verdict string) error {
	c, err := Cite(carrier)
	if err != nil {
		return err
	}
	w, err := ReadRow(row)
	if err != nil {
		return err
	}
	return w.Verify(c, givenVerdict(verdict))
}

func TestReferenceRows(t *testing.T) {
	file := referenceVectors(t)
	carriers := map[string]string{}
	for _, c := range file.Carriers {
		carriers[c.ID] = string(c.Carrier)
	}
	refs := map[string]string{"deploy_match": "audit://decision/c0", "delete_mismatch": "audit://decision/c1"}
	for _, r := range file.Rows {
		t.Run(r.ID, func(t *testing.T) {
			require.NoError(t, verifyRow(string(r.Row), carriers[r.CarrierID], r.RunVerdict))
			row, err := buildRow(carriers[r.CarrierID], r.RunVerdict, refs[r.CarrierID])
			require.NoError(t, err)
			assert.JSONEq(t, string(r.Row), string(row.AppendJSON(nil)))
		})
	}
	faults := map[string][2]string{
		"tampered_run_verdict":      {"not_recomputed", "coherence_binding"},
		"foreign_recipe":            {"unexpected_value", "recipe"},
		"foreign_canonicalization":  {"unexpected_value", "evidence_ref.canonicalization"},
		"malformed_citation_digest": {"malformed", "evidence_ref.digest"},
	}
	for _, r := range file.NegativeRows {
		t.Run(r.ID, func(t *testing.T) {
			fault, field, ok := FaultOf(verifyRow(string(r.Row), carriers[r.CarrierID], r.RunVerdict))
			require.True(t, ok)
			assert.Equal(t, faults[r.ID], [2]string{fault.String(), field})
		})
	}
}

func exampleRow(t testing.TB) (Record, Row) {
	t.Helper()
	rec := exampleRecord(t)
	row, err := BuildRow(rec.Citation(), truth.Mismatch, "run/0 \"é\"")
	require.NoError(t, err)
	return rec, row
}

func TestRowIsWrittenAsItsReaderReadsIt(t *testing.T) {
	rec, row := exampleRow(t)
	text := row.AppendJSON(nil)
	canonical, err := canon.Transform(text)
	require.NoError(t, err)
	assert.Equal(t, string(canonical), string(text))
	got, err := ReadRow(string(text))
	require.NoError(t, err)
	assert.Equal(t, row, got)
	assert.Equal(t, rec.ContentDigest(), got.Content())
	assert.Equal(t, rec.IdentityDigest(), got.Identity())
	assert.Equal(t, truth.Mismatch, got.RunVerdict())
	assert.Equal(t, "run/0 \"é\"", got.Ref())
	require.NoError(t, got.Verify(rec.Citation(), truth.Mismatch))
}

func TestRowCoversTheCarriersVerdict(t *testing.T) {
	for _, own := range truth.Verdicts() {
		for _, run := range truth.Verdicts() {
			in := exampleInput(t)
			in.Verdict = own
			rec, err := Build(in)
			require.NoError(t, err)
			_, err = BuildRow(rec.Citation(), run, "")
			if run < own {
				requireFault(t, err, FaultNotCovered, "run_verdict")
			} else {
				require.NoError(t, err)
			}
			in.Verdict, in.Unclassified = 0, true
			rec, err = Build(in)
			require.NoError(t, err)
			row, err := BuildRow(rec.Citation(), run, "")
			require.NoError(t, err, "any verdict covers none")
			require.NoError(t, row.Verify(rec.Citation(), run))
		}
	}
	rec := exampleRecord(t)
	for _, none := range []truth.Verdict{0, truth.Invalid + 1} {
		_, err := BuildRow(rec.Citation(), none, "")
		requireFault(t, err, FaultUnknownWord, "run_verdict")
	}
	_, err := BuildRow(rec.Citation(), truth.Invalid, "\xff")
	requireFault(t, err, FaultInvalidUTF8, "evidence_ref.ref")
}

// rowMutations is every single-member mutation of a row.
func rowMutations(row *Row) []mutation {
	var out []mutation
	for _, f := range []string{
		"recipe", "run_verdict", "decision_identity_digest", "coherence_binding", "evidence_ref.type", "evidence_ref.digest",
		"evidence_ref.digest_subject", "evidence_ref.canonicalization", "evidence_ref.schema",
	} {
		out = append(out, typeMutations(f, "string")...)
	}
	out = append(out, typeMutations("evidence_ref", "object")...)
	out = append(out, digestMutations("evidence_ref.digest", string(row.Content()))...)
	out = append(out, digestMutations("decision_identity_digest", string(row.Identity()))...)
	out = append(out, digestMutations("coherence_binding", string(row.Binding()))...)
	for _, f := range []string{
		"recipe", "evidence_ref.type", "evidence_ref.digest_subject", "evidence_ref.canonicalization", "evidence_ref.schema",
	} {
		for _, word := range []string{"", "x", "TOOL_DECISION_TRUTH.V0", Recipe + " ", SchemaCarrier + "\n"} {
			out = append(out, mutation{field: f, value: quote(word), fault: FaultUnexpectedValue})
		}
	}
	for _, word := range []string{"", "x", "MISMATCH", "mismatch "} {
		out = append(out, mutation{field: "run_verdict", value: quote(word), fault: FaultUnknownWord})
	}
	for _, word := range []string{"match", "incomplete", "invalid"} {
		out = append(out, mutation{field: "run_verdict", value: quote(word), fault: FaultVerdictDiffers})
	}
	for _, value := range []string{"", "null", "1", "true", "[]", "{}", `""`, `"elsewhere"`} {
		out = append(out, mutation{field: "evidence_ref.ref", value: value, fault: FaultNotRecomputed, in: "coherence_binding"})
	}
	return append(out,
		mutation{field: "evidence_ref.note", value: "1", fault: FaultNotRecomputed, in: "coherence_binding"},
		mutation{field: "evidence_ref.digest", value: quote(flipLast(string(row.Content()))), fault: FaultContentDiffers},
		mutation{field: "decision_identity_digest", value: quote(flipLast(string(row.Identity()))), fault: FaultIdentityDiffers},
		mutation{field: "coherence_binding", value: quote(flipLast(string(row.Binding()))), fault: FaultNotRecomputed},
		mutation{field: "note", value: `{"args":1}`},
	)
}

func TestVerifyRefusesEachMutatedMember(t *testing.T) {
	rec, row := exampleRow(t)
	carrier, text := string(rec.AppendJSON(nil)), string(row.AppendJSON(nil))
	touched := map[string]bool{}
	for _, m := range rowMutations(&row) {
		touched[m.field] = true
		t.Run(m.field+" is "+m.value, func(t *testing.T) {
			err := verifyRow(withMember(t, text, m.field, m.value), carrier, "mismatch")
			if m.fault == 0 {
				require.NoError(t, err)
				return
			}
			if m.in == "" {
				m.in = m.field
			}
			requireFault(t, err, m.fault, m.in)
		})
	}
	for _, field := range rowFields {
		assert.True(t, touched[field], "%s is mutated", field)
	}
	for _, field := range refFields {
		assert.True(t, touched["evidence_ref."+field], "evidence_ref.%s is mutated", field)
	}
}

func TestVerifyRefusesEachMutatedRowThatWasBoundAgain(t *testing.T) {
	rec, row := exampleRow(t)
	carrier, text := string(rec.AppendJSON(nil)), string(row.AppendJSON(nil))
	for _, m := range rowMutations(&row) {
		if m.in == "coherence_binding" || strings.HasPrefix(m.field, "coherence_binding") {
			m.fault = 0 // what the binding alone covers, or a binding that is made anew
		}
		t.Run(m.field+" is "+m.value, func(t *testing.T) {
			err := verifyRow(rebind(t, withMember(t, text, m.field, m.value)), carrier, "mismatch")
			if m.fault == 0 {
				require.NoError(t, err)
				return
			}
			requireFault(t, err, m.fault, m.field)
		})
	}
}

// rebind recomputes the binding of a row by the definition of spec section 9,
// without the code under test.
func rebind(t testing.TB, row string) string {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(row), &members))
	bound := map[string]json.RawMessage{}
	for _, name := range []string{"recipe", "evidence_ref", "decision_identity_digest", "run_verdict"} {
		if value, ok := members[name]; ok {
			bound[name] = value
		}
	}
	text, err := json.Marshal(bound)
	require.NoError(t, err)
	canonical, err := canon.Transform(text)
	require.NoError(t, err)
	return withMember(t, row, "coherence_binding", quote(string(canon.Sum(canonical))))
}

func TestVerifyRefusesAnotherCarrierOrVerdict(t *testing.T) {
	rec, row := exampleRow(t)
	text := string(row.AppendJSON(nil))
	for _, m := range recordMutations(&rec) {
		mutated := withMember(t, string(rec.AppendJSON(nil)), m.field, m.value)
		if canonical, err := canon.Transform([]byte(mutated)); err == nil && canon.Sum(canonical) == rec.ContentDigest() {
			continue // 3.0 is 3 to whoever sees the canonical form: a matter for Import
		}
		t.Run(m.field+" is "+m.value, func(t *testing.T) { requireRefusal(t, verifyRow(text, mutated, "mismatch")) })
	}
	for _, given := range []string{"", "x", "match", "incomplete", "invalid"} {
		requireRefusal(t, verifyRow(text, string(rec.AppendJSON(nil)), given))
	}
	in := exampleInput(t)
	in.Verdict = truth.Invalid
	worse, err := Build(in)
	require.NoError(t, err)
	requireFault(t, row.Verify(worse.Citation(), truth.Mismatch), FaultNotCovered, "run_verdict")
}

func TestReadRowText(t *testing.T) {
	_, row := exampleRow(t)
	text := string(row.AppendJSON(nil))
	for _, tt := range []struct {
		name, text string
		want       Fault
	}{
		{"nothing", "", FaultNotJSON},
		{"a list", "[]", FaultNotObject},
		{"a member twice", `{"recipe":"x",` + text[1:], FaultDuplicateKey},
		{"a row of more than a mebibyte", strings.Replace(text, "run/0", strings.Repeat("x", MaxTextBytes), 1), FaultTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadRow(tt.text)
			requireFault(t, err, tt.want, "")
		})
	}
	_, err := Cite("[]")
	requireFault(t, err, FaultNotObject, "")
	_, err = Cite("{")
	requireFault(t, err, FaultNotJSON, "")
	got, err := ReadRow(reverseMembers(t, text))
	require.NoError(t, err)
	assert.Equal(t, row, got, "neither order nor white space matter")
}

func FuzzReadRow(f *testing.F) {
	for _, v := range vectors(f, "rows") {
		var in struct {
			Row string `json:"row"`
		}
		require.NoError(f, json.Unmarshal(v.Input, &in))
		f.Add(in.Row)
	}
	f.Fuzz(func(t *testing.T, text string) {
		row, err := ReadRow(text)
		if err != nil {
			requireRefusal(t, err)
			return
		}
		again, err := ReadRow(string(row.AppendJSON(nil)))
		require.NoError(t, err)
		require.Equal(t, row.computeBinding(), again.computeBinding())
	})
}

func BenchmarkVerifyRow(b *testing.B) {
	rec, row := exampleRow(b)
	text, c := string(row.AppendJSON(nil)), rec.Citation()
	var rr rowReader
	b.ReportAllocs()
	for b.Loop() {
		w, err := rr.text(text)
		if err == nil {
			err = w.Verify(c, truth.Mismatch)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
