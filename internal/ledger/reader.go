// SPDX-License-Identifier: Apache-2.0

package ledger

import "encoding/binary"

// A reader takes apart what a writer wrote. After the first thing that is wrong
// it is bad, and reads zeros.
type reader struct {
	rest []byte
	bad  bool
}

func (d *reader) fail() { d.bad, d.rest = true, nil }

// check makes d bad unless ok.
func (d *reader) check(ok bool) {
	if !ok {
		d.fail()
	}
}

// number reads a varint of at most limit, in its one form.
func (d *reader) number(limit uint64) uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || v > limit || n > 1 && d.rest[n-1] == 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *reader) fixed() uint64 {
	if b := d.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// small reads a byte of at most limit.
func (d *reader) small(limit uint8) uint8 {
	b := d.bytes(1)
	if b == nil || b[0] > limit {
		d.fail()
		return 0
	}
	return b[0]
}

// bytes returns the next n bytes, nil where there are not so many.
func (d *reader) bytes(n int) []byte {
	if n > len(d.rest) {
		d.fail()
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

func (d *reader) text(limit int) string {
	return string(d.bytes(int(d.number(uint64(limit)))))
}

// length reads how many elements follow, of at least size bytes each.
func (d *reader) length(limit, size int) int {
	return int(d.number(uint64(min(limit, len(d.rest)/size))))
}
