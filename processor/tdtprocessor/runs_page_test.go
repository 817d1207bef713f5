// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestEveryRowOfThePageOnRunsHasItsCase holds docs/runs.md and the cases of runs
// to each other.
func TestEveryRowOfThePageOnRunsHasItsCase(t *testing.T) {
	page, err := os.ReadFile("../../docs/runs.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(page), "| what comes |")
	require.True(t, ok)
	named := map[string]bool{}
	for _, name := range regexp.MustCompile("`(run_[a-z_]+)`").FindAllStringSubmatch(table, -1) {
		if _, err := os.Stat("testdata/cases/" + name[1] + ".txtar"); err == nil {
			named[name[1]] = true
			continue
		}
		assert.Fail(t, "the page names a case that is not there", name[1])
	}
	files, err := filepath.Glob("testdata/cases/run_*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files, "no cases: a moved directory must not pass")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		assert.True(t, named[name], "docs/runs.md does not name %s", name)
	}
}

func TestARestartWithStorageChangesNoRecord(t *testing.T) {
	records := func(name string) string {
		archive, err := txtar.ParseFile("testdata/cases/" + name + ".txtar")
		require.NoError(t, err)
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "records" })
		require.GreaterOrEqual(t, i, 0)
		return string(archive.Files[i].Data)
	}
	assert.Equal(t, records("run_restart_uninterrupted"), records("run_restart_stored"))
}
