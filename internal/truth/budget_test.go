// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestACheckThatRunsOutOfItsBudgetSaysSo: nothing is wrong with the schema as
// such, so nobody but the finding can tell the author why every call is invalid.
func TestACheckThatRunsOutOfItsBudgetSaysSo(t *testing.T) {
	var b strings.Builder
	b.WriteString("schemas:\n  pay:\n    $ref: '#/$defs/d40'\n    $defs:\n      d0: {type: string}\n")
	for i := range 40 {
		fmt.Fprintf(&b, "      d%d: {anyOf: [{$ref: '#/$defs/d%d'}, {$ref: '#/$defs/d%d'}]}\n", i+1, i, i)
	}
	args := "{}"
	d := Judge(readPolicy(t, b.String()), callOf("pay", &args, "present"), &Evidence{ClassesKnown: true})
	assert.Equal(t, Invalid, d.Verdict)
	assert.Contains(t, d.Explanation(), "The declared argument schema is malformed (too_large at ")
}
