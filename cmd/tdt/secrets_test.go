// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoOutputShowsASecret plants a word in keys, values, names and broken
// texts of everything that is observed, and in the key, and looks for it in all
// that the verbs say.
func TestNoOutputShowsASecret(t *testing.T) {
	const canary = "c4n4ry"
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	key := write("key", canary+"-key-of-some-length")
	p := write("policy.yaml", "tools: {allow: [send]}\nschemas: {send: {type: object, properties: {to: {type: string}}, additionalProperties: false}}\n")
	texts := []string{
		`{"` + canary + `":"` + canary + `"}`, `{"to":"` + canary, `{"to":"` + canary + `","to":"` + canary + `"}`,
		`"` + canary + `\ud800"`, canary, `[1e999,"` + canary + `"]`, `{"args_digest":"` + canary + `"}`,
		`{"schema":"assay.tool_decision_truth.v0","arguments":{"` + canary + `":"` + canary + `"}}`,
		`{"schema":"` + canary + `","args_digest":1}`, `{"recipe":"` + canary + `"}`,
		`{"specversion":"` + canary + `","data":{"` + canary + `":1}}`,
		`{"jsonrpc":"2.0","id":"` + canary + `","method":"tools/call","params":{"name":"send","arguments":{"` + canary + `":"` + canary + `"}}}`,
		`{"resourceSpans":["` + canary + `"]}`, `{"tool_name":"send","arguments":{"to":"` + canary + `"}}`,
		`{"tool_name":"send","` + canary + `":1}`, "\x1f\x8b" + canary,
	}
	evidence := filepath.Join(vectors, "interop/carriers.ndjson")
	for i, text := range texts {
		file := write(fmt.Sprintf("input-%d", i), text+"\n")
		for _, args := range [][]string{
			{"args-digest", "--key-file", key, "--key-id", "kid", file},
			{"args-digest", "--key-file", key, "--key-id", "kid", "--format", "json", file},
			{"verify", file}, {"verify", "--format", "json", file}, {"import", file}, {"import", "--format", "json", file},
			{"project", file}, {"export", "--run-id", "r", "-o", "-", file},
			{"verify", evidence, "--policy", p, "--requests", file, "--key-file", key, "--key-id", "kid"},
			{"judge", "--policy", p, "--calls", file, "--format", "json"},
		} {
			_, stdout, stderr := tdt(t, "", args...)
			for _, out := range []string{stdout, stderr} {
				assert.NotContains(t, strings.ReplaceAll(out, dir, ""), canary, "%v of %s", args, text)
			}
		}
	}
}
