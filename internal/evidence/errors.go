// SPDX-License-Identifier: Apache-2.0

package evidence

import "fmt"

// An AppendError says why the records of a batch are not known to be durable.
// The same batch may be appended again, except after ReasonClosed: what is
// durable by then makes no second record.
type AppendError struct {
	Reason Reason

	// Unsettled reports that the batch was being written when its caller stopped
	// waiting, so that it may become durable yet. Otherwise none of it is.
	Unsettled bool

	Err error // the cause, or nil
}

// Error returns the reason and its cause.
func (e *AppendError) Error() string {
	text := "append evidence: " + e.Reason.String()
	if e.Unsettled {
		text += " (the records may yet be written)"
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *AppendError) Unwrap() error { return e.Err }

// An EventError says that an event cannot be written, today or ever. Nothing of
// its batch was: it can be appended without the event.
type EventError struct {
	Index int // in the batch
	Err   error
}

// Error returns the index and the cause, which quotes nothing of the event.
func (e *EventError) Error() string {
	return fmt.Sprintf("append evidence: event %d: %v", e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *EventError) Unwrap() error { return e.Err }

// A CorruptError says that Open found evidence changed, or missing that was
// there, and was told to refuse that. Nothing was written.
type CorruptError struct {
	Directory string
	Finding   Finding
}

// Error says what was found and what can be done.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("evidence directory %s: %v; verify it, keep a copy, and move it away or set on_failure to pass_through",
		e.Directory, &e.Finding)
}

// Unwrap returns the finding.
func (e *CorruptError) Unwrap() error { return &e.Finding }
