// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAppendStringEscapes puts every ASCII character at every place in a word.
func TestAppendStringEscapes(t *testing.T) {
	short := map[byte]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}
	for c := range byte(0x80) {
		want, ok := short[c]
		switch {
		case ok:
		case c < ' ':
			want = fmt.Sprintf(`\u%04x`, c)
		default:
			want = string(c)
		}
		for place := range 18 {
			text := strings.Repeat("x", place) + string(c) + strings.Repeat("\u00e9", 17-place)
			got := string(AppendString([]byte("pre"), text))
			require.Equal(t, `pre"`+strings.Replace(text, string(c), want, 1)+`"`, got)
			again := parsed(t, got[3:]).Root()
			require.Equal(t, text, again.Str())
			require.Equal(t, got[3:], string(again.AppendJCS(nil)))
		}
	}
}

func TestAppendStringIsAlwaysJSON(t *testing.T) {
	for text, want := range map[string]string{
		"":                      `""`,
		"\xff":                  "\"\uFFFD\"",
		"a\xe2\x82b\x80\"":      "\"a\uFFFD\uFFFDb\uFFFD\\\"\"",
		"\xed\xa0\x80":          "\"\uFFFD\uFFFD\uFFFD\"",
		"\uFFFD\u2028</script>": "\"\uFFFD\u2028</script>\"",
	} {
		got := string(AppendString(nil, text))
		assert.Equal(t, want, got)
		parsed(t, got)
	}
}

func TestTransform(t *testing.T) {
	got, err := Transform([]byte(`{"b":[1.0,"\u00e9"],"a":null}`))
	require.NoError(t, err)
	assert.Equal(t, "{\"a\":null,\"b\":[1,\"\u00e9\"]}", string(got))
	_, err = Transform([]byte(`{"a":1,"a":2}`))
	var fault *TextError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, FaultDuplicateKey, fault.Fault)
}

// TestTransformRefusesWhatTwoWritersReadDifferently has a number that is 1, and
// that the library reads as 0.
func TestTransformRefusesWhatTwoWritersReadDifferently(t *testing.T) {
	text := "0." + strings.Repeat("0", 123455) + "1e123456"
	require.Equal(t, "1", canonical(t, text))
	_, err := Transform([]byte(text))
	require.ErrorIs(t, err, ErrTwoForms)
	assert.Less(t, len(err.Error()), 100)
}
