// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// A Digest is a SHA-256 digest in its wire form, sha256: and 64 lowercase
// hexadecimal digits. A Digest that was not made here or by ParseDigest may
// hold anything: ask Valid.
type Digest string

const digestPrefix = "sha256:"

// ErrDigest says that a text is no Digest.
var ErrDigest = errors.New("digest is not sha256: and 64 lowercase hexadecimal digits")

// Sum returns the digest of b.
func Sum(b []byte) Digest {
	var buf [len(digestPrefix) + 2*sha256.Size]byte
	return Digest(AppendDigest(buf[:0], b))
}

// AppendDigest appends the digest of preimage to dst in its wire form, and
// allocates only what dst needs to grow.
func AppendDigest(dst, preimage []byte) []byte {
	sum := sha256.Sum256(preimage)
	return hex.AppendEncode(append(dst, digestPrefix...), sum[:])
}

// ParseDigest returns s as a Digest, or ErrDigest.
func ParseDigest(s string) (Digest, error) {
	if !Digest(s).Valid() {
		return "", ErrDigest
	}
	return Digest(s), nil
}

// Valid reports whether d has the wire form.
func (d Digest) Valid() bool {
	sum, ok := strings.CutPrefix(string(d), digestPrefix)
	return ok && isHexSum(sum)
}

// isHexSum reports whether s is 64 lowercase hexadecimal digits.
func isHexSum(s string) bool {
	if len(s) != 2*sha256.Size {
		return false
	}
	var other uint8
	for i := range len(s) {
		other |= notHex[s[i]]
	}
	return other == 0
}

// notHex is 0 for the lowercase hexadecimal digits.
var notHex = func() (table [256]uint8) {
	for c := range table {
		if strings.IndexByte("0123456789abcdef", byte(c)) < 0 {
			table[c] = 1
		}
	}
	return table
}()

// ObservedInput returns the digest of what was observed of one call: the tool's
// name, the digest of the arguments, and the call's place in its run (spec
// section 4). Both texts are taken as they are. Beyond 2^53 the digest sees the
// double nearest to order.
func ObservedInput(toolName, argsDigest string, order int64) Digest {
	var buf [512]byte
	dst := append(buf[:0], `{"args_digest":`...)
	dst = AppendString(dst, argsDigest)
	dst = append(dst, `,"order":`...)
	dst = AppendNumber(dst, float64(order))
	dst = append(dst, `,"tool_name":`...)
	dst = AppendString(dst, toolName)
	return Sum(append(dst, '}'))
}
