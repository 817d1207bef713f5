// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"
)

const evidenceKeygenLong = `Makes a key that signs checkpoints, in the format of signed notes. The secret half
goes into a file that its owner alone can read; give it to the processor as
evidence.signing_key, by ${file:FILE} or ${env:NAME}. The public half is printed:
it is a line of the file that tdt verify --keys reads, and is no secret.

With a signing key, those who verify a journal cannot forge one. Without, the HMAC
key signs, and whoever can verify can also forge.

Exit status: 0, 1 the file could not be written, 2 usage.`

const evidenceKeygenExample = `  tdt evidence keygen --name example.com/collector-1 -o signing-key >>keys`

func newEvidenceKeygen(s streams) *cobra.Command {
	var name, out string
	c := &cobra.Command{
		Use: "keygen --name NAME -o FILE", Short: "Make a key that signs checkpoints",
		Long: evidenceKeygenLong, Example: evidenceKeygenExample, Args: cobra.NoArgs,
	}
	c.Flags().StringVar(&name, "name", "", "name of the key: a host and a path, without spaces and plus signs (required)")
	c.Flags().StringVarP(&out, "output", "o", "", "file for the secret half, which must not exist (required)")
	c.RunE = func(_ *cobra.Command, _ []string) error {
		if out == "" || out == stdinName {
			return usagef("-o is missing: a file for the secret half")
		}
		secret, public, err := note.GenerateKey(rand.Reader, name)
		if err != nil {
			return fmt.Errorf("make key: %w", err)
		}
		if _, err := note.NewVerifier(public); err != nil {
			return usagef("--name: want a name without spaces and plus signs")
		}
		if err := s.writeNew(out, []byte(secret+"\n"), 0o600); err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, public)
		return err
	}
	return c
}

// writeNew writes a file that must not exist, or to standard output for "-".
func (s streams) writeNew(name string, text []byte, mode fs.FileMode) error {
	if name == stdinName {
		_, err := s.out.Write(text)
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: it exists, and is not overwritten", name)
	}
	if err != nil {
		return plainPathError(err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
