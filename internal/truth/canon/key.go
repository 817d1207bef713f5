// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"
)

const (
	argsPreimagePrefix = "assay.tool_args.v0:"
	argsDigestPrefix   = "hmac-sha256:"

	// keepPreimage bounds the buffer that goes back to the pool. Arguments up to
	// the size that is accepted by default fit.
	keepPreimage = 256 << 10
)

// The errors of key material and of the digests made with it.
var (
	ErrEmptyKey   = errors.New("key is empty")
	ErrKeyID      = errors.New("key id must be one or more of A-Z a-z 0-9 . _ -")
	ErrArgsDigest = errors.New("arguments digest is not hmac-sha256:, a key id, a colon and 64 lowercase hexadecimal digits")
)

// A Key makes keyed digests of arguments: without a key, the digest of a short
// argument could be guessed. It is made by NewKey and safe for concurrent use.
//
// A Key prints and marshals as its id. The secret lies where neither a method
// nor a printer that walks fields can reach it.
type Key struct {
	id   string
	macs *sync.Pool // of *mac; its New holds the secret
}

// A mac computes one digest at a time. Keying a hash costs more than digesting
// a typical call, so keyed hashes are kept.
type mac struct {
	hash hash.Hash
	buf  []byte
}

// NewKey returns a Key with a copy of secret. The id names the key inside every
// digest, so that keys can be rotated. The error is ErrEmptyKey or ErrKeyID.
func NewKey(id string, secret []byte) (*Key, error) {
	if len(secret) == 0 {
		return nil, ErrEmptyKey
	}
	if !isKeyID(id) {
		return nil, ErrKeyID
	}
	secret = bytes.Clone(secret)
	macs := &sync.Pool{New: func() any { return &mac{hash: hmac.New(sha256.New, secret)} }}
	return &Key{id: id, macs: macs}, nil
}

// ID returns the name of the key.
func (k Key) ID() string { return k.id }

// String names the key without revealing it.
func (k Key) String() string { return "key " + k.id }

// GoString is String.
func (k Key) GoString() string { return k.String() }

// Format writes String, whatever the verb and its flags.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }

// MarshalText is String, and what JSON and YAML show of a Key.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ArgsDigest returns the keyed digest of args without their secret-like members
// (spec section 4). A nil or empty Doc stands for arguments that are absent or
// unusable: the digest then says that none were observed, and differs from that
// of every JSON value.
func (k Key) ArgsDigest(args *Doc) string {
	m := k.macs.Get().(*mac)
	defer k.macs.Put(m)
	m.buf = append(m.buf[:0], argsPreimagePrefix...)
	m.buf = append(append(m.buf, k.id...), ':')
	if args != nil {
		m.buf = args.Root().AppendJCSWithoutSecrets(m.buf)
	}
	return m.digest(k.id)
}

// digest returns the digest of m.buf and forgets what is in there.
func (m *mac) digest(id string) string {
	m.hash.Reset()
	m.hash.Write(m.buf)
	clear(m.buf)
	if cap(m.buf) > keepPreimage {
		m.buf = nil
	}
	m.buf = m.hash.Sum(m.buf[:0])
	var text [128]byte
	dst := append(append(append(text[:0], argsDigestPrefix...), id...), ':')
	return string(hex.AppendEncode(dst, m.buf))
}

// ParseArgsDigest returns the id of the key that made the arguments digest s,
// or ErrArgsDigest when s has not the form of one. Whether the digest is right
// only the holder of the key can say.
func ParseArgsDigest(s string) (keyID string, err error) {
	rest, ok := strings.CutPrefix(s, argsDigestPrefix)
	keyID, sum, cut := strings.Cut(rest, ":")
	if !ok || !cut || !isKeyID(keyID) || !isHexSum(sum) {
		return "", ErrArgsDigest
	}
	return keyID, nil
}

// isKeyID reports whether id is one or more of [A-Za-z0-9._-]. Without a colon
// in it, a digest has one reading.
func isKeyID(id string) bool {
	for i := range len(id) {
		c := id[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && c-'0' > 9 && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return id != ""
}
