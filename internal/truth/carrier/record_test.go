// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// exampleInput is a classified decision; every case changes what it is about.
func exampleInput(t testing.TB) Input {
	t.Helper()
	key, err := canon.NewKey("kid-1", []byte("a test key"))
	require.NoError(t, err)
	var args canon.Doc
	require.NoError(t, args.Parse(`{"env":"prod"}`, canon.Limits{}))
	return Input{
		ToolName: "deploy \"x\" é", ArgsDigest: key.ArgsDigest(&args), Order: 3,
		SourceClass: truth.SourceReported, CallID: "call\n1", ResultStatus: truth.ResultNA, Identity: truth.IdentityPresent,
		KeyID: "kid-1", Verdict: truth.Mismatch, DeclaredPolicy: canon.Sum([]byte("policy")),
	}
}

func exampleRecord(t testing.TB) Record {
	t.Helper()
	rec, err := Build(exampleInput(t))
	require.NoError(t, err)
	return rec
}

// A carrierInput is the input of the vectors of op carrier. The policy is not
// judged here: the verdict and the declared digest are taken from the answer.
type carrierInput struct {
	Policy         json.RawMessage `json:"policy"`
	ToolName       string          `json:"tool_name"`
	Args           *string         `json:"args"`
	Order          int64           `json:"order"`
	Key            *string         `json:"key"`
	KeyHex         string          `json:"key_hex"`
	KeyID          string          `json:"key_id"`
	SourceClass    string          `json:"source_class"`
	CallID         string          `json:"call_id"`
	ResultStatus   string          `json:"result_status"`
	IdentityState  string          `json:"identity_state"`
	Evidence       json.RawMessage `json:"evidence"`
	Unclassified   bool            `json:"unclassified"`
	DeclaredDigest string          `json:"declared_policy_digest"`
}

// build makes the carrier of in, with the verdict and the declared digest given.
func (in *carrierInput) build(t testing.TB, verdict, declared string) (Record, error) {
	t.Helper()
	secret, err := hex.DecodeString(in.KeyHex)
	require.NoError(t, err)
	if in.Key != nil {
		secret = []byte(*in.Key)
	}
	key, err := canon.NewKey(in.KeyID, secret)
	if err != nil {
		return Record{}, err
	}
	var args *canon.Doc
	if in.Args != nil {
		args = new(canon.Doc)
		require.NoError(t, args.Parse(*in.Args, canon.Limits{}))
	}
	out := Input{
		ToolName: in.ToolName, ArgsDigest: key.ArgsDigest(args), Order: in.Order, CallID: in.CallID, KeyID: in.KeyID,
		DeclaredPolicy: canon.Digest(declared), Unclassified: in.Unclassified,
	}
	// A word that is none leaves the zero value, which Build refuses.
	_ = out.SourceClass.UnmarshalText([]byte(in.SourceClass))
	_ = out.ResultStatus.UnmarshalText([]byte(in.ResultStatus))
	_ = out.Identity.UnmarshalText([]byte(in.IdentityState))
	if !in.Unclassified {
		require.NoError(t, out.Verdict.UnmarshalText([]byte(verdict)))
	}
	return Build(out)
}

func TestCarrierVectorsBuild(t *testing.T) {
	for _, v := range vectors(t, "carriers") {
		if v.Op != "carrier" {
			continue
		}
		t.Run(v.ID, func(t *testing.T) {
			var in carrierInput
			var want struct {
				Carrier  json.RawMessage `json:"carrier"`
				Content  string          `json:"carrier_content_digest"`
				Identity string          `json:"decision_identity_digest"`
				Refused  bool            `json:"refused"`
				Because  string          `json:"because"`
			}
			unmarshalStrict(t, v.Input, &in)
			unmarshalStrict(t, v.Want, &want)
			verdict, declared := "match", string(canon.Sum(nil))
			if in.Unclassified {
				declared = in.DeclaredDigest
			}
			if want.Refused {
				_, err := in.build(t, verdict, declared)
				requireRefused(t, err, want.Because)
				return
			}
			var carrier struct {
				Verdict  string `json:"decision_verdict"`
				Declared string `json:"declared_policy_digest"`
			}
			require.NoError(t, json.Unmarshal(want.Carrier, &carrier))
			rec, err := in.build(t, carrier.Verdict, carrier.Declared)
			require.NoError(t, err)
			assert.JSONEq(t, string(want.Carrier), string(rec.AppendJSON(nil)))
			assert.Contains(t, string(rec.AppendJSON(nil)), `"order":`+strconv.FormatInt(in.Order, 10)+`,`, "the order is exact")
			assert.Equal(t, want.Content, string(rec.ContentDigest()))
			assert.Equal(t, want.Identity, string(rec.IdentityDigest()))
		})
	}
}

// requireRefused requires a refusal because of what the vectors name.
func requireRefused(t *testing.T, err error, because string) {
	t.Helper()
	switch because {
	case "key":
		require.ErrorIs(t, err, canon.ErrEmptyKey)
	case "key_id":
		require.ErrorIs(t, err, canon.ErrKeyID)
	default:
		_, field, ok := FaultOf(err)
		require.True(t, ok, "got %v", err)
		require.Equal(t, because, field)
	}
}

func TestReferenceVectorsBuild(t *testing.T) {
	args := map[string]string{
		"deploy_match": `{"env":"prod"}`, "delete_mismatch": `{}`, "secret_args": `{"path":"/x","token":"SUPER-SECRET"}`,
	}
	key := "tool-decision-truth-vectors-key-v0"
	for _, c := range referenceVectors(t).Carriers {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				ToolName string `json:"tool_name"`
				Order    int64  `json:"order"`
				Verdict  string `json:"decision_verdict"`
				Declared string `json:"declared_policy_digest"`
			}
			require.NoError(t, json.Unmarshal(c.Carrier, &want))
			require.Contains(t, args, c.ID)
			text := args[c.ID]
			in := carrierInput{
				ToolName: want.ToolName, Order: want.Order, Args: &text, Key: &key, KeyID: "fixture-kid-v0",
				SourceClass: "authoritative_boundary", CallID: c.ID, ResultStatus: "ok", IdentityState: "present",
			}
			rec, err := in.build(t, want.Verdict, want.Declared)
			require.NoError(t, err)
			assert.JSONEq(t, string(c.Carrier), string(rec.AppendJSON(nil)))
			imported, err := Import(string(c.Carrier))
			require.NoError(t, err)
			assert.Equal(t, rec.ContentDigest(), imported.ContentDigest())
		})
	}
}

type referenceFile struct {
	Carriers []struct {
		ID      string          `json:"id"`
		Policy  string          `json:"policy"`
		Carrier json.RawMessage `json:"carrier"`
	} `json:"carriers"`
	Rows         []referenceRow `json:"pack_rows"`
	NegativeRows []referenceRow `json:"negative_pack_rows"`
}

type referenceRow struct {
	ID         string          `json:"id"`
	CarrierID  string          `json:"carrier_id"`
	RunVerdict string          `json:"run_verdict"`
	Row        json.RawMessage `json:"row"`
}

func referenceVectors(t testing.TB) (file referenceFile) {
	t.Helper()
	require.NoError(t, json.Unmarshal(readVector(t, "reference_vectors.json"), &file))
	require.NotEmpty(t, file.Carriers)
	require.NotEmpty(t, file.Rows)
	require.NotEmpty(t, file.NegativeRows)
	return file
}

func TestBuildNamesTheFieldItRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		mutate func(*Input)
		fault  Fault
		field  string
	}{
		{"no arguments digest", func(in *Input) { in.ArgsDigest = "" }, FaultMalformed, "args_digest"},
		{"an unkeyed arguments digest", func(in *Input) { in.ArgsDigest = string(canon.Sum(nil)) }, FaultMalformed, "args_digest"},
		{"no key id", func(in *Input) { in.KeyID = "" }, FaultKeyIDDiffers, "key_id"},
		{"another key id", func(in *Input) { in.KeyID = "kid-2" }, FaultKeyIDDiffers, "key_id"},
		{"no declared digest", func(in *Input) { in.DeclaredPolicy = "" }, FaultMalformed, "declared_policy_digest"},
		{"a short declared digest", func(in *Input) { in.DeclaredPolicy = in.DeclaredPolicy[:70] }, FaultMalformed, "declared_policy_digest"},
		{"a declared digest in capitals", func(in *Input) {
			in.DeclaredPolicy = canon.Digest(strings.ToUpper(string(in.DeclaredPolicy)))
		}, FaultMalformed, "declared_policy_digest"},
		{"a tool name that is not UTF-8", func(in *Input) { in.ToolName = "\xff" }, FaultInvalidUTF8, "tool_name"},
		{"no source class", func(in *Input) { in.SourceClass = 0 }, FaultUnknownWord, "source_class"},
		{"an unknown source class", func(in *Input) { in.SourceClass = 9 }, FaultUnknownWord, "source_class"},
		{"no result status", func(in *Input) { in.ResultStatus = 0 }, FaultUnknownWord, "result_status"},
		{"an unknown result status", func(in *Input) { in.ResultStatus = 9 }, FaultUnknownWord, "result_status"},
		{"no identity state", func(in *Input) { in.Identity = 0 }, FaultUnknownWord, "identity_state"},
		{"an unknown identity state", func(in *Input) { in.Identity = 9 }, FaultUnknownWord, "identity_state"},
		{"a call id that is not UTF-8", func(in *Input) { in.CallID = "a\xc0" }, FaultInvalidUTF8, "call_id"},
		{"a forgotten verdict", func(in *Input) { in.Verdict = 0 }, FaultUnknownWord, "decision_verdict"},
		{"an unknown verdict", func(in *Input) { in.Verdict = 9 }, FaultUnknownWord, "decision_verdict"},
		{"a verdict and unclassified", func(in *Input) { in.Unclassified = true }, FaultUnknownWord, "decision_verdict"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := exampleInput(t)
			tt.mutate(&in)
			_, err := Build(in)
			requireFault(t, err, tt.fault, tt.field)
		})
	}
}

func TestBuiltRecordIsCanonicalAndImportsAsItself(t *testing.T) {
	orders := []int64{0, 1, -1, 1 << 53, -1 << 53, 1<<53 + 1, -1<<53 - 1, 1<<63 - 1, -1 << 63}
	for _, order := range orders {
		for _, unclassified := range []bool{false, true} {
			in := exampleInput(t)
			in.Order = order
			if unclassified {
				in.Verdict, in.Unclassified = 0, true
			}
			rec, err := Build(in)
			require.NoError(t, err)
			text := rec.AppendJSON(nil)
			canonical, err := canon.Transform(text)
			require.NoError(t, err)
			assert.Equal(t, canon.Sum(canonical), rec.ContentDigest())
			if isExact(order) {
				assert.Equal(t, string(canonical), string(text))
			}
			back, err := Import(string(text))
			require.NoError(t, err, "order %d", order)
			assert.Equal(t, in, back.Input())
			assert.Equal(t, rec.ObservedInput(), back.ObservedInput())
			assert.Equal(t, rec.Citation(), back.Citation())
			assert.Equal(t, string(text), string(back.AppendJSON(nil)))
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	in := exampleInput(b)
	var buf []byte
	var sink int
	b.ReportAllocs()
	for b.Loop() {
		rec, err := Build(in)
		if err != nil {
			b.Fatal(err)
		}
		buf = rec.AppendJSON(buf[:0])
		sink += len(canon.Sum(buf)) + len(rec.IdentityDigest())
	}
	_ = sink
}

func BenchmarkRecordAppendJSON(b *testing.B) {
	rec := exampleRecord(b)
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = rec.AppendJSON(buf[:0])
	}
}
