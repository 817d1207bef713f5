// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// writeRows writes n carriers, each with the row that cites it behind it.
func writeRows(t testing.TB, n int) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "rows.ndjson")
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	out := bufio.NewWriter(f)
	key := testKey(t)
	var buf []byte
	for i := range int64(n) {
		rec := testRecord(t, key, i, truth.Match)
		row, err := carrier.BuildRow(rec.Citation(), truth.Match, "run/"+strconv.FormatInt(i, 10))
		require.NoError(t, err)
		buf = append(rec.AppendJSON(buf[:0]), '\n')
		buf = append(row.AppendJSON(buf), '\n')
		_, err = out.Write(buf)
		require.NoError(t, err)
	}
	require.NoError(t, out.Flush())
	return file
}

// BenchmarkVerify100000Rows is the figure that is asked for: under 3 s on one
// core.
func BenchmarkVerify100000Rows(b *testing.B) {
	file := writeRows(b, 100_000)
	info, err := os.Stat(file)
	require.NoError(b, err)
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		status, _, stderr := tdt(b, "", "verify", file)
		require.Equal(b, exitOK, status, stderr)
	}
}
