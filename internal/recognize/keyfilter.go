// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"errors"
	"math/bits"
)

// A keyFilter tells known attribute keys from all others at the cost of a few
// loads: the hash of a key is made of its length, its first and its last eight
// bytes, and a table that is larger than it need be holds at most one known key
// in each place. It is built once and only read.
type keyFilter struct {
	mult  uint64
	shift uint8
	index []uint8 // place of a key to its slot, from 1
	keys  []string
}

// minKeyLen is the length of the shortest key that the filter knows.
const minKeyLen = 4

// errKeysAlike says that two keys cannot be told apart by what is hashed.
var errKeysAlike = errors.New("two attribute keys are alike in length, beginning and end")

// newKeyFilter builds a filter of at most 255 keys, each at least minKeyLen
// long; a key's slot is its index. It looks for a multiplier under which no two
// keys share a place, and doubles the table when it finds none.
func newKeyFilter(keys []string) (*keyFilter, error) {
	for bits := uint8(12); bits <= 16; bits++ {
		f := &keyFilter{shift: 64 - bits, index: make([]uint8, 1<<bits), keys: keys}
		for try := range uint64(256) {
			f.mult = (try*2 + 1) * headMult
			if f.fill() {
				return f, nil
			}
		}
	}
	return nil, errKeysAlike
}

func (f *keyFilter) fill() bool {
	clear(f.index)
	for i, key := range f.keys {
		p := &f.index[f.place(key)]
		if *p != 0 {
			return false
		}
		*p = uint8(i + 1)
	}
	return true
}

// slot returns the index of key, and false for a key that is not known.
func (f *keyFilter) slot(key string) (uint16, bool) {
	if len(key) < minKeyLen {
		return 0, false
	}
	i := f.index[f.place(key)]
	if i == 0 || f.keys[i-1] != key {
		return 0, false
	}
	return uint16(i - 1), true
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
