// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"errors"
	"time"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A writer is the one goroutine that writes a journal. All of its fields are its
// own, those aside that have locks.
type writer struct {
	cfg      Config
	dir      directory
	queue    *queue
	health   *healthState
	refused  *refusals
	counts   *counters
	template carrier.Event

	end       *cursor      // behind the last durable line
	file      file         // the segment being written; nil when the next line begins one
	previous  *predecessor // what the next head names
	closed    []closedSegment
	window    *window
	remembers string // the journal whose records window has
	position  positionFile

	repairs []repair // what has to be done before the first line
	torn    []Gap    // what repairs found, until it is durable
	found   []Gap    // the same, for good
	started bool

	holding bool          // after a failure, until the next try
	backoff time.Duration // before the next try
	lastErr *AppendError  // of the failure
	missing int64         // bytes that did not fit
	retry   *time.Timer

	checkpointed time.Time // of the latest checkpoint
	buf, spare   []byte

	stopped  chan struct{}
	closeErr error
}

// The pauses after a failure. Each is twice the one before.
const (
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 5 * time.Second
)

// run writes until the queue is closed and empty.
func (w *writer) run() {
	defer close(w.stopped)
	tick := time.NewTicker(w.housekeepingPeriod())
	defer tick.Stop()
	defer w.retry.Stop()
	for {
		select {
		case <-w.queue.wake:
		case <-tick.C:
			w.housekeep()
		case <-w.retry.C:
			w.holding = false
			w.probe()
		}
		for w.turn() {
		}
		w.alive()
		if records, _, closed := w.queue.state(); closed && records == 0 {
			w.closeErr = w.shutdown()
			return
		}
	}
}

// housekeepingPeriod is short enough for no age to be exceeded by much.
func (w *writer) housekeepingPeriod() time.Duration {
	return max(min(w.cfg.CheckpointAge, w.cfg.SegmentAge)/4, time.Millisecond)
}

// turn writes what waits, and reports whether there was something.
func (w *writer) turn() bool {
	batches := w.queue.take(max(w.cfg.SegmentBytes-w.segmentOffset(), 1))
	if len(batches) == 0 {
		return false
	}
	if w.holding {
		w.reject(batches, w.lastErr)
	} else {
		_ = w.commit(batches, want{})
	}
	w.alive()
	return true
}

func (w *writer) segmentOffset() int64 {
	if w.file == nil {
		return 0
	}
	return w.end.offset
}

// alive notes that the writer is not stuck.
func (w *writer) alive() {
	w.queue.progressed()
	w.health.clear(ReasonStalled)
}

// commit writes batches, and what else is wanted, and makes it durable. All
// batches are finished when it returns.
func (w *writer) commit(batches []*batch, wanted want) error {
	g, err := w.newGroup()
	if err == nil {
		err = g.write(batches, wanted)
	}
	if err == nil && g.lines > 0 {
		err = g.sync()
	}
	if g != nil {
		g.end()
	}
	if err != nil {
		w.fail(g, batches, err)
		return err
	}
	w.settle(g)
	if w.missing == 0 {
		w.backoff = 0
		w.health.clear(ReasonDiskFull, ReasonWrite, ReasonSync)
	}
	if g.checkpoint != nil {
		w.counts.checkpoints.Add(1)
		w.health.clear(ReasonCheckpoint)
	}
	for _, b := range batches {
		w.counts.written(b)
		w.finish(b, nil)
	}
	if g.checkpoint != nil {
		w.cfg.OnCheckpoint(*g.checkpoint)
	}
	return nil
}

func (w *writer) finish(b *batch, err error) {
	w.queue.release(b)
	b.finish(err)
}

// settle makes the group's end the journal's.
func (w *writer) settle(g *group) {
	if g.lines == 0 {
		return
	}
	w.end, w.file = g.at, g.file
	w.torn = nil
	w.refused.written(g.gaps)
	if g.checkpoint != nil {
		w.checkpointed = w.cfg.Now()
	}
	if g.created {
		w.counts.segments.Add(1)
		w.removeBefore(g.oldest)
	}
	if g.sealed {
		w.leave(leftSealed)
	}
	w.writePosition(g.created)
	w.counts.lines.Store(w.end.seq())
}

// leave closes the segment. The next line begins another one.
func (w *writer) leave(how leaving) {
	at := w.end
	w.previous = &predecessor{
		Bytes: at.offset, Digest: digestText(at.chain.digest()), Journal: at.journal, Segment: at.segment, State: how,
	}
	w.closed = append(w.closed, closedSegment{
		number: at.segment, bytes: at.offset, journal: at.journal, sealed: how == leftSealed, at: w.cfg.Now(),
	})
	// What is durable is durable, whatever closing the file says.
	_ = w.file.Close()
	w.file = nil
}

// writePosition tells readers how far the journal is durable. It is synced when
// a segment begins: after a loss of power it tells then what may be torn there.
func (w *writer) writePosition(sync bool) {
	w.position.write(position{segment: w.end.segment, offset: w.end.offset, seq: w.end.seq()}, sync)
}

// housekeep does what is due by time alone.
func (w *writer) housekeep() {
	if w.holding || w.file == nil {
		return
	}
	now := w.cfg.Now()
	switch {
	case w.retentionDue(now):
		if w.commit(nil, want{seal: true}) == nil {
			_ = w.commit(nil, want{segment: true})
		}
	case w.end.lines > 1 && now.Sub(w.end.began) >= w.cfg.SegmentAge:
		_ = w.commit(nil, want{seal: true})
	case w.end.open > 0 && now.Sub(w.checkpointed) >= w.cfg.CheckpointAge:
		_ = w.commit(nil, want{checkpoint: true})
	}
}

// shutdown leaves a checkpoint over all that was written and lets go of the
// directory.
func (w *writer) shutdown() error {
	var err error
	if w.started && w.file != nil && w.end.open > 0 {
		err = w.commit(nil, want{checkpoint: true})
	}
	return errors.Join(err, w.letGo(), w.dir.close())
}

// letGo closes the writer's files.
func (w *writer) letGo() error {
	var errs []error
	for _, f := range []file{w.file, w.position.file} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
