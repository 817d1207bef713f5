// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestValuesOfEveryType puts every type of value where a name or arguments
// belong. None is silently made into a text.
func TestValuesOfEveryType(t *testing.T) {
	const policy = `
tools: {allow: [good, "7", "true", "1.5", "{}", "[]"]}
schemas: {good: {type: object, properties: {a: {type: integer}}}}
`
	values := map[string]func(pcommon.Value){
		"bytes":           func(v pcommon.Value) { v.SetEmptyBytes().FromRaw([]byte("good")) },
		"int":             func(v pcommon.Value) { v.SetInt(7) },
		"double":          func(v pcommon.Value) { v.SetDouble(1.5) },
		"bool":            func(v pcommon.Value) { v.SetBool(true) },
		"array":           func(v pcommon.Value) { v.SetEmptySlice() },
		"array of a name": func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetStr("good") },
		"map":             func(v pcommon.Value) { v.SetEmptyMap() },
		"map of integers": func(v pcommon.Value) { v.SetEmptyMap().PutInt("a", 1) },
		"empty":           func(pcommon.Value) {},
		"empty text":      func(v pcommon.Value) { v.SetStr("") },
	}
	names := map[string]string{"empty": "name.missing", "empty text": "name.missing"} // the others: name.wrong_type
	args := map[string][2]string{
		"bytes": {"incomplete", "args.wrong_type"}, "int": {"incomplete", "args.wrong_type"}, "double": {"incomplete", "args.wrong_type"},
		"bool": {"incomplete", "args.wrong_type"}, "array": {"mismatch", "args.schema_violated"}, "array of a name": {"mismatch", "args.schema_violated"},
		"map": {"match", ""}, "map of integers": {"match", ""}, "empty": {"incomplete", "args.absent"}, "empty text": {"incomplete", "args.absent"},
	}
	require.Len(t, args, len(values))
	r := newRig(t, withPolicy(t, policy, ""))
	id := 0
	for kind, fill := range values {
		id++
		asName := firstSpan(r.consume(t, batchOf(func(span ptrace.Span) {
			toolCall(span, id*2, "", "{}")
			fill(span.Attributes().PutEmpty("gen_ai.tool.name"))
		})))
		assert.Equal(t, "mismatch", verdictOf(asName), "a name as %s", kind)
		assert.Contains(t, reasonsOf(asName), cmp.Or(names[kind], "name.wrong_type"), "a name as %s", kind)
		asArgs := firstSpan(r.consume(t, batchOf(func(span ptrace.Span) {
			toolCall(span, id*2+1, "good", "")
			fill(span.Attributes().PutEmpty("gen_ai.tool.call.arguments"))
		})))
		assert.Equal(t, args[kind][0], verdictOf(asArgs), "arguments as %s", kind)
		assert.Equal(t, args[kind][1], attr(asArgs, attrReason), "arguments as %s", kind)
	}
}

// lookAlikes are names that a reader may take for one of names, and that none of
// them is.
func lookAlikes(names []string) []string {
	swaps := map[rune][]rune{
		'a': {'а', 'ɑ', 'ａ', 'á', 'A'}, 'e': {'е', 'ｅ', 'é', 'E', '℮'}, 'o': {'о', 'ο', '0', 'ｏ', 'O'}, 'i': {'і', 'ı', '1', 'ｉ', 'I'},
		'd': {'ԁ', 'ｄ', 'D'}, 'r': {'г', 'ｒ', 'R'}, 'l': {'ⅼ', '1', 'I', 'ｌ'}, 'f': {'ſ', 'ｆ', 'F'}, '_': {'-', '＿', '‿', ' '},
		's': {'ѕ', 'ｓ', 'S', 'ſ'}, 'c': {'с', 'ｃ', 'C', 'ϲ'}, 'h': {'һ', 'ｈ', 'H'},
	}
	invisible := []string{"\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\u200e", "\u0301", "\x00", "\n", "\t", " ", "\u00a0", "\u2028", "\x7f", "\u034f"}
	affixes := []string{"mcp__srv__%s", "srv.%s", "srv/%s", "functions.%s", "%s ", " %s", "%s()", "%s.v2", "../%s", "%s\r\n", "%s%%00", "\"%s\"", "%s:", "x%s", "%sx"}
	var all []string
	for _, name := range names {
		runes := []rune(name)
		for i, r := range runes {
			for _, other := range swaps[r] {
				swapped := append([]rune{}, runes...)
				swapped[i] = other
				all = append(all, string(swapped))
			}
		}
		for _, mark := range invisible {
			all = append(all, mark+name, name+mark, name[:2]+mark+name[2:])
		}
		for _, affix := range affixes {
			all = append(all, fmt.Sprintf(affix, name))
		}
		all = append(all, strings.ToUpper(name), strings.ToUpper(name[:1])+name[1:])
	}
	return all
}

// visible are characters of a single script that a reader sees the difference of.
const visible = "áéɑı℮‿\u0301"

// TestNamesThatLookLikeAnAllowedOne holds that a name is matched byte for byte,
// and that one which is not what it looks like is told.
func TestNamesThatLookLikeAnAllowedOne(t *testing.T) {
	names := []string{"read_file", "search", "delete_record"}
	r := newRig(t, withPolicy(t, "tools: {allow: [read_file, search, delete_record]}\nenforcement: {unconstrained_tools: allow}", ""))
	all := lookAlikes(names)
	require.Greater(t, len(all), 200)
	for i, name := range all {
		span := firstSpan(r.consume(t, batchOf(func(span ptrace.Span) { toolCall(span, i+1, name, "{}") })))
		assert.Equal(t, "mismatch", verdictOf(span), "%q", name)
		assert.Contains(t, reasonsOf(span), "tool.not_allowed", "%q", name)
		assert.NotContains(t, attr(span, attrExplanation), name, "the explanation quotes no name")
		if !plainASCII(name) && !strings.ContainsAny(name, visible) {
			assert.Contains(t, strings.Join(reasonsOf(span), " "), "name.", "%q is not what it looks like", name)
			assert.Contains(t, attr(span, attrExplanation), "The tool's name", "%q", name)
		}
	}
	for i, name := range names {
		span := firstSpan(r.consume(t, batchOf(func(span ptrace.Span) { toolCall(span, 5000+i, name, "{}") })))
		assert.Equal(t, "match", verdictOf(span), name)
	}
	told := r.told(t)
	for _, name := range all {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(name, n) }) {
			assert.NotContains(t, told, name, "no log or metric has a name that the policy does not declare")
		}
	}
}

func plainASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0
}
