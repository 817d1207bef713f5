// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

var secretWords = []string{
	"token", "accesstoken", "refreshtoken", "authtoken", "idtoken", "sessiontoken", "password", "passwd", "apikey",
	"secret", "clientsecret", "secretkey", "authorization", "credential", "credentials", "privatekey", "secretaccesskey",
}

func TestSecretKeyWords(t *testing.T) {
	for _, word := range secretWords {
		assert.True(t, SecretKey(word), word)
		assert.True(t, SecretKey(strings.ToUpper(word)), word)
		assert.True(t, SecretKey(" _-"+strings.Join(strings.Split(word, ""), "-_ ")+"__"), word)
		assert.True(t, SecretKey(strings.ReplaceAll(word, "k", "\u212A")), "%s with a Kelvin sign", word)
		for i := range word {
			assert.Equal(t, word == "credentials" && i == 10, SecretKey(word[:i]+word[i+1:]), "%s without byte %d", word, i)
			assert.False(t, SecretKey(word[:i]+"."+word[i:]), "%s with a point before byte %d", word, i)
			assert.False(t, SecretKey(word[:i]+"\u00A0"+word[i:]), "%s with a no-break space", word)
		}
	}
}

func TestSecretKeySpellings(t *testing.T) {
	for name, want := range map[string]bool{
		"Api-Key": true, "x": false, "": false, "____": false, "     ": false, "api key": true, "api\tkey": false,
		"tokens": false, "my_token": false, "to\u212Aen": true, "\u212A": false, "PASSWOR\u1E0A": false,
		"\u0130dtoken": false, "AUTHOR\u0130ZATION": false, "pa\u017F\u017Fword": false, "\uFF34\uFF2F\uFF2B\uFF25\uFF2E": false,
		"secretaccesskeys": false, "secret_access_key": true, "token\xff": false, strings.Repeat("_", 1000) + "TOKEN": true,
	} {
		assert.Equal(t, want, SecretKey(name), "%q", name)
	}
}

// TestSecretKeyLowercasing puts every character into the place of every letter
// that it may stand for, and compares with the rule as the contract words it.
func TestSecretKeyLowercasing(t *testing.T) {
	slow := func(name string) bool {
		rest := strings.Map(func(r rune) rune {
			switch r {
			case '_', '-', ' ':
				return -1
			case 0x130: // its lowercase is i and a combining dot, never i alone
				return r
			}
			return unicode.ToLower(r)
		}, name)
		for _, word := range secretWords {
			if rest == word {
				return true
			}
		}
		return false
	}
	for r := range rune(unicode.MaxRune + 1) {
		if !utf8.ValidRune(r) {
			continue
		}
		for _, name := range []string{"to" + string(r) + "en", string(r) + "dtoken", "toke" + string(r)} {
			if got, want := SecretKey(name), slow(name); got != want {
				t.Errorf("%q (U+%04X): got %v, want %v", name, r, got, want)
			}
		}
	}
}

func TestSecretsAreDroppedAtEveryDepth(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"alone", `{"token":1}`, `{}`},
		{"first", `{"api_key":1,"b":2}`, `{"b":2}`},
		{"last", `{"b":2,"token":1}`, `{"b":2}`},
		{"between", `{"a":1,"Pass-Word":{"deep":[1]},"z":2}`, `{"a":1,"z":2}`},
		{"through arrays", `[[{"token":1,"k":[{"secret":2}]}]]`, `[[{"k":[{}]}]]`},
		{"with an escaped name", `{"\u0074oken":1,"a":2}`, `{"a":2}`},
		{"as values they stay", `{"a":"token","b":["secret"]}`, `{"a":"token","b":["secret"]}`},
		{"at the root of a scalar", `"token"`, `"token"`},
		{"deep", strings.Repeat(`{"a":`, 125) + `{"token":{}}` + strings.Repeat("}", 125), strings.Repeat(`{"a":`, 125) + "{}" + strings.Repeat("}", 125)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, string(parsed(t, tt.text).Root().AppendJCSWithoutSecrets(nil)))
		})
	}
}
