// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestArgumentsWithoutWhatLayersAddHashAsIfItWereNotThere(t *testing.T) {
	p := &placing{engine: New(Settings{}, nil)}
	hash := func(text string) any {
		doc := &canon.Doc{}
		require.NoError(t, doc.Parse(text, canon.Limits{}))
		return p.argsHash(doc.Root())
	}
	for plain, added := range map[string]string{
		`{}`:                              `{"_meta":{"a":[1]}}`,
		`{"a":1}`:                         `{"_meta":null,"a":1.0}`,
		`{"b":{"z":1,"y":[]},"a":"x"}`:    `{"a":"x","_meta":1,"b":{"y":[],"z":1}}`,
		"{\"\U0001F600\":1,\"\uFB33\":2}": "{\"\uFB33\":2,\"\U0001F600\":1,\"_meta\":{}}",
	} {
		assert.Equal(t, hash(plain), hash(added), plain)
	}
	assert.NotEqual(t, hash(`{"a":1}`), hash(`{"a":2}`))
	assert.NotEqual(t, hash(`{"a":{"_meta":1}}`), hash(`{"a":{}}`), "further inside it is the tool's own")
}
