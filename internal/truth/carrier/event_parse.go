// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"strconv"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// eventFields are the members of the envelope, in canonical order.
var eventFields = [...]string{
	"assaycontenthash", "assaygit", "assaypii", "assayproducer", "assayproducerversion", "assayrunid",
	"assaysecrets", "assayseq", "data", "datacontenttype", "id", "source", "specversion", "subject", "time",
	"traceparent", "type",
}

// Places in eventFields.
const (
	eventHash = iota
	eventGit
	eventPII
	eventProducer
	eventProducerVersion
	eventRunID
	eventSecrets
	eventSeq
	eventData
	eventContentType
	eventID
	eventSource
	eventSpecVersion
	eventSubject
	eventTime
	eventTraceParent
	eventType
)

// A Decoder reads event lines one after another and reuses its storage.
type Decoder struct {
	doc     canon.Doc
	members [len(eventFields)]canon.Node
	data    []byte
	hashed  []byte

	// run, when set, is the run that every event must belong to. An event of
	// another one is then refused for that, before its id is looked at.
	run *string
}

// ParseEvent reads one event with a Decoder of its own.
func ParseEvent(line string) (Event, error) {
	var d Decoder
	return d.Parse(line)
}

// Parse reads line as one event. It checks, in this order: length, that it is
// one line, nesting, that it is strict JSON and an object, each member in the order of spec section 12,
// that the id is the run id and the sequence number, and last that the content
// hash is that of the event. Members of other names pass.
//
// The event's Data is canonical and, like its payload, valid until the next
// Parse; its strings may be part of line.
func (d *Decoder) Parse(line string) (Event, error) {
	root, err := d.read(line)
	if err != nil {
		return Event{}, err
	}
	readMembers(root, eventFields[:], d.members[:])
	e, err := d.envelope()
	if err != nil {
		return Event{}, err
	}
	d.data = e.payload.AppendJCS(d.data[:0])
	e.Data = d.data
	d.hashed = appendHashed(d.hashed[:0], &e, e.Data)
	if want := canon.Sum(d.hashed); want != e.ContentHash {
		return Event{}, &FaultError{
			Fault: FaultNotRecomputed, Field: "assaycontenthash", Got: string(e.ContentHash), Want: string(want),
		}
	}
	return e, nil
}

func (d *Decoder) read(line string) (canon.Node, error) {
	switch {
	case len(line) > MaxEventBytes:
		return canon.Node{}, refuse(FaultLineTooLong, "")
	case strings.IndexByte(line, '\n') >= 0:
		return canon.Node{}, &FaultError{Fault: FaultMalformed, Want: "one line"}
	case deeperThan(line, MaxEventDepth):
		return canon.Node{}, refuse(FaultTooDeep, "")
	}
	if err := d.doc.Parse(line, canon.Limits{}); err != nil {
		return canon.Node{}, refuseText(err)
	}
	root := d.doc.Root()
	if root.Kind() != canon.KindObject {
		return canon.Node{}, refuse(FaultNotObject, "")
	}
	return root, nil
}

// envelope reads the members into an event and checks each.
func (d *Decoder) envelope() (Event, error) {
	var e Event
	r := memberReader{names: eventFields[:], members: d.members[:]}
	r.constant(eventSpecVersion, specVersion)
	e.Type = r.text(eventType)
	e.Source = r.text(eventSource)
	id := r.text(eventID)
	e.Time = r.text(eventTime)
	r.constant(eventContentType, dataContentType)
	e.Subject, e.subjectIsEmpty = r.optional(eventSubject)
	e.TraceParent, _ = r.optional(eventTraceParent)
	e.RunID = r.text(eventRunID)
	e.Seq = r.count(eventSeq)
	e.Producer = r.text(eventProducer)
	e.ProducerVersion = r.text(eventProducerVersion)
	e.Git = r.text(eventGit)
	e.PII = r.boolean(eventPII)
	e.Secrets = r.boolean(eventSecrets)
	e.ContentHash = r.digest(eventHash)
	e.payload = r.present(eventData)
	e.Data = presentData
	if r.fault != nil {
		return Event{}, r.fault
	}
	if err := e.check(); err != nil {
		return Event{}, err
	}
	if d.run != nil && e.RunID != *d.run {
		return Event{}, refuse(FaultOtherRun, "assayrunid")
	}
	if !isID(id, e.RunID, e.Seq) {
		return Event{}, &FaultError{Fault: FaultMalformed, Field: "id", Want: "assayrunid:assayseq"}
	}
	return e, nil
}

// presentData stands for a payload until its canonical text is there.
var presentData = []byte("null")

// isID reports whether id is RUNID:SEQ, without building that.
func isID(id, runID string, seq int64) bool {
	var buf [20]byte
	n := len(runID)
	return len(id) > n && id[:n] == runID && id[n] == ':' && id[n+1:] == string(strconv.AppendInt(buf[:0], seq, 10))
}
