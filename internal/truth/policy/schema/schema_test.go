// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// readTree reads a schema; wrapped, as a document is a mapping.
func readTree(t testing.TB, text string) *tree.Node {
	t.Helper()
	n, err := tree.Read("p", []byte(`{"s": `+text+"\n}"))
	require.NoError(t, err)
	return n.Items[0]
}

func load(t testing.TB, text string) *Schema {
	t.Helper()
	return NewLoader(nil).Load(readTree(t, text))
}

func parse(t testing.TB, text string) canon.Node {
	t.Helper()
	var d canon.Doc
	require.NoError(t, d.Parse(text, canon.Limits{}))
	return d.Root()
}

func check(t testing.TB, s *Schema, args string) Result {
	t.Helper()
	return s.Check(parse(t, args))
}

func TestCheckSaysWhereItIsViolated(t *testing.T) {
	for _, tt := range []struct{ name, schema, args, location, keyword string }{
		{"type", `{"type": "string"}`, `1`, "/type", "type"},
		{"enum", `{"properties": {"a": {"enum": [1, 2]}}}`, `{"a": 3}`, "/properties/a/enum", "enum"},
		{"const", `{"const": 1}`, `2`, "/const", "const"},
		{"minimum", `{"minimum": 3}`, `2`, "/minimum", "minimum"},
		{"exclusiveMaximum", `{"exclusiveMaximum": 3}`, `3`, "/exclusiveMaximum", "exclusiveMaximum"},
		{"multipleOf", `{"multipleOf": 2}`, `3`, "/multipleOf", "multipleOf"},
		{"maxLength", `{"maxLength": 2}`, `"abc"`, "/maxLength", "maxLength"},
		{"pattern", `{"pattern": "^a"}`, `"b"`, "/pattern", "pattern"},
		{"maxItems", `{"maxItems": 0}`, `[1]`, "/maxItems", "maxItems"},
		{"uniqueItems", `{"uniqueItems": true}`, `[1, 1.0]`, "/uniqueItems", "uniqueItems"},
		{"minProperties", `{"minProperties": 1}`, `{}`, "/minProperties", "minProperties"},
		{"the name that is missing", `{"required": ["a", "b"]}`, `{"a": 1}`, "/required/1", "required"},
		{"a name that nothing allows", `{"properties": {"a": true}, "additionalProperties": false}`, `{"b": 1}`, "/additionalProperties", "additionalProperties"},
		{"a schema for other names", `{"additionalProperties": {"type": "string"}}`, `{"b": 1}`, "/additionalProperties/type", "type"},
		{"patternProperties", `{"patternProperties": {"^a/": {"type": "string"}}}`, `{"a/b": 1}`, "/patternProperties/^a~1/type", "type"},
		{"propertyNames", `{"propertyNames": {"maxLength": 1}}`, `{"ab": 1}`, "/propertyNames/maxLength", "maxLength"},
		{"no names", `{"propertyNames": false}`, `{"ab": 1}`, "/propertyNames", "propertyNames"},
		{"a property that must not be", `{"properties": {"a": false}}`, `{"a": 1}`, "/properties/a", "false"},
		{"dependentRequired", `{"dependentRequired": {"a": ["b", "c"]}}`, `{"a": 1, "b": 1}`, "/dependentRequired/a/1", "dependentRequired"},
		{"dependentSchemas", `{"dependentSchemas": {"a": {"required": ["b"]}}}`, `{"a": 1}`, "/dependentSchemas/a/required/0", "required"},
		{"items", `{"items": {"type": "string"}}`, `["a", 1]`, "/items/type", "type"},
		{"prefixItems", `{"prefixItems": [true, {"type": "string"}]}`, `[1, 1]`, "/prefixItems/1/type", "type"},
		{"no more items", `{"prefixItems": [true], "items": false}`, `[1, 1]`, "/items", "items"},
		{"contains", `{"contains": {"type": "string"}}`, `[1]`, "/contains", "contains"},
		{"minContains", `{"contains": {"type": "string"}, "minContains": 2}`, `["a"]`, "/minContains", "minContains"},
		{"maxContains", `{"contains": {"type": "string"}, "maxContains": 1}`, `["a", "b"]`, "/maxContains", "maxContains"},
		{"allOf", `{"allOf": [true, {"type": "string"}]}`, `1`, "/allOf/1/type", "type"},
		{"anyOf", `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, `1`, "/anyOf", "anyOf"},
		{"oneOf", `{"oneOf": [true, true]}`, `1`, "/oneOf", "oneOf"},
		{"not", `{"not": {"type": "integer"}}`, `1`, "/not", "not"},
		{"then", `{"if": true, "then": {"type": "string"}}`, `1`, "/then/type", "type"},
		{"else", `{"if": false, "else": {"type": "string"}}`, `1`, "/else/type", "type"},
		{"a reference", `{"properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {"d": {"type": "string"}}}`, `{"a": 1}`, "/$defs/d/type", "type"},
		{"a dynamic reference", `{"$dynamicRef": "#n", "$defs": {"d": {"$dynamicAnchor": "n", "type": "string"}}}`, `1`, "/$defs/d/type", "type"},
		{"a recursive reference", `{"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true, "properties": {"a": {"$recursiveRef": "#"}}, "required": ["b"]}`, `{"a": {}, "b": 1}`, "/required/0", "required"},
		{"the dialect's own schema", `{"$ref": "https://json-schema.org/draft/2020-12/schema"}`, `{"type": "nope"}`, "/$ref", "$ref"},
		{"unevaluatedProperties", `{"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false}`, `{"b": 1}`, "/unevaluatedProperties", "unevaluatedProperties"},
		{"a schema that is false", `false`, `1`, "", "false"},
		{"format in draft-07", `{"$schema": "http://json-schema.org/draft-07/schema#", "format": "ipv4"}`, `"x"`, "/format", "format"},
		{"content in draft-07", `{"$schema": "http://json-schema.org/draft-07/schema#", "contentEncoding": "base64"}`, `"%"`, "/contentEncoding", "contentEncoding"},
		{"the first of several, by pointer", `{"type": "object", "required": ["z"], "properties": {"b": {"type": "string"}, "a": {"type": "string"}}}`, `{"b": 1, "a": 1}`, "/properties/a/type", "type"},
		{"the first of several, not by layout", `{"properties": {"b": {"type": "string"}}, "maxProperties": 0}`, `{"b": 1}`, "/maxProperties", "maxProperties"},
		{"names in pointers", `{"properties": {"a/b~c": {"type": "string"}}}`, `{"a/b~c": 1}`, "/properties/a~1b~0c/type", "type"},
		{"deep down", `{"properties": {"a": {"items": {"properties": {"b": {"type": "null"}}}}}}`, `{"a": [{}, {"b": 1}]}`, "/properties/a/items/properties/b/type", "type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, tt.schema)
			require.Nil(t, s.Fault())
			got := check(t, s, tt.args)
			assert.Equal(t, Result{Violated, tt.location, tt.keyword}, got)
			_, ok := lookup(s.doc, tt.location)
			assert.True(t, ok, "the location is in the declared schema")
			assert.Equal(t, got, check(t, s, tt.args), "the same again")
		})
	}
}

func TestManyRequiredNames(t *testing.T) {
	var names, members []string
	for i := range 70 {
		name := `"n` + string(rune('A'+i%26)) + string(rune('a'+i/26)) + `"`
		names, members = append(names, name), append(members, name+":1")
	}
	s := load(t, `{"required": [`+strings.Join(names, ",")+`]}`)
	assert.Equal(t, Valid, check(t, s, "{"+strings.Join(members, ",")+"}").Outcome)
	assert.Equal(t, "/required/68", check(t, s, "{"+strings.Join(append(members[:68:68], members[69:]...), ",")+"}").Location)
	assert.Equal(t, "/required/0", check(t, s, "{"+strings.Join(members[1:], ",")+"}").Location)
}

func TestMalformedSchemas(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		reason       Reason
		location     string
	}{
		{"a number", `5`, NotASchema, ""},
		{"null", `null`, NotASchema, ""},
		{"a list", `[]`, NotASchema, ""},
		{"a dialect of one's own", `{"$schema": "https://example.test/d"}`, UnknownDialect, "/$schema"},
		{"a dialect that is none", `{"$schema": 7}`, UnknownDialect, "/$schema"},
		{"an unknown type", `{"properties": {"a": {"type": "strin"}}}`, BreaksDialect, "/properties/a/type"},
		{"a broken definition that nothing uses", `{"$defs": {"d": {"minLength": -1}}}`, BreaksDialect, "/$defs/d/minLength"},
		{"a point in a count of draft-04", `{"$schema": "http://json-schema.org/draft-04/schema#", "minLength": 1.0}`, BreaksDialect, "/minLength"},
		{"a reference to nothing", `{"$ref": "#/$defs/none"}`, NoTarget, "/$ref"},
		{"a reference to a list", `{"$ref": "#/enum", "enum": [1]}`, NoTarget, "/$ref"},
		{"a reference to no anchor", `{"$ref": "#none"}`, NoTarget, "/$ref"},
		{"a reference that is no URI", `{"$ref": "#/$defs/a b", "$defs": {"a b": true}}`, NoTarget, "/$ref"},
		{"a reference to elsewhere, unused", `{"$defs": {"d": {"$ref": "https://schemas.invalid/x"}}}`, RemoteReference, "/$defs/d/$ref"},
		{"a reference to a file", `{"$ref": "file:///etc/passwd"}`, RemoteReference, "/$ref"},
		{"the schema of another dialect", `{"$ref": "http://json-schema.org/draft-07/schema#"}`, RemoteReference, "/$ref"},
		{"a part of the dialect's schema that is not there", `{"$ref": "https://json-schema.org/draft/2020-12/schema#/nope"}`, NoTarget, "/$ref"},
		{"a pattern that is none", `{"properties": {"a": {"pattern": "["}}}`, BadPattern, "/properties/a/pattern"},
		{"a pattern of another language", `{"pattern": "^a\\Z"}`, BadPattern, "/pattern"},
		{"a pattern of names that is none", `{"patternProperties": {"[": true}}`, BadPattern, "/patternProperties/["},
		{"an identifier that is no URI", `{"$id": "%%"}`, BadIdentifier, "/$id"},
		{"a broken schema where none is expected", `{"$ref": "#/x", "x": {"type": "nope"}}`, BreaksDialect, "/x/type"},
		{"too much", `{"enum": [` + strings.Repeat("1,", maxSize) + `1]}`, TooLarge, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, tt.schema)
			require.NotNil(t, s.Fault())
			assert.Equal(t, tt.reason, s.Fault().Reason)
			assert.Equal(t, tt.location, s.Fault().Location)
			assert.Positive(t, s.Fault().Pos.Line)
			assert.NotEmpty(t, s.Fault().Error())
			assert.Equal(t, Result{Outcome: Malformed, Location: tt.location, Keyword: tt.reason.String()}, check(t, s, `{}`))
		})
	}
}

func TestWhatDoesNoHarm(t *testing.T) {
	for _, schema := range []string{
		`{"$defs": {"d": {"$ref": "#/none"}}}`,
		`{"$defs": {"d": {"pattern": "["}}}`,
		`{"x": {"$ref": "https://schemas.invalid/x"}, "default": {"$ref": "#/none"}}`,
		`{"$defs": {"a": {"$id": "https://e.test/x"}, "b": {"$id": "https://e.test/x"}}}`,
		`{"$defs": {"a": {"$anchor": "n"}, "b": {"$anchor": "n"}}}`,
		`{"$defs": {"a": {"$schema": "https://e.test/d", "$id": "https://e.test/q"}}}`,
		`{"$schema": "", "$vocabulary": {}}`,
		`{"$schema": "http://json-schema.org/draft-07/schema#", "enum": [1, 1, {}]}`,
	} {
		s := load(t, schema)
		assert.Nil(t, s.Fault(), schema)
	}
}

func TestSharedDefinitions(t *testing.T) {
	for _, tt := range []struct {
		name, shared, tool, args string
		want                     Outcome
	}{
		{"are there", `{"d": {"type": "string"}}`, `{"$ref": "#/$defs/d"}`, `1`, Violated},
		{"stand beside a tool's own", `{"d": {"type": "string"}}`, `{"$ref": "#/$defs/e", "$defs": {"e": {"$ref": "#/$defs/d"}}}`, `1`, Violated},
		{"must not be defined again", `{"d": true}`, `{"$defs": {"d": true}}`, `1`, Malformed},
		{"must be a mapping", `[]`, `{}`, `1`, Malformed},
		{"must be a mapping, and null is none", `null`, `{}`, `1`, Malformed},
		{"want a mapping in the tool", `{"d": true}`, `{"$defs": null}`, `1`, Malformed},
		{"are checked", `{"d": {"type": "nope"}}`, `{}`, `1`, Malformed},
		{"are checked beside a boolean", `{"d": {"type": "nope"}}`, `true`, `1`, Malformed},
		{"do no harm beside a boolean", `{"d": {"$ref": "#/none"}}`, `true`, `1`, Valid},
		{"do not make false true", `{}`, `false`, `1`, Violated},
		{"are no schema of a number", `{}`, `5`, `1`, Malformed},
		{"mean the tool's root by #", `{"d": {"$ref": "#/properties/b"}}`, `{"properties": {"a": {"$ref": "#/$defs/d"}, "b": {"type": "string"}}}`, `{"a": 1}`, Violated},
		{"are read in the tool's dialect", `{"d": {"dependencies": {"x": ["y"]}}}`, `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/$defs/d"}}}`, `{"a": {"x": 1}}`, Violated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := NewLoader(readTree(t, tt.shared))
			for range 2 { // the second load finds the shared ones checked
				assert.Equal(t, tt.want, check(t, l.Load(readTree(t, tt.tool)), tt.args).Outcome)
			}
		})
	}
}

func TestCyclesOfReferencesMatch(t *testing.T) {
	for _, tt := range []struct {
		schema string
		want   Outcome
	}{
		{`{"$ref": "#"}`, Valid},
		{`{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}`, Valid},
		{`{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a", "type": "string"}}}`, Violated},
		{`{"allOf": [{"$ref": "#"}], "type": "string"}`, Violated},
		{`{"not": {"$ref": "#"}}`, Violated},
		{`{"oneOf": [{"$ref": "#"}, {"type": "integer"}]}`, Violated},
		{`{"anyOf": [{"$ref": "#"}, false]}`, Valid},
		{`{"$dynamicRef": "#"}`, Valid},
		{`{"$dynamicAnchor": "n", "$dynamicRef": "#n"}`, Valid},
		{`{"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": "#"}`, Valid},
	} {
		assert.Equal(t, tt.want, check(t, load(t, tt.schema), `1`).Outcome, tt.schema)
	}
}

func TestDynamicReferences(t *testing.T) {
	const extensible = `{"$id": "https://e.test/strict", "$dynamicAnchor": "node", "$ref": "tree", "unevaluatedProperties": false,
		"$defs": {"tree": {"$id": "tree", "$dynamicAnchor": "node", "properties": {"kids": {"items": {"$dynamicRef": "#node"}}}}}}`
	s := load(t, extensible)
	require.Nil(t, s.Fault())
	assert.Equal(t, Valid, check(t, s, `{"kids": [{"kids": []}]}`).Outcome)
	assert.Equal(t, Violated, check(t, s, `{"kids": [{"odd": 1}]}`).Outcome)

	const recursive = `{"$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "https://e.test/strict", "$recursiveAnchor": true,
		"$ref": "tree", "unevaluatedProperties": false,
		"$defs": {"tree": {"$id": "tree", "$recursiveAnchor": true, "properties": {"kids": {"items": {"$recursiveRef": "#"}}}}}}`
	s = load(t, recursive)
	require.Nil(t, s.Fault())
	assert.Equal(t, Valid, check(t, s, `{"kids": [{"kids": []}]}`).Outcome)
	assert.Equal(t, Violated, check(t, s, `{"kids": [{"odd": 1}]}`).Outcome)
}

func TestTheWorkOfACheckIsBounded(t *testing.T) {
	doubling := `{"$ref": "#/$defs/d30", "$defs": {"d0": {"type": "string"}`
	for i := range 30 {
		from, to := string(rune('0'+i/10))+string(rune('0'+i%10)), string(rune('0'+(i+1)/10))+string(rune('0'+(i+1)%10))
		doubling += `, "d` + strings.TrimPrefix(to, "0") + `": {"anyOf": [{"$ref": "#/$defs/d` + strings.TrimPrefix(from, "0") + `"}, {"$ref": "#/$defs/d` + strings.TrimPrefix(from, "0") + `"}]}`
	}
	s := load(t, doubling+"}}")
	require.Nil(t, s.Fault())
	assert.Equal(t, Result{Outcome: Malformed, Keyword: "too_large"}, check(t, s, `1`), "not found out, so not valid either")
	assert.Equal(t, Valid, check(t, s, `"x"`).Outcome)

	nested := load(t, `{"$ref": "#/$defs/n", "$defs": {"n": {"type": "array", "items": {"$ref": "#/$defs/n"}}}}`)
	assert.Equal(t, Valid, check(t, nested, strings.Repeat("[", 127)+strings.Repeat("]", 127)).Outcome)
}

func TestAnEmptyTruthIsStillTruth(t *testing.T) {
	for _, schema := range []string{`true`, `{}`, `{"title": "x"}`} {
		for _, args := range []string{`null`, `{}`, `[1]`, `"x"`, `0`} {
			assert.Equal(t, Result{Outcome: Valid}, check(t, load(t, schema), args))
		}
	}
}

func TestPatternsOfASchemaAreListed(t *testing.T) {
	s := load(t, `{"properties": {"b": {"pattern": "\\d"}, "a": {"pattern": "(?=x)\\d"}}, "patternProperties": {"^x": true}}`)
	require.Len(t, s.Patterns(), 3)
	assert.Equal(t, "/patternProperties/^x", s.Patterns()[0].Location)
	assert.Equal(t, "/properties/a/pattern", s.Patterns()[1].Location)
	assert.Len(t, s.Patterns()[1].Regexp.Constructs(), 1)
	assert.Positive(t, s.Patterns()[1].Pos.Column)
}

func TestPosFindsALocation(t *testing.T) {
	s := NewLoader(nil).Load(readTree(t, "{\n\"required\":\n [\"a\",\n \"b\"]}"))
	assert.Equal(t, 4, s.Pos("/required/1").Line)
	assert.Equal(t, 3, s.Pos("/required/7").Line, "the last place on the way")
}

func TestVocabulariesAreClosed(t *testing.T) {
	for _, r := range Reasons() {
		assert.NotEmpty(t, r.String())
	}
	assert.Equal(t, "unusable", Reason(0).String())
	assert.Equal(t, "unusable", Reason(99).String())
	assert.Equal(t, []string{"malformed", "valid", "violated", "malformed", "malformed"},
		[]string{Outcome(0).String(), Valid.String(), Violated.String(), Malformed.String(), Outcome(9).String()})
	assert.NotEqual(t, Valid, Outcome(0), "the zero outcome is not good")
}

func TestASchemaIsSafeForConcurrentUse(t *testing.T) {
	s := load(t, `{"type": "object", "properties": {"a": {"pattern": "(?=x)", "$ref": "#/$defs/d"}}, "$defs": {"d": {"anyOf": [{"$ref": "#/$defs/d"}, {"type": "string"}]}}}`)
	good, bad := parse(t, `{"a": "x"}`), parse(t, `{"a": "y"}`)
	done := make(chan bool)
	for range 4 {
		go func() {
			ok := true
			for range 500 {
				ok = ok && s.Check(good).Outcome == Valid && s.Check(bad).Outcome == Violated
			}
			done <- ok
		}()
	}
	for range 4 {
		assert.True(t, <-done)
	}
}
