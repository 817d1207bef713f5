// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func readSpeed(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(vectorDir, "speed", name))
	require.NoError(tb, err)
	return text
}

func BenchmarkCheck(b *testing.B) {
	p, err := Read("p", readSpeed(b, "policy_10.json"))
	require.NoError(b, err)
	for _, bb := range []struct{ name, tool, args string }{
		{"200 bytes", "tool_0003", string(readSpeed(b, "args_200.json"))},
		{"2 kB", "tool_0004", string(readSpeed(b, "args_2k.json"))},
		{"20 kB", "tool_0004", string(readSpeed(b, "args_20k.json"))},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var d canon.Doc
			require.NoError(b, d.Parse(bb.args, canon.Limits{}))
			b.ReportAllocs()
			for b.Loop() {
				if p.Schema(bb.tool).Check(d.Root()).Outcome != Valid {
					b.Fatal("not valid")
				}
			}
		})
	}
	b.Run("a violation", func(b *testing.B) {
		var d canon.Doc
		require.NoError(b, d.Parse(`{"path":"/srv/data","mode":"delete","limit":250,"recursive":false,"tags":["a","b"]}`, canon.Limits{}))
		b.ReportAllocs()
		for b.Loop() {
			if p.Schema("tool_0003").Check(d.Root()).Outcome != Violated {
				b.Fatal("not violated")
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"policy_10.json", "policy_500.json"} {
		b.Run(name, func(b *testing.B) {
			text := readSpeed(b, name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read("p", text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
