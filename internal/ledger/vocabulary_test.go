// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestVocabulariesAreClosed(t *testing.T) {
	for i, text := range Whys() {
		w := Why(i + 1)
		assert.Equal(t, text, w.String())
		var got Why
		require.NoError(t, got.UnmarshalText([]byte(text)))
		assert.Equal(t, w, got)
		out, err := w.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, text, string(out))
	}
	for i, text := range Caveats() {
		c := Caveat(i + 1)
		assert.Equal(t, text, c.String())
		var got Caveat
		require.NoError(t, got.UnmarshalText([]byte(text)))
		assert.Equal(t, c, got)
		out, err := c.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, text, string(out))
	}
	var w Why
	var c Caveat
	for _, bad := range []string{"", "Idle", "idle ", "no"} {
		require.Error(t, w.UnmarshalText([]byte(bad)))
		require.Error(t, c.UnmarshalText([]byte(bad)))
	}
	assert.Zero(t, w)
	assert.Zero(t, c)
	assert.Empty(t, Why(99).String()+Caveat(99).String()+Kind(99).String()+Kind(0).String())
	assert.Equal(t, "new", KindNew.String())
}

func TestCaveatsThatMakeARunPartial(t *testing.T) {
	partial := map[Caveat]bool{
		CaveatRootUnseen: true, CaveatSampled: true, CaveatStateLost: true, CaveatEvicted: true, CaveatLifetime: true,
		CaveatShutdown: true, CaveatLate: true, CaveatPolicyChanged: true, CaveatRulesBehind: true,
		CaveatOrderAmbiguous: false, CaveatOrderByArrival: false, CaveatCallsMerged: false, CaveatWindowPassed: false, CaveatArgumentsUnread: false,
	}
	assert.Len(t, partial, len(Caveats()))
	for c, want := range partial {
		assert.Equal(t, want, c.Partial(), c.String())
	}
	assert.False(t, Caveat(0).Partial())
}

func TestSums(t *testing.T) {
	d := canon.Sum([]byte("x"))
	s, ok := ParseSum(d)
	require.True(t, ok)
	assert.Equal(t, d, s.Digest())
	assert.False(t, s.IsZero())
	assert.True(t, Sum{}.IsZero())
	for _, bad := range []canon.Digest{"", "sha256:", d[:70], d + "0", "sha512:" + d[7:]} {
		_, ok := ParseSum(bad)
		assert.False(t, ok, bad)
	}
}

func TestOptionsHaveDefaults(t *testing.T) {
	o := Options{}.withDefaults()
	assert.Equal(t, 100_000, o.MaxRuns)
	assert.Equal(t, 64, o.Shards)
	assert.Equal(t, 256, o.Window)
	assert.EqualValues(t, 512<<20, o.MaxBytes)
	assert.Equal(t, 0, o.Records)
	assert.Equal(t, 1, Options{MaxRuns: 700}.withDefaults().Shards)
	assert.Equal(t, 8, Options{Shards: 5}.withDefaults().Shards)
	assert.Equal(t, maxWindow, Options{Window: 1 << 30}.withDefaults().Window)
	assert.Equal(t, minWindow, Options{Window: 1}.withDefaults().Window)
}
