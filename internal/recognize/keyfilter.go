// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"errors"
	"math/bits"
)

// A keyFilter tells known attribute keys from all others at the cost of a few
// loads: the hash of a key is made of its length, its first and its last eight bytes,
// and a table that is larger than it need be holds at most one known key in each
// place. It is built once and only read.
type keyFilter struct {
	mult  uint64
	shift uint8
	table []filterEntry
}

type filterEntry struct {
	key  string
	slot uint16
}

// minKeyLen is the length of the shortest key that the filter knows.
const minKeyLen = 4

// errKeysAlike says that two keys cannot be told apart by what is hashed.
var errKeysAlike = errors.New("two attribute keys are alike in length, beginning and end")

// newKeyFilter builds a filter of keys, each at least minKeyLen long; a key's
// slot is its index. It looks for a multiplier under which no two keys share a
// place, and doubles the table when it finds none.
func newKeyFilter(keys []string) (*keyFilter, error) {
	for bits := uint8(9); bits <= 16; bits++ {
		f := &keyFilter{shift: 64 - bits}
		for try := range uint64(512) {
			f.mult = (try*2 + 1) * 0x9e3779b97f4a7c15
			if f.fill(keys, 1<<bits) {
				return f, nil
			}
		}
	}
	return nil, errKeysAlike
}

func (f *keyFilter) fill(keys []string, size int) bool {
	f.table = make([]filterEntry, size)
	for i, key := range keys {
		e := &f.table[f.place(key)]
		if e.key != "" {
			return false
		}
		*e = filterEntry{key: key, slot: uint16(i)}
	}
	return true
}

// slot returns the index of key, and false for a key that is not known.
func (f *keyFilter) slot(key string) (uint16, bool) {
	if len(key) < minKeyLen {
		return 0, false
	}
	e := &f.table[f.place(key)]
	if len(e.key) != len(key) || e.key != key {
		return 0, false
	}
	return e.slot, true
}

// place hashes a key of at least minKeyLen bytes.
func (f *keyFilter) place(key string) uint64 {
	n := len(key)
	if n < 8 {
		return (uint64(four(key)) | uint64(four(key[n-4:]))<<32 + uint64(n)) * f.mult >> f.shift
	}
	return ((eight(key[n-8:]) ^ bits.RotateLeft64(eight(key), 29)) + uint64(n)) * f.mult >> f.shift
}

// eight loads the first eight bytes of k.
func eight(k string) uint64 {
	_ = k[7]
	return uint64(k[0]) | uint64(k[1])<<8 | uint64(k[2])<<16 | uint64(k[3])<<24 |
		uint64(k[4])<<32 | uint64(k[5])<<40 | uint64(k[6])<<48 | uint64(k[7])<<56
}

// four loads the first four bytes of k.
func four(k string) uint32 {
	_ = k[3]
	return uint32(k[0]) | uint32(k[1])<<8 | uint32(k[2])<<16 | uint32(k[3])<<24
}
