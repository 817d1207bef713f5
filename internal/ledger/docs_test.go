// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestThePageOnRunsIsTrue holds docs/runs.md to the tests that it names and to
// the vocabulary.
func TestThePageOnRunsIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../docs/runs.md")
	require.NoError(t, err)
	page := string(text)

	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var tests strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		tests.Write(text)
	}
	named := regexp.MustCompile("Test[A-Za-z]+").FindAllString(page, -1)
	require.NotEmpty(t, named)
	for _, name := range named {
		assert.Contains(t, tests.String(), "func "+name+"(", "the page names a test that is not there")
	}
	for i, word := range Caveats() {
		partial := map[bool]string{true: "yes", false: "no"}[Caveat(i+1).Partial()]
		assert.Contains(t, page, fmt.Sprintf("| `%s` | %s", word, partial))
	}
	for _, row := range strings.Split(page, "\n") {
		if strings.HasPrefix(row, "| ") && strings.Count(row, "|") == 5 && strings.Contains(page, "| what comes |") {
			assert.NotContains(t, row, "| |", "a row without a test")
		}
	}
}
