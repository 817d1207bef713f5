// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestCompactText(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"null", " null ", "null"},
		{"booleans", "[true , false]", "[true,false]"},
		{"members stay in written order", `{ "b" : 1 , "a" : { } , "c" : [ ] }`, `{"b":1,"a":{},"c":[]}`},
		{"integers of 64 bits are exact", "[0,-1,9007199254740993,18446744073709551615,-9223372036854775808]", "[0,-1,9007199254740993,18446744073709551615,-9223372036854775808]"},
		{"larger ones are doubles", "[18446744073709551616,-9223372036854775809]", "[1.8446744073709552e+19,-9.223372036854776e+18]"},
		{"minus zero is a double", "[-0,-0.0,0.0,0e5]", "[-0.0,-0.0,0.0,0.0]"},
		{"a double has a decimal", "[1.0,1e3,100e-2,0.10]", "[1.0,1000.0,1.0,0.1]"},
		{"fixed from 1e-5 on", "[0.00001,0.0000099,0.000001,1.5e-6,1e-7]", "[0.00001,9.9e-6,1e-6,1.5e-6,1e-7]"},
		{"fixed below 1e16", "[9999999999999998.0,1e15,1e16,15000000000000000.0,1e20,1e21,1.5e300]", "[9999999999999998.0,1000000000000000.0,1e+16,1.5e+16,1e+20,1e+21,1.5e+300]"},
		{"the smallest and the largest", "[5e-324,1.7976931348623157e308]", "[5e-324,1.7976931348623157e+308]"},
		{"strings are escaped as little as can be", `["\u0041\n\u0001\u007f\u2028<\/\"\\é"]`, "[\"A\\n\\u0001\u007f\u2028</\\\"\\\\é\"]"},
		{"names too", `{"\u0061\t":1}`, `{"a\t":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := new(canon.Doc)
			require.NoError(t, doc.Parse(tt.text, canon.Limits{}))
			assert.Equal(t, tt.want, string(appendCompact(nil, doc.Root())))
		})
	}
}

func TestNoValueIsNoText(t *testing.T) {
	assert.Empty(t, appendCompact(nil, canon.Node{}))
}

func FuzzCompactText(f *testing.F) {
	f.Add(`{"a":[1,-0,1e99,"x\u0000",{"b":null}],"c":0.000001}`)
	f.Add(`[123456789012345678901234567890, 1.0, 1e-320]`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, back := new(canon.Doc), new(canon.Doc)
		if doc.Parse(text, canon.Limits{}) != nil {
			return
		}
		compact := string(appendCompact(nil, doc.Root()))
		require.True(t, json.Valid([]byte(compact)))
		require.NoError(t, back.Parse(compact, canon.Limits{}))
		require.Equal(t, string(doc.Root().AppendJCS(nil)), string(back.Root().AppendJCS(nil)), "the value is the same")
		require.Equal(t, compact, string(appendCompact(nil, back.Root())))
	})
}

func FuzzDouble(f *testing.F) {
	for _, v := range []float64{0, 1, 1e16, 1e-5, 9.99e-6, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		f.Add(math.Float64bits(v))
	}
	f.Fuzz(func(t *testing.T, bits uint64) {
		v := math.Float64frombits(bits)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		text := string(appendDouble([]byte("x"), v))
		require.Regexp(t, `^x-?(0|[1-9][0-9]*)(\.[0-9]+|(\.[0-9]+)?e[+-][1-9][0-9]*)$`, text)
		back, err := strconv.ParseFloat(text[1:], 64)
		require.NoError(t, err)
		require.Equal(t, bits, math.Float64bits(back))
	})
}
