// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestArgumentKeys(t *testing.T) {
	for expression, want := range map[string][]string{
		`attributes["a.b"]`:                                   {"a.b"},
		`span.attributes["a.b"]["input"]`:                     {"a.b"},
		`ParseJSON(attributes["a"])`:                          {"a"},
		`Concat([attributes["a"], span.attributes["b"]], "")`: {"a", "b"},
		`attributes["say \"a\""]`:                             {`say "a"`},
		`resource.attributes["a"]`:                            nil,
		`instrumentation_scope.attributes["a"]`:               nil,
		`span.name`:                                           nil,
		``:                                                    nil,
	} {
		assert.Equal(t, want, (&CustomDialectConfig{Arguments: expression}).argumentKeys(), expression)
	}
}

// TestArgumentsOfACustomDialectAreRemoved sends a call whose arguments lie where
// only the operator knows.
func TestArgumentsOfACustomDialectAreRemoved(t *testing.T) {
	for _, expression := range []string{`attributes["acme.input"]`, `ParseJSON(attributes["acme.input"])`} {
		r := newRig(t, withPolicy(t, anyPolicy, `
arguments: remove
recognize:
  custom:
    - {name: acme, when: 'attributes["acme.kind"] == "tool"', tool_name: 'attributes["acme.tool"]', arguments: '`+expression+`'}
`))
		td := ptrace.NewTraces()
		in := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		in.SetEndTimestamp(1)
		in.Attributes().PutStr("acme.kind", "tool")
		in.Attributes().PutStr("acme.tool", "read")
		in.Attributes().PutStr("acme.input", `{"note":"CANARY"}`)
		in.Attributes().PutStr("mcp.request.argument.note", "CANARY")
		in.Events().AppendEmpty().Attributes().PutStr("gen_ai.tool.call.arguments", `{"note":"CANARY"}`)
		span := spansOf(r.consume(t, td))[0]
		assert.NotEmpty(t, verdictOf(span))
		assert.Empty(t, attr(span, "acme.input"))
		assert.Empty(t, attr(span, "mcp.request.argument.note"))
		assert.Equal(t, "read", attr(span, "acme.tool"), "only arguments are removed")
		assert.Zero(t, span.Events().At(0).Attributes().Len())
	}
}

func TestArgumentsThatCannotBeRemovedAreNotPromisedToBe(t *testing.T) {
	const custom = `
recognize: {custom: [{name: acme, when: 'true', tool_name: span.name, arguments: 'resource.attributes["input"]'}]}
`
	cfg := readConfig(t, withPolicy(t, anyPolicy, "arguments: remove"+custom))
	require.ErrorContains(t, confmap.Validate(cfg), `recognize: custom[0]: arguments: the expression names no attribute of the span`)
	require.NoError(t, confmap.Validate(readConfig(t, withPolicy(t, anyPolicy, custom))))
}
