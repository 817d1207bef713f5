// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// storedRuns are runs of every kind, as they lie in storage.
func storedRuns(t testing.TB, p *Policy) (stored [][]byte) {
	keep := func(b *book, run int) {
		text, ok := b.AppendRun(nil, runOf(run))
		require.True(t, ok)
		stored = append(stored, text)
	}
	b := newBook(t, Options{Records: 4, Window: 8, MaxRuns: 2})
	b.policy = p
	b.one("pay", 1)
	keep(b, 1)
	b.one("pay", 2, as(LayerMCPServer), below(1), given(`{"a":1}`), withID("c"))
	b.one("pay", 3, deciding(truth.Mismatch))
	b.place(called("pay", 9, as(LayerMCPClient), below(8)), called("read", 7))
	b.placeSeen([]Seen{{Run: runOf(1), Trace: traceOf(1), Root: true, Sampled: true, Hops: []Hop{{spanOf(20), spanOf(1)}}}})
	b.one("mail", 4, by(NewPolicy("other", "", nil)), saying(2))
	b.one("pay", 3, saying(7))
	keep(b, 1)
	for i := range 20 {
		b.one("read", 30+i, inTrace(i%3))
	}
	keep(b, 1)
	b.one("a", 1, inRun(2))
	b.one("a", 1, inRun(3))
	keep(b, 1) // evicted
	c := b.later(time.Hour)
	b.Issued(&c[0], Sum{5})
	keep(b, 2)
	return stored
}

// seal makes the checksum of a stored run right.
func seal(text []byte) []byte {
	if len(text) < 4 {
		return text
	}
	body := text[: len(text)-4 : len(text)-4]
	return binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
}

func TestARunIsRestoredAsItWas(t *testing.T) {
	p := policyOf(t, "main", lawRules...)
	for _, text := range storedRuns(t, p) {
		l := NewLedger(Options{Records: 4, Window: 8})
		id, err := l.Restore(noon.Add(2*time.Hour), text, []*Policy{policyOf(t, "main", lawRules[:1]...), p})
		require.NoError(t, err)
		again, ok := l.AppendRun(nil, id)
		require.True(t, ok)
		assert.Equal(t, text, again)
		_, err = l.Restore(noon, text, []*Policy{p})
		require.ErrorIs(t, err, ErrKnown)
	}
}

func TestWhatIsNoStoredRun(t *testing.T) {
	p := policyOf(t, "main", lawRules...)
	for _, text := range storedRuns(t, p) {
		l := NewLedger(Options{})
		for n := range text {
			_, err := l.Restore(noon, text[:n], []*Policy{p})
			require.Error(t, err, "cut at %d", n)
			_, err = l.Restore(noon, seal(append([]byte(nil), text[:n]...)), []*Policy{p})
			require.Error(t, err, "cut at %d and sealed", n)
		}
		for n := range text {
			bad := append([]byte(nil), text...)
			bad[n] ^= 0x40
			_, err := l.Restore(noon, bad, []*Policy{p})
			require.Error(t, err, "changed at %d", n)
		}
		_, err := l.Restore(noon, append([]byte{9}, text[1:]...), []*Policy{p})
		require.ErrorIs(t, err, ErrStoredVersion)
		_, err = l.Restore(noon, seal(append(append([]byte(nil), text...), 0)), []*Policy{p})
		require.ErrorIs(t, err, ErrStored)
		assert.Zero(t, l.Stats(), "what is refused leaves nothing")
	}
}

// TestForgedRunsDoNoHarm changes stored runs and makes their checksum right.
// Most are refused. What is accepted must be a run that everything works on.
func TestForgedRunsDoNoHarm(t *testing.T) {
	p := policyOf(t, "main", lawRules...)
	texts := storedRuns(t, p)
	rng := rand.New(rand.NewPCG(1, 6))
	accepted := 0
	rounds := 20_000
	if testing.Short() {
		rounds = 3000
	}
	for range rounds {
		bad := append([]byte(nil), texts[rng.IntN(len(texts))]...)
		for range 1 + rng.IntN(3) {
			bad[1+rng.IntN(len(bad)-1)] = byte(rng.IntN(256))
		}
		if useRestored(t, seal(bad), p) {
			accepted++
		}
	}
	assert.Positive(t, accepted, "an id is as good as another")
}

// useRestored restores text and then does everything that can be done.
func useRestored(t testing.TB, text []byte, p *Policy) bool {
	b := &book{Ledger: NewLedger(Options{Records: 4, Window: 8, Shards: 1, IdleTimeout: time.Minute}), t: t, now: noon, policy: p, written: true}
	id, err := b.Restore(noon, text, []*Policy{p})
	if err != nil {
		return false
	}
	again, ok := b.AppendRun(nil, id)
	require.True(t, ok)
	other := NewLedger(b.options)
	_, err = other.Restore(noon, again, []*Policy{p})
	require.NoError(t, err, "what it writes it reads")
	mine := func(g *Group) { g.Run, g.Trace = id, Trace(id) }
	for i := range 12 {
		b.one("pay", i, mine, as(Layer(i%4)), below(i+1))
		b.one("pay", i, mine, saying(i), given(`{"a":1}`), withID("c"))
	}
	b.placeSeen([]Seen{{Run: id, Trace: Trace(id), Root: true, Hops: []Hop{{spanOf(1), spanOf(2)}}}})
	b.CloseAll(b.now, WhyEnd, 9)
	b.later(time.Hour)
	return true
}

func FuzzRestore(f *testing.F) {
	p := policyOf(f, "main", lawRules...)
	for _, text := range storedRuns(f, p) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		useRestored(t, text, p)
		useRestored(t, seal(text), p)
	})
}

func TestARestoredRunKeepsItsAge(t *testing.T) {
	b := newBook(t, Options{Stored: true})
	b.one("a", 1, inRun(1))
	b.now = b.now.Add(50 * time.Second)
	b.one("a", 1, inRun(2))
	var stored [][]byte
	for _, run := range []int{2, 1} {
		text, _ := b.AppendRun(nil, runOf(run))
		stored = append(stored, text)
	}
	b.Ledger = NewLedger(b.options)
	for _, text := range stored {
		_, err := b.Restore(b.now, text, []*Policy{b.policy})
		require.NoError(t, err)
	}
	closed := b.later(20 * time.Second)
	require.Len(t, closed, 1, "whatever the order in which they were restored")
	assert.Equal(t, runOf(1), closed[0].Run)

	b.Ledger = NewLedger(b.options)
	_, err := b.Restore(b.now.Add(-time.Hour), stored[0], []*Policy{b.policy})
	require.NoError(t, err)
	b.now = b.now.Add(-time.Hour)
	assert.Len(t, b.later(2*time.Minute), 1, "a clock that was set back makes no run eternal")
}
