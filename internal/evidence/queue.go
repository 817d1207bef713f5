// SPDX-License-Identifier: Apache-2.0

package evidence

import "sync"

// reservedPart is the part of the queue, one in so many, that only batches with
// severe verdicts may use: a flood of harmless calls must not hide the others.
const reservedPart = 8

// A queue holds what waits for the writer. What is being encoded or written
// counts too, so that the bounds are those of all the memory that it takes.
type queue struct {
	maxRecords int
	maxBytes   int64

	wake chan struct{} // has a token when the writer has something to do

	mu      sync.Mutex
	waiting []*batch
	records int
	bytes   int64
	space   chan struct{} // closed and replaced when something left the queue
	turns   uint64        // of the writer
	stalled bool
	closed  bool
}

func newQueue(records int, bytes int64) *queue {
	return &queue{maxRecords: records, maxBytes: bytes, wake: make(chan struct{}, 1), space: make(chan struct{})}
}

// reserve makes room for b. When there is none it returns a channel that is
// closed when it is worth asking again. isSevere is asked only when it matters.
func (q *queue) reserve(b *batch, isSevere func() bool) (space <-chan struct{}, refused Reason) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return nil, ReasonClosed
	case q.stalled:
		return nil, ReasonStalled
	case !q.fits(b, isSevere):
		return q.space, 0
	}
	q.records += b.records
	q.bytes += b.reserved
	return nil, 0
}

func (q *queue) fits(b *batch, isSevere func() bool) bool {
	records, bytes := q.records+b.records, q.bytes+b.reserved
	switch {
	case q.records == 0:
		return true
	case records > q.maxRecords, bytes > q.maxBytes:
		return false
	}
	ordinary := records <= q.maxRecords-q.maxRecords/reservedPart && bytes <= q.maxBytes-q.maxBytes/reservedPart
	return ordinary || isSevere()
}

// push gives b, which has its room, to the writer.
func (q *queue) push(b *batch) {
	q.mu.Lock()
	q.waiting = append(q.waiting, b)
	q.mu.Unlock()
	q.nudge()
}

// take returns the batches that wait, in their order, up to about limit bytes
// and one at least.
func (q *queue) take(limit int64) []*batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for size := int64(0); n < len(q.waiting) && (n == 0 || size < limit); n++ {
		q.waiting[n].taken = true
		size += q.waiting[n].reserved
	}
	group := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	if len(q.waiting) == 0 {
		q.waiting = nil
	}
	return group
}

// withdraw takes b back from the queue, and reports false when the writer has
// it already.
func (q *queue) withdraw(b *batch) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if b.taken {
		return false
	}
	for i, w := range q.waiting {
		if w == b {
			q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
			break
		}
	}
	q.leave(b)
	return true
}

// release frees the room of b.
func (q *queue) release(b *batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leave(b)
}

func (q *queue) leave(b *batch) {
	q.records -= b.records
	q.bytes -= b.reserved
	q.announceSpace()
	if q.closed {
		q.nudge()
	}
}

// progressed notes that the writer is at work.
func (q *queue) progressed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.turns++
	q.stalled = false
}

// waited notes that somebody has waited in vain since turn. If the writer was
// at work in between, it is slow; else it is stuck, and until it moves again
// nobody waits for it.
func (q *queue) waited(turn uint64) (stuck bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.turns != turn {
		return false
	}
	q.stalled = true
	q.announceSpace()
	// Should it only have had nothing to do, it says so.
	q.nudge()
	return true
}

// turn returns a number that changes when the writer is at work.
func (q *queue) turn() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.turns
}

func (q *queue) announceSpace() {
	close(q.space)
	q.space = make(chan struct{})
}

// close lets nobody in any more. It reports false when it was closed before.
func (q *queue) close() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := !q.closed
	q.closed = true
	q.announceSpace()
	q.nudge()
	return first
}

// state returns what is in the queue, what is being written included.
func (q *queue) state() (records int, bytes int64, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.records, q.bytes, q.closed
}

// nudge wakes the writer.
func (q *queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
