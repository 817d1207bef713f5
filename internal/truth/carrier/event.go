// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// The event types of this layer (spec section 12). Events of other types may
// lie between them.
const (
	TypeCarrier = "assay.tool_decision_truth.v0"
	TypeRow     = "assay.tool_decision_truth.recipe_row.v0"
)

const (
	specVersion     = "1.0"
	dataContentType = "application/json"
)

// Limits of one event line, those of the system whose bundles must verify here.
const (
	MaxEventBytes = 1 << 20 // a line, without its newline
	MaxEventDepth = 64      // nested containers, the event's own included
)

// An Event is the CloudEvents envelope of one payload: a line of a journal and
// of a bundle (spec section 12). Its id is RunID:Seq and not stored.
type Event struct {
	Type        string
	Source      string // a URI
	Time        string // RFC 3339, kept as it is written
	Subject     string // optional
	TraceParent string // optional
	RunID       string // no colon
	Seq         int64  // contiguous from 0 within the run

	Producer, ProducerVersion, Git string

	PII, Secrets bool

	// ContentHash covers Type, Subject and Data, and so neither the time nor the
	// place in the run. SetRecord, SetRow and SetData set it.
	ContentHash canon.Digest

	// Data is the payload as JSON text without a newline.
	Data []byte

	subjectIsEmpty bool       // Subject is present and empty, which the hash tells from absent
	payload        canon.Node // what Data was read from
}

// ID returns the event's id, RunID:Seq.
func (e *Event) ID() string { return e.RunID + ":" + strconv.FormatInt(e.Seq, 10) }

// EventRef is how a row cites the carrier that is event seq of the run runID.
func EventRef(runID string, seq int64) string {
	return "assay://evidence-event/" + runID + "/" + strconv.FormatInt(seq, 10)
}

// SetRecord makes the carrier r the payload of e, and sets the content hash.
func (e *Event) SetRecord(r *Record) {
	e.Type, e.Data = TypeCarrier, r.AppendJSON(e.Data[:0])
	if isExact(r.in.Order) {
		e.ContentHash = ContentHash(e, e.Data)
		return
	}
	e.ContentHash = ContentHash(e, r.appendCanonical(nil))
}

// SetRow makes the row w the payload of e, and sets the content hash.
func (e *Event) SetRow(w *Row) {
	e.Type, e.Data = TypeRow, w.AppendJSON(e.Data[:0])
	e.ContentHash = ContentHash(e, e.Data)
}

// SetData makes data the payload of e, in canonical form, and sets the content
// hash. The data may be any strict JSON text.
func (e *Event) SetData(eventType string, data string) error {
	var d canon.Doc
	if err := d.Parse(data, canon.Limits{}); err != nil {
		return refuseText(err)
	}
	e.Type, e.Data = eventType, d.Root().AppendJCS(e.Data[:0])
	e.ContentHash = ContentHash(e, e.Data)
	return nil
}

// ContentHash returns the content hash of e for the payload whose canonical
// text is data. That is e.Data itself except where a payload keeps an integer
// that no double holds: the hash sees the nearest one.
func ContentHash(e *Event, data []byte) canon.Digest {
	var buf [2048]byte
	return canon.Sum(appendHashed(buf[:0], e, data))
}

// appendHashed appends the canonical text that the content hash is of.
func appendHashed(dst []byte, e *Event, data []byte) []byte {
	dst = append(dst, `{"data":`...)
	dst = append(dst, data...)
	dst = append(dst, `,"datacontenttype":"`+dataContentType+`","specversion":"`+specVersion+`"`...)
	if e.hasSubject() {
		dst = appendMember(dst, `,"subject":`, e.Subject)
	}
	dst = appendMember(dst, `,"type":`, e.Type)
	return append(dst, '}')
}

func (e *Event) hasSubject() bool { return e.Subject != "" || e.subjectIsEmpty }

// AppendEvent appends e as one line of canonical JSON, without a newline. It
// refuses an event that ParseEvent would refuse; that Data is JSON text and
// ContentHash is its hash, the caller vouches for by having set them with one
// of the Set methods. On an error dst is returned as it was.
func AppendEvent(dst []byte, e *Event) ([]byte, error) {
	if err := e.check(); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = appendMember(dst, `{"assaycontenthash":`, string(e.ContentHash))
	dst = appendMember(dst, `,"assaygit":`, e.Git)
	dst = appendFlag(dst, `,"assaypii":`, e.PII)
	dst = appendMember(dst, `,"assayproducer":`, e.Producer)
	dst = appendMember(dst, `,"assayproducerversion":`, e.ProducerVersion)
	dst = appendMember(dst, `,"assayrunid":`, e.RunID)
	dst = appendFlag(dst, `,"assaysecrets":`, e.Secrets)
	dst = strconv.AppendInt(append(dst, `,"assayseq":`...), e.Seq, 10)
	dst = append(append(dst, `,"data":`...), e.Data...)
	dst = append(dst, `,"datacontenttype":"`+dataContentType+`"`...)
	dst = appendMember(dst, `,"id":`, e.RunID)
	dst = append(dst[:len(dst)-1], ':')
	dst = append(strconv.AppendInt(dst, e.Seq, 10), '"')
	dst = appendMember(dst, `,"source":`, e.Source)
	dst = append(dst, `,"specversion":"`+specVersion+`"`...)
	if e.hasSubject() {
		dst = appendMember(dst, `,"subject":`, e.Subject)
	}
	dst = appendMember(dst, `,"time":`, e.Time)
	if e.TraceParent != "" {
		dst = appendMember(dst, `,"traceparent":`, e.TraceParent)
	}
	dst = append(appendMember(dst, `,"type":`, e.Type), '}')
	if len(dst)-start > MaxEventBytes {
		return dst[:start], refuse(FaultLineTooLong, "")
	}
	return dst, nil
}

// appendMember appends intro, which ends in a colon, and the string s.
func appendMember(dst []byte, intro, s string) []byte {
	return canon.AppendString(append(dst, intro...), s)
}

func appendFlag(dst []byte, intro string, b bool) []byte {
	return strconv.AppendBool(append(dst, intro...), b)
}

// check makes the checks that concern single members of the envelope, in the
// order of the members in spec section 12.
func (e *Event) check() error {
	switch {
	case !isURI(e.Source):
		return &FaultError{Fault: FaultMalformed, Field: "source", Want: "a URI"}
	case !isRFC3339(e.Time):
		return &FaultError{Fault: FaultMalformed, Field: "time", Want: "RFC 3339"}
	case strings.Contains(e.RunID, ":"):
		return &FaultError{Fault: FaultMalformed, Field: "assayrunid", Want: "no colon"}
	case e.Seq < 0:
		return &FaultError{Fault: FaultNotInteger, Field: "assayseq", Want: "at least 0"}
	case !e.ContentHash.Valid():
		return &FaultError{Fault: FaultMalformed, Field: "assaycontenthash", Want: digestForm}
	case len(e.Data) == 0:
		return refuse(FaultMissing, "data")
	case bytes.IndexByte(e.Data, '\n') >= 0:
		return &FaultError{Fault: FaultMalformed, Field: "data", Want: "one line"}
	case bracketsOf(e.Data) >= MaxEventDepth && deeperThan(string(e.Data), MaxEventDepth-1):
		return refuse(FaultTooDeep, "data")
	}
	return e.checkText()
}

func bracketsOf(text []byte) int {
	return bytes.Count(text, []byte("{")) + bytes.Count(text, []byte("["))
}

// checkText refuses strings that JSON cannot hold.
func (e *Event) checkText() error {
	for _, m := range [...]struct{ field, value string }{
		{"type", e.Type}, {"source", e.Source}, {"subject", e.Subject}, {"traceparent", e.TraceParent},
		{"assayrunid", e.RunID}, {"assayproducer", e.Producer}, {"assayproducerversion", e.ProducerVersion},
		{"assaygit", e.Git},
	} {
		if !utf8.ValidString(m.value) {
			return refuse(FaultInvalidUTF8, m.field)
		}
	}
	return nil
}

// isURI applies the rule of the format, which asks for a scheme and no more.
func isURI(s string) bool { return strings.IndexByte(s, ':') > 0 }
