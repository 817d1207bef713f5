// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestPlainScalars(t *testing.T) {
	const (
		null    = canon.KindNull
		boolean = canon.KindBool
		number  = canon.KindNumber
		text    = canon.KindString
	)
	for _, tt := range []struct {
		plain string
		kind  canon.Kind
		str   string
	}{
		{"", null, ""}, {"~", null, ""}, {"null", null, ""}, {"Null", null, ""}, {"NULL", null, ""}, {"nULL", text, "nULL"},
		{"true", boolean, "true"}, {"True", boolean, "true"}, {"TRUE", boolean, "true"}, {"tRue", text, "tRue"},
		{"false", boolean, "false"}, {"False", boolean, "false"}, {"FALSE", boolean, "false"},
		{"yes", text, "yes"}, {"no", text, "no"}, {"on", text, "on"}, {"off", text, "off"}, {"y", text, "y"},
		{"0", number, "0"}, {"-0", number, "0"}, {"+5", number, "5"}, {"-12", number, "-12"},
		{"18446744073709551615", number, "18446744073709551615"}, {"-9223372036854775808", number, "-9223372036854775808"},
		{"0x1F", number, "31"}, {"-0x10", number, "-16"}, {"+0xa", number, "10"}, {"0o17", number, "15"}, {"0b101", number, "5"},
		{"0x", text, "0x"}, {"0xg", text, "0xg"}, {"0o8", text, "0o8"}, {"0b2", text, "0b2"}, {"0x-1", text, "0x-1"}, {"0X1", text, "0X1"},
		{"010", text, "010"}, {"00", text, "00"}, {"-07", text, "-07"}, {"1_000", text, "1_000"}, {"2001-01-01", text, "2001-01-01"},
		{"1.0", number, "1.0"}, {"-0.0", number, "0.0"}, {".5", number, "0.5"}, {"5.", number, "5.0"}, {"1e3", number, "1000.0"},
		{"1E+3", number, "1000.0"}, {"+1.5", number, "1.5"}, {"00.5", number, "0.5"}, {"1e21", number, "1e+21"}, {"5e-324", number, "5e-324"},
		{"1e400", text, "1e400"}, {"-1e400", text, "-1e400"}, {"1e", text, "1e"}, {"e1", text, "e1"}, {".", text, "."}, {"-.", text, "-."},
		{"1e+", text, "1e+"}, {"++1", text, "++1"}, {"1.2.3", text, "1.2.3"}, {"0x1p4", text, "0x1p4"}, {"inf", text, "inf"}, {"NaN", text, "NaN"},
		{".inf", null, ""}, {"+.Inf", null, ""}, {"-.INF", null, ""}, {".nan", null, ""}, {".NaN", null, ""}, {"-.nan", text, "-.nan"},
		{"12:30:45", text, "12:30:45"}, {"=", text, "="}, {"<<", text, "<<"},
	} {
		t.Run(tt.plain, func(t *testing.T) {
			got, ok := plain(tt.plain)
			require.True(t, ok)
			assert.Equal(t, scalar{tt.kind, tt.str}, got)
		})
	}
}

func TestIntegersBeyond64BitsAreNoScalars(t *testing.T) {
	for _, s := range []string{
		"18446744073709551616", "-9223372036854775809", "340282366920938463463374607431768211456", "0x10000000000000000",
	} {
		_, ok := plain(s)
		assert.False(t, ok, s)
	}
}

func TestTagsForceAKind(t *testing.T) {
	for _, tt := range []struct {
		tag, text string
		want      string
		ok        bool
	}{
		{"!!int", "3", "3", true}, {"!!int", "0x10", "16", true}, {"!!int", "1.5", "", false}, {"!!int", "", "", false},
		{"!!float", "3", "3.0", true}, {"!!float", "0x10", "", false}, {"!!bool", "TRUE", "true", true}, {"!!bool", "yes", "", false},
		{"!!null", "~", "", true}, {"!!null", "", "", false}, {"!!str", "3", "3", true}, {"!!timestamp", "2001-01-01", "2001-01-01", true},
	} {
		got, ok := tagged(tt.tag, tt.text)
		require.Equal(t, tt.ok, ok, "%s %s", tt.tag, tt.text)
		if ok {
			assert.Equal(t, tt.want, got.str, "%s %s", tt.tag, tt.text)
		}
	}
}
