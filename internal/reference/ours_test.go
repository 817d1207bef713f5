// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
)

// A decision is one on which this implementation differs on purpose. Nothing
// else may differ.
type decision struct {
	name string
	why  string

	// holds reports whether the case is one of it, and we answer as we mean to.
	holds func(c *testCase, op string, ours answer) bool
}

// ours are all such decisions. Each names what the contract says.
var ours = []decision{
	{
		"repeated_key", "a text that repeats a key is unusable; the other implementation keeps the last of them",
		func(c *testCase, op string, a answer) bool {
			for name, n := range c.docs {
				if n.repeatsKey() && !values[name] {
					switch op {
					case "verdict":
						return a["axis.args"] == "incomplete" || a["refused"] == "true"
					case "carrier":
						return true // its digest is that of absent arguments
					}
					return a["refused"] == "true" || a["ok"] == "false"
				}
			}
			for _, text := range c.raw {
				var d canon.Doc
				if err := d.Parse(text, canon.Limits{}); isRepeatedKey(err) {
					return a["refused"] == "true"
				}
			}
			return false
		},
	},
	{
		"unusable_arguments", "arguments that are no JSON are absent; the other implementation's interface cannot have such",
		func(c *testCase, op string, a answer) bool {
			var d canon.Doc
			return (op == "verdict" || op == "carrier") && d.Parse(c.doc("args"), canon.Limits{}) != nil &&
				(op == "carrier" || a["axis.args"] == "incomplete")
		},
	},
	{
		"unknown_field", "a policy with a field that nobody knows is refused; there it is ignored",
		func(c *testCase, _ string, a answer) bool {
			if text, ok := c.raw["policy"]; ok {
				_, err := policy.Read("policy", []byte(text))
				return err != nil && (strings.Contains(err.Error(), "unknown field") || hasUnknownKey(text))
			}
			return a["refused"] == "true" && c.docs["policy"] != nil && hasUnknownField(c.docs["policy"])
		},
	},
	{
		"long_integer", "an integer in YAML beyond 64 bits is refused; there it is a double, beyond 128 bits",
		func(c *testCase, _ string, a answer) bool {
			return a["refused"] == "true" && longInteger.MatchString(c.raw["policy"])
		},
	},
	{
		"byte_order_mark", "a byte order mark is accepted before any policy; there it shifts the first line of a block mapping",
		func(c *testCase, _ string, a answer) bool {
			return a["refused"] == "" && strings.HasPrefix(c.raw["policy"], "\ufeff")
		},
	},
	{
		"infinity_is_null", "an infinity is null, and so is not-a-number, also where a mapping is expected and null means the default",
		func(c *testCase, _ string, a answer) bool {
			return a["refused"] == "" && infinity.MatchString(c.raw["policy"])
		},
	},
	{
		"schema_and_constraint", "a tool with both a schema and a legacy constraint is refused; there either may win",
		func(c *testCase, _ string, a answer) bool {
			p := c.docs["policy"]
			return a["refused"] == "true" && p != nil && p.get("constraints") != nil && p.get("schemas") != nil
		},
	},
	{
		"regex", "patterns of schemas are ECMA-262; the other engine reads some parts of them differently",
		func(c *testCase, _ string, _ answer) bool {
			return c.docs["policy"] != nil && c.docs["policy"].has(isDialect)
		},
	},
	{
		"order_of_members", "equality in const, enum and uniqueItems ignores the order of members; there it does not",
		func(c *testCase, _ string, _ answer) bool {
			p := c.docs["policy"]
			return p != nil && p.has(func(key string, n *node) bool {
				return (key == "const" || key == "enum") && n.has(isObjectOfSeveral) || key == "uniqueItems"
			}) && c.docs["args"] != nil && c.docs["args"].has(isObjectOfSeveral)
		},
	},
	{
		"rule_regex", "a rule whose regex does not compile is a fault of the policy; \\b knows ASCII letters only",
		func(c *testCase, op string, _ answer) bool {
			return op == "sequence" && c.docs["policy"].has(func(_ string, n *node) bool {
				return n.kind == canon.KindString && (n.text == "(" || n.text == "\\bx")
			})
		},
	},
	{
		"foreign_operand", "an operand that a rule of the kind does not have is a fault of the policy; there it is ignored",
		func(c *testCase, op string, a answer) bool {
			return op == "sequence" && a["refused"] == "true" && hasForeignOperand(c.docs["policy"].get("sequences"))
		},
	},
	{
		"import_of_a_set", "every carrier of a set passes the import checks; there a cited carrier need not",
		func(c *testCase, op string, a answer) bool {
			return op == "bundle" && a["ok"] == "false" && hasBadCarrier(c.docs["events"])
		},
	},
}

func isRepeatedKey(err error) bool {
	te, ok := errors.AsType[*canon.TextError](err)
	return ok && te.Fault == canon.FaultDuplicateKey
}

// knownFields are those that a policy may have, by the mapping they stand in.
var knownFields = map[string][]string{
	"":            {"version", "name", "tools", "schemas", "enforcement", "allow", "deny", "constraints", "sequences", "aliases", "tool_classes"},
	"tools":       slices.Concat(nameFields, classFields),
	"enforcement": {"unconstrained_tools"},
}

func hasUnknownField(p *node) bool {
	for where, known := range knownFields {
		n := p
		if where != "" {
			n = p.get(where)
		}
		if n != nil && slices.ContainsFunc(n.keys, func(k string) bool { return !slices.Contains(known, k) }) {
			return true
		}
	}
	constraints := p.get("constraints")
	return constraints != nil && constraints.has(func(_ string, n *node) bool {
		return slices.ContainsFunc(n.keys, func(k string) bool { return k != "tool" && k != "params" && k != "matches" })
	})
}

// hasUnknownKey looks at the keys of a policy in YAML, whatever its values are.
func hasUnknownKey(text string) bool {
	var root map[string]yaml.Node
	if yaml.Unmarshal([]byte(strings.Replace(text, "%YAML 1.2", "%YAML 1.1", 1)), &root) != nil {
		return false
	}
	for key, n := range root {
		if !slices.Contains(knownFields[""], key) {
			return true
		}
		if known, nested := knownFields[key]; nested && key != "" {
			for i := 0; i+1 < len(n.Content); i += 2 {
				if !slices.Contains(known, n.Content[i].Value) {
					return true
				}
			}
		}
	}
	return false
}

// operands are what a rule of a kind has, beside its type.
var operands = map[string][]string{
	"require": {"tool"}, "blocklist": {"pattern"}, "before": {"first", "then"}, "never_after": {"trigger", "forbidden"},
	"max_calls": {"tool", "max"}, "eventually": {"tool", "within"}, "after": {"trigger", "then", "within"}, "sequence": {"tools", "strict"},
}

func hasForeignOperand(rules *node) bool {
	return rules != nil && slices.ContainsFunc(rules.items, func(r *node) bool {
		kind := r.get("type")
		return kind != nil && slices.ContainsFunc(r.keys, func(k string) bool {
			return k != "type" && k != "id" && !slices.Contains(operands[kind.text], k)
		})
	})
}

func hasBadCarrier(events *node) bool {
	return slices.ContainsFunc(events.items, func(e *node) bool {
		kind, payload := e.get("type"), e.get("payload")
		if kind == nil || payload == nil || kind.text != "carrier" {
			return false
		}
		_, err := carrier.Import(payload.String())
		return err != nil
	})
}

var (
	longInteger = regexp.MustCompile(`[0-9A-Fa-f]{17}`)
	infinity    = regexp.MustCompile(`(?i)\.(inf|nan)`)
)

// isDialect reports whether n is a pattern that other engines read differently,
// or refuse.
func isDialect(key string, n *node) bool {
	switch {
	case key == "pattern" || key == "matches":
		return n.kind == canon.KindString && differs(n.text)
	case key == "patternProperties":
		return slices.ContainsFunc(n.keys, differs)
	}
	return n.kind == canon.KindString && differs(n.text) && slices.Contains(regexes, n.text) // constraints in their short form
}

func differs(pattern string) bool {
	re, err := regex.Compile(pattern, regex.Properties{})
	return err != nil || len(re.Constructs()) > 0 || re.Backtracks()
}
