// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const vectorDir = "../../../testdata/vectors"

// A vectorCase is a case of the files under differential that this package
// answers. Texts that are not UTF-8 come as base64.
type vectorCase struct {
	Area      string          `json:"area"`
	ID        string          `json:"id"`
	Category  string          `json:"category"`
	Note      string          `json:"note"`
	Why       string          `json:"why"`
	Reference json.RawMessage `json:"reference"`
	Input     json.RawMessage `json:"input"`
	Want      struct {
		Canonical           *string `json:"canonical"`
		SHA256              string  `json:"sha256"`
		ArgsDigest          string  `json:"args_digest"`
		ObservedInputDigest string  `json:"observed_input_digest"`
		Error               string  `json:"error"`
		Kind                string  `json:"kind"`
	} `json:"want"`
}

func decodeStrictly(t *testing.T, text []byte, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(into))
}

func differentialCases(t *testing.T, file string) []vectorCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectorDir, "differential", file))
	require.NoError(t, err)
	var doc struct {
		Description   string       `json:"description"`
		GeneratedWith any          `json:"generated_with"`
		Cases         []vectorCase `json:"cases"`
	}
	if file == "divergent.json" { // its cases have inputs of every area
		require.NoError(t, json.Unmarshal(text, &doc))
	} else {
		decodeStrictly(t, text, &doc)
	}
	require.NotEmpty(t, doc.Cases, "no cases: a moved file must not pass")
	return doc.Cases
}

// jcsInput is what a case of jcs.json asks.
type jcsInput struct {
	Text    *string `json:"text"`
	TextB64 *string `json:"text_b64"`
}

func (in jcsInput) text(t *testing.T) string { return textOf(t, in.Text, in.TextB64) }

func textOf(t *testing.T, text, b64 *string) string {
	t.Helper()
	if text != nil {
		return *text
	}
	require.NotNil(t, b64, "a case has a text")
	raw, err := base64.StdEncoding.DecodeString(*b64)
	require.NoError(t, err)
	return string(raw)
}

// argsInput is what a case of args_digest.json asks.
type argsInput struct {
	Args    *string `json:"args"`
	ArgsB64 *string `json:"args_b64"`
	Key     *string `json:"key"`
	KeyHex  *string `json:"key_hex"`
	KeyID   string  `json:"key_id"`
}

func (in argsInput) key(t *testing.T) []byte {
	t.Helper()
	if in.Key != nil {
		return []byte(*in.Key)
	}
	require.NotNil(t, in.KeyHex, "a case has a key")
	key, err := hex.DecodeString(*in.KeyHex)
	require.NoError(t, err)
	return key
}

func TestJCSVectors(t *testing.T) {
	for _, tt := range differentialCases(t, "jcs.json") {
		t.Run(tt.ID, func(t *testing.T) {
			var in jcsInput
			decodeStrictly(t, tt.Input, &in)
			var d Doc
			err := d.Parse(in.text(t), Limits{})
			transformed, transformErr := Transform([]byte(in.text(t)))
			if tt.Want.Error != "" {
				require.Error(t, err)
				require.Equal(t, err, transformErr)
				assertErrorKind(t, tt.Want.Error, err)
				return
			}
			require.NoError(t, err)
			require.NoError(t, transformErr)
			got := d.Root().AppendJCS(nil)
			assert.Equal(t, *tt.Want.Canonical, string(got))
			assert.Equal(t, *tt.Want.Canonical, string(transformed))
			assert.Equal(t, Digest(tt.Want.SHA256), Sum(got))
		})
	}
}

// assertErrorKind compares faults with the coarser words of the vectors.
func assertErrorKind(t *testing.T, kind string, err error) {
	t.Helper()
	var text *TextError
	require.ErrorAs(t, err, &text)
	switch kind {
	case "depth":
		assert.Equal(t, FaultDepth, text.Fault)
	case "number_range":
		assert.Equal(t, FaultNumberRange, text.Fault)
	default:
		assert.Equal(t, "syntax", kind)
		assert.Contains(t, []Fault{FaultSyntax, FaultUTF8, FaultSurrogate}, text.Fault)
	}
}

func TestArgsDigestVectors(t *testing.T) {
	for _, tt := range differentialCases(t, "args_digest.json") {
		t.Run(tt.ID, func(t *testing.T) {
			var in argsInput
			decodeStrictly(t, tt.Input, &in)
			key, err := NewKey(in.KeyID, in.key(t))
			if tt.Want.Error == "refused" {
				require.Error(t, err)
				require.Nil(t, key)
				return
			}
			require.NoError(t, err)
			if tt.Want.Error == "absent" {
				require.Nil(t, in.Args)
				assertObservedNothing(t, in, key.ArgsDigest(nil))
				return
			}
			var d Doc
			err = d.Parse(textOf(t, in.Args, in.ArgsB64), Limits{})
			if tt.Want.Error != "" {
				require.Equal(t, "args", tt.Want.Error)
				assertErrorKind(t, tt.Want.Kind, err)
				assertObservedNothing(t, in, key.ArgsDigest(&d))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, *tt.Want.Canonical, string(d.Root().AppendJCSWithoutSecrets(nil)))
			got := key.ArgsDigest(&d)
			assert.Equal(t, tt.Want.ArgsDigest, got)
			keyID, err := ParseArgsDigest(got)
			require.NoError(t, err)
			assert.Equal(t, in.KeyID, keyID)
		})
	}
}

func assertObservedNothing(t *testing.T, in argsInput, digest string) {
	t.Helper()
	want := slowArgsDigest(in.KeyID, in.key(t), "")
	assert.Equal(t, want, digest)
}

func TestObservedInputVectors(t *testing.T) {
	for _, tt := range differentialCases(t, "observed_digest.json") {
		t.Run(tt.ID, func(t *testing.T) {
			var in struct {
				ToolName   string `json:"tool_name"`
				ArgsDigest string `json:"args_digest"`
				Order      int64  `json:"order"`
			}
			decodeStrictly(t, tt.Input, &in)
			got := ObservedInput(in.ToolName, in.ArgsDigest, in.Order)
			assert.Equal(t, Digest(tt.Want.ObservedInputDigest), got)
		})
	}
}

// TestDivergentVectors checks that we refuse what the reference answers by
// keeping one of two members: the contract decides so.
func TestDivergentVectors(t *testing.T) {
	seen := map[string]int{}
	for _, tt := range differentialCases(t, "divergent.json") {
		if tt.Area != "jcs" && tt.Area != "args_digest" && tt.Area != "observed_digest" {
			continue
		}
		seen[tt.Area]++
		t.Run(tt.ID, func(t *testing.T) {
			require.Contains(t, tt.Why, "duplicate object key")
			var text string
			if tt.Area == "jcs" {
				var in jcsInput
				decodeStrictly(t, tt.Input, &in)
				text = in.text(t)
			} else {
				var in argsInput
				decodeStrictly(t, tt.Input, &in)
				text = textOf(t, in.Args, in.ArgsB64)
			}
			var fault *TextError
			require.ErrorAs(t, new(Doc).Parse(text, Limits{}), &fault)
			assert.Equal(t, FaultDuplicateKey, fault.Fault)
		})
	}
	assert.NotZero(t, seen["jcs"])
	assert.NotZero(t, seen["args_digest"])
}

// TestReferenceCarriers remakes the two digests of the observed side in the
// published carriers. Their arguments are those their description gives.
func TestReferenceCarriers(t *testing.T) {
	args := map[string]string{
		"deploy_match":    `{"env":"prod"}`,
		"delete_mismatch": `{}`,
		"secret_args":     `{"path":"/x","token":"SUPER-SECRET"}`,
	}
	text, err := os.ReadFile(filepath.Join(vectorDir, "reference_vectors.json"))
	require.NoError(t, err)
	var vectors struct {
		Carriers []struct {
			ID      string
			Carrier struct {
				ToolName            string `json:"tool_name"`
				ArgsDigest          string `json:"args_digest"`
				Order               int64
				KeyID               string `json:"key_id"`
				ObservedInputDigest Digest `json:"observed_input_digest"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &vectors))
	require.Len(t, vectors.Carriers, len(args))
	key, err := NewKey("fixture-kid-v0", []byte("tool-decision-truth-vectors-key-v0"))
	require.NoError(t, err)
	for _, tt := range vectors.Carriers {
		t.Run(tt.ID, func(t *testing.T) {
			require.Contains(t, args, tt.ID)
			digest := key.ArgsDigest(parsed(t, args[tt.ID]))
			assert.Equal(t, tt.Carrier.KeyID, key.ID())
			assert.Equal(t, tt.Carrier.ArgsDigest, digest)
			got := ObservedInput(tt.Carrier.ToolName, digest, tt.Carrier.Order)
			assert.Equal(t, tt.Carrier.ObservedInputDigest, got)
		})
	}
}

// TestProjectionVector does the same for the published projection.
func TestProjectionVector(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectorDir, "reference_otel_projection.json"))
	require.NoError(t, err)
	var projection struct {
		Spans []struct {
			Attributes map[string]string
		}
	}
	require.NoError(t, json.Unmarshal(text, &projection))
	key, err := NewKey("fixture-kid-v0", []byte("tdt-otel-snapshot-key-v0"))
	require.NoError(t, err)
	calls := []struct{ tool, args string }{{"deploy", `{"env":"prod"}`}, {"delete_all", `{}`}}
	require.Len(t, projection.Spans, len(calls))
	for order, call := range calls {
		got := ObservedInput(call.tool, key.ArgsDigest(parsed(t, call.args)), int64(order))
		assert.Equal(t, projection.Spans[order].Attributes["assay.tdt.observed_input_digest"], string(got))
	}
}

// TestInteropCarriers recomputes the observed-input digest of every carrier
// that the reference's live producer wrote.
func TestInteropCarriers(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectorDir, "interop", "carriers.ndjson"))
	require.NoError(t, err)
	dec := json.NewDecoder(bytes.NewReader(text))
	count := 0
	for ; dec.More(); count++ {
		var c struct {
			ToolName            string `json:"tool_name"`
			ArgsDigest          string `json:"args_digest"`
			Order               int64
			ObservedInputDigest Digest `json:"observed_input_digest"`
		}
		require.NoError(t, dec.Decode(&c))
		keyID, err := ParseArgsDigest(c.ArgsDigest)
		require.NoError(t, err)
		assert.Equal(t, "interop-kid", keyID)
		assert.Equal(t, c.ObservedInputDigest, ObservedInput(c.ToolName, c.ArgsDigest, c.Order))
	}
	assert.Equal(t, 9, count)
}
