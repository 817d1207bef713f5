// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// keyVariable holds a key where no file is given.
const keyVariable = "ASSAY_TDT_HMAC_KEY"

// keyFlags are the flags that say with which key argument digests are made. A
// key is never an argument: those show in the list of processes.
type keyFlags struct {
	file, id string
}

func (k *keyFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&k.file, "key-file", "", "file that holds the HMAC key; else the variable "+keyVariable+" is read")
	c.Flags().StringVar(&k.id, "key-id", "", "name of the key inside the digests")
}

// load returns the key, or nil where none is asked for.
func (k *keyFlags) load() (*canon.Key, error) {
	if k.id == "" {
		if k.file != "" {
			return nil, usagef("--key-file needs --key-id")
		}
		return nil, nil
	}
	secret, err := k.secret()
	if err != nil {
		return nil, err
	}
	key, err := canon.NewKey(k.id, secret)
	if err != nil {
		return nil, usagef("--key-id: %w", err)
	}
	return key, nil
}

// secret reads the key's bytes. One newline at the end is not part of the key.
func (k *keyFlags) secret() ([]byte, error) {
	if k.file == "" {
		text, ok := os.LookupEnv(keyVariable)
		if !ok || text == "" {
			return nil, usagef("--key-id needs --key-file or the variable %s", keyVariable)
		}
		return []byte(text), nil
	}
	info, err := os.Stat(k.file)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if err := refuseShared(info.Mode()); err != nil {
		return nil, fmt.Errorf("key file %s: %w", k.file, err)
	}
	text, err := os.ReadFile(k.file)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if len(text) == 0 {
		return nil, fmt.Errorf("key file %s: it is empty", k.file)
	}
	return text, nil
}

// refuseShared refuses a key that others than its owner can read.
func refuseShared(mode fs.FileMode) error {
	if mode.Perm()&0o077 != 0 {
		return errors.New("its group or everybody can read it; want mode 0600 (chmod 600)")
	}
	return nil
}
