// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInteropPolicies reads the policies that the reference's command line ran
// with, and holds the digest that it wrote into a carrier against ours.
func TestInteropPolicies(t *testing.T) {
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(vectorDir, "interop", name))
		require.NoError(t, err)
		return text
	}
	p, err := Read("policy.yaml", read("policy.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(read("carriers.ndjson")), string(p.DeclaredDigest()))
	for _, s := range p.Schemas() {
		assert.Nil(t, s.Fault(), s.Tool)
	}
	_, err = Read("legacy.yaml", read("legacy.yaml"))
	require.NoError(t, err)
	_, err = Read("unknown.yaml", read("unknown.yaml"))
	require.Error(t, err)
	for line := range strings.Lines(err.Error()) {
		assert.Contains(t, line, "unknown field", "and nothing else is wrong with it")
	}
}
