// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/hex"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A Sum is a SHA-256 digest in 32 bytes, less than half of its wire form. The
// zero Sum stands for none.
type Sum [32]byte

const sumPrefix = "sha256:"

// ParseSum returns the Sum that the wire form d names, and false where d has
// not that form.
func ParseSum(d canon.Digest) (Sum, bool) {
	var s Sum
	if !d.Valid() {
		return s, false
	}
	_, err := hex.Decode(s[:], []byte(d[len(sumPrefix):]))
	return s, err == nil
}

// IsZero reports whether s stands for no digest.
func (s Sum) IsZero() bool { return s == Sum{} }

// Digest returns the wire form of s.
func (s Sum) Digest() canon.Digest {
	text := make([]byte, 0, len(sumPrefix)+2*len(s))
	return canon.Digest(hex.AppendEncode(append(text, sumPrefix...), s[:]))
}

// Digests name the carrier of a decision. Its identity digest follows from
// Observed and the digest of the policy (spec section 7), and is not kept.
type Digests struct {
	Carrier  Sum // of its content
	Observed Sum // its observed_input_digest
}

// IsZero reports whether there is no carrier.
func (d Digests) IsZero() bool { return d.Carrier.IsZero() }
