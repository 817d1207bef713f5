// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// originPrefix begins the origin line of our checkpoints; the journal's id
// follows.
const originPrefix = "tdt-journal/"

// maxNote bounds the text of a signed checkpoint.
const maxNote = 64 << 10

// A Checkpoint says which lines a journal had: their number and the root of the
// tree over them. Its text is a signed note in the C2SP checkpoint format.
// Kept outside of the journal it shows whether the journal was cut or rewritten
// since.
type Checkpoint struct {
	Origin string // names one journal, and is never used again
	Size   uint64 // number of lines covered
	Root   [hashSize]byte

	// Note is the whole signed text, and what is worth keeping elsewhere.
	Note string

	// Keys names the keys whose signatures were verified, Signers all that have
	// signed, or so the note says: NAME+HASH each.
	Keys, Signers []string
}

// origin returns the origin line for the journal with the given id.
func origin(journal string) string { return originPrefix + journal }

// noteText returns the text that is signed.
func (c *Checkpoint) noteText() string {
	return c.Origin + "\n" + strconv.FormatUint(c.Size, 10) + "\n" + base64.StdEncoding.EncodeToString(c.Root[:]) + "\n"
}

// sign sets Note, Keys and Signers.
func (c *Checkpoint) sign(signers []note.Signer) error {
	signed, err := note.Sign(&note.Note{Text: c.noteText()}, signers...)
	if err != nil {
		return fmt.Errorf("sign checkpoint: %w", err)
	}
	c.Note = string(signed)
	for _, s := range signers {
		c.Signers = append(c.Signers, keyName(s.Name(), s.KeyHash()))
	}
	c.Keys = c.Signers
	return nil
}

func keyName(name string, hash uint32) string { return fmt.Sprintf("%s+%08x", name, hash) }

// ParseCheckpoint reads a signed checkpoint and verifies its signatures with
// the keys that are known. The error is a *Finding: FaultSignature when a known
// key did not make the signature in its name; FaultKeyUnknown, and with it the
// checkpoint, when no known key has signed; FaultMalformed for any other text.
func ParseCheckpoint(text string, known note.Verifiers) (Checkpoint, error) {
	if len(text) > maxNote {
		return Checkpoint{}, &Finding{Fault: FaultMalformed, Detail: "the checkpoint is too long"}
	}
	opened, err := note.Open([]byte(text), known)
	var unverified *note.UnverifiedNoteError
	var bad *note.InvalidSignatureError
	switch {
	case errors.As(err, &unverified):
		opened = unverified.Note
	case errors.As(err, &bad):
		return Checkpoint{}, &Finding{Fault: FaultSignature, Detail: "key " + strconv.Quote(keyName(bad.Name, bad.Hash))}
	case err != nil:
		return Checkpoint{}, &Finding{Fault: FaultMalformed, Detail: "the checkpoint is no signed note"}
	}
	c, err := parseNoteText(opened.Text)
	if err != nil {
		return Checkpoint{}, err
	}
	c.Note, c.Keys = text, keyNames(opened.Sigs)
	c.Signers = append(keyNames(opened.Sigs), keyNames(opened.UnverifiedSigs)...)
	if len(c.Keys) == 0 {
		return c, &Finding{Fault: FaultKeyUnknown, Detail: fmt.Sprintf("signed by %q", c.Signers)}
	}
	return c, nil
}

func keyNames(sigs []note.Signature) []string {
	names := make([]string, len(sigs))
	for i, s := range sigs {
		names[i] = keyName(s.Name, s.Hash)
	}
	return names
}

// parseNoteText reads the three lines of a checkpoint. Ours have no others, and
// what others sign in our name we do not know how to read.
func parseNoteText(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] == "" || lines[3] != "" {
		return Checkpoint{}, &Finding{Fault: FaultMalformed, Detail: "the checkpoint does not have three lines"}
	}
	c := Checkpoint{Origin: lines[0]}
	var err error
	c.Size, err = parseCount(lines[1])
	if err != nil {
		return Checkpoint{}, &Finding{Fault: FaultMalformed, Detail: "the checkpoint's size is no count"}
	}
	root, err := parseHash(lines[2])
	if err != nil {
		return Checkpoint{}, &Finding{Fault: FaultMalformed, Detail: "the checkpoint's root is no hash"}
	}
	c.Root = root
	return c, nil
}

var errNotCanonical = errors.New("not in its one form")

// parseCount reads a decimal number without leading zeros.
func parseCount(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, err
	}
	if strconv.FormatUint(n, 10) != s {
		return 0, errNotCanonical
	}
	return n, nil
}

// parseHash reads a hash in base64, in its one form.
func parseHash(s string) (hash [hashSize]byte, err error) {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		return hash, err
	}
	if len(b) != hashSize || base64.StdEncoding.EncodeToString(b) != s {
		return hash, errNotCanonical
	}
	return [hashSize]byte(b), nil
}
