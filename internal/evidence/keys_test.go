// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestAMACSignsAndVerifies(t *testing.T) {
	mac := testMAC(t)
	c := Checkpoint{Origin: "tdt-journal/x", Size: 7, Root: [hashSize]byte{1}}
	require.NoError(t, c.sign([]note.Signer{mac}))
	got, err := ParseCheckpoint(c.Note, note.VerifierList(mac))
	require.NoError(t, err)
	assert.Equal(t, c, got)
	again, err := NewMAC(testKeyID, []byte(testSecret))
	require.NoError(t, err)
	_, err = ParseCheckpoint(c.Note, note.VerifierList(again))
	require.NoError(t, err)
	for name, keys := range map[string][2]string{
		"another secret":                 {testKeyID, testSecret + "x"},
		"another id":                     {"other", testSecret},
		"id and secret, but another cut": {testKeyID + "e", testSecret[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			other, err := NewMAC(keys[0], []byte(keys[1]))
			require.NoError(t, err)
			sig, err := other.Sign([]byte("text"))
			require.NoError(t, err)
			assert.False(t, mac.Verify([]byte("text"), sig))
			assert.Equal(t, keys[0] == testKeyID, other.KeyHash() == mac.KeyHash())
		})
	}
	_, err = NewMAC("", []byte("x"))
	require.ErrorIs(t, err, canon.ErrKeyID)
	_, err = NewMAC("a b", []byte("x"))
	require.ErrorIs(t, err, canon.ErrKeyID)
	_, err = NewMAC("a", nil)
	require.ErrorIs(t, err, canon.ErrEmptyKey)
	var none MAC
	_, err = none.Sign(nil)
	require.Error(t, err)
	assert.False(t, none.Verify(nil, nil))
}

// TestAMACIsNotTheDigestOfArguments says why the key is derived: telemetry
// chooses arguments, and their digests are in the journal for all to see.
func TestAMACIsNotTheDigestOfArguments(t *testing.T) {
	key, err := canon.NewKey(testKeyID, []byte(testSecret))
	require.NoError(t, err)
	var args canon.Doc
	require.NoError(t, args.Parse(`"tdt-journal/x\n7\n"`, canon.Limits{}))
	digest := key.ArgsDigest(&args)
	sig, err := hex.DecodeString(digest[strings.LastIndexByte(digest, ':')+1:])
	require.NoError(t, err)
	preimage := "assay.tool_args.v0:" + testKeyID + `:"tdt-journal/x\n7\n"`
	assert.False(t, testMAC(t).Verify([]byte(preimage), sig))
}

func TestKeysAreReadFromAFile(t *testing.T) {
	_, public, err := note.GenerateKey(rand.Reader, "journal.example/a")
	require.NoError(t, err)
	verifier, err := note.NewVerifier(public)
	require.NoError(t, err)
	secret := "a secret with spaces and : colons"
	text := "# present\n\nhmac-sha256 new text:" + secret + "\r\n" +
		"hmac-sha256 old base64:" + base64.StdEncoding.EncodeToString([]byte("old secret")) + "\n" +
		"hmac-sha256 older hex:" + hex.EncodeToString([]byte("older secret")) + "\n" + public
	keys, err := ParseKeys(text)
	require.NoError(t, err)
	for id, secret := range map[string]string{"new": secret, "old": "old secret", "older": "older secret"} {
		want, err := NewMAC(id, []byte(secret))
		require.NoError(t, err)
		v, err := keys.Verifier(want.Name(), want.KeyHash())
		require.NoError(t, err)
		sig, err := want.Sign([]byte("text"))
		require.NoError(t, err)
		assert.True(t, v.Verify([]byte("text"), sig))
		args, ok := keys.ArgsKey(id)
		require.True(t, ok)
		key, err := canon.NewKey(id, []byte(secret))
		require.NoError(t, err)
		assert.Equal(t, key.ArgsDigest(nil), args.ArgsDigest(nil))
	}
	got, err := keys.Verifier(verifier.Name(), verifier.KeyHash())
	require.NoError(t, err)
	assert.Equal(t, verifier.KeyHash(), got.KeyHash())
	_, err = keys.Verifier("nobody", 1)
	var unknown *note.UnknownVerifierError
	require.ErrorAs(t, err, &unknown)
	_, ok := keys.ArgsKey("nobody")
	assert.False(t, ok)
	_, ok = (*Keys)(nil).ArgsKey("nobody")
	assert.False(t, ok)
	assert.Equal(t, "4 keys", keys.String())
}

func TestKeyFilesThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"no key":        "hello-secret",
		"no form":       "hmac-sha256 id hello-secret",
		"bad base64":    "hmac-sha256 id base64:hello-secret",
		"bad hex":       "hmac-sha256 id hex:hello-secret",
		"empty":         "hmac-sha256 id text:",
		"no id":         "hmac-sha256  text:hello-secret",
		"a bad id":      "hmac-sha256 a/b text:hello-secret",
		"an id twice":   "hmac-sha256 a text:hello-secret\nhmac-sha256 a text:hello-secret",
		"a private key": "PRIVATE+KEY+a+00000000+hello-secret",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseKeys(text)
			require.Error(t, err)
			assert.Contains(t, err.Error(), "line ")
			assert.NotContains(t, err.Error(), "hello-secret")
		})
	}
}

func TestCheckpointTextsThatAreNone(t *testing.T) {
	good := Checkpoint{Origin: "o", Size: 1}
	require.NoError(t, good.sign([]note.Signer{testMAC(t)}))
	sign := func(text string) string {
		out, err := note.Sign(&note.Note{Text: text}, testMAC(t))
		require.NoError(t, err)
		return string(out)
	}
	root := base64.StdEncoding.EncodeToString(make([]byte, 32))
	for name, text := range map[string]string{
		"empty":             "",
		"no signature":      good.noteText(),
		"two lines":         sign("o\n1\n"),
		"four lines":        sign("o\n1\n" + root + "\nmore\n"),
		"no origin":         sign("\n1\n" + root + "\n"),
		"a size with zeros": sign("o\n01\n" + root + "\n"),
		"a size below zero": sign("o\n-1\n" + root + "\n"),
		"a size too large":  sign("o\n18446744073709551616\n" + root + "\n"),
		"a short root":      sign("o\n1\n" + root[:40] + "\n"),
		"a root not base64": sign("o\n1\n" + strings.Repeat("*", 44) + "\n"),
		"another base64":    sign("o\n1\n" + root[:42] + "B=\n"),
		"too long":          good.Note + strings.Repeat("x", maxNote),
		"control character": strings.Replace(good.Note, "o\n", "o\x01\n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseCheckpoint(text, testKeys(t))
			var f *Finding
			require.ErrorAs(t, err, &f)
			assert.Equal(t, FaultMalformed, f.Fault)
		})
	}
}

// TestKeysPrintAsTheirNames has keys in all that prints.
func TestKeysPrintAsTheirNames(t *testing.T) {
	mac := testMAC(t)
	keys := testKeys(t)
	cfg := testConfig(t, "dir")
	private, _, err := note.GenerateKey(rand.Reader, "journal.example/printed")
	require.NoError(t, err)
	signer, err := note.NewSigner(private)
	require.NoError(t, err)
	cfg.Signers = append(cfg.Signers, signer)
	derived, err := mac.Sign(nil)
	require.NoError(t, err)
	secrets := []string{testSecret, hex.EncodeToString([]byte(testSecret)), fmt.Sprint([]byte(testSecret)), private, hex.EncodeToString(derived)}
	for _, v := range []any{mac, *mac, keys, *keys, cfg, &cfg, cfg.Signers, VerifyOptions{Keys: keys}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			text := fmt.Sprintf(verb, v)
			for _, secret := range secrets {
				assert.NotContains(t, text, secret, "%T with %s", v, verb)
			}
		}
	}
	text, err := json.Marshal(mac)
	require.NoError(t, err)
	assert.Equal(t, `"key hmac-sha256:test-kid"`, string(text))
}
