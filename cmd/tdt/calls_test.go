// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPlainCallIsReadOneWay(t *testing.T) {
	for line, want := range map[string]string{
		`{"tool_name":"a"}`:                                                             "",
		`{"tool_name":"a","evidence":null}`:                                             "",
		`{"tool_name":"a","arguments":{"x":1,"x":2}}`:                                   "", // the verdict says so
		`{"tool_name":"a","tool_name":"b"}`:                                             "tool_name occurs twice",
		`{"tool_name":"a","arguments":{},"arguments":{"x":1}}`:                          "arguments occurs twice",
		`{"tool_name":"a","evidence":{"scope_satisfied":false,"scope_satisfied":true}}`: "scope_satisfied occurs twice",
		`{"Tool_Name":"a"}`:                                                             errUnknownField.Error(),
		`{"tool_name":"a","evidence":{"Scope_Satisfied":true}}`:                         errUnknownField.Error(),
		`null`:                 `want "tool_name", a string`,
		`[]`:                   "got a JSON array, want an object",
		`{"tool_name":"a"} {}`: "want one JSON object a line, found more",
	} {
		_, err := parsePlainCall(line)
		if want == "" {
			require.NoError(t, err, line)
			continue
		}
		assert.EqualError(t, err, want, line)
	}
}
