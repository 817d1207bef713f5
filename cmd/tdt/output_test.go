// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestAnAnswerThatCannotBeWrittenIsAFailure gives each verb a question that it
// answers well, and nowhere to write to.
func TestAnAnswerThatCannotBeWrittenIsAFailure(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	key := write("key", "a key")
	policy := write("policy.yaml", "tools: {allow: [a]}\nschemas: {a: {type: object}}\n")
	cases := write("cases.yaml", "cases: [{name: a, call: {tool_name: a, arguments: {}}, want: {verdict: match}}]")
	args := write("args.ndjson", "{}\n")
	bundle := filepath.Join(vectors, "interop/bundle_0.tar.gz")
	carriers := filepath.Join(vectors, "interop/carriers.ndjson")
	for _, command := range [][]string{
		{"args-digest", "--key-file", key, "--key-id", "k", args},
		{"args-digest", "--key-file", key, "--key-id", "k", "--absent"},
		{"verify", bundle}, {"import", bundle}, {"project", bundle}, {"project", "--format", "projection", bundle},
		{"export", "--run-id", "r", "-o", "-", carriers},
		{"policy", "check", policy}, {"policy", "digest", policy}, {"policy", "digest", "--canonical", policy},
		{"policy", "explain", policy, "--tool", "a"}, {"policy", "test", policy, cases},
	} {
		forms := []string{""}
		if command[len(command)-1] != "--absent" && command[0] != "project" {
			forms = []string{"", "json"}
		}
		for _, form := range forms {
			line := command
			if form != "" {
				line = append(append([]string{}, command...), "--format", form)
			}
			var out, errs bytes.Buffer
			require.Equal(t, exitOK, run(line, streams{in: strings.NewReader(""), out: &out, err: &errs}), "%v: %s", line, errs.String())
			require.NotEmpty(t, out.String())
			errs.Reset()
			status := run(line, streams{in: strings.NewReader(""), out: fullDisk{}, err: &errs})
			assert.Equal(t, exitFailure, status, line)
			assert.Contains(t, errs.String(), "no space left", line)
		}
	}
}

// TestHelpHasAnExampleAndTheExitStatuses holds what every verb tells of itself;
// help and completion are the library's.
func TestHelpHasAnExampleAndTheExitStatuses(t *testing.T) {
	root := newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
	for _, c := range commands(root) {
		if path := c.CommandPath(); c.HasSubCommands() || path == "tdt help" || strings.HasPrefix(path, "tdt completion ") {
			continue
		}
		assert.NotEmpty(t, c.Short, c.CommandPath())
		assert.NotEmpty(t, c.Example, c.CommandPath())
		assert.Contains(t, c.Long, "Exit status:", c.CommandPath())
		for line := range strings.Lines(c.Long + "\n" + c.Example) {
			assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 120, "%s: %s", c.CommandPath(), line)
		}
	}
}
