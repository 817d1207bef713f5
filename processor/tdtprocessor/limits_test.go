// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const openPolicy = `
tools: {allow: ["*"]}
schemas: {read_file: {type: object}}
`

// cost returns what consuming td allocated. What it takes is for the benchmarks.
func cost(t *testing.T, r *rig, td ptrace.Traces) (out ptrace.Traces, allocated uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out = r.consume(t, td)
	runtime.ReadMemStats(&after)
	return out, after.TotalAlloc - before.TotalAlloc
}

func TestArgumentsBeyondEveryBound(t *testing.T) {
	const bigCap = "recognize: {max_argument_bytes: 67108864}"
	nested := func(depth int) string {
		return `{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + "}"
	}
	members := func(n int) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"k%05d":%d`, n-i, i)
		}
		return b.String() + "}"
	}
	for _, tt := range []struct {
		name, config, args, verdict, reason string
	}{
		{"a hundred megabytes", "", `{"path":"` + strings.Repeat("x", 100<<20) + `"}`, "incomplete", "args.too_large"},
		{"one byte more than the cap", "", `{"path":"` + strings.Repeat("x", 256<<10-10) + `"}`, "incomplete", "args.too_large"},
		{"as many bytes as the cap", "", `{"path":"` + strings.Repeat("x", 256<<10-11) + `"}`, "match", ""},
		{"as deep as can be", "", nested(127), "match", ""},
		{"one level too deep", "", nested(128), "incomplete", "args.too_deep"},
		{"ten thousand levels", "", nested(10_000), "incomplete", "args.too_deep"},
		{"two million levels", bigCap, nested(2_000_000), "incomplete", "args.too_deep"},
		{"two million brackets that never close", bigCap, strings.Repeat("[", 2_000_000), "incomplete", "args.too_deep"},
		{"as many members as the cap", "", members(4096), "match", ""},
		{"one member too many", "", members(4097), "incomplete", "args.too_many_members"},
		{"forty thousand members", bigCap, members(40_000), "incomplete", "args.too_many_members"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, withPolicy(t, openPolicy, tt.config))
			r.consume(t, callOf("read_file", "{}")) // what is made once is not the span's
			out, allocated := cost(t, r, callOf("read_file", tt.args))
			span := firstSpan(out)
			assert.Equal(t, tt.verdict, verdictOf(span))
			assert.Equal(t, tt.reason, attr(span, attrReason))
			assert.Equal(t, tt.args, attr(span, "gen_ai.tool.call.arguments"), "the value is untouched")
			if tt.verdict == "incomplete" {
				assert.Less(t, allocated, uint64(1<<20), "nothing of it is copied or parsed")
				assert.EqualValues(t, 1, r.sum(t, "arguments_unusable"))
			}
		})
	}
}

func TestTypedArgumentsBeyondEveryBound(t *testing.T) {
	nested := func(depth int) func(pcommon.Value) {
		return func(v pcommon.Value) {
			m := v.SetEmptyMap()
			for range depth - 1 {
				m = m.PutEmptyMap("a")
			}
		}
	}
	for _, tt := range []struct {
		name, verdict, reason string
		fill                  func(pcommon.Value)
	}{
		{"a small map", "match", "", nested(3)},
		{"ten thousand levels", "incomplete", "args.too_deep", nested(10_000)},
		{"five thousand members", "incomplete", "args.too_many_members", func(v pcommon.Value) {
			m := v.SetEmptyMap()
			m.EnsureCapacity(5000)
			for i := range 5000 {
				m.PutInt(fmt.Sprint(i), 1)
			}
		}},
		{"ten megabytes in a leaf", "incomplete", "args.too_large", func(v pcommon.Value) {
			v.SetEmptyMap().PutStr("path", strings.Repeat("x", 10<<20))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, withPolicy(t, openPolicy, ""))
			td := batchOf(func(span ptrace.Span) {
				toolCall(span, 1, "read_file", "")
				tt.fill(span.Attributes().PutEmpty("gen_ai.tool.call.arguments"))
			})
			out, allocated := cost(t, r, td)
			assert.Equal(t, tt.verdict, verdictOf(firstSpan(out)))
			assert.Equal(t, tt.reason, attr(firstSpan(out), attrReason))
			assert.Less(t, allocated, uint64(4<<20))
		})
	}
}

func TestHostilePatternsEnd(t *testing.T) {
	const hostile = `
tools: {allow: ["a*a*a*a*a*a*a*a*a*a*b", read_file]}
schemas: {read_file: {type: object, properties: {path: {type: string, pattern: "^(a+)+$"}}}}
`
	r := newRig(t, withPolicy(t, hostile, "recognize: {max_argument_bytes: 4194304}"))
	out, _ := cost(t, r, callOf("read_file", `{"path":"`+strings.Repeat("a", 1<<20)+`!"}`))
	assert.Equal(t, "mismatch", verdictOf(firstSpan(out)))
	out, _ = cost(t, r, callOf(strings.Repeat("a", 1<<20), "{}"))
	assert.Equal(t, "mismatch", verdictOf(firstSpan(out)))
}

// TestTextThatIsNoJSON holds that what cannot be read is named and never judged
// as if it had been read.
func TestTextThatIsNoJSON(t *testing.T) {
	texts := map[string][]string{
		"args.not_json": {
			`}`, `{"path":"a"}}`, `{"path":"a"} x`, `{"path":"a"}{"path":"b"}`,
			`{"path":NaN}`, `{"path":Infinity}`, `{"path":-Infinity}`, `{"path":01}`, `{"path":+1}`, `{"path":1.}`, `{"path":.5}`, `{"path":1e}`,
			`{'path':'a'}`, `{path:"a"}`, `{"path":"a",}`, `{,}`, `{"path":undefined}`, `{"path":"\x41"}`, `{"path":"\u12"}`, "{\"path\":\"a\nb\"}",
			"{\"path\":\"a\x00b\"}", "\ufeff{\"path\":\"a\"}", `{"path":"a"/**/}`, `{"path":tru}`, `nil`, `{"path":True}`, `{"path":None}`,
			`{"path" "a"}`, `{"path":"a" "b":1}`, `{"path":[1 2]}`, `{"path":0x10}`, `{"path":--1}`, `{"a":1;"b":2}`, "{\"path\":\"a\"}\x00",
		},
		"args.truncated":           {`{`, `{"path"`, `{"path":`, `{"path":"a`, `{"path":"a"`, `{"path":"\`},
		"args.invalid_utf8":        {"{\"path\":\"\xc3\"}", "{\"path\":\"\xff\xfe\"}", "{\"\xe2\x82\":1}", "{\"path\":\"\xed\xa0\x80\"}", "{\"path\":\"\xc0\xaf\"}"},
		"args.lone_surrogate":      {`{"path":"\ud800"}`, `{"path":"\udc00"}`, `{"\ud800x":1}`, `{"path":"\ud800\ud800"}`},
		"args.duplicate_key":       {`{"path":"a","path":"a"}`, `{"path":"a","p\u0061th":"b"}`, `{"a":{"b":1,"b":2}}`},
		"args.number_out_of_range": {`{"path":1e999}`, `{"path":-1e400}`, `{"path":[1e309]}`},
	}
	r := newRig(t, withPolicy(t, openPolicy, ""))
	id := 0
	for reason, list := range texts {
		for _, text := range list {
			id++
			span := firstSpan(r.consume(t, batchOf(func(span ptrace.Span) { toolCall(span, id, "read_file", text) })))
			assert.Equal(t, "incomplete", verdictOf(span), "%q", text)
			assert.Equal(t, []string{reason}, reasonsOf(span), "%q", text)
		}
	}
	require.Greater(t, id, 50)
}
