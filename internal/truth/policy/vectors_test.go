// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const vectorDir = "../../../testdata/vectors"

// readVectors returns the cases of one file. A moved file must not pass.
func readVectors[T any](t testing.TB, name string) []T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectorDir, name))
	require.NoError(t, err)
	var file struct {
		Cases []T `json:"cases"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Cases)
	return file.Cases
}

type digestCase struct {
	ID    string
	Input struct {
		Policy    string
		PolicyB64 string `json:"policy_b64"`
	}
	Want struct {
		Digest    string `json:"declared_policy_digest"`
		Canonical string
		Error     string
	}
}

func (c *digestCase) policy(t *testing.T) []byte {
	if c.Input.PolicyB64 == "" {
		return []byte(c.Input.Policy)
	}
	text, err := base64.StdEncoding.DecodeString(c.Input.PolicyB64)
	require.NoError(t, err)
	return text
}

func TestDeclaredDigestVectors(t *testing.T) {
	for _, c := range readVectors[digestCase](t, "differential/declared_digest.json") {
		t.Run(c.ID, func(t *testing.T) {
			p, err := Read("p.yaml", c.policy(t))
			if c.Want.Error != "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.Want.Canonical, string(p.Canonical()))
			assert.Equal(t, c.Want.Digest, string(p.DeclaredDigest()))
		})
	}
}

func TestPatternVectors(t *testing.T) {
	type patternCase struct {
		ID    string
		Input struct{ Pattern, Name string }
		Want  struct{ Match bool }
	}
	for _, c := range readVectors[patternCase](t, "differential/patterns.json") {
		t.Run(c.ID, func(t *testing.T) {
			assert.Equal(t, c.Want.Match, ParsePattern(c.Input.Pattern).Match(c.Input.Name))
		})
	}
}
