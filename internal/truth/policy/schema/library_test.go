// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// A generator makes schemas and values on which the library and this package
// must agree. It leaves out what they differ about on purpose: cycles of
// references, draft-04's integers, content, and contains of 2019-09 beside
// unevaluatedItems.
type generator struct {
	*rand.Rand
	draft draft
}

var propertyNames = []string{"a", "b", "c", "x-a", ""}

func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *generator) number() any {
	return json.Number(g.pick("0", "1", "2", "3", "-1", "0.5", "1.5", "100", "0.1", "0.07", "9007199254740993", "18446744073709551615", "1e+21", "-2.5", "7"))
}

func (g *generator) value(depth int) any {
	switch n := g.IntN(10); {
	case n < 3 || depth == 0 && n < 6:
		return g.number()
	case n < 6 || depth == 0:
		return []any{nil, true, false, "", "a", "ab", "abc", "é", "1.2.3.4"}[g.IntN(9)]
	case n < 8:
		list := make([]any, g.IntN(4))
		for i := range list {
			list[i] = g.value(depth - 1)
		}
		return list
	}
	object := map[string]any{}
	for range g.IntN(4) {
		object[g.pick(propertyNames...)] = g.value(depth - 1)
	}
	return object
}

func (g *generator) schema(depth int) any {
	if g.draft != draft4 && g.IntN(15) == 0 {
		return g.IntN(2) == 0
	}
	s := map[string]any{}
	for range g.IntN(3) {
		g.assertion(s)
	}
	if depth > 0 {
		for range g.IntN(4) {
			g.applicator(s, depth-1)
		}
	}
	return s
}

func (g *generator) assertion(s map[string]any) {
	count := json.Number(g.pick("0", "1", "2", "3"))
	switch keyword := g.pick("type", "enum", "const", "limit", "multipleOf", "length", "pattern", "items", "properties", "uniqueItems", "required", "format"); keyword {
	case "type":
		s["type"] = g.pick("string", "number", "object", "array", "boolean", "null")
		if g.draft != draft4 && g.IntN(3) == 0 {
			s["type"] = []any{"integer", "string"}
		}
	case "enum":
		s["enum"] = []any{g.value(1), map[string]any{"only": "here"}}
	case "const":
		s["const"] = g.value(1)
	case "limit":
		s[g.pick("minimum", "maximum")] = g.number()
		if g.draft != draft4 {
			s[g.pick("exclusiveMinimum", "exclusiveMaximum")] = g.number()
		}
	case "multipleOf":
		s["multipleOf"] = json.Number(g.pick("1", "2", "0.5", "0.01", "3"))
	case "length":
		s[g.pick("minLength", "maxLength")] = count
	case "pattern":
		s["pattern"] = g.pick("^a", "b$", "^.$", "(?=a)", `\d`)
	case "items":
		s[g.pick("minItems", "maxItems")] = count
	case "properties":
		s[g.pick("minProperties", "maxProperties")] = count
	case "uniqueItems":
		s["uniqueItems"] = true
	case "required":
		s["required"] = []any{g.pick(propertyNames...)}
	case "format":
		s["format"] = g.pick("ipv4", "date", "email", "nope")
	}
}

func (g *generator) applicator(s map[string]any, depth int) {
	sub := func() any { return g.schema(depth) }
	named := func() any { return map[string]any{g.pick(propertyNames...): sub(), g.pick(propertyNames...): sub()} }
	keyword := g.pick("properties", "properties", "patternProperties", "additionalProperties", "items", "additionalItems", "prefixItems",
		"contains", "propertyNames", "not", "allOf", "anyOf", "oneOf", "if", "dependencies", "dependentSchemas", "dependentRequired",
		"unevaluatedProperties", "unevaluatedItems", "$ref", "$dynamicRef")
	switch keyword {
	case "properties", "dependentSchemas":
		s[keyword] = named()
	case "patternProperties":
		s[keyword] = map[string]any{g.pick("^a", "b", "^x-", "(?!a)"): sub()}
	case "additionalProperties", "additionalItems", "contains", "propertyNames", "not", "unevaluatedProperties", "unevaluatedItems":
		s[keyword] = sub()
		if keyword == "contains" && g.draft == draft2019 {
			delete(s, keyword)
		}
		if keyword == "contains" && g.IntN(2) == 0 {
			s["minContains"], s["maxContains"] = json.Number(g.pick("0", "1", "2")), json.Number(g.pick("1", "2", "3"))
		}
	case "items":
		s[keyword] = sub()
		if g.draft != draft2020 && g.IntN(2) == 0 {
			s[keyword] = []any{sub(), sub()}
		}
	case "prefixItems", "allOf", "anyOf", "oneOf":
		s[keyword] = []any{sub(), sub()}
	case "if":
		s["if"], s["then"], s["else"] = sub(), sub(), sub()
	case "dependencies":
		s[keyword] = map[string]any{"a": sub(), "b": []any{"c"}}
	case "dependentRequired":
		s[keyword] = map[string]any{"a": []any{"b"}}
	case "$ref":
		s[keyword] = g.pick("#/$defs/leaf", "#/definitions/leaf", "#anchor", "https://e.test/other")
	case "$dynamicRef":
		if g.draft == draft2020 {
			s[keyword] = "#dynamic"
		}
	}
}

// document returns a whole schema. What it refers to refers to nothing else.
func (g *generator) document() any {
	doc, ok := g.schema(4).(map[string]any)
	if !ok {
		doc = map[string]any{}
	}
	leaf := func(more map[string]any) any {
		g.assertion(more)
		return more
	}
	id, anchor := "$id", map[string]any{"$anchor": "anchor"}
	if g.draft == draft4 {
		id = "id"
	}
	if g.draft <= draft7 {
		anchor = map[string]any{id: "#anchor"}
	}
	delete(doc, "$ref") // up to draft-07 nothing beside it would count
	doc["$schema"] = metaschemas[g.draft]
	doc["$defs"] = map[string]any{"leaf": leaf(map[string]any{}), "dynamic": leaf(map[string]any{"$dynamicAnchor": "dynamic"})}
	doc["definitions"] = map[string]any{
		"leaf": leaf(map[string]any{}), "anchor": leaf(anchor), "other": leaf(map[string]any{id: "https://e.test/other"}),
	}
	return doc
}

// byLibrary compiles a schema with the library, set up as it is here.
func byLibrary(t *testing.T, n *tree.Node) *jsonschema.Schema {
	t.Helper()
	c := newLibrary()
	require.NoError(t, c.AddResource("https://reference.test/schema", asApproved(n, 0)))
	s, err := c.Compile("https://reference.test/schema")
	if err != nil {
		return nil
	}
	return s
}

// TestTheLibraryAgrees compares this package with another implementation of
// JSON Schema, written by somebody else, on schemas and values made by chance.
func TestTheLibraryAgrees(t *testing.T) {
	seen := map[Outcome]int{}
	for _, d := range []draft{draft4, draft6, draft7, draft2019, draft2020} {
		g := &generator{rand.New(rand.NewPCG(uint64(d), 5)), d}
		for range 250 {
			text, err := json.Marshal(g.document())
			require.NoError(t, err)
			n := readTree(t, string(text))
			ours, theirs := NewLoader(nil).Load(n), byLibrary(t, n)
			if ours.Fault() != nil || theirs == nil {
				require.Equal(t, theirs == nil, ours.Fault() != nil, "%s: %v", text, ours.Fault())
				seen[Malformed]++
				continue
			}
			for range 8 {
				args, err := json.Marshal(g.value(3))
				require.NoError(t, err)
				node := parse(t, string(args))
				got := ours.Check(node)
				require.Equal(t, theirs.Validate(node.Any()) == nil, got.Outcome == Valid, "%s on %s: %v", text, args, got)
				seen[got.Outcome]++
				if got.Outcome == Violated {
					_, found := lookup(n, got.Location)
					require.True(t, found, "%s: %s is not in the schema", text, got.Location)
				}
			}
		}
	}
	assert.Greater(t, seen[Valid], 1000)
	assert.Greater(t, seen[Violated], 1000)
}

// TestAResultHasNoWordOfTheArguments checks arguments whose every value and
// undeclared name is a secret, and looks for it in what is said about them.
func TestAResultHasNoWordOfTheArguments(t *testing.T) {
	const secret = "hunter2"
	for d := draft4; d <= draft2020; d++ {
		g := &generator{rand.New(rand.NewPCG(uint64(d), 6)), d}
		for range 100 {
			text, err := json.Marshal(g.document())
			require.NoError(t, err)
			s := NewLoader(nil).Load(readTree(t, string(text)))
			for _, args := range []string{`"hunter2"`, `{"hunter2":1}`, `{"a":{"hunter2":"hunter2"},"hunter2":["hunter2"]}`, `["hunter2",{"b":"hunter2"}]`} {
				r := s.Check(parse(t, args))
				require.NotContains(t, r.Location+r.Keyword, secret)
			}
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		`{"type": "object", "properties": {"a": {"$ref": "#"}}}`, `{"$id": "https://e.test/a", "$ref": "b", "$defs": {"b": {"$id": "b"}}}`,
		`{"$schema": "http://json-schema.org/draft-04/schema#", "id": "x", "maximum": 1, "exclusiveMaximum": true}`,
		`{"unevaluatedItems": false, "contains": {}, "if": {}, "$dynamicRef": "#a"}`, `{"$ref": "#/$defs/a~1b%20c"}`, `true`, `[]`,
		`{"multipleOf": 1e-300, "enum": [1e300], "pattern": "(?<=a)\\1"}`, `{"$schema": "http://json-schema.org/draft-07/schema#", "format": "idn-hostname"}`,
		`{"properties": {"q": {"$schema": "http://json-schema.org/draft-04/schema#", "multipleOf": 0, "type": 5, "minLength": -1}}}`,
	} {
		f.Add(seed, `{"a": [1, "x", null, {"b": 1e300}]}`)
	}
	f.Fuzz(func(t *testing.T, schema, args string) {
		root, err := tree.Read("p", []byte(`{"s": `+schema+"\n}"))
		if err != nil || len(root.Items) != 1 || root.Items[0].Strict("p", tree.Path{}) != nil {
			return
		}
		var d canon.Doc
		if d.Parse(args, canon.Limits{}) != nil {
			return
		}
		s := NewLoader(nil).Load(root.Items[0])
		again := NewLoader(nil).Load(root.Items[0])
		r := s.Check(d.Root())
		require.Equal(t, r, again.Check(d.Root()), "the same schema, the same answer")
		require.Equal(t, s.Fault() != nil, r.Outcome == Malformed && s.Fault() != nil)
		if s.Fault() != nil {
			require.Equal(t, s.Fault().Error(), again.Fault().Error())
			require.NotEqual(t, Unusable, s.Fault().Reason, "something panicked: %s", schema)
		}
		if r.Outcome == Violated && r.Location != "" {
			require.True(t, strings.HasPrefix(r.Location, "/"))
		}
	})
}
