// SPDX-License-Identifier: Apache-2.0

package evidence

import "sync/atomic"

// Stats counts what a Journal did since it was opened.
type Stats struct {
	Records     uint64 // made durable, the journal's own aside
	Duplicates  uint64 // events that made no record since the journal had it
	Refused     uint64 // events that were not accepted
	Checkpoints uint64
	Segments    uint64 // begun
	Removed     uint64 // segments that retention removed
	Torn        uint64 // ends of segments that were set aside
	Lines       uint64 // in the journal, from its beginning on

	QueueRecords int // waiting or being written
	QueueBytes   int64
}

type counters struct {
	records, duplicates, refused, checkpoints, segments, removed, torn, lines atomic.Uint64
}

// written counts a batch that is durable.
func (c *counters) written(b *batch) {
	c.records.Add(uint64(len(b.keys) - b.duplicates))
	c.duplicates.Add(uint64(b.duplicates))
}

// Stats returns the counts.
func (j *Journal) Stats() Stats {
	c := j.counts
	s := Stats{
		Records: c.records.Load(), Duplicates: c.duplicates.Load(), Refused: c.refused.Load(),
		Checkpoints: c.checkpoints.Load(), Segments: c.segments.Load(), Removed: c.removed.Load(),
		Torn: c.torn.Load(), Lines: c.lines.Load(),
	}
	s.QueueRecords, s.QueueBytes, _ = j.queue.state()
	return s
}
