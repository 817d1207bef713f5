// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBundlesNeedTheMemoryOfOneEvent writes and reads a bundle many times as
// large as what may be in memory while that is done.
func TestBundlesNeedTheMemoryOfOneEvent(t *testing.T) {
	const events, eventBytes, allowed = 400, 200 << 10, 16 << 20
	spool, err := os.Create(filepath.Join(t.TempDir(), "spool"))
	require.NoError(t, err)
	defer func() { require.NoError(t, spool.Close()) }()
	bundle, err := os.Create(filepath.Join(t.TempDir(), "bundle"))
	require.NoError(t, err)
	defer func() { require.NoError(t, bundle.Close()) }()

	before := heap()
	w := NewBundleWriter(spool)
	e := exampleEvent()
	require.NoError(t, e.SetData("example.note.v0", `"`+strings.Repeat("x", eventBytes)+`"`))
	for seq := range int64(events) {
		e.Seq = seq
		addEvent(t, w, &e)
		if seq%100 == 0 {
			assert.Less(t, heap(), before+allowed, "while events are added")
		}
	}
	m, err := w.Finish(bundle, "x", "1")
	require.NoError(t, err)
	require.Greater(t, m.EventsBytes, int64(4*allowed))
	assert.Less(t, heap(), before+allowed, "when the bundle is written")

	_, err = bundle.Seek(0, 0)
	require.NoError(t, err)
	_, err = ReadBundle(bundle, BundleLimits{}, func(e *Event) error {
		if e.Seq%100 == 0 {
			assert.Less(t, heap(), before+allowed, "while events are read")
		}
		return nil
	})
	require.NoError(t, err)
}

// heap returns the bytes that are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
