// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A lockedBuffer may be written to and read at the same time.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestProgressIsSilentForWhoeverDoesNotWait(t *testing.T) {
	var b lockedBuffer
	p := startProgress(&b, "records", time.Hour, time.Hour)
	p.add(1)
	p.stop()
	p.stop()
	assert.Empty(t, b.String())
	var none *progress
	none.add(1)
	none.stop()
	assert.Nil(t, streams{err: &b}.progress("records"), "what is no terminal is told nothing")
}

func TestProgressTellsAndIsGoneAtTheEnd(t *testing.T) {
	var b lockedBuffer
	p := startProgress(&b, "records", time.Millisecond, time.Millisecond)
	p.add(7)
	assert.Eventually(t, func() bool { return strings.Contains(b.String(), "\r7 records") }, 10*time.Second, time.Millisecond)
	p.stop()
	assert.True(t, strings.HasSuffix(b.String(), "\r\x1b[K"), "the line is cleared")
}
