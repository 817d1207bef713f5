// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const testSecret = "hunter2-hunter2-hunter2"

func testKey(t testing.TB) *Key {
	t.Helper()
	key, err := NewKey("kid.1", []byte(testSecret))
	require.NoError(t, err)
	return key
}

func TestNewKeyRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		id     string
		secret string
		want   error
	}{
		{"an empty secret", "kid", "", ErrEmptyKey},
		{"an empty id", "", "s", ErrKeyID},
		{"a colon", "a:b", "s", ErrKeyID},
		{"a space", "a b", "s", ErrKeyID},
		{"a line break at the end", "a\n", "s", ErrKeyID},
		{"a NUL", "a\x00", "s", ErrKeyID},
		{"a letter of another script", "\u00e9", "s", ErrKeyID},
		{"the neighbors of the letters", "a@", "s", ErrKeyID},
		{"the neighbors of the letters, above", "a{", "s", ErrKeyID},
		{"a bracket", "a[", "s", ErrKeyID},
		{"a backquote", "a`", "s", ErrKeyID},
		{"a slash", "a/", "s", ErrKeyID},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key, err := NewKey(tt.id, []byte(tt.secret))
			assert.Equal(t, tt.want, err)
			assert.Nil(t, key)
		})
	}
	for _, id := range []string{"a", "Z", "0", "9", ".", "_", "-", "azAZ09._-", strings.Repeat("x", 300)} {
		key, err := NewKey(id, []byte{0})
		require.NoError(t, err, id)
		assert.Equal(t, id, key.ID())
		got, err := ParseArgsDigest(key.ArgsDigest(nil))
		require.NoError(t, err, id)
		assert.Equal(t, id, got)
	}
}

func TestNewKeyCopiesTheSecret(t *testing.T) {
	secret := []byte(testSecret)
	key, err := NewKey("kid.1", secret)
	require.NoError(t, err)
	clear(secret)
	assert.Equal(t, testKey(t).ArgsDigest(nil), key.ArgsDigest(nil))
}

func TestArgsDigestAsWorded(t *testing.T) {
	key := testKey(t)
	for text, rest := range map[string]string{
		"null": "null", "{}": "{}", `{"b":1,"token":"x","a":[1.0]}`: `{"a":[1],"b":1}`, `"x"`: `"x"`,
		sampleArguments(600 << 10): string(parsed(t, sampleArguments(600<<10)).Root().AppendJCSWithoutSecrets(nil)),
	} {
		assert.Equal(t, slowArgsDigest("kid.1", []byte(testSecret), rest), key.ArgsDigest(parsed(t, text)))
	}
}

// TestAbsentArguments holds absence apart from every value.
func TestAbsentArguments(t *testing.T) {
	key := testKey(t)
	var refused Doc
	require.Error(t, refused.Parse("{", Limits{}))
	absent := slowArgsDigest("kid.1", []byte(testSecret), "")
	assert.Equal(t, absent, key.ArgsDigest(nil))
	assert.Equal(t, absent, key.ArgsDigest(&refused))
	for _, text := range []string{"null", "{}", "[]", `""`, "0", "false"} {
		assert.NotEqual(t, absent, key.ArgsDigest(parsed(t, text)), text)
	}
}

// TestKeyIsNeverShown prints a Key in every way that might show its secret,
// alone, by pointer, and inside other values.
func TestKeyIsNeverShown(t *testing.T) {
	key := testKey(t)
	key.ArgsDigest(nil) // a keyed hash is in the pool now
	type holder struct {
		Public  *Key
		private *Key
		value   Key
	}
	values := []any{key, *key, &key, holder{key, key, *key}, &holder{key, key, *key}, []*Key{key}, map[string]Key{"k": *key}}
	var out strings.Builder
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%T", "%p", "%w", "%08.3f"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		fmt.Fprintln(&out, v, fmt.Errorf("key: %v", v))
		text, err := json.Marshal(v)
		require.NoError(t, err)
		out.Write(text)
		slog.New(slog.NewTextHandler(&out, nil)).Info("key", "key", v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("key", "key", v)
		// A failing assertion calls no method and follows every pointer.
		assert.Equal(failing{&out}, "another value", v)
	}
	assertHidden(t, out.String())
	assert.Equal(t, "key kid.1", fmt.Sprintf("%#v", key))
	assert.Equal(t, "key kid.1", key.GoString())
}

// failing takes the message of an assertion that fails.
type failing struct{ out io.Writer }

func (f failing) Errorf(format string, args ...any) { fmt.Fprintf(f.out, format, args...) }

// assertHidden looks for the secret as text, and in the forms in which printers
// show bytes.
func assertHidden(t *testing.T, shown string) {
	t.Helper()
	decimal := strings.Trim(fmt.Sprint([]byte(testSecret)[:6]), "[]")
	for _, form := range []string{
		testSecret[:7], decimal, strings.ReplaceAll(decimal, " ", ", "),
		hex.EncodeToString([]byte(testSecret)[:6]), fmt.Sprintf("% x", testSecret[:6]), fmt.Sprintf("%#v", []byte(testSecret)[:6])[7:30],
		base64.StdEncoding.EncodeToString([]byte(testSecret)[:6]),
	} {
		assert.NotContains(t, strings.ToLower(shown), strings.ToLower(form))
	}
}

func TestParseArgsDigest(t *testing.T) {
	sum := strings.Repeat("0123456789abcdef", 4)
	keyID, err := ParseArgsDigest("hmac-sha256:a.B_9-:" + sum)
	require.NoError(t, err)
	assert.Equal(t, "a.B_9-", keyID)
	for name, text := range map[string]string{
		"nothing":              "",
		"another prefix":       "sha256:k:" + sum,
		"a prefix in capitals": "HMAC-SHA256:k:" + sum,
		"no key id":            "hmac-sha256::" + sum,
		"no colon":             "hmac-sha256:k",
		"a colon too many":     "hmac-sha256:k:" + sum + ":",
		"a key id with space":  "hmac-sha256:a b:" + sum,
		"a digit too few":      "hmac-sha256:k:" + sum[1:],
		"a digit too many":     "hmac-sha256:k:" + sum + "0",
		"a capital digit":      "hmac-sha256:k:" + strings.ToUpper(sum),
		"a letter too far":     "hmac-sha256:k:" + sum[1:] + "g",
	} {
		t.Run(name, func(t *testing.T) {
			keyID, err := ParseArgsDigest(text)
			require.ErrorIs(t, err, ErrArgsDigest)
			assert.Empty(t, keyID)
		})
	}
}

// TestKeyIsSafeForConcurrentUse digests from many goroutines; -race watches.
func TestKeyIsSafeForConcurrentUse(t *testing.T) {
	key := testKey(t)
	texts := []string{"null", `{"a":1}`, sampleArguments(300), sampleArguments(100 << 10)}
	want := make([]string, len(texts))
	for i, text := range texts {
		rest := parsed(t, text).Root().AppendJCSWithoutSecrets(nil)
		want[i] = slowArgsDigest("kid.1", []byte(testSecret), string(rest))
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			var d Doc
			for round := range 40 {
				i := (worker + round) % len(texts)
				assert.NoError(t, d.Parse(texts[i], Limits{}))
				assert.Equal(t, want[i], key.ArgsDigest(&d))
			}
		})
	}
	wg.Wait()
}

func TestPooledBuffersForget(t *testing.T) {
	key := testKey(t)
	key.ArgsDigest(parsed(t, `{"a":"confidential, in a text longer than a digest"}`))
	m := key.macs.Get().(*mac)
	assert.False(t, bytes.Contains(m.buf[:cap(m.buf)], []byte("text longer than")))
	assert.LessOrEqual(t, cap(m.buf), keepPreimage)
}
