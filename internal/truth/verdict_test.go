// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVerdictsFormALattice(t *testing.T) {
	all := append(Verdicts(), Verdict(0), Verdict(200))
	for _, a := range all {
		assert.Equal(t, a.orInvalid(), Join(a, a), "idempotent")
		assert.Equal(t, a.orInvalid(), Join(a, Match), "match is the identity")
		assert.Equal(t, Invalid, Join(a, Invalid), "invalid is the top")
		for _, b := range all {
			assert.Equal(t, Join(a, b), Join(b, a), "commutative")
			for _, c := range all {
				assert.Equal(t, Join(Join(a, b), c), Join(a, Join(b, c)), "associative")
			}
		}
	}
	assert.Equal(t, Match, Join(), "nothing joins to the identity")
	assert.Equal(t, Invalid, Join(Verdict(0)), "the zero value fails closed")
}

func TestVerdictTextIsClosed(t *testing.T) {
	for _, v := range Verdicts() {
		var got Verdict
		text, err := v.MarshalText()
		require.NoError(t, err)
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, v, got)
	}
	for _, other := range []string{"", "Match", "MATCH", " match", "allow", "deny", "match\n"} {
		got, ok := ParseVerdict(other)
		assert.False(t, ok, "%q", other)
		assert.Equal(t, Invalid, got, "%q ranks as invalid", other)
		assert.Error(t, new(Verdict).UnmarshalText([]byte(other)))
	}
	assert.Equal(t, "invalid", Verdict(0).String())
	assert.Equal(t, "invalid", Verdict(9).String())
}

func TestVocabulariesAreClosed(t *testing.T) {
	for _, word := range Identities() {
		var got Identity
		require.NoError(t, got.UnmarshalText([]byte(word)))
		assert.Equal(t, word, got.String())
	}
	for _, word := range SourceClasses() {
		var got SourceClass
		require.NoError(t, got.UnmarshalText([]byte(word)))
		assert.Equal(t, word, got.String())
	}
	for _, word := range ResultStatuses() {
		var got ResultStatus
		require.NoError(t, got.UnmarshalText([]byte(word)))
		assert.Equal(t, word, got.String())
	}
	for _, other := range []string{"", "Present", "ok ", "N/A", "unknown"} {
		assert.Error(t, new(Identity).UnmarshalText([]byte(other)), "%q", other)
		assert.Error(t, new(SourceClass).UnmarshalText([]byte(other)), "%q", other)
		assert.Error(t, new(ResultStatus).UnmarshalText([]byte(other)), "%q", other)
	}
	assert.Equal(t, "invalid", Identity(0).String(), "the zero identity is not a good one")
	assert.Empty(t, SourceClass(0).String())
	assert.Empty(t, ResultStatus(0).String())
	assert.Equal(t, "unknown", Fact(0).String())
	assert.Equal(t, Yes, FactOf(true))
	assert.Equal(t, No, FactOf(false))
}
