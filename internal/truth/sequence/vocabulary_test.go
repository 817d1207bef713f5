// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"encoding"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVocabulariesAreClosed(t *testing.T) {
	for name, tt := range map[string]struct {
		words []string
		value interface {
			encoding.TextMarshaler
			encoding.TextUnmarshaler
		}
	}{
		"kind":    {Kinds(), new(Kind)},
		"extent":  {Extents(), new(Extent)},
		"outcome": {Outcomes(), new(Outcome)},
		"reason":  {Reasons(), new(Reason)},
	} {
		require.NotEmpty(t, tt.words)
		for _, word := range tt.words {
			require.NotEmpty(t, word, "%s: a constant without a word", name)
			require.NoError(t, tt.value.UnmarshalText([]byte(word)), name)
			text, err := tt.value.MarshalText()
			require.NoError(t, err)
			assert.Equal(t, word, string(text), name)
		}
		require.Error(t, tt.value.UnmarshalText([]byte("Held ")), name)
		if name != "reason" { // which a rule that held does not have
			require.Error(t, tt.value.UnmarshalText(nil), "%s: nothing is no word", name)
		}
	}
	for i, word := range LintCodes() {
		require.NotEmpty(t, word, "a lint without a word")
		text, err := LintCode(i + 1).MarshalText()
		require.NoError(t, err)
		assert.Equal(t, word, string(text))
	}
	var none Reason
	require.NoError(t, none.UnmarshalText(nil))
	assert.Equal(t, NoReason, none)
}

func TestZeroValuesAreNoWords(t *testing.T) {
	assert.Empty(t, Kind(0).String()+Extent(0).String()+Outcome(0).String()+Reason(0).String()+LintCode(0).String())
	assert.Empty(t, Kind(99).String()+Extent(99).String()+Outcome(99).String()+Reason(99).String()+LintCode(99).String())
}

func TestARecordAsJSON(t *testing.T) {
	r := flow(t, "", "{type: require, tool: a, id: mine}", "{type: max_calls, tool: a, max: 1}")
	text, err := json.Marshal(r.Evaluate(nil, Complete))
	require.NoError(t, err)
	assert.JSONEq(t, `[
		{"rule_id":"require:a","id":"mine","kind":"require","outcome":"violated","reason":"never_called","spanned":[],"spanned_total":0},
		{"rule_id":"max_calls:a<=1","kind":"max_calls","outcome":"held","spanned":[],"spanned_total":0}
	]`, string(text))
	var back []Record
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, r.Evaluate(nil, Complete), back)
}
