// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// parsed returns text as a Doc, which it must be.
func parsed(t testing.TB, text string) *Doc {
	t.Helper()
	d := new(Doc)
	require.NoError(t, d.Parse(text, Limits{}))
	return d
}

// faultOf returns the fault that Parse finds in text.
func faultOf(t testing.TB, text string, lim Limits) *TextError {
	t.Helper()
	var d Doc
	var fault *TextError
	require.ErrorAs(t, d.Parse(text, lim), &fault)
	require.Equal(t, KindNone, d.Root().Kind(), "a text that is refused leaves nothing")
	return fault
}

func canonical(t testing.TB, text string) string {
	t.Helper()
	return string(parsed(t, text).Root().AppendJCS(nil))
}

// slowArgsDigest is the arguments digest as the contract words it, over what is
// left of the arguments in canonical form.
func slowArgsDigest(keyID string, key []byte, rest string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, "assay.tool_args.v0:"+keyID+":"+rest)
	return "hmac-sha256:" + keyID + ":" + hex.EncodeToString(mac.Sum(nil))
}
