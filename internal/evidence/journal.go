// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A Journal is a journal that is open for writing. It is safe for concurrent
// use. One directory has one Journal at a time, whatever the process.
type Journal struct {
	cfg      Config
	queue    *queue
	health   *healthState
	refused  *refusals
	counts   *counters
	template carrier.Event
	recovery Recovery
	stopped  <-chan struct{}
	closeErr func() error // once stopped
}

// A Receipt says where the records of a batch are.
type Receipt struct {
	// Seqs has for each event the sequence number of its record in the journal.
	// For an event that the journal has already it is that of the earlier record,
	// and that counts in Duplicates.
	Seqs       []uint64
	Duplicates int
}

// Open opens the journal in cfg.Directory, or begins one there. It checks the
// last two segments, moves a torn end aside, and writes from there on; when it
// returns, what the directory holds is durable.
//
// A directory that is not safe is refused with ErrUnsafe, one that is open
// elsewhere with ErrInUse. Where evidence was changed, Block refuses with a
// *CorruptError, and PassThrough begins a new journal in a new segment and says
// so in its health. The same holds for a segment that cannot be written: Block
// refuses, PassThrough opens and tries again. A directory that cannot be made,
// opened or locked, as on a read-only mount, is refused in both modes.
func Open(cfg Config) (*Journal, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	dir, err := holdDirectory(cfg.Directory)
	if err != nil {
		return nil, err
	}
	j, err := openIn(dir, cfg.withDefaults())
	if err != nil {
		return nil, errors.Join(err, dir.close())
	}
	return j, nil
}

// openIn opens the journal in a directory that is held.
func openIn(dir directory, cfg Config) (*Journal, error) {
	w := newWriter(dir, cfg)
	recovery, err := w.recover()
	if err != nil {
		return nil, errors.Join(err, w.letGo())
	}
	if err := w.start(); err != nil {
		if cfg.OnFailure == Block {
			return nil, errors.Join(err, w.letGo())
		}
		if !w.holding {
			w.rest(reasonOf(err), err)
		}
	}
	recovery.Torn = slices.Clone(w.found)
	go w.run()
	return &Journal{
		cfg: cfg, queue: w.queue, health: w.health, refused: w.refused, counts: w.counts, template: w.template,
		recovery: recovery, stopped: w.stopped, closeErr: func() error { return w.closeErr },
	}, nil
}

func newWriter(dir directory, cfg Config) *writer {
	retry := time.NewTimer(time.Hour)
	retry.Stop()
	return &writer{
		cfg: cfg, dir: dir, retry: retry, checkpointed: cfg.Now(),
		queue:  newQueue(cfg.QueueRecords, cfg.QueueBytes),
		health: &healthState{tell: cfg.OnHealth}, refused: &refusals{}, counts: &counters{},
		template: carrier.Event{
			Source: cfg.Source, Producer: cfg.Producer, ProducerVersion: cfg.ProducerVersion, Git: cfg.Git,
		},
		window: newWindow(cfg.RetryWindow), stopped: make(chan struct{}),
	}
}

func randomID() (string, error) {
	var b [16]byte
	_, err := rand.Read(b[:])
	return hex.EncodeToString(b[:]), err
}

// Append writes events, whose Type, RunID, Seq, Time, Data and ContentHash are
// set, and returns when they are durable. Source, producer and Git are those of
// the journal. The batch is written whole or not at all, its records one behind
// the other; batches of several callers share a sync.
//
// An event with the run, type, subject, data and span of one of the latest records
// (Config.RetryWindow) is a retry, and makes no second record.
//
// The error is an *EventError for an event that can never be written, else an
// *AppendError. Append waits no longer than ctx and Config.Wait allow.
func (j *Journal) Append(ctx context.Context, events []carrier.Event) (Receipt, error) {
	if len(events) == 0 {
		return Receipt{}, nil
	}
	b := newBatch(events)
	patience := time.NewTimer(j.cfg.Wait)
	defer patience.Stop()
	wait := waiting{ctx: ctx, patience: patience.C, turn: j.queue.turn()}
	if err := j.admit(&wait, b, events); err != nil {
		return Receipt{}, err
	}
	if err := b.encode(&j.template, events); err != nil {
		j.queue.release(b)
		return Receipt{}, err
	}
	j.queue.push(b)
	return j.await(&wait, b)
}

// A waiting is how long a caller is prepared to wait.
type waiting struct {
	ctx      context.Context
	patience <-chan time.Time
	turn     uint64 // of the writer when it began
}

// admit waits for room in the queue.
func (j *Journal) admit(wait *waiting, b *batch, events []carrier.Event) error {
	for {
		space, refused := j.queue.reserve(b, func() bool { return severe(events) })
		if refused != 0 {
			return j.refuse(b, &AppendError{Reason: refused})
		}
		if space == nil {
			return nil
		}
		select {
		case <-space:
		case <-wait.ctx.Done():
			return j.refuse(b, &AppendError{Reason: ReasonCanceled, Err: wait.ctx.Err()})
		case <-wait.patience:
			reason := ReasonQueueFull
			if j.stuck(wait) {
				reason = ReasonStalled
			}
			return j.refuse(b, &AppendError{Reason: reason})
		}
	}
}

// await waits until b is durable.
func (j *Journal) await(wait *waiting, b *batch) (Receipt, error) {
	failure := &AppendError{}
	select {
	case <-b.done:
		return b.receipt()
	case <-wait.ctx.Done():
		failure.Reason, failure.Err = ReasonCanceled, wait.ctx.Err()
	case <-wait.patience:
		failure.Reason = ReasonStalled
		j.stuck(wait)
	}
	if j.queue.withdraw(b) {
		return Receipt{}, j.refuse(b, failure)
	}
	select {
	case <-b.done:
		return b.receipt()
	default:
	}
	failure.Unsettled = true
	return Receipt{}, failure
}

func (b *batch) receipt() (Receipt, error) {
	if b.err != nil {
		return Receipt{}, b.err
	}
	return Receipt{Seqs: b.seqs, Duplicates: b.duplicates}, nil
}

// refuse counts the records of b as refused, except those that come too late
// for a journal that is closed.
func (j *Journal) refuse(b *batch, why *AppendError) error {
	if why.Reason != ReasonClosed {
		j.refused.add(why.Reason, b.records, j.cfg.Now())
	}
	j.counts.refused.Add(uint64(b.records))
	return why
}

// stuck notes that the wait was in vain, and reports whether the writer was
// stuck all the time.
func (j *Journal) stuck(wait *waiting) bool {
	if !j.queue.waited(wait.turn) {
		return false
	}
	j.health.raise(ReasonStalled, nil)
	// Should the writer have moved on before that, it moves once more.
	j.queue.nudge()
	return true
}

// Health returns the state that Config.OnHealth was told last.
func (j *Journal) Health() Health { return j.health.now() }

// Recovery says what Open found.
func (j *Journal) Recovery() Recovery { return j.recovery }

// Close writes what waits and a checkpoint over all of it, and lets go of the
// directory. It waits no longer than ctx allows: a write that is stuck ends by
// itself or with the process. Closing again waits again.
func (j *Journal) Close(ctx context.Context) error {
	j.queue.close()
	select {
	case <-j.stopped:
		return j.closeErr()
	default:
	}
	select {
	case <-j.stopped:
		return j.closeErr()
	case <-ctx.Done():
		return fmt.Errorf("close evidence journal: %w", ctx.Err())
	}
}
