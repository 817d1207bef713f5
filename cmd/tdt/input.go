// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// stdinName is what standard input is called on the command line.
const stdinName = "-"

// An input is one file that the command line names.
type input struct {
	name string // as it was named, "stdin" for standard input
	io.ReadCloser
}

// open opens the file, or standard input for "-".
func (s streams) open(name string) (*input, error) {
	if name == stdinName {
		return &input{"stdin", io.NopCloser(s.in)}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, plainPathError(err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: it is a directory, want a file", name)
	}
	if err != nil {
		f.Close()
		return nil, plainPathError(err)
	}
	return &input{name, f}, nil
}

// read returns the whole of a file of at most limit bytes.
func (s streams) read(name string, limit int64) (string, []byte, error) {
	in, err := s.open(name)
	if err != nil {
		return "", nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("read %s: %w", in.name, plainPathError(err))
	case int64(len(text)) > limit:
		return "", nil, fmt.Errorf("%s: it has more than %d bytes", in.name, limit)
	}
	return in.name, text, nil
}

// plainPathError says a path error as people do: the path first, and not the
// name of the system call.
func plainPathError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// checkInputs refuses to read standard input twice.
func checkInputs(names ...string) error {
	first := slices.Index(names, stdinName)
	if first >= 0 && slices.Contains(names[first+1:], stdinName) {
		return usagef("standard input (-) can be read once, and is named twice")
	}
	return nil
}
