// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTableAlignsColumnsWithAndWithoutColor(t *testing.T) {
	rows := []Row{
		{Agent: "desk", Framework: "Pydantic AI", Tool: "read_file", Verdict: "match", Why: "Held."},
		{Agent: "a-longer-agent", Framework: "OpenInference", Tool: "delete", Verdict: "mismatch", Why: "Denied."},
	}
	var plainOut, colored strings.Builder
	require.NoError(t, Table(&plainOut, rows, false))
	require.NoError(t, Table(&colored, rows, true))
	assert.Equal(t, `AGENT           FRAMEWORK      TOOL       VERDICT   WHY
desk            Pydantic AI    read_file  match     Held.
a-longer-agent  OpenInference  delete     mismatch  Denied.
`, plainOut.String())
	stripped := strings.NewReplacer(plain, "", colors["mismatch"], "", reset, "").Replace(colored.String())
	assert.Equal(t, plainOut.String(), stripped)
	assert.NotEqual(t, plainOut.String(), colored.String())
}

func TestCellCannotDisturbTheTerminal(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"an empty name is a dash", "", "-"},
		{"a plain name stays", "read_file", "read_file"},
		{"letters of any script stay", "читать", "читать"},
		{"a newline is escaped", "a\nb", `a\nb`},
		{"a terminal sequence is escaped", "\x1b[31m", `\x1b[31m`},
		{"a direction mark is escaped", "a\u202eb", `a\u202eb`},
		{"a zero-width space is escaped", "a\u200bb", `a\u200bb`},
		{"a byte that is no UTF-8 is escaped", "a\xffb", `a\xffb`},
		{"a tab cannot forge a column", "a\tb", `a\tb`},
		{"a long name is cut", strings.Repeat("x", 100), strings.Repeat("x", maxCell) + "..."},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, Cell(tt.in)) })
	}
}

func TestTotalsNameEveryVerdict(t *testing.T) {
	assert.Equal(t, "1 decision: 1 match, 0 incomplete, 0 mismatch, 0 invalid", Totals(map[string]int{"match": 1}))
	assert.Equal(t, "3 decisions: 0 match, 1 incomplete, 2 mismatch, 0 invalid", Totals(map[string]int{"incomplete": 1, "mismatch": 2}))
}
