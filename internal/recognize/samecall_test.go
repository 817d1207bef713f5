// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestArgumentsThatAreNoObjects: what has no members differs by its value.
func TestArgumentsThatAreNoObjects(t *testing.T) {
	below := Relation{Below: true, SameTrace: true}
	for _, other := range []string{`null`, `[]`, `[2]`, `"x"`} {
		assert.Zero(t, SameCall(call(LayerAgent, "refund", `{}`, ""), call(LayerMCPClient, "refund", other, ""), below), other)
		assert.Zero(t, SameCall(call(LayerAgent, "refund", `[1]`, ""), call(LayerMCPClient, "refund", other, ""), below), other)
		assert.Equal(t, ProofAncestry, SameCall(call(LayerAgent, "refund", other, ""), call(LayerMCPClient, "refund", other, ""), below), other)
	}
}
