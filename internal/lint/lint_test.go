// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

func check(t *testing.T, text string) []Finding {
	t.Helper()
	_, found, err := Check("p.yaml", []byte(text))
	require.NoError(t, err)
	return found
}

// short renders findings as "line code path".
func short(found []Finding) []string {
	out := []string{}
	for _, f := range found {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s", f.Line, f.Code, f.Path)))
	}
	return out
}

// cases have at least one for each code.
var cases = []struct {
	name   string
	policy string
	want   []string
}{
	{
		"a policy that means what it says has no findings", `
tools: {allow: [read, "send*"], deny: ["send_all*"], approval_required: [send]}
schemas:
  read: {type: object, required: [path], properties: {path: {type: string}}, additionalProperties: false}
  send: {type: object, properties: {to: {type: string}}}
`, []string{},
	},
	{
		"a star inside a pattern is no wildcard", `
tools:
  deny:
    - "read_*_file"
    - "*a*b*"
`, []string{"4 tools.literal_star tools.deny[0]", "5 tools.literal_star tools.deny[1]"},
	},
	{
		"names that no tool has are told", `
tools: {deny: ["", " wipe", "rm"]}
`, []string{"2 tools.unlikely_name tools.deny[0]", "2 tools.unlikely_name tools.deny[1]"},
	},
	{
		"a line that another one covers is needless, and of two equal ones the later", `
tools: {deny: ["rm_*", "rm_all", "x", "x"]}
`, []string{"2 tools.shadowed tools.deny[1]", "2 tools.shadowed tools.deny[3]"},
	},
	{
		"a legacy line is cited as it is written", `
tools: {deny: ["rm_*"]}
deny: [rm_all]
`, []string{"3 tools.shadowed deny[0]"},
	},
	{
		"a deny that no allow line meets changes no verdict", `
tools: {allow: ["read_*", "*_ro", "exact"], deny: ["wipe", "read_secret", "*_rw", "exact2"]}
`, []string{
			"2 tools.unconstrained tools.allow[2]",
			"2 tools.deny_without_effect tools.deny[0]", "2 tools.deny_without_effect tools.deny[3]",
		},
	},
	{
		"an allow line that is denied as a whole allows nothing", `
tools: {allow: ["wipe_*", "read_*"], deny: ["*wipe*"]}
`, []string{"2 tools.allow_without_effect tools.allow[0]"},
	},
	{
		"an empty allow list is none", `
tools: {allow: [], deny: [wipe]}
`, []string{"2 tools.empty_list tools.allow"},
	},
	{
		"an empty list beside the legacy one is no trap", `
tools: {allow: []}
allow: ["read*"]
`, []string{},
	},
	{
		"nothing is allowed where nothing is listed and what is not listed is denied", `
tools: {deny: [wipe]}
enforcement: {unconstrained_tools: deny}
`, []string{"3 tools.nothing_allowed enforcement.unconstrained_tools"},
	},
	{
		"an allowed tool without a schema is unconstrained", `
tools: {allow: [read, "list_*"]}
enforcement: {unconstrained_tools: allow}
`, []string{"2 tools.unconstrained tools.allow[0]", "2 tools.unconstrained tools.allow[1]"},
	},
	{
		"everything matches where everything is allowed", `
enforcement: {unconstrained_tools: allow}
`, []string{"2 tools.unconstrained tools.allow"},
	},
	{
		"a policy with nothing but a version constrains nothing", `
version: "1"
`, []string{"2 tools.unconstrained tools"},
	},
	{
		"neither do names, classes of tools, aliases, shared definitions and empty lists", `
name: x
tools: {deny: [], approval_required_classes: []}
tool_classes: {read: [fs]}
aliases: {}
schemas: {$defs: {a: {type: string}}}
constraints: []
sequences: []
`, []string{"2 tools.unconstrained tools"},
	},
	{
		"a rule about order constrains", `
sequences: [{type: max_calls, tool: pay, max: 3}]
`, []string{},
	},
	{
		"an allowed tool whose arguments are denied never matches", `
tools: {allow: [read, "list_*", "write_*"]}
schemas: {write_file: {type: object}}
enforcement: {unconstrained_tools: deny}
`, []string{"2 tools.never_match tools.allow[0]", "2 tools.never_match tools.allow[1]"},
	},
	{
		"a duty of tools that are not allowed decides nothing", `
tools:
  allow: ["read_*"]
  approval_required: [pay]
  restrict_scope: ["read_*"]
  redact_args: ["*"]
`, []string{"4 obligations.without_effect tools.approval_required[0]"},
	},
	{
		"classes that contradict, that no tool has, and that are no classes", `
tools: {allow_classes: [net, fs], deny_classes: [net], approval_required_classes: [mony]}
tool_classes:
  fetch: [net, money]
  open: fs
`, []string{
			"2 classes.contradictory tools.allow_classes[0]", "2 classes.unknown tools.allow_classes[1]",
			"2 classes.unknown tools.approval_required_classes[0]", "5 classes.ignored_entry tool_classes.open",
		},
	},
	{
		"tool_classes of another shape is no evidence", `
tools: {deny_classes: [net]}
tool_classes: [net]
`, []string{"3 classes.ignored_entry tool_classes"},
	},
	{
		"fields for a system that enforces decide nothing here", `
limits: {max_requests_total: 3}
kill_switch: ~
tools: {restrict_scope_contract: {}, deny: [wipe]}
`, []string{"2 fields.not_judged limits", "4 fields.not_judged tools.restrict_scope_contract"},
	},
	{
		"schemas that cannot be used are told with the reason", `
schemas:
  a: {type: text}
  b: {$ref: "#/nowhere"}
  c: {pattern: "("}
  d: {$ref: "https://example.com/schema"}
constraints: {e: {x: "("}}
`, []string{
			"3 schemas.malformed schemas.a", "4 schemas.malformed schemas.b", "5 schemas.malformed schemas.c",
			"6 schemas.malformed schemas.d", "7 schemas.malformed constraints.e",
		},
	},
	{
		"a schema that no allow line reaches decides nothing", `
tools: {allow: [read], deny: ["wipe*"]}
schemas:
  read: {type: object}
  send: {type: object}
  wipe: {type: object}
`, []string{
			"2 tools.deny_without_effect tools.deny[0]", "5 schemas.unreachable schemas.send", "6 schemas.unreachable schemas.wipe",
		},
	},
	{
		"a schema has the exact name of a tool", `
schemas: {"read_*": {type: object}}
`, []string{`2 schemas.literal_star schemas["read_*"]`},
	},
	{
		"schemas that say nothing accept everything", `
schemas:
  a: true
  b: {}
  c: {title: T, description: D, $defs: {x: {type: string}}}
  d: false
`, []string{
			"3 schemas.accept_everything schemas.a", "4 schemas.accept_everything schemas.b", "5 schemas.accept_everything schemas.c",
		},
	},
	{
		"so do schemas that only refer to such a one, or back to themselves", `
schemas:
  a: {$ref: "#"}
  b: {$ref: "#/$defs/x", $defs: {x: {$ref: "#/$defs/y"}, y: {$ref: "#/$defs/x", title: T}}}
  c: {$ref: "#/$defs/any"}
  d: {$schema: "http://json-schema.org/draft-07/schema#", $ref: "#/definitions/x", definitions: {x: {$ref: "#"}}}
  e: {$ref: "#/$defs/x", $defs: {x: {$ref: "#", type: object}}}
  f: {$ref: "#", required: [x]}
  g: {$ref: "#/$defs/x", $defs: {x: {$ref: "#/$defs/x", title: 5}}}
  $defs: {any: {description: D}}
`, []string{
			"3 schemas.accept_everything schemas.a", "4 schemas.accept_everything schemas.b",
			"5 schemas.accept_everything schemas.c", "6 schemas.accept_everything schemas.d",
			"9 schemas.malformed schemas.g",
		},
	},
	{
		"what is required must not be forbidden", `
schemas:
  a: {required: [x], properties: {y: {}}, additionalProperties: false}
  b: {required: [x], properties: {x: false}}
  c: {required: [x, y], maxProperties: 1}
  d: {required: [x], patternProperties: {"^x": true}, additionalProperties: false}
  e: {required: [x], propertyNames: {pattern: "^y"}}
  f: {required: [x], allOf: [{properties: {y: {}}, additionalProperties: false}]}
  g: {required: [x], $ref: "#/$defs/closed"}
  h: {required: [x], patternProperties: {"x": {not: {}}}}
  i: {required: [x], propertyNames: {enum: [y]}}
  j: {properties: {in: {required: [x], propertyNames: false}}}
  k: {required: [x], anyOf: [{properties: {y: {}}, additionalProperties: false}]}
  $defs: {closed: {properties: {y: {}}, additionalProperties: false}}
`, []string{
			"3 schemas.required_forbidden schemas.a.required[0]", "4 schemas.required_forbidden schemas.b.required[0]",
			"5 schemas.required_forbidden schemas.c.maxProperties", "7 schemas.required_forbidden schemas.e.required[0]",
			"8 schemas.required_forbidden schemas.f.required[0]", "9 schemas.required_forbidden schemas.g.required[0]",
			"10 schemas.required_forbidden schemas.h.required[0]", "11 schemas.required_forbidden schemas.i.required[0]",
			"12 schemas.required_forbidden schemas.j.properties.in.required[0]",
		},
	},
	{
		"references that run in a circle end", `
schemas:
  a: {$ref: "#", required: [x], properties: {y: {}}, additionalProperties: false}
  b: {$ref: "#/$defs/x", required: [x], $defs: {x: {$ref: "#"}}}
  c: {$schema: "http://json-schema.org/draft-07/schema#", required: [x], allOf: [{$ref: "#/definitions/x"}], definitions: {x: {$ref: "#/definitions/x"}}}
`, []string{"3 schemas.required_forbidden schemas.a.required[0]"},
	},
	{
		"patterns that other engines read differently are told", `
schemas:
  a: {pattern: "^a.c$"}
  b: {pattern: "^[a-z]+$"}
  c: {properties: {x: {patternProperties: {"\\bx": true}}}}
  d: {pattern: "(a)\\1"}
constraints:
  - {tool: e, params: {x: {matches: "\\s"}}}
`, []string{
			"3 schemas.regex_differs schemas.a.pattern", `5 schemas.regex_differs schemas.c.properties.x.patternProperties["\\bx"]`,
			"6 schemas.regex_budget schemas.d.pattern", "8 schemas.regex_differs constraints[0].params.x.matches",
		},
	},
	{
		"keywords that a dialect does not have constrain nothing", `
schemas:
  a: {type: object, require: [x], x-note: 1}
  b: {$schema: "http://json-schema.org/draft-07/schema#", type: object, dependentRequired: {a: [b]}}
  c: {type: object, properties: {x: {maxlength: 3}}}
`, []string{
			"3 schemas.unknown_keyword schemas.a.require", "4 schemas.unknown_keyword schemas.b.dependentRequired",
			"5 schemas.unknown_keyword schemas.c.properties.x.maxlength",
		},
	},
	{
		"keywords that say nothing where they stand are told", `
schemas:
  a: {then: false, minContains: 2}
  b: {type: string, minimum: 3, format: email}
  c: {$schema: "http://json-schema.org/draft-07/schema#", $ref: "#/definitions/x", type: object, definitions: {x: {type: string, format: email}}}
  d: {type: [integer, "null"], minimum: 3}
  e: {if: {type: string}, then: {minLength: 1}}
`, []string{
			"3 schemas.idle_keyword schemas.a.then", "3 schemas.idle_keyword schemas.a.minContains",
			"4 schemas.idle_keyword schemas.b.minimum", "4 schemas.idle_keyword schemas.b.format",
			"5 schemas.idle_keyword schemas.c.type",
		},
	},
	{
		"findings of sequence rules are among them", `
sequences: [{type: require, tool: "read_*"}]
`, []string{"2 sequences.literal_star sequences[0]"},
	},
}

func TestFindings(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			found := check(t, tt.policy)
			assert.Equal(t, tt.want, short(found))
			for _, f := range found {
				assert.True(t, f.Code.Known(), f.Code)
				assert.Equal(t, "p.yaml", f.File)
				assert.NotEmpty(t, f.Msg)
				assert.False(t, strings.HasSuffix(f.Msg, "."), f.Msg)
			}
		})
	}
}

// TestAcceptedIsEverything asks the schemas of which a case says that they
// accept everything.
func TestAcceptedIsEverything(t *testing.T) {
	asked := 0
	for _, tt := range cases {
		p, found, err := Check("p.yaml", []byte(tt.policy))
		require.NoError(t, err)
		for _, f := range found {
			if f.Code != SchemasAcceptEverything {
				continue
			}
			schema := p.Schema(strings.TrimPrefix(f.Path, "schemas."))
			for _, text := range []string{"{}", `{"x":[1,"a",null]}`, "7", "null", `"x"`} {
				var doc canon.Doc
				require.NoError(t, doc.Parse(text, canon.Limits{}))
				assert.Equal(t, policy.Valid, schema.Check(doc.Root()).Outcome, "%s: %s of %s", tt.name, text, f.Path)
				asked++
			}
		}
	}
	assert.NotZero(t, asked)
}

func TestEveryCodeHasACase(t *testing.T) {
	seen := map[Code]bool{}
	for _, tt := range cases {
		for _, f := range check(t, tt.policy) {
			seen[f.Code] = true
		}
	}
	for code := range meanings {
		assert.True(t, seen[code], "no case finds %s", code)
		assert.NotEmpty(t, code.Meaning())
	}
	for _, word := range sequence.LintCodes() {
		assert.True(t, Code(sequences+word).Known())
	}
	assert.False(t, Code("tools.unheard_of").Known())
	assert.False(t, Code("").Known())
}

func TestAPolicyThatDoesNotLoadIsNotLookedAt(t *testing.T) {
	for _, text := range []string{"tools: [", "toolz: {}", "sequences: [{type: none}]", ""} {
		p, found, err := Check("p.yaml", []byte(text))
		assert.Error(t, err, text)
		assert.Nil(t, p)
		assert.Empty(t, found)
		assert.Contains(t, err.Error(), "p.yaml")
	}
}

// TestShapesAgreeWithNames holds covers and meets against all short names.
func TestShapesAgreeWithNames(t *testing.T) {
	words := []string{""}
	for i := 0; len(words[i]) < 4; i++ {
		words = append(words, words[i]+"a", words[i]+"b")
	}
	var patterns []policy.Pattern
	for _, w := range words[:15] {
		for _, p := range []string{w, w + "*", "*" + w, "*" + w + "*"} {
			patterns = append(patterns, policy.ParsePattern(p))
		}
	}
	for _, p := range patterns {
		for _, q := range patterns {
			a, b := shapeOf(p), shapeOf(q)
			covers, meets := true, false
			for _, name := range words {
				x, y := p.Match(name), q.Match(name)
				if x != a.match(name) {
					t.Fatalf("%s %s", p, name)
				}
				covers = covers && (x || !y)
				meets = meets || x && y
			}
			if covers != a.covers(b) {
				require.True(t, covers, "%q does not cover %q", p, q) // names are short, so covers may be too kind
				require.Contains(t, uncovered(a, b), "long", "%q covers %q", p, q)
			}
			if len(a.inner)+len(b.inner) <= 4 {
				require.Equal(t, meets, a.meets(b), "%q meets %q", p, q)
			}
		}
	}
}

// uncovered says long where only names longer than those tried can show that b
// is not covered.
func uncovered(a, b shape) string {
	for _, around := range []string{"", "c", "cc", "ccccc"} {
		for _, behind := range []string{"", "c", "cc", "ccccc"} {
			name := b.inner
			if b.before {
				name = around + name
			}
			if b.behind {
				name += behind
			}
			if b.match(name) && !a.match(name) {
				return "long"
			}
		}
	}
	return "none"
}

func TestPoliciesOfTheVectorsAreLookedAt(t *testing.T) {
	text, err := os.ReadFile("../../testdata/vectors/differential/verdict.json")
	require.NoError(t, err)
	var file struct {
		Cases []struct {
			Input struct{ Policy string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Cases)
	looked := 0
	for _, c := range file.Cases {
		if _, found, err := Check("p", []byte(c.Input.Policy)); err == nil {
			looked++
			for _, f := range found {
				require.True(t, f.Code.Known(), f.Code)
			}
		}
	}
	assert.Greater(t, looked, 100)
}

func FuzzCheck(f *testing.F) {
	for _, tt := range cases {
		f.Add(tt.policy)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, found, err := Check("p", []byte(text))
		if err != nil {
			return
		}
		for _, finding := range found {
			if !finding.Code.Known() || finding.Msg == "" {
				t.Fatalf("%+v", finding)
			}
		}
	})
}
