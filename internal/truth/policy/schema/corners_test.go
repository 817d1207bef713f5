// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestEquality(t *testing.T) {
	s := load(t, `{"uniqueItems": true}`)
	for _, tt := range []struct {
		args string
		want Outcome
	}{
		{`[1, "1", true, null, [1], {"a": 1}]`, Valid}, {`[1, 1.0]`, Violated}, {`[0, -0.0]`, Violated}, {`[[1], [1.0]]`, Violated},
		{`[{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]`, Violated}, {`["é", "\u00e9"]`, Violated}, {`[true, true]`, Violated}, {`[null, null]`, Violated},
		{`[false, true, 0, ""]`, Valid}, {`[12345678901234567890, 12345678901234567891]`, Valid},
		{`[[12345678901234567890], [12345678901234567891]]`, Valid}, {`[{"a": 9007199254740992}, {"a": 9007199254740993}]`, Valid},
		{`[[], {}]`, Valid}, {`[[1, 2], [2, 1]]`, Valid}, {`[["x", true], ["x", true]]`, Violated}, {`[1]`, Valid},
	} {
		assert.Equal(t, tt.want, check(t, s, tt.args).Outcome, tt.args)
	}
	s = load(t, `{"enum": [{"a": [1, {"b": null}], "c": true}, 9007199254740993, "x"]}`)
	for args, want := range map[string]Outcome{
		`{"c": true, "a": [1.0, {"b": null}]}`: Valid, `{"c": true, "a": [{"b": null}, 1]}`: Violated, `{"c": true, "a": [1, {"d": null}]}`: Violated,
		`9007199254740993`: Valid, `9007199254740992`: Violated, `"x"`: Valid, `{"c": false, "a": [1, {"b": null}]}`: Violated, `{"c": true}`: Violated,
	} {
		assert.Equal(t, want, check(t, s, args).Outcome, args)
	}
	names := load(t, `{"propertyNames": {"enum": ["a", 1]}}`)
	assert.Equal(t, Valid, check(t, names, `{"a": 1}`).Outcome)
	assert.Equal(t, Violated, check(t, names, `{"1": 1}`).Outcome)
}

func TestALongArrayIsLookedAtOnce(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString(`,"` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + `"`)
		if b.Len() > 1<<20 {
			break
		}
	}
	assert.Equal(t, Valid, check(t, load(t, `{"uniqueItems": true}`), "["+b.String()[1:]+"]").Outcome)
}

func TestDialects(t *testing.T) {
	for uri, want := range map[string]draft{
		"": draft2020, "#": draft2020, "http://json-schema.org/schema#": draft2020, "https://json-schema.org/schema": draft2020,
		"http://json-schema.org/draft-04/schema": draft4, "https://json-schema.org/draft-06/schema#": draft6,
		"http://json-schema.org/draft-07/schema##": draft7, "http://json-schema.org/draft/2019-09/schema": draft2019,
		"http://json-schema.org/draft/2020-12/schema#": draft2020,
	} {
		got, ok := parseDraft(uri)
		assert.True(t, ok, uri)
		assert.Equal(t, want, got, uri)
	}
	for _, uri := range []string{
		"draft-07", "HTTP://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-03/schema#", "http://json-schema.org/draft-07/schema#/",
		"https://json-schema.org/draft/next/schema", "https://e.test/", "json-schema.org/draft-07/schema", " ",
	} {
		_, ok := parseDraft(uri)
		assert.False(t, ok, uri)
	}
}

func TestKeywordsOfADialect(t *testing.T) {
	for _, tt := range []struct {
		dialect, schema, args string
		want                  Outcome
	}{
		{"-04", `"maximum": 3, "exclusiveMaximum": true`, `3`, Violated},
		{"-04", `"minimum": 3, "exclusiveMinimum": true`, `3`, Violated},
		{"-04", `"minimum": 3, "exclusiveMinimum": false`, `3`, Valid},
		{"-04", `"const": 1`, `2`, Valid},
		{"-04", `"enum": []`, `2`, Violated},
		{"-06", `"if": true, "then": false`, `2`, Valid},
		{"-06", `"$ref": "#/definitions/d", "maximum": 1, "definitions": {"d": {}}`, `2`, Valid},
		{"-07", `"if": true, "then": false`, `2`, Violated},
		{"-07", `"if": {"pattern": "a"}`, `"b"`, Valid},
		{"-07", `"items": [{"type": "string"}], "additionalItems": {"type": "null"}`, `["a", 1]`, Violated},
		{"-07", `"additionalItems": false`, `[1]`, Valid},
		{"-07", `"prefixItems": [false]`, `[1]`, Valid},
		{"-07", `"definitions": {"d": {"$id": "#d", "type": "string"}}, "properties": {"a": {"$ref": "#d"}}`, `{"a": 1}`, Violated},
		{"-07", `"dependencies": {"a": ["b"]}`, `{"a": 1}`, Violated},
		{"-07", `"dependentRequired": {"a": ["b"]}`, `{"a": 1}`, Valid},
		{"/2019-09", `"dependencies": {"a": {"required": ["b"]}}`, `{"a": 1}`, Violated},
		{"/2019-09", `"items": [true], "unevaluatedItems": false`, `[1, 2]`, Violated},
		{"/2019-09", `"$dynamicRef": "#/nope"`, `1`, Valid},
		{"/2019-09", `"$recursiveRef": "whatever"`, `1`, Valid},
		{"/2020-12", `"additionalItems": false`, `[1]`, Valid},
		{"/2020-12", `"if": {"properties": {"a": true}}, "unevaluatedProperties": false`, `{"a": 1}`, Valid},
		{"/2020-12", `"contains": {"const": 1}, "unevaluatedItems": false`, `[1, 2]`, Violated},
		{"/2020-12", `"contains": {"const": 1}, "unevaluatedItems": false`, `[1, 1]`, Valid},
		{"/2020-12", `"contains": {"const": 1}, "minContains": 0`, `[]`, Valid},
		{"/2020-12", `"maxLength": 1e300, "minItems": 1.0`, `"x"`, Valid},
		{"/2020-12", `"maxLength": 18446744073709551615`, `"x"`, Valid},
		{"/2020-12", `"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#", "prefixItems": [false]}}`, `{"a": [1]}`, Valid},
		{"/2020-12", `"properties": {"a": {"$id": "https://e.test/i", "$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"x": ["y"]}}}`, `{"a": {"x": 1}}`, Violated},
	} {
		s := load(t, `{"$schema": "http://json-schema.org/draft`+tt.dialect+`/schema#", `+tt.schema+`}`)
		require.Nil(t, s.Fault(), tt.schema)
		assert.Equal(t, tt.want, check(t, s, tt.args).Outcome, "%s: %s", tt.dialect, tt.schema)
	}
}

func TestReferencesAndAddresses(t *testing.T) {
	for _, schema := range []string{
		`{"$ref": "#/$defs/a%20b", "$defs": {"a b": {"type": "string"}}}`,
		`{"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "string"}}}`,
		`{"$ref": "#/$defs/", "$defs": {"": {"type": "string"}}}`,
		`{"$ref": "#/$defs//x", "$defs": {"": {"x": {"type": "string"}}}}`,
		`{"$ref": "#/allOf/0", "allOf": [{"type": "string"}]}`,
		`{"$id": "urn:x:y", "$ref": "#/$defs/d", "$defs": {"d": {"type": "string"}}}`,
		`{"$id": "https://e.test/root.json", "$ref": "item.json", "$defs": {"i": {"$id": "item.json", "type": "string"}}}`,
		`{"$id": "https://e.test/root.json", "$ref": "https://e.test/root.json#/$defs/d", "$defs": {"d": {"type": "string"}}}`,
		`{"$ref": "https://e.test/i#a", "$defs": {"i": {"$id": "https://e.test/i", "$defs": {"j": {"$anchor": "a", "type": "string"}}}}}`,
		`{"$ref": "#/$defs/i/$defs/j", "$defs": {"i": {"$id": "https://e.test/i", "$defs": {"j": {"$ref": "#/$defs/k"}, "k": {"type": "string"}}}}}`,
		`{"$ref": "https://e.test/x", "$defs": {"a": {"$id": "https://e.test/x"}, "b": {"$id": "https://e.test/x", "type": "string"}}}`,
		`{"$ref": "#n", "$defs": {"a": {"$anchor": "n"}, "b": {"$anchor": "n", "type": "string"}}}`,
		`{"$dynamicRef": "#/$defs/d", "$defs": {"d": {"type": "string"}}}`,
		`{"$ref": "#/x/y", "x": {"y": {"type": "string"}}}`,
	} {
		s := load(t, schema)
		require.Nil(t, s.Fault(), schema)
		assert.Equal(t, Violated, check(t, s, `1`).Outcome, schema)
		assert.Equal(t, Valid, check(t, s, `"x"`).Outcome, schema)
	}
	assert.Equal(t, NoTarget, load(t, `{"$ref": "#/allOf/01", "allOf": [true, true]}`).Fault().Reason)
	assert.Equal(t, NoTarget, load(t, `{"$ref": "#/allOf/7", "allOf": [true]}`).Fault().Reason)
	assert.Equal(t, NoTarget, load(t, `{"$ref": "#/a~2", "a~2": true}`).Fault().Reason)
}

func TestTheDialectsOwnSchema(t *testing.T) {
	s := load(t, `{"propertyNames": {"$ref": "https://json-schema.org/draft/2020-12/meta/core"}, "properties": {"a": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}`)
	require.Nil(t, s.Fault())
	assert.Equal(t, "/properties/a/$ref", check(t, s, `{"a": {"maxLength": -1}}`).Location[:len("/properties/a/$ref")])
	assert.Equal(t, "/propertyNames/$ref", check(t, s, `{"b": 1}`).Location, "a name is no schema")
	s = load(t, `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"n": {"$ref": "http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger"}}}`)
	require.Nil(t, s.Fault())
	assert.Equal(t, Violated, check(t, s, `{"n": -1}`).Outcome)
	assert.Equal(t, Valid, check(t, s, `{"n": 1}`).Outcome)
}

func TestNothingIsFetched(t *testing.T) {
	_, err := newLibrary().Compile("https://schemas.invalid/x")
	require.ErrorContains(t, err, errNoLoading.Error())
	_, err = newLibrary().Compile("file:///etc/hostname")
	require.ErrorContains(t, err, errNoLoading.Error())
}

func TestWhatADialectWantsIsSaid(t *testing.T) {
	const draft04 = `"$schema": "http://json-schema.org/draft-04/schema#", `
	for schema, want := range map[string]string{
		`{"type": 5}`: "none of the words that are allowed here", `{"minLength": -1}`: "too small a number", `{"allOf": []}`: "too few elements",
		`{"required": ["a", "a"]}`: "two equal elements", `{"type": "nope"}`: "none of the words that are allowed here",
		`{"$anchor": "a b"}`: "not of the form that is wanted here", `{` + draft04 + `"exclusiveMaximum": true}`: "another keyword is missing",
		`{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "a b"}`: "not a uri-reference",
		`{"multipleOf": 0}`: "too small a number", `{"title": 1}`: "got number, want string", `{"properties": {"a": 1}}`: "got number, want boolean or object",
	} {
		fault := load(t, schema).Fault()
		require.NotNil(t, fault, schema)
		assert.Equal(t, BreaksDialect, fault.Reason, schema)
		assert.Contains(t, fault.Msg, want, schema)
	}
}

func TestAnEnumMayRepeatItself(t *testing.T) {
	for _, draft := range []string{"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema"} {
		for _, tt := range []struct{ enum, yes, no string }{
			{`[1, 1]`, `1`, `2`},
			{`[1, 1.0, 1e0, 10e-1]`, `1`, `2`},
			{`[0, -0.0, 0.0]`, `0`, `1`},
			{`[{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]`, `{"b": 2, "a": 1}`, `{"a": 1}`},
			{`[[1, {"a": "x"}], [1.0, {"a": "x"}]]`, `[1, {"a": "x"}]`, `[1]`},
			{`[9007199254740993, 9007199254740992, 9007199254740993]`, `9007199254740993`, `9007199254740994`},
			{`[{"minLength": 1.0}, {"minLength": 2.0}, {"$schema": "x"}, {"$schema": "y"}]`, `{"minLength": 2}`, `{}`},
			{`[null, null, "null", true, true, "true", "1", 1]`, `"1"`, `false`},
		} {
			s := load(t, `{"$schema": "`+draft+`", "enum": `+tt.enum+`}`)
			require.Nil(t, s.Fault(), "%s in %s", tt.enum, draft)
			assert.Equal(t, Valid, check(t, s, tt.yes).Outcome, tt.enum)
			assert.Equal(t, Result{Outcome: Violated, Location: "/enum", Keyword: "enum"}, check(t, s, tt.no), tt.enum)
		}
	}
}

func TestTheDepthOfACheckIsBounded(t *testing.T) {
	// Each level of the array goes through a long chain of references.
	var b strings.Builder
	b.WriteString(`{"$ref": "#/$defs/n0", "$defs": {`)
	const links = 4000
	for i := range links {
		b.WriteString(`"n` + itoa(i) + `": {"$ref": "#/$defs/n` + itoa(i+1) + `"}, `)
	}
	b.WriteString(`"n` + itoa(links) + `": {"items": {"$ref": "#/$defs/n0"}}}}`)
	s := load(t, b.String())
	require.Nil(t, s.Fault())
	assert.Equal(t, Valid, check(t, s, `[[]]`).Outcome)
	assert.Equal(t, Result{Outcome: Malformed, Keyword: "too_large"}, check(t, s, strings.Repeat("[", 100)+strings.Repeat("]", 100)))
}

func itoa(i int) string { return index(i)[1:] }

func TestSetsOfWhatWasEvaluated(t *testing.T) {
	var none *evaluated
	none.mark(3)
	none.merge(&evaluated{})
	assert.Nil(t, none.fresh())
	a, b := &evaluated{}, &evaluated{}
	a.mark(0)
	b.mark(200)
	a.merge(b)
	a.merge(nil)
	for i, want := range map[int]bool{0: true, 1: false, 200: true, 201: false, 5000: false} {
		assert.Equal(t, want, a.has(i))
	}
}

func TestTheZeroArgumentsAreNoValue(t *testing.T) {
	assert.Equal(t, Violated, load(t, `{"type": "object"}`).Check(canon.Node{}).Outcome)
}
