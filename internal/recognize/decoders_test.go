// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestPythonText(t *testing.T) {
	tests := []struct {
		name string
		text string
		want string
		why  truth.Reason
	}{
		{"a flat dict", `{'path': '/srv/a', 'limit': 3}`, `{"path":"/srv/a","limit":3}`, ""},
		{"an empty dict", `{}`, `{}`, ""},
		{"nested dicts and lists", `{'a': {'b': [1, [], {}]}}`, `{"a":{"b":[1,[],{}]}}`, ""},
		{"words", `{'t': True, 'f': False, 'n': None}`, `{"t":true,"f":false,"n":null}`, ""},
		{"floats", `{'a': 1.5, 'b': -0.0, 'c': 1e-05, 'd': 1e+16}`, `{"a":1.5,"b":-0.0,"c":1e-05,"d":1e+16}`, ""},
		{"an integer of many digits", `{'a': 12345678901234567890}`, `{"a":12345678901234567890}`, ""},
		{"double quotes around an apostrophe", `{'a': "it's"}`, `{"a":"it's"}`, ""},
		{"both quotes", `{'a': 'it\'s "so"'}`, `{"a":"it's \"so\""}`, ""},
		{"escapes", `{'a': '\n\r\t\\\x00\xe9\u2028\U0001f600'}`, `{"a":"\n\r\t\\\u0000é\u2028😀"}`, ""},
		{"letters as they are", `{'ключ': 'значение'}`, `{"ключ":"значение"}`, ""},
		{"white space around", "  {'a': 1}\n", `{"a":1}`, ""},

		{"a tuple", `{'a': (1, 2)}`, "", truth.ArgsNotExact},
		{"a set", `{1, 2}`, "", truth.ArgsNotExact},
		{"bytes", `{'a': b'x'}`, "", truth.ArgsNotExact},
		{"an object", `{'a': <Order A17>}`, "", truth.ArgsNotExact},
		{"a call", `{'a': datetime.date(2026, 1, 1)}`, "", truth.ArgsNotExact},
		{"nan", `{'a': nan}`, "", truth.ArgsNotExact},
		{"a number as name", `{1: 'a'}`, "", truth.ArgsNotExact},
		{"something behind it", `{'a': 1} x`, "", truth.ArgsNotExact},
		{"a trailing comma, which repr never writes", `{'a': 1,}`, "", truth.ArgsNotExact},
		{"spacing that repr never writes", `{'a':1}`, "", truth.ArgsNotExact},
		{"an escape that repr never writes", `{'a': '\a'}`, "", truth.ArgsNotExact},
		{"half a surrogate pair", `{'a': '\ud800'}`, "", truth.ArgsLoneSurrogate},
		{"bytes that are not UTF-8", "{'a': '\xff'}", "", truth.ArgsInvalidUTF8},
		{"a raw line break", "{'a': '\n'}", "", truth.ArgsNotExact},
		{"cut in a string", `{'a': 'xy`, "", truth.ArgsTruncated},
		{"cut in an escape", `{'a': '\u20`, "", truth.ArgsTruncated},
		{"cut behind a comma", `{'a': 1, `, "", truth.ArgsTruncated},
		{"bare text", `A17`, "", truth.ArgsNotJSON},
		{"too deep", `{'a': ` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "", truth.ArgsTooDeep},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, why := pythonToJSON(tt.text)
			assert.Equal(t, tt.why, why)
			if tt.why == "" {
				assert.Equal(t, canonical(tt.want), canonical(got))
			} else {
				assert.Empty(t, got)
			}
		})
	}
}

func TestArgumentsAsText(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	many := "{" + strings.TrimSuffix(strings.Repeat(`"k":1,`, 3), ",") + "}"
	tests := []struct {
		name string
		text string
		want string
		why  truth.Reason
	}{
		{"an object", `{"a":1}`, `{"a":1}`, ""},
		{"written twice", `"{\"a\":1}"`, `{"a":1}`, ""},
		{"written three times", `"\"{\\\"a\\\":1}\""`, `{"a":1}`, ""},
		{"written four times", mustQuote(mustQuote(mustQuote(`{"a":1}`))), "", truth.ArgsWrongType},
		{"null, which a model may write", `null`, `null`, ""},
		{"a list", `[1,2,3]`, `[1,2,3]`, ""},
		{"a list written twice", `"[1,2,3]"`, `[1,2,3]`, ""},
		{"a number", `3`, `3`, ""},
		{"a truth value", `true`, `true`, ""},
		{"a string", `"A17"`, `"A17"`, ""},
		{"a string written twice stays as it is", `"\"A17\""`, `"\"A17\""`, ""},
		{"a string that is a cut object", `"{\"a\":"`, "", truth.ArgsTruncated},
		{"a number keeps its digits", `{"a":12345678901234567890}`, `{"a":12345678901234567890}`, ""},

		{"nothing", ``, "", truth.ArgsAbsent},
		{"white space", "  \n", "", truth.ArgsAbsent},
		{"an empty string", `""`, "", truth.ArgsAbsent},
		{"OpenInference hides it", `__REDACTED__`, "", truth.ArgsRedacted},
		{"Claude Code hides it", `<REDACTED>`, "", truth.ArgsRedacted},
		{"langchain-azure hides it", `[redacted]`, "", truth.ArgsRedacted},
		{"Azure inference hides it in quotes", `"[redacted]"`, "", truth.ArgsRedacted},
		{"ADK cannot write it", `<not serializable>`, "", truth.ArgsPlaceholder},
		{"Strands cannot write it", `<replaced>`, "", truth.ArgsPlaceholder},
		{"Agent Framework has none", `None`, "", truth.ArgsPlaceholder},
		{"Semantic Kernel cannot write it", `Failed to serialize arguments to Json`, "", truth.ArgsPlaceholder},
		{"merged ADK spans", `N/A`, "", truth.ArgsPlaceholder},
		{"Pydantic AI keeps broken text", `{"INVALID_JSON":"{\"a\":"}`, "", truth.ArgsNotJSON},
		{"cut by an attribute limit", `{"a":"some te`, "", truth.ArgsTruncated},
		{"cut by Gemini CLI", `{"a":"some te...[TRUNCATED: original length 12000]`, "", truth.ArgsTruncated},
		{"cut by Copilot", `{"a":"some te...[truncated, original 70000 chars]`, "", truth.ArgsTruncated},
		{"cut with dots", `{"a":"some te...`, "", truth.ArgsTruncated},
		{"a value inside was hidden", `{"a":1,"token":"[REDACTED]"}`, "", truth.ArgsRedacted},
		{"a value inside was scrubbed", `{"a":"[Scrubbed due to 'api_key']"}`, "", truth.ArgsRedacted},
		{"a value inside could not be written", `{"a":"<replaced>"}`, "", truth.ArgsPlaceholder},
		{"a text that only mentions a mark", `{"a":"what does [REDACTED] mean"}`, `{"a":"what does [REDACTED] mean"}`, ""},
		{"two members of one name", many, "", truth.ArgsDuplicateKey},
		{"half a surrogate pair", `{"a":"\ud800"}`, "", truth.ArgsLoneSurrogate},
		{"bytes that are not UTF-8", "{\"a\":\"\xff\"}", "", truth.ArgsInvalidUTF8},
		{"a number no double holds", `{"a":1e999}`, "", truth.ArgsNumberOutOfRange},
		{"too deep", deep, "", truth.ArgsTooDeep},
		{"too large", `{"a":"` + strings.Repeat("x", DefaultMaxArgBytes) + `"}`, "", truth.ArgsTooLarge},
		{"not JSON", `{a:1}`, "", truth.ArgsNotJSON},
		{"something behind it", `{"a":1} {"b":2}`, "", truth.ArgsNotJSON},
		{"a Python dict where JSON is written", `{'a': 1}`, "", truth.ArgsNotJSON},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := inspect(t, sample{name: "execute_tool x", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "x", "gen_ai.tool.call.arguments", tt.text}})
			require.NotNil(t, o)
			assert.Equal(t, tt.why, o.Args.Why)
			if tt.why == "" {
				assert.Equal(t, tt.want, o.Args.Text)
			} else {
				assert.Nil(t, o.Args.Doc)
				assert.Empty(t, o.Args.Text)
			}
		})
	}
}

func mustQuote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestTooManyMembers(t *testing.T) {
	var b strings.Builder
	for i := range DefaultMaxArgMembers + 1 {
		b.WriteString(",\"k" + strings.Repeat("0", i%7) + string(rune('a'+i%26)) + mustQuote("")[1:1] + jsonInt(i) + "\":1")
	}
	o := inspect(t, sample{name: "x", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.call.arguments", "{" + b.String()[1:] + "}"}})
	assert.Equal(t, truth.ArgsTooManyMembers, o.Args.Why)
}

func jsonInt(i int) string {
	text, _ := json.Marshal(i)
	return string(text)
}

func TestTypedArguments(t *testing.T) {
	nested := func(depth int) func(pcommon.Value) {
		return func(v pcommon.Value) {
			for range depth {
				v = v.SetEmptyMap().PutEmpty("a")
			}
			v.SetInt(1)
		}
	}
	tests := []struct {
		name string
		set  func(pcommon.Value)
		want string
		why  truth.Reason
	}{
		{"a map", func(v pcommon.Value) {
			m := v.SetEmptyMap()
			m.PutStr("s", "x")
			m.PutInt("i", 9007199254740993)
			m.PutDouble("d", 1.5)
			m.PutBool("b", true)
			m.PutEmptySlice("l").AppendEmpty().SetInt(1)
		}, `{"s":"x","i":9007199254740993,"d":1.5,"b":true,"l":[1]}`, ""},
		{"an empty map", func(v pcommon.Value) { v.SetEmptyMap() }, `{}`, ""},
		{"a list", func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetInt(1) }, `[1]`, ""},
		{"a number", func(v pcommon.Value) { v.SetInt(1) }, "", truth.ArgsWrongType},
		{"a truth value", func(v pcommon.Value) { v.SetBool(true) }, "", truth.ArgsWrongType},
		{"bytes", func(v pcommon.Value) { v.SetEmptyBytes().FromRaw([]byte(`{"a":1}`)) }, "", truth.ArgsWrongType},
		{"nothing", func(pcommon.Value) {}, "", truth.ArgsAbsent},
		{"bytes inside", func(v pcommon.Value) { v.SetEmptyMap().PutEmptyBytes("a") }, "", truth.ArgsWrongType},
		{"an empty value inside", func(v pcommon.Value) { v.SetEmptyMap().PutEmpty("a") }, `{"a":null}`, ""},
		{"an empty value in a list inside", func(v pcommon.Value) { v.SetEmptyMap().PutEmptySlice("a").AppendEmpty() }, `{"a":[null]}`, ""},
		{"infinity", func(v pcommon.Value) { v.SetEmptyMap().PutDouble("a", inf()) }, "", truth.ArgsNumberOutOfRange},
		{"nan", func(v pcommon.Value) { v.SetEmptyMap().PutDouble("a", inf()-inf()) }, "", truth.ArgsNumberOutOfRange},
		{"bytes that are not UTF-8", func(v pcommon.Value) { v.SetEmptyMap().PutStr("a", "\xff") }, "", truth.ArgsInvalidUTF8},
		{"deep", nested(100), strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), ""},
		{"too deep", nested(128), "", truth.ArgsTooDeep},
		{"far too deep", nested(5000), "", truth.ArgsTooDeep},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := sample{name: "x", attrs: kv{"gen_ai.operation.name", "execute_tool"}}.placed(t)
			tt.set(p.span.Attributes().PutEmpty("gen_ai.tool.call.arguments"))
			o, _ := newRecognizer(t, Options{}).Inspect(p.rs, p.ss, p.span)
			require.NotNil(t, o)
			assert.Equal(t, tt.why, o.Args.Why)
			if tt.why == "" {
				assert.Equal(t, tt.want, o.Args.Text)
			}
		})
	}
}

func inf() float64 { return math.Inf(1) }

// TestOneValueInTwoForms: typed and textual arguments that are the same value
// have the same canonical form.
func TestOneValueInTwoForms(t *testing.T) {
	typed := inspect(t, sample{name: "x", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.call.arguments", map[string]any{"a": []any{1, 2.5, "x", true}}}})
	text := inspect(t, sample{name: "x", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.call.arguments", `{ "a" : [1.0, 25e-1, "\u0078", true] }`}})
	require.True(t, typed.Args.Captured() && text.Args.Captured())
	assert.Equal(t, typed.Args.Doc.Root().AppendJCS(nil), text.Args.Doc.Root().AppendJCS(nil))
}

func TestFlattenedArguments(t *testing.T) {
	const prefix = "gen_ai.tool.call.arguments."
	tests := []struct {
		name  string
		attrs kv
		want  string
		why   truth.Reason
	}{
		{"members and elements", kv{"path", "/srv", "tags.0", "a", "tags.1", "b", "o.deep", true, "o.n", 3}, `{"path":"/srv","tags":["a","b"],"o":{"deep":true,"n":3}}`, ""},
		{"more than ten elements", kv{"t.0", 0, "t.1", 1, "t.2", 2, "t.3", 3, "t.4", 4, "t.5", 5, "t.6", 6, "t.7", 7, "t.8", 8, "t.9", 9, "t.10", 10}, `{"t":[0,1,2,3,4,5,6,7,8,9,10]}`, ""},
		{"a gap in a list", kv{"t.0", "a", "t.2", "b"}, "", truth.ArgsAmbiguous},
		{"a list that does not begin at 0", kv{"t.1", "a"}, "", truth.ArgsAmbiguous},
		{"numbers and names", kv{"t.0", "a", "t.x", "b"}, "", truth.ArgsAmbiguous},
		{"a value that is also a container", kv{"t", "a", "t.x", "b"}, "", truth.ArgsAmbiguous},
		{"an empty step", kv{"t..x", "b"}, "", truth.ArgsAmbiguous},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sample{name: "x", attrs: kv{"gen_ai.operation.name", "execute_tool"}}
			for i := 0; i < len(tt.attrs); i += 2 {
				s.attrs = append(s.attrs, prefix+tt.attrs[i].(string), tt.attrs[i+1])
			}
			o := inspect(t, s)
			assert.Equal(t, tt.why, o.Args.Why)
			if tt.why == "" {
				assert.JSONEq(t, tt.want, o.Args.Text)
			}
		})
	}
}

func TestTypedParameters(t *testing.T) {
	const prefix = "code.function.parameters."
	tests := []struct {
		name  string
		attrs kv
		want  string
		why   truth.Reason
	}{
		{"values", kv{"order.type", "str", "order.value", "A17", "n.type", "int", "n.value", 3}, `{"n":3,"order":"A17"}`, ""},
		{"types without values", kv{"order.type", "str", "amount.type", "int"}, "", truth.ArgsAbsent},
		{"one value of two", kv{"order.type", "str", "order.value", "A17", "amount.type", "int"}, "", truth.ArgsNotExact},
		{"None, which no attribute holds", kv{"order.type", "str", "order.value", "A17", "note.type", "NoneType"}, `{"note":null,"order":"A17"}`, ""},
		{"nothing but None", kv{"note.type", "NoneType"}, "", truth.ArgsAbsent},
		{"containers as text", kv{"o.type", "dict", "o.value", `{"a":[1]}`}, `{"o":{"a":[1]}}`, ""},
		{"a value of an unknown type", kv{"o.type", "Order", "o.value", "Order(1)"}, "", truth.ArgsNotExact},
		{"another leaf", kv{"o.kind", "x"}, "", truth.ArgsAmbiguous},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sample{name: "execute_tool refund", scope: "opentelemetry.instrumentation.google_genai", attrs: kv{"gen_ai.operation.name", "execute_tool"}}
			for i := 0; i < len(tt.attrs); i += 2 {
				s.attrs = append(s.attrs, prefix+tt.attrs[i].(string), tt.attrs[i+1])
			}
			o := inspect(t, s)
			assert.Equal(t, tt.why, o.Args.Why)
			if tt.why == "" {
				assert.JSONEq(t, tt.want, o.Args.Text)
			}
		})
	}
}

func TestSpanThatCoversSeveralCalls(t *testing.T) {
	var haystack sample
	for _, s := range samples {
		if s.dialect == "haystack" {
			haystack = s
		}
	}
	o := inspect(t, haystack)
	require.Len(t, o.Others, 1)
	assert.Equal(t, "ping", o.Others[0].Tool)
	assert.Equal(t, "call_8", o.Others[0].CallID)
	assert.Equal(t, "{}", o.Others[0].Args.Text)
	assert.Equal(t, o.Dialect, o.Others[0].Dialect)
}

func TestStrandsEventsThatDiffer(t *testing.T) {
	event := func(text string) sampleEvent { return sampleEvent{"gen_ai.tool.message", kv{"content", text}} }
	s := sample{name: "x", attrs: kv{"gen_ai.operation.name", "execute_tool", "gen_ai.system", "strands-agents"}, events: []sampleEvent{event(order), event(`{"order":"B2"}`)}}
	assert.Equal(t, truth.ArgsAmbiguous, inspect(t, s).Args.Why)
	s.events[1] = event(`{ "order":"A17"}`)
	assert.True(t, inspect(t, s).Args.Captured())
}

// TestRawJSON: what is cut out of a text is what the reader finds there.
func TestRawJSON(t *testing.T) {
	const text = ` { "a" : [ 1 , "x]," , { "b" : "}" } ] , "c\"d" : -1.5e3 , "e" : { } , "f":true } `
	var doc canon.Doc
	require.NoError(t, doc.Parse(text, canon.Limits{}))
	for _, name := range []string{"a", "e", "f"} {
		node, _ := doc.Root().Get(name)
		assert.Equal(t, string(node.AppendJCS(nil)), canonical(member(text, name)), name)
	}
	assert.Empty(t, member(text, "g"))
	assert.JSONEq(t, `{"b":"}"}`, element(member(text, "a"), 2))
	assert.Equal(t, `"x],"`, element(member(text, "a"), 1))
	assert.Empty(t, element(member(text, "a"), 3))
}

func TestNoStandInIsTooLongToBeLookedUp(t *testing.T) {
	for text := range standIns {
		assert.LessOrEqual(t, len(text), maxStandIn, text)
	}
}
