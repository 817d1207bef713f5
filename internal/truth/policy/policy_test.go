// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func mustRead(t testing.TB, text string) *Policy {
	t.Helper()
	p, err := Read("p.yaml", []byte(text))
	require.NoError(t, err)
	return p
}

const wholePolicy = `name: payments
version: "1.0"
allow: [legacy]
tools:
  allow: [read_*, pay]
  deny:
    - "*_danger"
    - drop
  allow_classes: [read]
  deny_classes: [write]
  approval_required: [pay]
  approval_required_classes: [money]
  restrict_scope: ["*"]
  redact_args_classes: [pii]
  restrict_scope_contract: {anything: [goes]}
schemas:
  $defs:
    id: {type: integer}
  pay:
    properties:
      to: {$ref: "#/$defs/id"}
constraints:
  wire:
    iban: "^[A-Z]{2}"
enforcement:
  unconstrained_tools: deny
tool_classes:
  pay: [money, write, money]
  odd: money
limits: whatever
sequences:
  - {type: before, first: login, then: {tool: pay2, args_match: {}}}
  - {type: sequence, tools: [one, two]}
aliases:
  spend: [wire2, pay3]
`

func TestReadAnswersWhatIsDeclared(t *testing.T) {
	p := mustRead(t, wholePolicy)
	assert.Equal(t, "payments", p.Name())
	assert.Equal(t, "2.0", p.Version())
	assert.Equal(t, Deny, p.UnconstrainedTools())
	assert.Equal(t, []Rule{
		{"tools.allow", 0, ParsePattern("read_*"), 5, 11},
		{"tools.allow", 1, ParsePattern("pay"), 5, 19},
		{"allow", 0, ParsePattern("legacy"), 3, 9},
	}, p.Allow())
	assert.Equal(t, []Rule{
		{"tools.deny", 0, ParsePattern("*_danger"), 7, 7}, {"tools.deny", 1, ParsePattern("drop"), 8, 7},
	}, p.Deny())
	assert.Equal(t, []string{"read"}, p.AllowClasses())
	assert.Equal(t, []string{"write"}, p.DenyClasses())
	names, classes := p.Obligation(Approval)
	assert.Equal(t, "pay", names[0].Pattern.String())
	assert.Equal(t, []string{"money"}, classes)
	names, classes = p.Obligation(Redaction)
	assert.Empty(t, names)
	assert.Equal(t, []string{"pii"}, classes)
	names, classes = p.Obligation(Scope)
	assert.Len(t, names, 1)
	assert.Empty(t, classes)
	names, classes = p.Obligation(0)
	assert.Empty(t, names)
	assert.Empty(t, classes)
}

func TestReadKeepsWhatOthersGiveMeaning(t *testing.T) {
	p := mustRead(t, wholePolicy)
	classes, known := p.ToolClasses("pay")
	assert.True(t, known)
	assert.Equal(t, []string{"money", "write"}, classes)
	_, known = p.ToolClasses("odd")
	assert.False(t, known)
	require.Len(t, p.Ignored(), 1)
	assert.Equal(t, "p.yaml:29:8: tool_classes.odd: not a list of classes, and no evidence", p.Ignored().Error())
	assert.Len(t, p.Sequences().Items, 2)
	assert.Equal(t, []string{"spend"}, p.Aliases().Keys)
	assert.Nil(t, mustRead(t, "version: x\n").Sequences())
	assert.Nil(t, mustRead(t, "version: x\n").Aliases())
	assert.Equal(t, canon.KindNull, mustRead(t, "sequences:\n").Sequences().Kind)
}

func TestSchemasAreCompiledOnce(t *testing.T) {
	p := mustRead(t, wholePolicy)
	require.Len(t, p.Schemas(), 2)
	pay, wire := p.Schemas()[0], p.Schemas()[1]
	assert.Equal(t, "pay", pay.Tool)
	assert.Equal(t, 19, pay.Pos.Line)
	assert.False(t, pay.Constraint)
	assert.Nil(t, pay.Fault())
	assert.Same(t, pay.Schema, p.Schema("pay"))
	assert.Equal(t, "wire", wire.Tool)
	assert.True(t, wire.Constraint)
	require.Len(t, wire.Patterns(), 1)
	assert.Equal(t, 24, wire.Patterns()[0].Pos.Line)
	assert.Nil(t, p.Schema("$defs"), "no tool")
	assert.Nil(t, p.Schema("unheard of"))
	assert.Equal(t, []string{"id"}, p.SharedDefinitions().Keys)
	assert.Nil(t, mustRead(t, "version: x\n").SharedDefinitions())

	var d canon.Doc
	require.NoError(t, d.Parse(`{"to": "ana"}`, canon.Limits{}))
	assert.Equal(t, SchemaResult{Outcome: Violated, Location: "/$defs/id/type", Keyword: "type"}, p.Schema("pay").Check(d.Root()))
	assert.Equal(t, 18, p.Schema("pay").Pos("/$defs/id/type").Line)
}

func TestDeclares(t *testing.T) {
	p := mustRead(t, wholePolicy)
	for _, name := range []string{"pay", "legacy", "drop", "wire", "odd_not", "login", "pay2", "one", "two", "wire2", "pay3"} {
		assert.Equal(t, name != "odd_not", p.Declares(name), name)
	}
	for _, name := range []string{"read_*", "*_danger", "$defs", "spend", "money", "", "*"} {
		assert.False(t, p.Declares(name), name)
	}
	mustRead(t, "sequences: 3\naliases: [x]\n") // of the wrong shape, which is not for Declares to say
}

func TestReadReportsEveryFault(t *testing.T) {
	_, err := Read("p.yaml", []byte(strings.Join([]string{
		"version: 3",
		"tool: {}",
		"tools:",
		"  alow: [a]",
		"  deny: [1, x]",
		"  allow: nope",
		"enforcement: {unconstrained_tools: block, unconstrained: deny}",
		"constraints: [{tool: t, params: {p: {match: x}}}, {params: {}}]",
		"1: x",
		"allow_classes: [a]",
		"schemas: {s: {1: x}, u: {type: object}}",
		"unconstrained_tools: warn",
		"x-note: y",
	}, "\n")))
	var all Errors
	require.ErrorAs(t, err, &all)
	assert.Equal(t, strings.Join([]string{
		"p.yaml:1:10: version: got a number, want a string",
		"p.yaml:2:1: tool: unknown field, did you mean tools?",
		"p.yaml:4:3: tools.alow: unknown field, did you mean allow?",
		"p.yaml:5:10: tools.deny[0]: got a number, want a string",
		"p.yaml:6:10: tools.allow: got a string, want a list",
		"p.yaml:7:36: enforcement.unconstrained_tools: must be one of warn, deny, allow",
		"p.yaml:7:43: enforcement.unconstrained: unknown field, did you mean unconstrained_tools?",
		"p.yaml:8:38: constraints[0].params.p.match: unknown field, did you mean matches?",
		"p.yaml:8:51: constraints[1]: the field tool is missing",
		"p.yaml:9:1: a name must be a string: quote it",
		"p.yaml:10:1: allow_classes: unknown field, it belongs under tools",
		"p.yaml:11:15: schemas.s: a name must be a string: quote it",
		"p.yaml:12:1: unconstrained_tools: unknown field, it belongs under enforcement",
		"p.yaml:13:1: x-note: unknown field, known here are aliases, allow, constraints, deny, discovery, enforcement, kill_switch, limits, name, runtime_monitor, schemas, sequences, signatures, tool_classes, tool_pins, tools, version",
	}, "\n"), err.Error())
}

func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"what is no document", "a: [", "p:1: did not find expected node content"},
		{"a version that is nothing", "version:\n", "p:1:9: version: got nothing (null), want a string"},
		{"a word that is nothing", "enforcement: {unconstrained_tools: }\n", "p:1:36: enforcement.unconstrained_tools: must be one of warn, deny, allow"},
		{"a word under a tag", "enforcement: {unconstrained_tools: !x deny}\n", "p:1:36: enforcement.unconstrained_tools: must be one of warn, deny, allow"},
		{"a list under a tag that may mean anything", "tools: {allow: !x }\n", "p:1:16: tools.allow: a tag of your own has no meaning here"},
		{"a schema and a constraint for one tool", "schemas: {t: {}}\nconstraints: {t: {p: x}}\n", "p:2:15: constraints.t: the tool has a schema too: which of the two holds cannot be told, merge them"},
		{"constraints that are a word", "constraints: t\n", "p:1:14: constraints: got a string, want a list of rules or a mapping from tool to parameters"},
		{"a constraint without parameters", "constraints: [{tool: t}]\n", "p:1:15: constraints[0]: the field params is missing"},
		{"a constraint that is a word", "constraints: [t]\n", "p:1:15: constraints[0]: got a string, want a mapping"},
		{"a parameter that is a number", "constraints: {t: {p: 1}}\n", "p:1:22: constraints.t.p: got a number, want a mapping"},
		{"a regex that is a number", "constraints: {t: {p: {matches: 1}}}\n", "p:1:32: constraints.t.p.matches: got a number, want a string"},
		{"a tool that is a number", "constraints: [{tool: 1, params: {}}]\n", "p:1:22: constraints[0].tool: got a number, want a string"},
		{"parameters that are nothing", "constraints: [{tool: t, params: }]\n", "p:1:33: constraints[0].params: got nothing (null), want a mapping"},
		{"a tool whose parameters are a word", "constraints: {t: x}\n", "p:1:18: constraints.t: got a string, want a mapping"},
		{"constraints with a tag", "constraints: !x []\n", "p:1:14: constraints: a tag of your own has no meaning here"},
		{"schemas that are a list", "schemas: []\n", "p:1:10: schemas: got a list, want a mapping"},
		{"a sequence with a tag", "sequences: [!x {}]\n", "p:1:13: sequences[0]: a tag of your own has no meaning here"},
		{"an alias of a number", "aliases: {1: [x]}\n", "p:1:11: aliases: a name must be a string: quote it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read("p", []byte(tt.text))
			require.Error(t, err)
			assert.Equal(t, tt.want, err.Error())
		})
	}
}

func TestAHopelessDocumentIsGivenUp(t *testing.T) {
	var b strings.Builder
	for i := range 3 * maxFaults {
		b.WriteString("k" + strings.Repeat("x", i%5) + strconv.Itoa(i) + ": 1\n")
	}
	_, err := Read("p", []byte(b.String()))
	var all Errors
	require.ErrorAs(t, err, &all)
	assert.Len(t, all, maxFaults)
}

func TestTheLastConstraintOfAToolHolds(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString("- {tool: t" + strconv.Itoa(i%100) + ", params: {p: {matches: x" + strconv.Itoa(i) + "}}}\n")
	}
	p := mustRead(t, "constraints:\n"+b.String())
	require.Len(t, p.Schemas(), 100)
	assert.Equal(t, "x19907", p.Schema("t7").Patterns()[0].Regexp.String())
}

func TestNullMeansTheDefault(t *testing.T) {
	want := mustRead(t, "version: x\n").DeclaredDigest()
	for _, text := range []string{
		"tools:\n", "schemas:\n", "enforcement:\n", "constraints:\n", "allow:\n", "tools: {deny: ~, allow_classes: }\n", "enforcement: {}\n", "constraints: []\n",
	} {
		assert.Equal(t, want, mustRead(t, "version: x\n"+text).DeclaredDigest(), text)
	}
	assert.NotEqual(t, want, mustRead(t, "version: x\nallow: []\n").DeclaredDigest(), "an empty list is present")
}

func TestOperationalFieldsAreOutsideOfTheDigest(t *testing.T) {
	want := mustRead(t, "version: x\n").DeclaredDigest()
	for _, text := range []string{
		"name: 3\n", "limits: [a]\n", "signatures: x\n", "tool_pins:\n", "discovery: {enabled: maybe}\n", "runtime_monitor: []\n",
		"kill_switch: {mode: nope, 1: x}\n", "tool_classes: {t: 1}\n", "tool_classes: [x]\n", "tools: {restrict_scope_contract: 1, redact_args_contract: !x y}\n",
		"sequences: [{}]\n", "aliases: {a: b}\n", "tool_classes: {1: [x]}\n",
	} {
		assert.Equal(t, want, mustRead(t, "version: x\n"+text).DeclaredDigest(), text)
	}
}

func TestTheOrderOfADocumentDoesNotMatter(t *testing.T) {
	a := mustRead(t, "tools: {allow: [a, b], deny: [c]}\nschemas: {t: {required: [x, y]}, s: true}\n")
	b := mustRead(t, "schemas: {s: true, t: {required: [y, x]}}\ntools: {deny: [c], allow: [b, a]}\n")
	assert.Equal(t, a.DeclaredDigest(), b.DeclaredDigest())
	canonical := a.Canonical()
	canonical[0] = 'x'
	assert.NotEqual(t, canonical, a.Canonical(), "a copy")
}

func TestWordsAreClosed(t *testing.T) {
	assert.Equal(t, []string{"deny", "warn", "deny", "allow", "deny"},
		[]string{Unconstrained(0).String(), Warn.String(), Deny.String(), Allow.String(), Unconstrained(9).String()})
	for _, o := range Obligations() {
		assert.NotEmpty(t, o.String())
	}
	assert.Empty(t, Obligation(0).String())
	assert.Empty(t, Obligation(9).String())
}

func TestPatternsSayWhatTheyAre(t *testing.T) {
	for _, tt := range []struct {
		pattern        string
		exact, literal bool
	}{
		{"a", true, false}, {"", true, false}, {"a*", false, false}, {"*a", false, false}, {"*", false, false}, {"***", false, false},
		{"read_*_file", true, true}, {"*a*b*", false, true},
	} {
		p := ParsePattern(tt.pattern)
		assert.Equal(t, tt.exact, p.Exact(), tt.pattern)
		assert.Equal(t, tt.literal, p.LiteralStar(), tt.pattern)
		assert.Equal(t, tt.pattern, p.String())
	}
	assert.True(t, Pattern{}.Match(""))
	assert.False(t, Pattern{}.Match("a"))
}

func TestSuggestions(t *testing.T) {
	known := []string{"allow", "deny", "unconstrained_tools"}
	for name, want := range map[string]string{
		"alow": "allow", "Allow": "allow", "allowed": "allow", "dney": "deny", "unconstrained": "unconstrained_tools", "xyz": "", "": "",
		strings.Repeat("allow", 20): "",
	} {
		got, _ := nearest(name, known)
		assert.Equal(t, want, got, name)
	}
}

func TestACheckLeavesNoGarbage(t *testing.T) {
	p := mustRead(t, string(readSpeed(t, "policy_10.json")))
	var d canon.Doc
	require.NoError(t, d.Parse(string(readSpeed(t, "args_200.json")), canon.Limits{}))
	s := p.Schema("tool_0003")
	assert.Zero(t, testing.AllocsPerRun(200, func() { s.Check(d.Root()) }))
}

func FuzzRead(f *testing.F) {
	for _, c := range readVectors[digestCase](f, "differential/declared_digest.json") {
		f.Add([]byte(c.Input.Policy))
	}
	f.Add([]byte(wholePolicy))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Read("p", text)
		again, errAgain := Read("p", text)
		if err != nil {
			require.Equal(t, err.Error(), errAgain.Error(), "the same document, the same faults")
			return
		}
		require.True(t, p.DeclaredDigest().Valid(), "whatever is read has a digest")
		require.Equal(t, p.DeclaredDigest(), again.DeclaredDigest())
		require.Equal(t, p.DeclaredDigest(), canon.Sum(p.Canonical()))
		reread, err := Read("p", p.Canonical())
		if err == nil { // a constraint on $defs, or one level more, is not read again
			require.Equal(t, p.DeclaredDigest(), reread.DeclaredDigest(), "what is declared, written canonically, declares the same")
		}
	})
}
