// SPDX-License-Identifier: Apache-2.0

// Package collector holds the rules of the repository as tests.
package collector

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"

	"github.com/tool-decision-truth/collector/internal/recognize"
)

const module = "github.com/tool-decision-truth/collector/"

// arrows says which packages of ours each package may import. What is not
// listed is forbidden.
var arrows = map[string][]string{
	"internal/truth/canon":         {},
	"internal/truth/policy":        {"internal/truth/canon", "internal/truth/policy/schema", "internal/truth/policy/tree"},
	"internal/truth/policy/tree":   {"internal/truth/canon"},
	"internal/truth/policy/regex":  {},
	"internal/truth/policy/schema": {"internal/truth/canon", "internal/truth/policy/tree", "internal/truth/policy/regex"},
	"internal/truth":               {"internal/truth/canon", "internal/truth/policy"},
	"internal/truth/sequence":      {"internal/truth", "internal/truth/canon", "internal/truth/policy"},
	"internal/truth/carrier":       {"internal/truth", "internal/truth/canon"},
	"internal/evidence":            {"internal/truth", "internal/truth/canon", "internal/truth/carrier"},
	"internal/recognize":           {"internal/truth", "internal/truth/canon"},
	"internal/ledger":              {"internal/truth", "internal/truth/canon", "internal/truth/sequence"},
	"internal/engine": {
		"internal/truth", "internal/truth/canon", "internal/truth/policy", "internal/truth/sequence", "internal/truth/carrier",
		"internal/recognize", "internal/ledger",
	},
	"internal/report": {},
	"internal/lint":   {"internal/truth", "internal/truth/canon", "internal/truth/policy", "internal/truth/policy/regex", "internal/truth/policy/schema", "internal/truth/policy/tree", "internal/truth/sequence"},
}

// coreModules are the only modules that internal/truth may use beside the
// standard library: one record in docs/adr for each.
var coreModules = []string{
	"github.com/gowebpki/jcs",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"github.com/dlclark/regexp2/v2",
	"go.yaml.in/yaml/v3",
	"golang.org/x/text", // names of hosts, and the messages of jsonschema
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

func TestImportArrows(t *testing.T) {
	for pkg, allowed := range arrows {
		t.Run(pkg, func(t *testing.T) {
			for _, imported := range goList(t, "-f", `{{join .Imports "\n"}}`, "./"+pkg) {
				ours, ok := strings.CutPrefix(imported, module)
				if ok {
					assert.Contains(t, allowed, ours, "%s must not import %s", pkg, ours)
				}
			}
		})
	}
}

func TestTheCoreKnowsNoCollectorAndFewModules(t *testing.T) {
	for _, pkg := range goList(t, "-deps", "-f", `{{if not .Standard}}{{.ImportPath}}{{end}}`, "./internal/truth/...") {
		if strings.HasPrefix(pkg, module) {
			continue
		}
		known := slices.ContainsFunc(coreModules, func(m string) bool { return pkg == m || strings.HasPrefix(pkg, m+"/") })
		assert.True(t, known, "the core depends on %s: no record in docs/adr allows it", pkg)
	}
}

func TestTheCoreDoesNoIO(t *testing.T) {
	for _, pkg := range goList(t, "./internal/truth/...") {
		for _, imported := range goList(t, "-f", `{{join .Imports "\n"}}`, pkg) {
			assert.NotContains(t, []string{"os", "net", "net/http", "math/rand", "math/rand/v2", "crypto/rand", "log", "os/exec", "syscall"},
				imported, "%s must stay pure", pkg)
		}
	}
}

func TestTheJournalAndTheRecognizersKnowNoCollectorRuntime(t *testing.T) {
	for _, pkg := range []string{"./internal/evidence", "./internal/recognize", "./internal/ledger", "./internal/engine", "./cmd/tdt"} {
		for _, dep := range goList(t, "-deps", pkg) {
			for _, banned := range []string{
				"go.opentelemetry.io/collector/service", "go.opentelemetry.io/collector/otelcol",
				"go.opentelemetry.io/collector/processor", "go.opentelemetry.io/collector/component",
			} {
				assert.False(t, dep == banned || strings.HasPrefix(dep, banned+"/"), "%s must not depend on %s", pkg, dep)
			}
		}
	}
}

// TestVersionsAreWrittenOnce holds the builder's configurations against go.mod.
func TestVersionsAreWrittenOnce(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	mod, err := modfile.Parse("go.mod", text, nil)
	require.NoError(t, err)
	versions := map[string]string{}
	for _, r := range mod.Require {
		versions[r.Mod.Path] = r.Mod.Version
	}
	stable, beta := versions["go.opentelemetry.io/collector/pdata"], versions["go.opentelemetry.io/collector/processor/processorhelper"]
	require.NotEmpty(t, stable)
	require.NotEmpty(t, beta)
	line := regexp.MustCompile(`gomod: (\S+) (v\S+)`)
	for _, file := range []string{"builder-config.yaml", "builder-config.minimal.yaml", "docs/builder-config.balancer.yaml"} {
		config, err := os.ReadFile(file)
		require.NoError(t, err)
		found := line.FindAllStringSubmatch(string(config), -1)
		require.NotEmpty(t, found)
		for _, m := range found {
			if m[1]+"/" == module {
				continue
			}
			assert.Contains(t, []string{stable, beta}, m[2], "%s: %s", file, m[1])
			if want, ok := versions[m[1]]; ok {
				assert.Equal(t, want, m[2], "%s: %s differs from go.mod", file, m[1])
			}
		}
	}
}

func TestEveryFileSaysItsLicense(t *testing.T) {
	for _, file := range trackedFiles(t) {
		if filepath.Ext(file) != ".go" || strings.HasPrefix(filepath.Base(file), "generated_") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		first, _, _ := strings.Cut(string(text), "\n")
		generated := strings.HasPrefix(first, "// Code generated")
		assert.True(t, generated || first == "// SPDX-License-Identifier: Apache-2.0", "%s: no license line", file)
	}
}

func TestNothingIsLeftUndone(t *testing.T) {
	undone := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	for _, file := range trackedFiles(t) {
		if filepath.Ext(file) != ".go" {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			assert.False(t, undone.MatchString(lines.Text()), "%s:%d", file, n)
		}
	}
}

func TestTheRootMetadataIsTheComponents(t *testing.T) {
	target, err := os.Readlink("metadata.yaml")
	require.NoError(t, err)
	assert.Equal(t, "processor/tdtprocessor/metadata.yaml", target)
}

func TestEveryDecisionRecordIsNumberedOnce(t *testing.T) {
	files, err := filepath.Glob("docs/adr/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := map[string]string{}
	for _, file := range files {
		number, _, ok := strings.Cut(filepath.Base(file), "-")
		require.True(t, ok, file)
		assert.Empty(t, seen[number], "%s has the number of %s", file, seen[number])
		seen[number] = file
	}
}

// TestGeneratedFrameworkTable holds the README's table against the dialects.
func TestGeneratedFrameworkTable(t *testing.T) {
	const begin, end = "<!-- frameworks -->\n", "<!-- /frameworks -->"
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := before + begin + "\n" + strings.TrimSpace(recognize.FrameworkTable()) + "\n\n" + end + after
	if os.Getenv("TDT_UPDATE") != "" {
		require.NoError(t, os.WriteFile("README.md", []byte(want), 0o600))
		return
	}
	assert.Equal(t, want, string(text), "run make golden")
}

func trackedFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		t.Skip("git is missing or this is no clone: the tracked files are unknown")
	}
	return strings.Fields(string(out))
}
