// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
)

type divergentCase struct {
	verdictCase
	Area string
	Why  string
}

// divergentOurs says what is decided here for each category of cases on which
// the contract and the system it describes differ. A category that is not in
// it belongs to another package, or is new and fails the test.
var divergentOurs = map[string]func(*testing.T, *divergentCase){
	"declared_digest/tool_list":                refused,
	"declared_digest/unknown_constraint_field": refused,
	"declared_digest/constraint_and_schema":    refused,
	"declared_digest/number_json":              refusedOrText,
	"declared_digest/number_yaml":              refusedOrText,
	"declared_digest/yaml":                     refused,
	"declared_digest/operational_shape":        accepted,
	"declared_digest/unknown_field":            unknownField,
	"verdict/regex":                            byECMA262,
	"verdict/regex_size":                       bySize,
	"verdict/legacy":                           refused,
	"verdict/schema_array":                     argsAre("mismatch"),
	"verdict/schema_const":                     argsAre("match"),
	"verdict/duplicate_key":                    argsAre("incomplete"),
	"verdict/unparsable_args":                  argsAre("incomplete"),
}

func refused(t *testing.T, c *divergentCase) {
	_, err := Read("p", []byte(c.Input.Policy))
	require.Error(t, err)
}

// refusedOrText: an integer beyond 64 bits is refused, a number that no double
// holds is text.
func refusedOrText(t *testing.T, c *divergentCase) {
	p, err := Read("p", []byte(c.Input.Policy))
	if strings.Contains(c.Input.Policy, "1e400") {
		require.NoError(t, err)
		assert.Contains(t, string(p.Canonical()), `1e400"`)
		return
	}
	require.Error(t, err)
}

func accepted(t *testing.T, c *divergentCase) {
	assert.True(t, mustRead(t, c.Input.Policy).DeclaredDigest().Valid())
}

// unknownField: what is unknown is refused. The shapes of operational fields
// are not looked at, and so neither are the names in them.
func unknownField(t *testing.T, c *divergentCase) {
	_, err := Read("p", []byte(c.Input.Policy))
	if strings.Contains(c.Input.Policy, "limits") {
		require.NoError(t, err)
		return
	}
	require.Error(t, err)
	assert.Regexp(t, "unknown field|must be a string", err.Error())
}

func argsAre(want string) func(*testing.T, *divergentCase) {
	return func(t *testing.T, c *divergentCase) {
		assert.Equal(t, want, argsAxis(t, mustRead(t, c.Input.Policy), &c.verdictCase))
	}
}

// bySize: of the two patterns that are too large there, one is here as well.
func bySize(t *testing.T, c *divergentCase) {
	argsAre(map[bool]string{true: "invalid", false: "match"}[strings.Contains(c.Input.Policy, "{1000}){1000}")])(t, c)
}

var ecmaAnswer = regexp.MustCompile(`the args axis is (\w+) \(unicode mode: (\w+)\)`)

// byECMA262: the pattern is read as ECMA-262 does in Unicode mode. Only what is
// listed as legacy is read as ECMA-262 does otherwise.
func byECMA262(t *testing.T, c *divergentCase) {
	m := ecmaAnswer.FindStringSubmatch(c.Why)
	require.NotNil(t, m)
	want := m[2]
	for _, s := range mustRead(t, c.Input.Policy).Schemas() {
		for _, use := range s.Patterns() {
			if slices.Contains(use.Regexp.Constructs(), regex.Legacy) {
				want = m[1]
			}
		}
	}
	argsAre(want)(t, c)
}

func TestDivergentVectors(t *testing.T) {
	seen := 0
	for _, c := range readVectors[divergentCase](t, "differential/divergent.json") {
		area, rest, _ := strings.Cut(c.ID, "/")
		if area != "declared_digest" && area != "verdict" {
			continue // other packages'
		}
		category, _, _ := strings.Cut(rest, "/")
		t.Run(c.ID, func(t *testing.T) {
			ours, known := divergentOurs[area+"/"+category]
			require.True(t, known, "a category that nobody has decided about")
			ours(t, &c)
		})
		seen++
	}
	assert.Positive(t, seen)
}

// TestReferenceVectors reads the policies of the reference's own vectors, and
// holds the declared digests of its carriers against them.
func TestReferenceVectors(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectorDir, "reference_vectors.json"))
	require.NoError(t, err)
	var file struct {
		Policies map[string]json.RawMessage
		Cases    []struct {
			ID       string
			Policy   string
			Observed []struct {
				Tool string          `json:"tool_name"`
				Args json.RawMessage `json:"args"`
			}
			Expected struct{ Decisions []string }
		}
		Carriers []struct {
			Carrier struct {
				Digest string `json:"declared_policy_digest"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Policies)
	policies := map[string]*Policy{}
	for name, text := range file.Policies {
		policies[name] = mustRead(t, string(text))
	}
	require.NotEmpty(t, file.Carriers)
	for _, c := range file.Carriers {
		assert.Equal(t, c.Carrier.Digest, string(policies["base"].DeclaredDigest()))
	}
	malformed := policies["malformed_schema"].Schema("t")
	require.NotNil(t, malformed)
	assert.NotNil(t, malformed.Fault())
	for _, c := range file.Cases {
		for i, o := range c.Observed {
			s := policies[c.Policy].Schema(o.Tool)
			if s == nil || string(o.Args) == "null" {
				continue
			}
			var d canon.Doc
			require.NoError(t, d.Parse(string(o.Args), canon.Limits{}))
			if s.Check(d.Root()).Outcome != Valid {
				assert.NotEqual(t, "match", c.Expected.Decisions[i], c.ID)
			}
		}
	}
}
