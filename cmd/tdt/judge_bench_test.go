// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// BenchmarkJudgeRecordings judges every recording, beside what reading them
// alone takes. Judging is to take at most twice as long.
func BenchmarkJudgeRecordings(b *testing.B) {
	files, err := filepath.Glob("../../testdata/captures/*.jsonl")
	require.NoError(b, err)
	require.NotEmpty(b, files)
	var text []byte
	for _, file := range files {
		part, err := os.ReadFile(file)
		require.NoError(b, err)
		text = append(text, part...)
	}
	policy := filepath.Join(b.TempDir(), "policy.yaml")
	require.NoError(b, os.WriteFile(policy, []byte("enforcement: {unconstrained_tools: allow}"), 0o600))
	recording := filepath.Join(b.TempDir(), "recording.jsonl")
	require.NoError(b, os.WriteFile(recording, text, 0o600))
	b.Run("read only", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			for line := range bytes.Lines(text) {
				_, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
				require.NoError(b, err)
			}
		}
	})
	b.Run("judge", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			run([]string{"judge", "--policy", policy, "--format", "json", recording}, streams{in: nil, out: io.Discard, err: io.Discard})
		}
	})
}
