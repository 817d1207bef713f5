// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// The reasons of an EventError that package carrier does not know.
var (
	errJournalType = errors.New("type is one of the journal's own")
	errTooLong     = fmt.Errorf("event is longer than %d bytes", maxEvent)
	errNoRun       = errors.New("run id is empty")
	errData        = errors.New("data is not one canonical JSON object")
)

// envelopeBytes is about what an event takes beside its payload.
const envelopeBytes = 640

// A batch is what one Append writes: the events encoded as far as they do not
// depend on their place, and what became of them.
type batch struct {
	text []byte // the events without their closing braces
	ends []int  // where in text each ends
	keys []recordKey

	reserved int64 // bytes of the queue that it takes
	records  int   // likewise

	taken bool          // by the writer; under the queue's lock
	done  chan struct{} // closed when the fields below are set

	seqs       []uint64
	duplicates int
	err        error
}

// texts keeps the storage of batches that were written.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// keepText bounds the storage that goes back to the pool.
const keepText = 4 << 20

func newBatch(events []carrier.Event) *batch {
	b := &batch{records: len(events), done: make(chan struct{})}
	for i := range events {
		b.reserved += int64(len(events[i].Data) + envelopeBytes)
	}
	return b
}

// severe reports whether one of the events is a carrier with one of the two
// verdicts that the last part of the queue is kept for.
func severe(events []carrier.Event) bool {
	for i := range events {
		e := &events[i]
		if e.Type == carrier.TypeCarrier &&
			(bytes.Contains(e.Data, []byte(`"decision_verdict":"mismatch"`)) || bytes.Contains(e.Data, []byte(`"decision_verdict":"invalid"`))) {
			return true
		}
	}
	return false
}

// encode sets text, ends and keys. The template gives the members that are the
// same in the whole journal.
func (b *batch) encode(template *carrier.Event, events []carrier.Event) error {
	b.text = (*texts.Get().(*[]byte))[:0]
	b.ends = make([]int, 0, len(events))
	b.keys = make([]recordKey, 0, len(events))
	b.seqs = make([]uint64, len(events))
	var scratch []byte
	for i := range events {
		e := events[i]
		e.Source, e.Producer = template.Source, template.Producer
		e.ProducerVersion, e.Git = template.ProducerVersion, template.Git
		if err := b.add(&e); err != nil {
			b.recycle()
			return &EventError{Index: i, Err: err}
		}
		scratch = canon.AppendString(append(scratch[:0], e.ContentHash...), e.RunID)
		if e.TraceParent != "" {
			scratch = canon.AppendString(scratch, e.TraceParent)
		}
		b.keys = append(b.keys, keyOf(scratch))
	}
	return nil
}

func (b *batch) add(e *carrier.Event) error {
	switch {
	case strings.HasPrefix(e.Type, JournalTypes):
		return errJournalType
	case e.RunID == "":
		return errNoRun
	case !isOneObject(e):
		return errData
	}
	var err error
	b.text, err = appendEvent(b.text, e)
	if err == nil {
		b.ends = append(b.ends, len(b.text))
	}
	return err
}

// appendEvent appends e without its closing brace. On an error dst is returned
// as it was.
func appendEvent(dst []byte, e *carrier.Event) ([]byte, error) {
	start := len(dst)
	out, err := carrier.AppendEvent(dst, e)
	if err != nil {
		return dst, err
	}
	if len(out)-start > maxEvent {
		return dst, errTooLong
	}
	return out[:len(out)-1], nil
}

// isOneObject reports whether a reader finds the end of the payload where it is.
// Carriers and rows are as package carrier has written them, and are not gone
// through again: they are nearly all that is recorded. That a payload is JSON
// its writer has to know.
func isOneObject(e *carrier.Event) bool {
	n := len(e.Data)
	if n < 2 || e.Data[0] != '{' || e.Data[n-1] != '}' {
		return false
	}
	return e.Type == carrier.TypeCarrier || e.Type == carrier.TypeRow || containerEnd(e.Data) == n
}

// event returns event i without its closing brace.
func (b *batch) event(i int) []byte {
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.text[start:b.ends[i]]
}

// finish tells whoever waits what became of the batch. It is not used after.
func (b *batch) finish(err error) {
	b.err = err
	b.recycle()
	close(b.done)
}

func (b *batch) recycle() {
	if text := b.text; cap(text) <= keepText {
		texts.Put(&text)
	}
	b.text = nil
}
