// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// FuzzMixedDialects puts attributes of several dialects on one span. Whatever
// they hold, nothing panics, what is captured is one strict JSON value within
// the caps, an object unless a model wrote another, and no reason tells what
// stood there.
func FuzzMixedDialects(f *testing.F) {
	f.Add([]byte{0, 9, 17, 33, 60}, `{"order":"A17"}`, "refund", "execute_tool refund")
	f.Add([]byte{3, 3, 80, 81, 82}, `{'order': None}`, "mcp__shop__refund", "refund.tool")
	f.Add([]byte{255, 254, 1}, `{"args":[],"kwargs":{"a":1}}`, "", "tools/call x")
	f.Add([]byte{40, 41, 42, 43}, `"{\"a\":`, "(merged tools)", "execute_tool (merged)")
	r := newRecognizer(f, Options{})
	f.Fuzz(func(t *testing.T, picks []byte, args, tool, name string) {
		if len(picks) > 24 {
			picks = picks[:24]
		}
		merged := sample{name: name}
		for i, pick := range picks {
			s := samples[int(pick)%len(samples)]
			if i == 0 {
				merged.scope, merged.kind, merged.events = s.scope, s.kind, s.events
			}
			for j := 0; j < len(s.attrs); j += 2 {
				value := s.attrs[j+1]
				switch value {
				case order:
					value = args
				case "refund":
					value = tool
				}
				merged.attrs = append(merged.attrs, s.attrs[j], value)
			}
		}
		p := merged.placed(t)
		o, _ := r.Inspect(p.rs, p.ss, p.span)
		again, _ := r.Inspect(p.rs, p.ss, p.span)
		require.Equal(t, o == nil, again == nil)
		e := r.Explain(p.rs, p.ss, p.span)
		if o == nil {
			return
		}
		assert.NotEmpty(t, e.Because)
		for _, c := range append([]Observation{*o}, o.Others...) {
			checkArgs(t, c.Args)
		}
		Fold([]Span{SpanOf(p.span, o)})
	})
}

func checkArgs(t *testing.T, a Args) {
	t.Helper()
	if !a.Captured() {
		assert.Empty(t, a.Text)
		assert.True(t, strings.HasPrefix(string(a.Why), "args."), "reason %q", a.Why)
		return
	}
	assert.Empty(t, a.Why)
	var doc canon.Doc
	require.NoError(t, doc.Parse(a.Text, canon.Limits{Bytes: DefaultMaxArgBytes, Members: DefaultMaxArgMembers}))
	assert.Equal(t, doc.Root().AppendJCS(nil), a.Doc.Root().AppendJCS(nil))
	assert.True(t, a.Doc.Root().Kind() == canon.KindObject || writtenAsJSON(a.From), "no object from %s", a.From)
}

// writtenAsJSON reports whether some dialect reads any JSON value from the
// place: only there are arguments that are no object. Messages carry them, too.
func writtenAsJSON(from string) bool {
	for _, d := range Dialects() {
		for _, s := range d.Args {
			if s.From() == from && (s.As == EncJSON || s.As == EncParts) {
				return true
			}
		}
	}
	return slices.Contains(messageKeys, from)
}

// FuzzPythonText: what is read of a Python dict is JSON, and JSON written as
// Python is read back.
func FuzzPythonText(f *testing.F) {
	for _, seed := range []string{`{'a': 1}`, `{'a': "it's", 'b': [True, None]}`, `{'\x00': '\U0001f600'}`, `{'a': (1,)}`, `{`, `{'a': -`, `{'a': 1e5, 'b': {}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, why := pythonToJSON(text)
		if why != "" {
			assert.Empty(t, got)
			return
		}
		assert.True(t, json.Valid([]byte(got)))
		assert.True(t, strings.HasPrefix(strings.TrimSpace(text), "{"))
	})
}

// FuzzJSONAsPython writes JSON as Python does, and reads it back.
func FuzzJSONAsPython(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"a":"it's \"so\" \\ \n","b":[true,null,1.5,{}]}`, `{"é":"\u0000\u2028😀"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var doc canon.Doc
		if doc.Parse(text, canon.Limits{}) != nil || doc.Root().Kind() != canon.KindObject {
			return
		}
		got, why := pythonToJSON(repr(doc.Root()))
		require.Empty(t, why, "%s", repr(doc.Root()))
		assert.Equal(t, canonical(text), canonical(got))
	})
}

// repr is Python's repr of a value that came from JSON.
func repr(n canon.Node) string {
	var b strings.Builder
	switch n.Kind() {
	case canon.KindObject:
		b.WriteByte('{')
		for key, value := range n.All() {
			if b.Len() > 1 {
				b.WriteString(", ")
			}
			b.WriteString(reprString(key) + ": " + repr(value))
		}
		b.WriteByte('}')
	case canon.KindArray:
		b.WriteByte('[')
		for _, value := range n.All() {
			if b.Len() > 1 {
				b.WriteString(", ")
			}
			b.WriteString(repr(value))
		}
		b.WriteByte(']')
	case canon.KindString:
		return reprString(n.Str())
	case canon.KindBool:
		if n.Bool() {
			return "True"
		}
		return "False"
	case canon.KindNumber:
		return string(canon.AppendNumber(nil, n.Float()))
	default:
		return "None"
	}
	return b.String()
}

func reprString(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b := []byte{quote}
	for _, r := range s {
		switch {
		case r == '\\' || r == rune(quote):
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < 0x20 || r == 0x7f:
			const digits = "0123456789abcdef"
			b = append(b, '\\', 'x', digits[r>>4], digits[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return string(append(b, quote))
}

// FuzzRawJSON: a member that is cut out of valid text is the member's value.
func FuzzRawJSON(f *testing.F) {
	for _, seed := range []string{`{"a":1,"kwargs":{"b":[1,"}"]}}`, ` { "kwargs" : [ ] } `, `{"kwargs":"\\\"","x":0}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = member(text, "kwargs"), element(text, 1)
		var doc canon.Doc
		if doc.Parse(text, canon.Limits{}) != nil {
			return
		}
		for key, value := range doc.Root().All() {
			if doc.Root().Kind() == canon.KindObject && strings.Contains(text, `"`+key+`"`) && !strings.ContainsAny(key, `\"`) {
				assert.Equal(t, string(value.AppendJCS(nil)), canonical(member(text, key)))
			}
		}
	})
}

// FuzzMessages: messages of any form never panic, and what the index gives is
// what was asked for under that id.
func FuzzMessages(f *testing.F) {
	f.Add(`[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"refund","arguments":{"a":1}}]}]`, "c1")
	f.Add(`[{"toolCallId":"c1","toolName":"refund","args":"{}"}]`, "c1")
	f.Add(`{"messages":[{"role":"user","content":[{"type":"tool_use","id":"c1","name":"x","input":{}}]}]}`, "c1")
	r := newRecognizer(f, Options{})
	f.Fuzz(func(t *testing.T, text, id string) {
		x := r.NewMessageIndex(IndexLimits{Requests: 8, Bytes: 1 << 16})
		p := sample{name: "chat", attrs: kv{"gen_ai.output.messages", text}}.placed(t)
		x.Add("run", p.span)
		assert.LessOrEqual(t, x.Len(), 8)
		o := &Observation{CallID: id, Args: Args{Why: "args.absent"}}
		if x.Resolve("run", o) {
			checkArgs(t, o.Args)
		}
	})
}
