// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// A recordKey says which record an event is: its run, its content hash, which
// covers the type, and the span that it is about. An event with a key that the
// journal has is a retry and makes no second record. The time is not part of it:
// a span that is delivered again is judged again, at another time. The span is:
// two calls may be equal to the letter, as after a restart that forgot how many
// calls the run had.
type recordKey [16]byte

// keyOf returns the key of an event, given its content hash, and as JSON strings
// its run id and, where it has one, its trace parent.
func keyOf(hashRunAndSpan []byte) recordKey {
	sum := sha256.Sum256(hashRunAndSpan)
	return recordKey(sum[:len(recordKey{})])
}

// A window remembers the latest records by key, as many as it has room for, so
// that retries are recognized within a known amount of memory.
//
// It is asked for every record, and the answer is nearly always no. A Go map
// does this in three cache misses with its deletions; here the table is of one
// word a slot, and forgetting a record leaves its slot as it is: the slot's
// record is another one by then, or none. Once too many slots are such, the
// table is made anew.
type window struct {
	ring  []remembered // in the order of adding
	next  int
	table []uint64 // half a key and a place in ring plus 1; 0 is empty
	used  int      // slots that are not empty
}

type remembered struct {
	key recordKey
	seq uint64
}

func newWindow(records int) *window {
	slots := 1 << bits.Len(uint(2*records))
	return &window{ring: make([]remembered, records), table: make([]uint64, slots)}
}

// slotOf returns where to look for k first, and what its slot has in its upper
// half.
func (w *window) slotOf(k *recordKey) (slot int, half uint64) {
	return int(binary.LittleEndian.Uint64(k[:])) & (len(w.table) - 1), binary.LittleEndian.Uint64(k[8:]) &^ (1<<32 - 1)
}

// find returns the sequence number of the record with key k.
func (w *window) find(k recordKey) (seq uint64, ok bool) {
	slot, half := w.slotOf(&k)
	for ; w.table[slot] != 0; slot = (slot + 1) & (len(w.table) - 1) {
		if w.table[slot]&^(1<<32-1) != half {
			continue
		}
		if r := &w.ring[uint32(w.table[slot])-1]; r.key == k {
			return r.seq, true
		}
	}
	return 0, false
}

// add remembers a record that find does not find, and forgets the oldest.
func (w *window) add(k recordKey, seq uint64) {
	if w.used >= len(w.table)/4*3 {
		w.rebuild()
	}
	w.ring[w.next] = remembered{k, seq}
	w.insert(w.next)
	w.next = (w.next + 1) % len(w.ring)
}

// insert gives a record of the ring a slot.
func (w *window) insert(place int) {
	slot, half := w.slotOf(&w.ring[place].key)
	for w.table[slot] != 0 {
		slot = (slot + 1) & (len(w.table) - 1)
	}
	w.table[slot] = half | uint64(place+1)
	w.used++
}

// undo forgets the latest n records. What they pushed out stays forgotten.
func (w *window) undo(n int) {
	for range min(n, len(w.ring)) {
		w.next = (w.next + len(w.ring) - 1) % len(w.ring)
		w.ring[w.next] = remembered{}
	}
}

// rebuild makes the table of the records that are remembered, and no others.
func (w *window) rebuild() {
	clear(w.table)
	w.used = 0
	for i := range w.ring {
		if w.ring[i].key != (recordKey{}) {
			w.insert(i)
		}
	}
}
