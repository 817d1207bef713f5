// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// Keys are the keys by which a journal can be verified, present and past ones,
// each under its id. It is a note.Verifiers. The zero Keys knows none. Keys
// print as their number, never as what they are.
type Keys struct {
	verifiers []note.Verifier
	args      map[string]*canon.Key
}

// ParseKeys reads a file of keys, one a line:
//
//	NAME+HASH+KEY                     the public key of a signing key
//	hmac-sha256 ID text:SECRET        a secret, as it stands in the configuration
//	hmac-sha256 ID base64:SECRET
//	hmac-sha256 ID hex:SECRET
//
// Empty lines and lines that begin with # are skipped. Errors name the line and
// quote nothing of it.
func ParseKeys(text string) (*Keys, error) {
	k := &Keys{args: map[string]*canon.Key{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := k.addLine(line); err != nil {
			return nil, fmt.Errorf("keys: line %d: %w", n, err)
		}
	}
	return k, nil
}

func (k *Keys) addLine(line string) error {
	rest, isMAC := strings.CutPrefix(line, "hmac-sha256 ")
	if !isMAC {
		v, err := note.NewVerifier(strings.TrimSpace(line))
		if err != nil {
			return errors.New("want hmac-sha256 ID text:SECRET or a public key NAME+HASH+KEY")
		}
		k.Add(v)
		return nil
	}
	id, encoded, _ := strings.Cut(rest, " ")
	secret, err := decodeSecret(encoded)
	if err != nil {
		return err
	}
	return k.AddSecret(id, secret)
}

// Add adds a key that verifies signatures.
func (k *Keys) Add(v note.Verifier) { k.verifiers = append(k.verifiers, v) }

// AddSecret adds a key of the processor's configuration: it verifies
// checkpoints, and ArgsKey returns it for verifying arguments.
func (k *Keys) AddSecret(id string, secret []byte) error {
	mac, err := NewMAC(id, secret)
	if err != nil {
		return err
	}
	key, err := canon.NewKey(id, secret)
	if err != nil {
		return err
	}
	if k.args == nil {
		k.args = map[string]*canon.Key{}
	}
	if k.args[id] != nil {
		return fmt.Errorf("key id %s is there twice", id)
	}
	k.args[id] = key
	k.Add(mac)
	return nil
}

// ArgsKey returns the key that digests arguments under id.
func (k *Keys) ArgsKey(id string) (*canon.Key, bool) {
	if k == nil {
		return nil, false
	}
	key, ok := k.args[id]
	return key, ok
}

// ArgsKeyIDs returns the ids that ArgsKey knows, sorted.
func (k *Keys) ArgsKeyIDs() []string {
	if k == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(k.args))
}

// Verifier returns the key that a signature line names.
func (k *Keys) Verifier(name string, hash uint32) (note.Verifier, error) {
	if k != nil {
		return note.VerifierList(k.verifiers...).Verifier(name, hash)
	}
	return nil, &note.UnknownVerifierError{Name: name, KeyHash: hash}
}

// String says how many keys there are.
func (k *Keys) String() string { return fmt.Sprintf("%d keys", len(k.verifiers)) }

func decodeSecret(s string) ([]byte, error) {
	form, rest, _ := strings.Cut(s, ":")
	var secret []byte
	var err error
	switch form {
	case "text":
		secret = []byte(rest)
	case "base64":
		secret, err = base64.StdEncoding.DecodeString(rest)
	case "hex":
		secret, err = hex.DecodeString(rest)
	default:
		return nil, errors.New("secret must begin with text: or base64: or hex: and have no space before it")
	}
	if err != nil {
		return nil, fmt.Errorf("secret is not valid %s", form)
	}
	return secret, nil
}
