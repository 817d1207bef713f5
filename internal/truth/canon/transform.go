// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"bytes"
	"errors"

	"github.com/gowebpki/jcs"
)

// ErrTwoForms says that two canonicalizers disagree about a text, which then
// has no canonical form that could be relied on.
var ErrTwoForms = errors.New("canonical json: two writers disagree")

// Transform returns the canonical form of text (RFC 8785) if Parse accepts it,
// else the *TextError. It is for work off the hot path: a second, independent
// canonicalizer must arrive at the same bytes, or there are none: ErrTwoForms.
func Transform(text []byte) ([]byte, error) {
	var d Doc
	if err := d.Parse(string(text), Limits{}); err != nil {
		return nil, err
	}
	out, err := jcs.Transform(text)
	if err != nil || !bytes.Equal(out, d.Root().AppendJCS(nil)) {
		return nil, ErrTwoForms
	}
	return out, nil
}
