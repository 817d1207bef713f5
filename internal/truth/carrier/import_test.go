// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"encoding/json"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// kindFaults says which faults stand for the reference's kinds of refusal,
// where the kind is not simply the field.
var kindFaults = map[string]func(f Fault, field string) bool{
	"json_syntax": func(f Fault, _ string) bool { return f == FaultNotJSON },
	"not_object":  func(f Fault, _ string) bool { return f == FaultNotObject },
	"raw_arguments": func(f Fault, _ string) bool {
		return f == FaultRawArguments
	},
	"observed_input_digest_shape":     func(f Fault, field string) bool { return field == "observed_input_digest" && f != FaultNotRecomputed },
	"declared_policy_digest_shape":    func(_ Fault, field string) bool { return field == "declared_policy_digest" },
	"observed_input_digest_recompute": func(f Fault, field string) bool { return field == "observed_input_digest" && f == FaultNotRecomputed },
	"decision_identity":               func(_ Fault, field string) bool { return strings.HasPrefix(field, "decision_identity") },
}

func TestCarrierVectorsImport(t *testing.T) {
	for _, v := range vectors(t, "carriers") {
		if v.Op != "import" {
			continue
		}
		t.Run(v.ID, func(t *testing.T) {
			var in struct {
				Carrier string `json:"carrier"`
			}
			var want struct {
				OK      bool   `json:"ok"`
				Content string `json:"carrier_content_digest"`
				Kind    string `json:"kind"`
			}
			unmarshalStrict(t, v.Input, &in)
			unmarshalStrict(t, v.Want, &want)
			rec, err := Import(in.Carrier)
			if !want.OK {
				fault, field, ok := FaultOf(err)
				require.True(t, ok, "got %v", err)
				stands, special := kindFaults[want.Kind]
				if !special {
					stands = func(_ Fault, field string) bool { return field == want.Kind }
				}
				assert.True(t, stands(fault, field), "the reference says %s, got %v", want.Kind, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, want.Content, string(rec.ContentDigest()))
			again, err := Import(string(rec.AppendJSON(nil)))
			require.NoError(t, err, "what is imported can be written and imported again")
			assert.Equal(t, want.Content, string(again.ContentDigest()))
		})
	}
}

func TestDivergentCarriersAreRefused(t *testing.T) {
	seen := 0
	for _, v := range vectors(t, "divergent") {
		if v.Area != "carriers" {
			continue
		}
		seen++
		var in struct {
			Carrier string `json:"carrier"`
		}
		unmarshalStrict(t, v.Input, &in)
		_, err := Import(in.Carrier)
		requireFault(t, err, FaultDuplicateKey, "")
	}
	require.Equal(t, 1, seen, "a new divergence needs a test")
}

func TestInteropCarriers(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(string(readVector(t, "interop/carriers.ndjson")), "\n"), "\n")
	require.Len(t, lines, 9)
	for i, line := range append(lines, string(readVector(t, "interop/verdict_changed.json"))) {
		rec, err := Import(line)
		require.NoError(t, err)
		if i < len(lines) {
			assert.Equal(t, int64(i), rec.Input().Order)
			assert.Equal(t, "interop-kid", rec.Input().KeyID)
		}
	}
	_, err := Import(string(readVector(t, "interop/bad_raw.json")))
	requireFault(t, err, FaultRawArguments, "arguments")
	rec, err := Import(string(readVector(t, "interop/unclassified.json")))
	require.NoError(t, err, "a carrier without a verdict is one")
	_, err = BindImported(&rec, "x")
	requireFault(t, err, FaultUnclassified, "decision_verdict")
}

// A mutation is one changed member and the refusal it must meet; no refusal
// means that the document is still accepted.
type mutation struct {
	field, value string // value is JSON, empty for a missing member
	fault        Fault  // 0: accepted
	in           string // the field named, if another one
}

// typeMutations are values of every JSON type that is not the right one.
func typeMutations(field, right string) (out []mutation) {
	values := map[string]string{
		"null": "null", "boolean": "true", "number": "1", "string": `"x"`, "array": "[]", "object": "{}",
	}
	for kind, value := range values {
		if kind != right {
			out = append(out, mutation{field: field, value: value, fault: FaultWrongType})
		}
	}
	return append(out, mutation{field: field, fault: FaultMissing})
}

// digestMutations are the ways to spoil the digest d without changing its type.
func digestMutations(field, d string) (out []mutation) {
	hexAt := strings.LastIndex(d, ":") + 1
	for _, bad := range []string{
		"", d[:len(d)-1], d + "0", strings.ToUpper(d), d[:hexAt] + strings.ToUpper(d[hexAt:]), d[hexAt:], " " + d, d + " ", d + "\n",
		strings.Replace(d, "256", "512", 1), d[:len(d)-1] + "g", strings.Replace(d, ":", "::", 1),
	} {
		if bad != d {
			out = append(out, mutation{field: field, value: quote(bad), fault: FaultMalformed})
		}
	}
	return out
}

func quote(s string) string { return string(canon.AppendString(nil, s)) }

// recordMutations is every single-member mutation of the carrier text.
func recordMutations(rec *Record) []mutation {
	in := rec.Input()
	other := quote(string(canon.Sum([]byte("other"))))
	var out []mutation
	for _, f := range []string{
		"schema", "args_digest", "key_id", "observed_input_digest", "declared_policy_digest", "tool_name", "source_class",
		"result_status", "identity_state", "call_id", "decision_identity.observed_input_digest", "decision_identity.declared_policy_digest",
	} {
		out = append(out, typeMutations(f, "string")...)
	}
	out = append(out, typeMutations("order", "number")...)
	out = append(out, typeMutations("decision_identity", "object")...)
	out = append(out, digestMutations("args_digest", in.ArgsDigest)...)
	out = append(out, digestMutations("observed_input_digest", string(rec.ObservedInput()))...)
	out = append(out, digestMutations("declared_policy_digest", string(in.DeclaredPolicy))...)
	for _, m := range []mutation{
		{field: "schema", value: `""`, fault: FaultUnexpectedValue},
		{field: "schema", value: quote(SchemaCarrier + " "), fault: FaultUnexpectedValue},
		{field: "schema", value: quote(strings.ToUpper(SchemaCarrier)), fault: FaultUnexpectedValue},
		{field: "args_digest", value: quote(strings.Replace(in.ArgsDigest, "kid-1", "", 1)), fault: FaultMalformed},
		{field: "args_digest", value: quote(strings.Replace(in.ArgsDigest, "kid-1", "kid 1", 1)), fault: FaultMalformed},
		{field: "args_digest", value: quote(strings.Replace(in.ArgsDigest, "kid-1", "kid-2", 1)), fault: FaultKeyIDDiffers, in: "key_id"},
		{field: "args_digest", value: quote(flipLast(in.ArgsDigest)), fault: FaultNotRecomputed, in: "observed_input_digest"},
		{field: "key_id", value: `"kid-2"`, fault: FaultKeyIDDiffers},
		{field: "key_id", value: `""`, fault: FaultKeyIDDiffers},
		{field: "observed_input_digest", value: other, fault: FaultIdentityDiffers, in: "decision_identity.observed_input_digest"},
		{field: "declared_policy_digest", value: other, fault: FaultIdentityDiffers, in: "decision_identity.declared_policy_digest"},
		{field: "decision_identity.observed_input_digest", value: other, fault: FaultIdentityDiffers},
		{field: "decision_identity.observed_input_digest", value: `""`, fault: FaultIdentityDiffers},
		{field: "decision_identity.declared_policy_digest", value: other, fault: FaultIdentityDiffers},
		{field: "decision_identity.declared_policy_digest", value: `""`, fault: FaultIdentityDiffers},
		{field: "decision_identity.note", value: "1"},
		{field: "decision_identity.args", value: "1", fault: FaultRawArguments, in: "args"},
		{field: "tool_name", value: `""`, fault: FaultNotRecomputed, in: "observed_input_digest"},
		{field: "order", value: "4", fault: FaultNotRecomputed, in: "observed_input_digest"},
		{field: "order", value: "-3", fault: FaultNotRecomputed, in: "observed_input_digest"},
		{field: "order", value: "3.0", fault: FaultNotInteger},
		{field: "order", value: "3e0", fault: FaultNotInteger},
		{field: "order", value: "-0", fault: FaultNotInteger},
		{field: "order", value: "9223372036854775808", fault: FaultNotInteger},
		{field: "order", value: "-9223372036854775809", fault: FaultNotInteger},
		{field: "call_id", value: `"another"`},
		{field: "call_id", value: `""`},
		{field: "source_class", value: `"inferred"`},
		{field: "result_status", value: `"error"`},
		{field: "identity_state", value: `"absent"`},
		{field: "decision_verdict", value: `"match"`},
		{field: "decision_verdict", value: "null"},
		{field: "decision_verdict", value: ""},
		{field: "decision_verdict", value: "true", fault: FaultWrongType},
		{field: "decision_verdict", value: "1", fault: FaultWrongType},
		{field: "decision_verdict", value: "[]", fault: FaultWrongType},
		{field: "decision_verdict", value: "{}", fault: FaultWrongType},
		{field: "declared_ref", value: ""},
		{field: "declared_ref", value: `"x"`},
		{field: "declared_ref", value: `{"a":[1]}`},
		{field: "declared_ref", value: `{"input":1}`, fault: FaultRawArguments, in: "input"},
		{field: "note", value: `[{"x":1}]`},
	} {
		out = append(out, m)
	}
	for _, f := range []string{"source_class", "result_status", "identity_state", "decision_verdict"} {
		for _, word := range []string{"", "x", "Match", "ok ", "REPORTED_TRACE", "present\x00"} {
			out = append(out, mutation{field: f, value: quote(word), fault: FaultUnknownWord})
		}
	}
	for _, raw := range []string{"args", "arguments", "input", "tool_arguments"} {
		for _, value := range []string{"null", "{}", `"x"`} {
			out = append(out, mutation{field: raw, value: value, fault: FaultRawArguments, in: raw})
		}
		out = append(out, mutation{field: "x", value: `[{"y":[{"` + raw + `":1}]}]`, fault: FaultRawArguments, in: raw})
		out = append(out, mutation{field: raw + "s", value: "1"}, mutation{field: strings.ToUpper(raw), value: "1"})
	}
	return out
}

func flipLast(digest string) string {
	last := "0"
	if strings.HasSuffix(digest, "0") {
		last = "1"
	}
	return digest[:len(digest)-1] + last
}

func TestImportRefusesEachMutatedMember(t *testing.T) {
	rec := exampleRecord(t)
	text := string(rec.AppendJSON(nil))
	touched := map[string]bool{}
	for _, m := range recordMutations(&rec) {
		head, _, _ := strings.Cut(m.field, ".")
		touched[head] = true
		t.Run(m.field+" is "+m.value, func(t *testing.T) {
			mutated := withMember(t, text, m.field, m.value)
			got, err := Import(mutated)
			if m.fault != 0 {
				if m.in == "" {
					m.in = m.field
				}
				requireFault(t, err, m.fault, m.in)
				assert.NotContains(t, err.Error(), "another")
				return
			}
			require.NoError(t, err)
			canonical, err := canon.Transform([]byte(mutated))
			require.NoError(t, err)
			assert.Equal(t, canon.Sum(canonical), got.ContentDigest(), "the content digest covers every member")
			assert.Equal(t, string(canonical), string(got.AppendJSON(nil)))
			assert.Equal(t, rec.IdentityDigest(), got.IdentityDigest())
		})
	}
	for _, field := range recordFields {
		assert.True(t, touched[field], "%s is mutated", field)
	}
}

func TestImportKeepsTheExactOrderOfAForeignCarrier(t *testing.T) {
	in := exampleInput(t)
	in.Order = 1<<63 - 1
	rec, err := Build(in)
	require.NoError(t, err)
	foreign := withMember(t, string(rec.AppendJSON(nil)), "note", `{"b":1.0,"a":"é"}`)
	got, err := Import(foreign)
	require.NoError(t, err)
	assert.Equal(t, in.Order, got.Input().Order)
	assert.NotEqual(t, rec.ContentDigest(), got.ContentDigest())
	assert.Contains(t, string(got.AppendJSON(nil)), `"order":9223372036854775807`)
	again, err := Import(string(got.AppendJSON(nil)))
	require.NoError(t, err)
	assert.Equal(t, got.ContentDigest(), again.ContentDigest())
}

func TestImportText(t *testing.T) {
	rec := exampleRecord(t)
	text := string(rec.AppendJSON(nil))
	reversed := reverseMembers(t, text)
	got, err := Import(" \n" + reversed + "\t")
	require.NoError(t, err)
	assert.Equal(t, rec.ContentDigest(), got.ContentDigest(), "neither order nor white space matter")
	for _, tt := range []struct {
		name, text string
		want       Fault
	}{
		{"nothing", "", FaultNotJSON},
		{"two carriers", text + text, FaultNotJSON},
		{"a list of carriers", "[" + text + "]", FaultNotObject},
		{"null", "null", FaultNotObject},
		{"a member twice", `{"call_id":"x",` + text[1:], FaultDuplicateKey},
		{"a nested member twice", strings.Replace(text, `"declared_ref":null`, `"declared_ref":{"a":1,"\u0061":2}`, 1), FaultDuplicateKey},
		{"a carrier of more than a mebibyte", strings.Replace(text, "deploy", strings.Repeat("x", MaxTextBytes), 1), FaultTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Import(tt.text)
			requireFault(t, err, tt.want, "")
		})
	}
}

// reverseMembers writes the members of an object in reverse order.
func reverseMembers(t testing.TB, text string) string {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(text), &members))
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	sort.Sort(sort.Reverse(sort.StringSlice(names)))
	parts := make([]string, 0, len(names))
	for _, name := range names {
		parts = append(parts, quote(name)+" : "+string(members[name]))
	}
	return "{" + strings.Join(parts, ",\r\n") + "}"
}

func TestErrorsHoldNoTextOfTheDocument(t *testing.T) {
	rec := exampleRecord(t)
	text := string(rec.AppendJSON(nil))
	const secret = "hunter2"
	for _, field := range append(recordFields[:], "x") {
		for _, value := range []string{quote(secret), `{"` + secret + `":{"args":"` + secret + `"}}`, `["` + secret + `"]`} {
			if _, err := Import(withMember(t, text, field, value)); err != nil {
				assert.NotContains(t, err.Error(), secret, field)
			}
		}
	}
}

func FuzzImport(f *testing.F) {
	for _, v := range vectors(f, "carriers") {
		if v.Op == "import" {
			var in struct {
				Carrier string `json:"carrier"`
			}
			require.NoError(f, json.Unmarshal(v.Input, &in))
			f.Add(in.Carrier)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		rec, err := Import(text)
		if err != nil {
			_, _, ok := FaultOf(err)
			require.True(t, ok, "every refusal has a fault: %v", err)
			return
		}
		again, err := Import(string(rec.AppendJSON(nil)))
		require.NoError(t, err)
		require.Equal(t, rec.ContentDigest(), again.ContentDigest())
		_, err = Cite(text)
		require.NoError(t, err, "what is imported can be cited")
	})
}

func BenchmarkImport(b *testing.B) {
	rec := exampleRecord(b)
	text := string(rec.AppendJSON(nil))
	var im importer
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := im.text(text); err != nil {
			b.Fatal(err)
		}
	}
}
