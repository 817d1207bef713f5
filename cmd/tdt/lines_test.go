// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readLines(t *testing.T, r io.Reader, limit int) []string {
	t.Helper()
	l := newLineReader(r, limit)
	var got []string
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			assert.Equal(t, len(got), l.n)
			return got
		}
		require.NoError(t, err)
		got = append(got, line)
	}
}

func TestLinesAreReadWithoutTheirEnds(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, tt := range []struct {
		name, text string
		limit      int
		want       []string
	}{
		{"an empty text has no line", "", 10, nil},
		{"the last line needs no end", "a\nb", 10, []string{"a", "b"}},
		{"a line may be empty", "\n\na\n", 10, []string{"", "", "a"}},
		{"both kinds of ends", "a\r\nb\r\n", 10, []string{"a", "b"}},
		{"a carriage return inside stays", "a\rb\n", 10, []string{"a\rb"}},
		{"a line of the limit is whole", "12345\nx", 5, []string{"12345", "x"}},
		{"a longer one is cut, and the next is found", "123456789\nx", 5, []string{"123456", "x"}},
		{"lines longer than the buffer", long + "\n" + long, 1 << 20, []string{long, long}},
		{"and longer than the limit", long + "\nx\n" + long, 100_000, []string{long[:100_001], "x", long[:100_001]}},
		{"the end of a long line is not of it", long[:70_000] + "\r\nx", 70_000, []string{long[:70_000], "x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, readLines(t, strings.NewReader(tt.text), tt.limit))
			assert.Equal(t, tt.want, readLines(t, iotest.HalfReader(strings.NewReader(tt.text)), tt.limit))
			assert.Equal(t, tt.want, readLines(t, iotest.DataErrReader(strings.NewReader(tt.text)), tt.limit))
		})
	}
}

func TestAnErrorOfTheReaderIsToldAfterTheLinesBefore(t *testing.T) {
	broken := errors.New("broken")
	l := newLineReader(io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), 10)
	line, err := l.next()
	require.NoError(t, err)
	assert.Equal(t, "a", line)
	_, err = l.next()
	assert.ErrorIs(t, err, broken)
}
