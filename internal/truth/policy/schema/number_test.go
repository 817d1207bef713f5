// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var numberTokens = []string{
	"0", "-0", "0.0", "-0.0", "1", "-1", "1.0", "1e0", "0.1", "-0.1", "1.5", "-1.5", "2", "3", "7", "0.07", "0.01", "100", "1e2",
	"9007199254740992", "9007199254740993", "9007199254740992.0", "-9007199254740993", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "-9223372036854775809", "18446744073709551614", "18446744073709551615", "18446744073709551616",
	"1.8446744073709552e19", "1e20", "100000000000000000001", "-1e20", "1e300", "-1e300", "5e-324", "1e-7", "4.35", "19.99", "1e-400",
}

// rational returns what a token stands for, exactly: the integer if 64 bits
// hold it, otherwise its double.
func rational(t *testing.T, token string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(token)
	require.True(t, ok)
	if n := parseNumber(token); !n.integer {
		return new(big.Rat).SetFloat64(n.float)
	}
	return r
}

func TestNumbersCompareExactly(t *testing.T) {
	for _, a := range numberTokens {
		for _, b := range numberTokens {
			assert.Equal(t, rational(t, a).Cmp(rational(t, b)), parseNumber(a).compare(parseNumber(b)), "%s and %s", a, b)
		}
	}
}

func TestWholeNumbers(t *testing.T) {
	for _, token := range numberTokens {
		assert.Equal(t, rational(t, token).IsInt(), parseNumber(token).whole(), token)
	}
}

func TestMultiplesOfWholeNumbersAreExact(t *testing.T) {
	for _, a := range numberTokens {
		n := parseNumber(a)
		for _, b := range []string{"1", "2", "3", "7", "1.0", "9007199254740993", "18446744073709551615"} {
			if !n.integer && len(b) > 10 {
				continue // doubles are measured by doubles
			}
			want := new(big.Rat).Quo(rational(t, a), rational(t, b)).IsInt()
			assert.Equal(t, want, n.multipleOf(parseNumber(b)), "%s of %s", a, b)
		}
	}
}

func TestMultiplesOfFractionsGoByTheirDigits(t *testing.T) {
	for _, tt := range []struct {
		n, of string
		want  bool
	}{
		{"0.07", "0.01", true}, {"4.35", "0.01", true}, {"19.99", "0.01", true}, {"0.3", "0.1", true}, {"1.1", "0.1", true},
		{"0.30000000000000004", "0.1", false}, {"12391239123", "1e-8", true}, {"1e308", "0.5", true}, {"2.5", "0.5", true},
		{"2.6", "0.5", false}, {"1", "5e-324", true}, {"5e-324", "1.5", false}, {"0", "0.1", true}, {"-0.2", "0.1", true},
	} {
		assert.Equal(t, tt.want, parseNumber(tt.n).multipleOf(parseNumber(tt.of)), "%s of %s", tt.n, tt.of)
	}
	assert.False(t, parseNumber("4").multipleOf(parseNumber("0")), "nothing is a multiple of 0")
	assert.False(t, parseNumber("4.5").multipleOf(parseNumber("0")))
}

func TestDraft4WantsIntegersWrittenAsSuch(t *testing.T) {
	s := load(t, `{"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}`)
	for token, want := range map[string]Outcome{
		"1": Valid, "-1": Valid, "1.0": Violated, "1e2": Violated, "-0": Violated, "18446744073709551616": Valid, "1e20": Valid, "1.5": Violated,
	} {
		assert.Equal(t, want, check(t, s, token).Outcome, token)
	}
}

func TestNumbersOfAnyLength(t *testing.T) {
	long := "0." + strings.Repeat("0", 20_000) + "1e20001"
	s := load(t, `{"const": 1.0}`)
	assert.Equal(t, Valid, check(t, s, long).Outcome)
	assert.Equal(t, Valid, check(t, load(t, `{"minimum": 0}`), "1e-1000001").Outcome)
}
