// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"strconv"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

var classFields = []string{"allow_classes", "deny_classes", "approval_required_classes", "restrict_scope_classes", "redact_args_classes"}
var nameFields = []string{"allow", "deny", "approval_required", "restrict_scope", "redact_args"}

// policy returns a policy document.
func (g *gen) policy() *node {
	p := obj()
	if !g.chance(3) {
		p.put("version", str(pick(g, []string{"", "1", "1.0", "2.0", "3", "x"})))
	}
	if g.chance(6) {
		p.put("name", str("n"))
	}
	if !g.chance(5) {
		p.put("tools", g.tools())
	}
	if !g.chance(4) {
		p.put("schemas", g.schemas())
	}
	if g.chance(2) {
		p.put("enforcement", obj().put("unconstrained_tools", str(pick(g, []string{"warn", "deny", "allow", "warn"}))))
	}
	if g.chance(12) {
		p.put(pick(g, []string{"allow", "deny"}), g.list(patterns))
	}
	if g.chance(12) {
		p.put("constraints", g.constraints())
	}
	g.spoil(p)
	return p
}

// spoil rarely makes a policy one that may not load.
func (g *gen) spoil(p *node) {
	if !g.chance(20) {
		return
	}
	switch g.IntN(7) {
	case 0:
		p.put("version", num("2"))
	case 1:
		p.put("tools", g.value(1))
	case 2:
		p.put("enforcement", g.value(1))
	case 3:
		p.put("schemas", g.value(1))
	case 4:
		p.put(pick(g, []string{"toolz", "schema", "x"}), null())
	case 5:
		p.put("enforcement", obj().put("unconstrained_tools", str(pick(g, []string{"Warn", "", "block"}))))
	case 6:
		p.put("constraints", g.value(2))
	}
}

func (g *gen) tools() *node {
	t := obj()
	for _, f := range some(g, nameFields) {
		if g.chance(2) {
			t.put(f, g.list(patterns))
		}
	}
	for _, f := range some(g, classFields) {
		if g.chance(3) {
			t.put(f, g.list(classes))
		}
	}
	return t
}

func (g *gen) schemas() *node {
	s := obj()
	if g.chance(4) {
		s.put("$defs", obj().put("x", g.schema(1)).put("y", g.schema(1)))
	}
	for range g.IntN(4) {
		s.put(pick(g, toolNames[:8]), g.schema(2))
	}
	return s
}

// constraints returns the legacy field, in one of its two shapes.
func (g *gen) constraints() *node {
	params := func(bare bool) *node {
		p := obj()
		for range g.IntN(3) {
			v := obj().put("matches", str(pick(g, regexes)))
			if bare && g.chance(2) {
				v = str(pick(g, regexes))
			}
			if g.chance(8) {
				v = obj()
			}
			p.put(pick(g, argNames), v)
		}
		return p
	}
	if g.chance(2) {
		m := obj()
		for range g.IntN(3) {
			m.put(pick(g, toolNames[:6]), params(true))
		}
		return m
	}
	list := arr()
	for range g.IntN(3) {
		list.items = append(list.items, obj().put("tool", str(pick(g, toolNames[:6]))).put("params", params(false)))
	}
	return list
}

// regexes mean the same in ECMA-262 and to other engines, but for the last few.
var regexes = []string{
	"^a", "a$", "^[a-z]+$", "b|c", "^.{2,3}$", "(ab)+", "[^a]", "^$", "", "a{0,2}b?", "\\.", "[0-9]{4}-[0-9]{2}", "^(?:a|b)*$", "é", "^ana@", "(", "[z-a]", "a**",
	"\\d+", "\\w", "\\s", "(?=a)b", "(a)\\1",
}

// A keywordGen makes the value of a keyword with at most so many levels of
// schemas in it.
type keywordGen func(g *gen, depth int) *node

func keywordGens() map[string]keywordGen {
	return map[string]keywordGen{
		"type": func(g *gen, _ int) *node {
			types := []string{"object", "array", "string", "number", "integer", "boolean", "null"}
			if g.chance(4) {
				return arr(str(pick(g, types)), str(pick(g, types)))
			}
			if g.chance(30) {
				return str("text")
			}
			return str(pick(g, types))
		},
		"properties":            func(g *gen, d int) *node { return g.named(d) },
		"required":              func(g *gen, _ int) *node { return g.names() },
		"additionalProperties":  func(g *gen, d int) *node { return g.schema(d) },
		"propertyNames":         func(g *gen, d int) *node { return g.schema(d) },
		"patternProperties":     func(g *gen, d int) *node { return obj().put(pick(g, regexes[:15]), g.schema(d)) },
		"minProperties":         (*gen).size,
		"maxProperties":         (*gen).size,
		"dependentRequired":     func(g *gen, _ int) *node { return obj().put(pick(g, argNames), g.names()) },
		"dependentSchemas":      func(g *gen, d int) *node { return obj().put(pick(g, argNames), g.schema(d)) },
		"unevaluatedProperties": func(g *gen, d int) *node { return g.schema(d) },
		"items":                 func(g *gen, d int) *node { return g.schema(d) },
		"prefixItems":           func(g *gen, d int) *node { return arr(g.schema(d), g.schema(d)) },
		"contains":              func(g *gen, d int) *node { return g.schema(d) },
		"minContains":           (*gen).size,
		"maxContains":           (*gen).size,
		"minItems":              (*gen).size,
		"maxItems":              (*gen).size,
		"uniqueItems":           func(g *gen, _ int) *node { return boolean(!g.chance(4)) },
		"unevaluatedItems":      func(g *gen, d int) *node { return g.schema(d) },
		"minLength":             (*gen).size,
		"maxLength":             (*gen).size,
		"pattern":               func(g *gen, _ int) *node { return str(pick(g, regexes)) },
		"minimum":               func(g *gen, _ int) *node { return g.bound() },
		"maximum":               func(g *gen, _ int) *node { return g.bound() },
		"exclusiveMinimum":      func(g *gen, _ int) *node { return g.bound() },
		"exclusiveMaximum":      func(g *gen, _ int) *node { return g.bound() },
		"multipleOf":            func(g *gen, _ int) *node { return num(pick(g, []string{"1", "2", "0.5", "3", "0.1", "10"})) },
		"enum":                  func(g *gen, _ int) *node { return arr(g.value(1), g.value(0), g.value(0)) },
		"const":                 func(g *gen, _ int) *node { return g.value(1) },
		"allOf":                 func(g *gen, d int) *node { return arr(g.schema(d), g.schema(d)) },
		"anyOf":                 func(g *gen, d int) *node { return arr(g.schema(d), g.schema(d)) },
		"oneOf":                 func(g *gen, d int) *node { return arr(g.schema(d), g.schema(d)) },
		"not":                   func(g *gen, d int) *node { return g.schema(d) },
		"if":                    func(g *gen, d int) *node { return g.schema(d) },
		"then":                  func(g *gen, d int) *node { return g.schema(d) },
		"else":                  func(g *gen, d int) *node { return g.schema(d) },
		"$ref": func(g *gen, _ int) *node {
			return str(pick(g, []string{"#/$defs/x", "#/$defs/y", "#", "#/properties/a", "#/$defs/z", "https://example.test/s"}))
		},
		"$defs":  func(g *gen, d int) *node { return obj().put("z", g.schema(d)) },
		"format": func(g *gen, _ int) *node { return str(pick(g, []string{"date", "ipv4", "uuid", "nonsense"})) },
		"title":  func(g *gen, _ int) *node { return str("t") },
		"$schema": func(g *gen, _ int) *node {
			return str(pick(g, []string{
				"https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#",
				"http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-06/schema#",
				"https://example.test/unknown", "",
			}))
		},
	}
}

// keywordNames are the keywords in a fixed order; common ones stand in it more
// than once.
var keywordNames = []string{
	"type", "type", "type", "properties", "properties", "required", "required", "additionalProperties", "propertyNames", "patternProperties",
	"minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "items", "prefixItems", "contains",
	"minContains", "maxContains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems", "minLength", "maxLength", "pattern", "minimum",
	"maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "enum", "const", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
	"$ref", "$defs", "format", "title", "$schema",
}

// schema returns a JSON Schema with at most depth levels below it.
func (g *gen) schema(depth int) *node {
	if depth <= 0 || g.chance(12) {
		switch g.IntN(4) {
		case 0:
			return boolean(!g.chance(4))
		case 1:
			return obj().put("type", g.keywords["type"](g, 0))
		}
		return obj()
	}
	s := obj()
	for range 1 + g.IntN(4) {
		name := pick(g, keywordNames)
		if name == "$schema" && !g.chance(4) {
			continue
		}
		s.put(name, g.keywords[name](g, depth-1))
	}
	return s
}

func (g *gen) named(depth int) *node {
	o := obj()
	for range 1 + g.IntN(3) {
		o.put(pick(g, argNames[:4]), g.schema(depth))
	}
	return o
}

func (g *gen) names() *node {
	list := arr()
	for i, name := range some(g, argNames[:4]) {
		if i < 2 {
			list.items = append(list.items, str(name))
		}
	}
	return list
}

func (g *gen) size(_ int) *node { return num(strconv.Itoa(g.IntN(4))) }

func (g *gen) bound() *node {
	n := g.number()
	if n.text == "1e400" || n.text == "-1e400" {
		return num("1")
	}
	return n
}

// arguments returns what a schema may be about.
func (g *gen) arguments() *node {
	if g.chance(4) {
		return g.value(3)
	}
	o := obj()
	for _, name := range some(g, argNames[:4]) {
		o.put(name, g.value(2))
	}
	return o
}

// isObjectOfSeveral reports whether n is an object with more than one member.
func isObjectOfSeveral(_ string, n *node) bool { return n.kind == canon.KindObject && len(n.keys) > 1 }
