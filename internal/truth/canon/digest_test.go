// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const emptySum = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func TestSum(t *testing.T) {
	assert.Equal(t, Digest(emptySum), Sum(nil))
	assert.Equal(t, "x"+emptySum, string(AppendDigest([]byte("x"), nil)))
	assert.Equal(t, Digest("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), Sum([]byte("abc")))
	assert.True(t, Sum([]byte("abc")).Valid())
}

func TestParseDigest(t *testing.T) {
	got, err := ParseDigest(emptySum)
	require.NoError(t, err)
	assert.Equal(t, Digest(emptySum), got)
	for name, text := range map[string]string{
		"nothing":              "",
		"no digits":            "sha256:",
		"another prefix":       "sha512:" + emptySum[7:],
		"no prefix":            emptySum[7:],
		"a prefix in capitals": strings.ToUpper(emptySum[:7]) + emptySum[7:],
		"digits in capitals":   "sha256:" + strings.ToUpper(emptySum[7:]),
		"a digit too few":      emptySum[:70],
		"a digit too many":     emptySum + "0",
		"a space before":       " " + emptySum,
		"a line break behind":  emptySum[:70] + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseDigest(text)
			require.ErrorIs(t, err, ErrDigest)
			assert.Empty(t, got)
		})
	}
}

// TestObservedInputTemplate compares the template with the canonical form that
// the library makes of the same object.
func TestObservedInputTemplate(t *testing.T) {
	for _, tool := range []string{"", "send_mail", "a\"b\\c", "line\nbreak", "\x00\x1f", "\u00e9\u2028\U0001F602<&>", strings.Repeat("long ", 300)} {
		for _, order := range []int64{0, 1, -1, 1 << 31, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64} {
			text, err := json.Marshal(map[string]any{"tool_name": tool, "args_digest": "hmac:" + tool, "order": order})
			require.NoError(t, err)
			want, err := Transform(text)
			require.NoError(t, err)
			assert.Equal(t, Sum(want), ObservedInput(tool, "hmac:"+tool, order), "%q %d", tool, order)
		}
	}
}

// TestAllocations holds the hot path to what it may allocate: its results.
func TestAllocations(t *testing.T) {
	var d Doc
	key := testKey(t)
	text := sampleArguments(300)
	dst := make([]byte, 0, 1<<10)
	digest := key.ArgsDigest(nil)
	for name, tt := range map[string]struct {
		most float64
		do   func()
	}{
		"parse, with escapes":    {1, func() { _ = d.Parse(text, Limits{}) }},
		"parse, without escapes": {0, func() { _ = d.Parse(`{"b":[1,2.5,"x"],"a":{"d":null,"c":true}}`, Limits{}) }},
		"write":                  {0, func() { dst = d.Root().AppendJCSWithoutSecrets(dst[:0]) }},
		"append a digest":        {0, func() { dst = AppendDigest(dst[:0], nil) }},
		"digest of arguments":    {1, func() { key.ArgsDigest(&d) }},
		"digest of the input":    {1, func() { ObservedInput("send_mail", digest, 7) }},
		"a secret name":          {0, func() { SecretKey("Client-Secret") }},
	} {
		t.Run(name, func(t *testing.T) {
			tt.do()
			if got := testing.AllocsPerRun(100, tt.do); !raceEnabled {
				assert.LessOrEqual(t, got, tt.most)
			}
		})
	}
}
