// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// claimRow is a claim and the tests that hold it.
var (
	claimRow  = regexp.MustCompile("(?m)^\\| ([^|]+) \\| ((?:`[^`]+`(?:, )?)+) \\|$")
	claimTest = regexp.MustCompile("`(?:([a-z0-9/]+)\\.)?((?:Test|Fuzz)[A-Za-z0-9_]+)`")
)

// TestEveryClaimIsHeldByATest looks for each test that docs/claims.md names, in
// the package that it names.
func TestEveryClaimIsHeldByATest(t *testing.T) {
	text, err := os.ReadFile("docs/claims.md")
	require.NoError(t, err)
	claims, notClaimed, ok := strings.Cut(string(text), "\n## What is not claimed\n")
	require.True(t, ok)
	rows := claimRow.FindAllStringSubmatch(claims, -1)
	require.NotEmpty(t, rows)
	tests := map[string]string{}
	for _, row := range rows {
		named := claimTest.FindAllStringSubmatch(row[2], -1)
		require.Len(t, named, strings.Count(row[2], "`")/2, "%s: a test has the form package.TestName", row[1])
		for _, test := range named {
			dir := filepath.Join(".", test[1])
			if tests[dir] == "" {
				tests[dir] = testSources(t, dir)
			}
			assert.Contains(t, tests[dir], "\nfunc "+test[2]+"(", "%s: %s", row[1], test[0])
		}
	}
	tables := strings.Count(claims, "\n|---|---|\n")
	assert.Len(t, rows, strings.Count(claims, "\n| ")-tables, "every row names its tests")
	for line := range strings.Lines(notClaimed) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| what") {
			assert.Contains(t, line, `| "`, "each has the reader's likely wrong guess")
		}
	}
}

func testSources(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, dir)
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all.WriteString("\n" + string(text))
	}
	return all.String()
}
