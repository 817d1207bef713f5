// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

const (
	macKeyInfo = "assay.tdt.journal.checkpoint.v0:" // what the derived key is for
	macNameTag = "hmac-sha256:"                     // before the key id in a signature line

	// macAlgorithm is the signature type of the signed note format for types
	// without a byte of their own: 0xff and a name.
	macAlgorithm = "\xffassay.tdt.journal.hmac-sha256.v0"
)

// errMACSecret says that a key is there without the secret that it is made of.
var errMACSecret = errors.New("hmac key has no secret")

// A MAC signs checkpoints with a secret instead of a signing key, and verifies
// them: it is a note.Signer and a note.Verifier. Whoever can verify with a MAC
// can also forge; a signing key is better where others verify.
//
// The key is derived from the secret for this use alone. The secret itself also
// digests arguments, which telemetry chooses: without the derivation, a call
// could be made whose arguments' digest is the code of a forged checkpoint.
//
// A MAC prints as its name, never as its key.
type MAC struct {
	name string
	sum  func(msg []byte) []byte // holds the key where no printer that walks fields reaches it
}

// NewMAC returns the MAC of secret. The id is that of the arguments key with
// the same secret; the errors are those of canon.NewKey.
func NewMAC(id string, secret []byte) (*MAC, error) {
	if _, err := canon.NewKey(id, secret); err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, nil, macKeyInfo+id, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive checkpoint key: %w", err)
	}
	sum := func(msg []byte) []byte {
		h := hmac.New(sha256.New, key)
		h.Write(msg)
		return h.Sum(nil)
	}
	return &MAC{name: macNameTag + id, sum: sum}, nil
}

// Name returns the name in the signature line: hmac-sha256: and the key id.
func (m *MAC) Name() string { return m.name }

// KeyHash returns the short id that the signed note format asks for. It is made
// of the name alone, since a digest of a secret would help to guess it.
func (m *MAC) KeyHash() uint32 {
	sum := sha256.Sum256([]byte(m.name + "\n" + macAlgorithm))
	return binary.BigEndian.Uint32(sum[:])
}

// Sign returns the code of msg.
func (m *MAC) Sign(msg []byte) ([]byte, error) {
	if m.sum == nil {
		return nil, errMACSecret
	}
	return m.sum(msg), nil
}

// Verify reports whether sig is the code of msg, in a time that does not depend
// on how much of it is right.
func (m *MAC) Verify(msg, sig []byte) bool { return m.sum != nil && hmac.Equal(m.sum(msg), sig) }

// String names the key without revealing it.
func (m *MAC) String() string { return "key " + m.name }

// Format writes String, whatever the verb and its flags.
func (m *MAC) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, m.String()) }

// MarshalText is String, and what JSON and YAML show of a MAC.
func (m *MAC) MarshalText() ([]byte, error) { return []byte(m.String()), nil }
