// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBuilderWritesEveryValue(t *testing.T) {
	var b Builder
	b.BeginObject()
	b.Key("list")
	b.BeginArray()
	b.Null()
	b.Bool(true)
	b.Bool(false)
	b.Int(math.MinInt64)
	b.Int(9007199254740993)
	b.Float(1.5)
	b.Float(1e21)
	b.BeginArray()
	b.EndArray()
	b.BeginObject()
	b.EndObject()
	b.EndArray()
	b.Key("a\"b\n")
	b.Str("c\\d\u2028")
	b.EndObject()
	text, err := b.Text()
	require.NoError(t, err)
	assert.Equal(t, `{"list":[null,true,false,-9223372036854775808,9007199254740993,1.5,1e+21,[],{}],"a\"b\n":"c\\d`+"\u2028"+`"}`, text)
	parsed(t, text)
}

func TestBuilderStops(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lim   Limits
		write func(*Builder)
		want  Fault
	}{
		{"at NaN", Limits{}, func(b *Builder) { b.Float(math.NaN()) }, FaultNumberRange},
		{"at infinity", Limits{}, func(b *Builder) { b.Float(math.Inf(-1)) }, FaultNumberRange},
		{"at a string that is not UTF-8", Limits{}, func(b *Builder) { b.Str("\xff") }, FaultUTF8},
		{"at a name that is not UTF-8", Limits{}, func(b *Builder) { b.BeginObject(); b.Key("\xc0\x80"); b.Null() }, FaultUTF8},
		{"at a string longer than the limit", Limits{Bytes: 8}, func(b *Builder) { b.Str(strings.Repeat("x", 1<<20)) }, FaultSize},
		{"at many short values", Limits{Bytes: 8}, func(b *Builder) {
			b.BeginArray()
			for range 9 {
				b.Null()
			}
		}, FaultSize},
		{"at a string whose escapes are long", Limits{Bytes: 8}, func(b *Builder) { b.Str("\x01\x02") }, FaultSize},
		{"at many members", Limits{Members: 1}, func(b *Builder) { b.BeginObject(); b.Key("a"); b.Null(); b.Key("b"); b.Null() }, FaultMembers},
		{"at the depth that Parse refuses", Limits{}, func(b *Builder) {
			for range maxDepth + 1 {
				b.BeginArray()
			}
		}, FaultDepth},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b Builder
			b.Reset(tt.lim)
			tt.write(&b)
			require.True(t, b.Stopped())
			size := len(b.buf)
			writeOneOfEach(&b)
			assert.Len(t, b.buf, size, "nothing is written after a fault")
			text, err := b.Text()
			var fault *TextError
			require.ErrorAs(t, err, &fault)
			assert.Equal(t, tt.want, fault.Fault, "the first fault is told")
			assert.Empty(t, text)
			b.Reset(Limits{})
			b.Null()
			text, err = b.Text()
			require.NoError(t, err)
			assert.Equal(t, "null", text)
		})
	}
}

func writeOneOfEach(b *Builder) {
	b.BeginObject()
	b.Key("k")
	b.Null()
	b.EndObject()
	b.BeginArray()
	b.Bool(true)
	b.Int(1)
	b.Float(math.NaN())
	b.Str("\xff")
	b.EndArray()
}

func TestBuilderReachesTheDepthOfParse(t *testing.T) {
	var b Builder
	for range maxDepth {
		b.BeginArray()
	}
	for range maxDepth {
		b.EndArray()
	}
	text, err := b.Text()
	require.NoError(t, err)
	assert.Equal(t, nested(maxDepth), text)
}

// TestMisusedBuilder leaves it to Parse to refuse what is not JSON.
func TestMisusedBuilder(t *testing.T) {
	for name, write := range map[string]func(*Builder){
		"nothing":                func(*Builder) {},
		"an end too many":        func(b *Builder) { b.Null(); b.EndArray() },
		"an end too few":         func(b *Builder) { b.BeginArray(); b.Null() },
		"the wrong end":          func(b *Builder) { b.BeginArray(); b.EndObject() },
		"a member with no value": func(b *Builder) { b.BeginObject(); b.Key("a"); b.EndObject() },
		"a member with no name":  func(b *Builder) { b.BeginObject(); b.Null(); b.EndObject() },
		"two values":             func(b *Builder) { b.Null(); b.Null() },
		"a name twice": func(b *Builder) {
			b.BeginObject()
			b.Key("a")
			b.Null()
			b.Key("a")
			b.Null()
			b.EndObject()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b Builder
			write(&b)
			text, err := b.Text()
			require.NoError(t, err)
			faultOf(t, text, Limits{})
		})
	}
}
