// SPDX-License-Identifier: Apache-2.0

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package evidence

// A journal needs locks that end with their process, and owners and modes that
// mean something. Journals of other machines can be read and verified here.

func holdDirectory(string) (directory, error) { return nil, ErrUnsupported }

// InUse reports false: no journal can be open on this system.
func InUse(string) (bool, error) { return false, nil }

func isFull(error) bool { return false }
