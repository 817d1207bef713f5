// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRunVectors(t *testing.T) {
	text, err := os.ReadFile("../../testdata/vectors/differential/runs.json")
	require.NoError(t, err)
	var file struct {
		Cases []struct {
			ID    string `json:"id"`
			Input struct {
				Verdicts []string `json:"verdicts"`
				Orders   []int64  `json:"orders"`
			} `json:"input"`
			Want struct {
				RunVerdict string `json:"run_verdict"`
			} `json:"want"`
		} `json:"cases"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Cases)
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			verdicts := parseVerdicts(c.Input.Verdicts)
			assert.Equal(t, c.Want.RunVerdict, RunVerdict(verdicts, c.Input.Orders).String())
		})
	}
}

func TestReferenceRunUnits(t *testing.T) {
	text, err := os.ReadFile("../../testdata/vectors/reference_vectors.json")
	require.NoError(t, err)
	var file struct {
		Units []struct {
			ID       string   `json:"id"`
			Verdicts []string `json:"verdicts"`
			Orders   []int64  `json:"orders"`
			Want     string   `json:"expected"`
		} `json:"run_verdict_units"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Units)
	for _, u := range file.Units {
		t.Run(u.ID, func(t *testing.T) {
			require.NotEmpty(t, u.Want)
			assert.Equal(t, u.Want, RunVerdict(parseVerdicts(u.Verdicts), u.Orders).String())
		})
	}
}

// parseVerdicts takes a word that is no verdict as the lattice does: invalid.
func parseVerdicts(words []string) []Verdict {
	out := make([]Verdict, len(words))
	for i, word := range words {
		out[i], _ = ParseVerdict(word)
	}
	return out
}

func TestRunVerdict(t *testing.T) {
	for _, tt := range []struct {
		name     string
		verdicts []Verdict
		orders   []int64
		want     Verdict
	}{
		{"a run of nothing matches", nil, nil, Match},
		{"the worst decision decides", []Verdict{Match, Mismatch, Incomplete}, []int64{0, 1, 2}, Mismatch},
		{"orders need not rise", []Verdict{Match, Incomplete}, []int64{9, -1}, Incomplete},
		{"a repeated order is invalid", []Verdict{Match, Match}, []int64{4, 4}, Invalid},
		{"a repeated order far apart is invalid", []Verdict{Match, Match, Match}, []int64{4, 1, 4}, Invalid},
		{"fewer orders than verdicts is invalid", []Verdict{Match}, nil, Invalid},
		{"more orders than verdicts is invalid", nil, []int64{0}, Invalid},
		{"a verdict that is none is invalid", []Verdict{0}, []int64{0}, Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, RunVerdict(tt.verdicts, tt.orders)) })
	}
}
