// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// arguments of about the given size, as tools get them: short names, a nested
// object, a list, numbers, a secret, some text with escapes.
func sampleArguments(size int) string {
	const head = `{"path":"/srv/data/reports/2024.csv","mode":"read","limit":250,"recursive":false,` +
		`"ratio":0.125,"tags":["alpha","beta"],"options":{"encoding":"utf-8","retries":3,"dry_run":null},` +
		`"api_key":"sk-0123456789","note":"first line\nsecond line"`
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < size-60; i++ {
		fmt.Fprintf(&b, `,"field_%d":{"id":%d,"name":"item number %d","on":true}`, i, i*7919, i)
	}
	return b.String() + "}"
}

var benchSizes = []struct {
	name string
	size int
}{{"300B", 300}, {"2KB", 2 << 10}, {"20KB", 20 << 10}, {"64KB", 64 << 10}}

func BenchmarkParse(b *testing.B) {
	for _, bb := range benchSizes {
		b.Run(bb.name, func(b *testing.B) {
			text := sampleArguments(bb.size)
			var d Doc
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Parse(text, Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEncodingJSON is what BenchmarkParse is measured against.
func BenchmarkEncodingJSON(b *testing.B) {
	for _, bb := range benchSizes {
		b.Run(bb.name, func(b *testing.B) {
			text := []byte(sampleArguments(bb.size))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var v any
				if err := json.Unmarshal(text, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkObserve is everything that the observed side of one call costs.
func BenchmarkObserve(b *testing.B) {
	key, err := NewKey("bench-kid", []byte("bench-key"))
	require.NoError(b, err)
	for _, bb := range benchSizes {
		b.Run(bb.name, func(b *testing.B) {
			text := sampleArguments(bb.size)
			var d Doc
			var dst []byte
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Parse(text, Limits{Bytes: 256 << 10, Members: 8192}); err != nil {
					b.Fatal(err)
				}
				dst = d.Root().AppendJCSWithoutSecrets(dst[:0])
				_ = ObservedInput("send_mail", key.ArgsDigest(&d), 7)
			}
		})
	}
}

func BenchmarkAppendJCS(b *testing.B) {
	for _, bb := range benchSizes {
		var d Doc
		require.NoError(b, d.Parse(sampleArguments(bb.size), Limits{}))
		for name, write := range map[string]func([]byte) []byte{
			"whole": d.Root().AppendJCS, "without secrets": d.Root().AppendJCSWithoutSecrets,
		} {
			b.Run(bb.name+"/"+name, func(b *testing.B) {
				var dst []byte
				b.ReportAllocs()
				for b.Loop() {
					dst = write(dst[:0])
				}
			})
		}
	}
}
