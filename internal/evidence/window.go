// SPDX-License-Identifier: Apache-2.0

package evidence

import "crypto/sha256"

// A recordKey says which record an event is: its run and its content hash, which
// covers the type. An event with a key that the journal has is a retry and makes
// no second record. The time is not part of it: a span that is delivered again
// is judged again, at another time.
type recordKey [16]byte

// keyOf returns the key of an event, given its content hash and its run id as
// a JSON string.
func keyOf(hashAndRun []byte) recordKey {
	sum := sha256.Sum256(hashAndRun)
	return recordKey(sum[:len(recordKey{})])
}

// A window remembers the latest records by key, as many as it has room for, so
// that retries are recognized within a known amount of memory.
type window struct {
	seqs map[recordKey]uint64
	ring []recordKey // in the order of adding; zero where there is none
	next int
}

func newWindow(records int) *window {
	return &window{seqs: make(map[recordKey]uint64), ring: make([]recordKey, records)}
}

// find returns the sequence number of the record with key k.
func (w *window) find(k recordKey) (seq uint64, ok bool) {
	seq, ok = w.seqs[k]
	return seq, ok
}

// add remembers a record that find does not find, and forgets the oldest.
func (w *window) add(k recordKey, seq uint64) {
	delete(w.seqs, w.ring[w.next])
	w.ring[w.next] = k
	w.seqs[k] = seq
	w.next = (w.next + 1) % len(w.ring)
}

// undo forgets the latest n records. What they pushed out stays forgotten.
func (w *window) undo(n int) {
	for range min(n, len(w.ring)) {
		w.next = (w.next + len(w.ring) - 1) % len(w.ring)
		delete(w.seqs, w.ring[w.next])
		w.ring[w.next] = recordKey{}
	}
}
