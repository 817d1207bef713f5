// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A RecordKind says which kind of record of a set is meant. The zero kind is
// that of the set itself.
type RecordKind uint8

// The kinds of records. Append only: the words appear in reports.
const (
	KindCarrier RecordKind = iota + 1
	KindRow
	KindEvent // the envelope around a record
)

var recordKinds = [...]string{"set", KindCarrier: "carrier", KindRow: "row", KindEvent: "event"}

// String returns carrier, row, event, or set for what is none of them.
func (k RecordKind) String() string {
	if int(k) >= len(recordKinds) {
		k = 0
	}
	return recordKinds[k]
}

// A RecordError is the refusal of one record of a set, or of the set itself.
type RecordError struct {
	Kind     RecordKind
	Position int64 // as the caller counts: a line, or a sequence number
	Err      error // a *FaultError
}

// Error names the record and its fault.
func (e *RecordError) Error() string {
	if e.Kind == 0 {
		return "set: " + e.Err.Error()
	}
	return fmt.Sprintf("%v at %d: %v", e.Kind, e.Position, e.Err)
}

// Unwrap returns the refusal itself.
func (e *RecordError) Unwrap() error { return e.Err }

// A Report counts what a Verifier was given.
type Report struct {
	Carriers int // carriers given
	Rows     int // rows given
	Verified int // rows that cohere with their carrier
	Faults   int // records refused

	// First is the refused record that comes first, nil when there is none. It
	// is also the error of Finish.
	First *RecordError
}

// A Verifier verifies a set of carriers and rows in one pass (spec section 9):
// all of it holds, or nothing verifies. Records may come in any order. It keeps
// digests and positions of them, about 150 bytes a record, and no bodies. The
// zero Verifier is ready for use; it is not safe for concurrent use.
//
// A set holds at least one row. Each carrier passes the checks of Import, and
// no two are the same. Each row coheres with its carrier, which is in the set,
// and no two rows cite one carrier. A carrier that no row cites is fine.
type Verifier struct {
	// OnFault, when set, is called for each refused record: as it is found, or
	// from Finish, in order of position, for rows without a carrier.
	OnFault func(*RecordError)

	// The hooks of a Projector: each carrier that was accepted, each row that
	// could be read.
	onCarrier func(content sum, rec *Record)
	onRow     func(*Row)

	carriers map[sum]heldCarrier
	waiting  map[sum]heldRow // rows whose carrier has not come yet
	report   Report
	importer importer
	rows     rowReader
}

// A sum is a digest without its text form.
type sum [sha256.Size]byte

// A heldCarrier is what the verifier keeps of a carrier.
type heldCarrier struct {
	identity sum
	verdict  truth.Verdict // 0: unclassified
	refused  bool          // a row that cites it is not at fault for that
	cited    bool
}

// A heldRow is what the verifier keeps of a row.
type heldRow struct {
	identity sum
	run      truth.Verdict
	bound    bool // the binding is that of the row's parts
	at       int64
}

// AddCarrier gives the carrier text, which stands at position.
func (v *Verifier) AddCarrier(position int64, text string) {
	if err := v.importer.doc.Parse(text, canon.Limits{Bytes: MaxTextBytes}); err != nil {
		v.report.Carriers++
		v.blame(KindCarrier, position, refuseText(err))
		return
	}
	v.carrier(position, v.importer.doc.Root(), nil)
}

// AddRow gives the row text, which stands at position.
func (v *Verifier) AddRow(position int64, text string) {
	w, err := v.rows.text(text)
	v.row(position, w, err)
}

// AddNode gives the carrier or row n, which the caller has parsed, as AddCarrier
// and AddRow do. What is no row is taken for a carrier. The node may go once
// AddNode returns.
func (v *Verifier) AddNode(kind RecordKind, position int64, n canon.Node) {
	if kind != KindRow {
		v.carrier(position, n, nil)
		return
	}
	w, err := v.rows.node(n)
	v.row(position, w, err)
}

// AddEvent gives the carrier or row that e holds; its position is the event's
// sequence number. The event is one that a Decoder read and has not forgotten.
// Events of other types pass.
func (v *Verifier) AddEvent(e *Event) {
	switch e.Type {
	case TypeCarrier:
		v.carrier(e.Seq, e.payload, e.Data)
	case TypeRow:
		w, err := v.rows.node(e.payload)
		v.row(e.Seq, w, err)
	}
}

func (v *Verifier) carrier(position int64, n canon.Node, canonical []byte) {
	v.report.Carriers++
	if v.carriers == nil {
		v.carriers = map[sum]heldCarrier{}
	}
	rec, err := v.importer.node(n, canonical)
	if err != nil {
		v.blame(KindCarrier, position, err)
		v.hold(sha256.Sum256(n.AppendJCS(nil)), heldCarrier{refused: true})
		return
	}
	content := sumOf(rec.ContentDigest())
	if _, twice := v.carriers[content]; twice {
		v.blame(KindCarrier, position, refuse(FaultDuplicateCarrier, ""))
		return
	}
	if v.onCarrier != nil {
		v.onCarrier(content, &rec)
	}
	v.hold(content, heldCarrier{identity: sumOf(rec.IdentityDigest()), verdict: rec.in.Verdict})
}

// hold keeps c, and checks the row that waits for it.
func (v *Verifier) hold(content sum, c heldCarrier) {
	if row, ok := v.waiting[content]; ok {
		delete(v.waiting, content)
		c.cited = true
		v.pair(&c, row)
	}
	v.carriers[content] = c
}

// row takes the row w, or why there is none.
func (v *Verifier) row(position int64, w Row, err error) {
	v.report.Rows++
	if err != nil {
		v.blame(KindRow, position, err)
		return
	}
	if v.onRow != nil {
		v.onRow(&w)
	}
	row := heldRow{identity: sumOf(w.identity), run: w.run, bound: w.verifyBinding() == nil, at: position}
	content := sumOf(w.content)
	held, ok := v.carriers[content]
	if !ok {
		v.wait(content, row)
		return
	}
	if held.cited {
		v.blame(KindRow, position, refuse(FaultDuplicateCitation, "evidence_ref.digest"))
	}
	v.pair(&held, row)
	held.cited = true
	v.carriers[content] = held
}

func (v *Verifier) wait(content sum, row heldRow) {
	if v.waiting == nil {
		v.waiting = map[sum]heldRow{}
	}
	if _, twice := v.waiting[content]; twice {
		v.blame(KindRow, row.at, refuse(FaultDuplicateCitation, "evidence_ref.digest"))
		return
	}
	v.waiting[content] = row
}

// pair checks what Row.Verify checks, in its order, on what is kept.
func (v *Verifier) pair(c *heldCarrier, row heldRow) {
	switch {
	case c.refused:
		return
	case row.run < c.verdict:
		v.blame(KindRow, row.at, notCovered(Citation{Verdict: c.verdict}, row.run))
	case row.identity != c.identity:
		v.blame(KindRow, row.at, &FaultError{
			Fault: FaultIdentityDiffers, Field: "decision_identity_digest", Got: row.identity.text(), Want: c.identity.text(),
		})
	case !row.bound:
		v.blame(KindRow, row.at, refuse(FaultNotRecomputed, "coherence_binding"))
	default:
		v.report.Verified++
	}
}

// blame counts a refusal and keeps it if it comes first.
func (v *Verifier) blame(kind RecordKind, position int64, err error) {
	v.report.Faults++
	out := &RecordError{Kind: kind, Position: position, Err: err}
	if v.report.First == nil || position < v.report.First.Position {
		v.report.First = out
	}
	if v.OnFault != nil {
		v.OnFault(out)
	}
}

func sumOf(d canon.Digest) (s sum) {
	// A digest that was checked cannot fail to decode.
	_, _ = hex.Decode(s[:], []byte(d[len(d)-2*sha256.Size:]))
	return s
}

// text returns the wire form.
func (s sum) text() string { return "sha256:" + hex.EncodeToString(s[:]) }

// Finish says what became of the set. The error is nil only if all of it holds;
// else it is the *RecordError of the refused record that comes first, or of the
// set when that holds no row. The Verifier is not used after that.
func (v *Verifier) Finish() (Report, error) {
	alone := make([]int64, 0, len(v.waiting))
	for _, row := range v.waiting {
		alone = append(alone, row.at)
	}
	slices.Sort(alone)
	for _, at := range alone {
		v.blame(KindRow, at, refuse(FaultCarrierMissing, "evidence_ref.digest"))
	}
	v.waiting = nil
	if v.report.Rows == 0 && v.report.First == nil {
		v.blame(0, 0, refuse(FaultNoRows, ""))
	}
	if v.report.First != nil {
		return v.report, v.report.First
	}
	return v.report, nil
}
