// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

// What a Config means by zero.
const (
	DefaultSegmentBytes      = 64 << 20
	DefaultSegmentAge        = 24 * time.Hour
	DefaultCheckpointRecords = 10_000
	DefaultCheckpointAge     = time.Minute
	DefaultQueueRecords      = 65_536
	DefaultQueueBytes        = 64 << 20
	DefaultWait              = 5 * time.Second
	DefaultRetryWindow       = 131_072
)

// A Config says where a journal lies and how it is kept. Directory, OnFailure,
// Source, Signers and Now are required; elsewhere zero means the default.
type Config struct {
	// Directory is made if it is missing, with mode 0700. One that others can
	// enter, that belongs to somebody else or that is a link is refused.
	Directory string

	// OnFailure says whether Open goes on where it finds evidence changed.
	OnFailure OnFailure

	// Source is the URI that names this instance in each event. Producer,
	// ProducerVersion and Git say which program wrote it.
	Source, Producer, ProducerVersion, Git string

	// Signers sign the checkpoints: a signing key, or a MAC, or both while keys
	// change. Without one, who can write to the directory could rewrite it all.
	Signers []note.Signer

	// Now is the clock. Its times stand in the journal's own records.
	Now func() time.Time

	// SegmentBytes and SegmentAge end a segment. It may exceed SegmentBytes by
	// one batch.
	SegmentBytes int64
	SegmentAge   time.Duration

	Retention Retention

	// CheckpointRecords and CheckpointAge say how many lines and how much time
	// may lie between two checkpoints.
	CheckpointRecords int
	CheckpointAge     time.Duration

	// QueueRecords and QueueBytes bound what waits to be written. A single batch
	// that is larger than they allow is taken when nothing else waits.
	QueueRecords int
	QueueBytes   int64

	// Wait bounds how long Append waits, whatever its context says.
	Wait time.Duration

	// RetryWindow is how many records are remembered to recognize retries. After
	// a restart they are those of the last two segments, at most.
	RetryWindow int

	// OnHealth is told when the journal begins to fail and when it works again,
	// OnCheckpoint of each checkpoint once it is durable. Both must return soon
	// and must not call the Journal.
	OnHealth     func(Health)
	OnCheckpoint func(Checkpoint)

	newID func() (string, error) // of a new journal; tests set it
}

// Retention says which segments are removed when a new one begins. Zero keeps
// them. A segment that is not covered by the seal of a later one is never
// removed, and neither is any segment behind it.
type Retention struct {
	Segments int           // at most so many, the one being written included
	Bytes    int64         // at most so many bytes in closed segments
	Age      time.Duration // none that was closed longer ago
}

// Validate reports all that is wrong with c.
func (c *Config) Validate() error {
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	require(c.Directory != "", "directory must be set")
	require(c.OnFailure == PassThrough || c.OnFailure == Block, "on_failure must be pass_through or block")
	require(strings.IndexByte(c.Source, ':') > 0, "source must be a URI")
	for _, s := range []string{c.Source, c.Producer, c.ProducerVersion, c.Git} {
		require(utf8.ValidString(s), "source and producer must be UTF-8")
	}
	require(len(c.Signers) > 0, "a journal needs a key: signers must not be empty")
	require(c.Now != nil, "now must be set")
	for _, n := range c.counts() {
		require(n.value >= 0, "%s must be at least 0, got %d", n.name, n.value)
	}
	require(c.Retention.Segments != 1, "retention of 1 segment would keep none that is closed, want 0 or at least 2")
	return errors.Join(errs...)
}

type namedCount struct {
	name  string
	value int64
}

func (c *Config) counts() []namedCount {
	return []namedCount{
		{"segment_bytes", c.SegmentBytes},
		{"segment_age", int64(c.SegmentAge)},
		{"retention segments", int64(c.Retention.Segments)},
		{"retention bytes", c.Retention.Bytes},
		{"retention age", int64(c.Retention.Age)},
		{"checkpoint_records", int64(c.CheckpointRecords)},
		{"checkpoint_age", int64(c.CheckpointAge)},
		{"queue_records", int64(c.QueueRecords)},
		{"queue_bytes", c.QueueBytes},
		{"wait", int64(c.Wait)},
		{"retry_window", int64(c.RetryWindow)},
	}
}

// withDefaults returns c with its zeros replaced.
func (c Config) withDefaults() Config {
	c.SegmentBytes = orDefault(c.SegmentBytes, DefaultSegmentBytes)
	c.SegmentAge = orDefault(c.SegmentAge, DefaultSegmentAge)
	c.CheckpointRecords = orDefault(c.CheckpointRecords, DefaultCheckpointRecords)
	c.CheckpointAge = orDefault(c.CheckpointAge, DefaultCheckpointAge)
	c.QueueRecords = orDefault(c.QueueRecords, DefaultQueueRecords)
	c.QueueBytes = orDefault(c.QueueBytes, DefaultQueueBytes)
	c.Wait = orDefault(c.Wait, DefaultWait)
	c.RetryWindow = orDefault(c.RetryWindow, DefaultRetryWindow)
	if c.newID == nil {
		c.newID = randomID
	}
	if c.OnHealth == nil {
		c.OnHealth = func(Health) {}
	}
	if c.OnCheckpoint == nil {
		c.OnCheckpoint = func(Checkpoint) {}
	}
	return c
}

func orDefault[T int | int64 | time.Duration](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}
