// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

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

// need returns the key of a verb that cannot do without.
func (k *keyFlags) need() (*canon.Key, error) {
	key, err := k.load()
	if err == nil && key == nil {
		return nil, usagef("--key-id is missing, and --key-file or the variable %s", keyVariable)
	}
	return key, err
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
	text, err := readSecretFile(k.file)
	if err != nil {
		return nil, fmt.Errorf("key file %w", err)
	}
	if line, ok := bytes.CutSuffix(text, []byte("\n")); ok {
		text = bytes.TrimSuffix(line, []byte("\r"))
	}
	if len(text) == 0 {
		return nil, fmt.Errorf("key file %s: it is empty", k.file)
	}
	return text, nil
}

// maxSecretFile is more than any file of keys has.
const maxSecretFile = 1 << 20

// readSecretFile reads a file that only its owner can read. The mode is that of
// the file that is read, even if the name means another one by then.
func readSecretFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, plainPathError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, plainPathError(err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: it is a directory", name)
	}
	if err := refuseShared(info.Mode()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	switch {
	case err != nil:
		return nil, plainPathError(err)
	case len(text) > maxSecretFile:
		return nil, fmt.Errorf("%s: it has more than %d bytes", name, maxSecretFile)
	}
	return text, nil
}

// refuseShared refuses a key that others than its owner can read. Where files
// have no such mode, nothing can be said.
func refuseShared(mode fs.FileMode) error {
	if runtime.GOOS != "windows" && mode.Perm()&0o077 != 0 {
		return errors.New("its group or everybody can read it; want mode 0600 (chmod 600)")
	}
	return nil
}
