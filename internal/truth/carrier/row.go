// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"unicode/utf8"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// Recipe names the recipe of every row (spec section 9).
const Recipe = "tool_decision_truth.v0"

// The constant members of a row's evidence_ref.
const (
	refType             = "tool_decision_truth"
	refDigestSubject    = "carrier_content"
	refCanonicalization = "jcs-json-v1"
)

// A Row cites one carrier by its content and states the verdict of the run it
// belongs to (spec section 9). It is made by BuildRow or ReadRow and does not
// change. That a row can be read says nothing yet: Verify does.
type Row struct {
	content, identity, binding canon.Digest

	run      truth.Verdict
	ref      string
	envelope string // canonical evidence_ref of a row read, where BuildRow would write another
}

// BuildRow makes the row that cites c within a run of the verdict run. It
// refuses a run verdict that is less severe than the carrier's own. The text
// ref says where the carrier is found; nothing is checked about it.
func BuildRow(c Citation, run truth.Verdict, ref string) (Row, error) {
	switch {
	case run < truth.Match || run > truth.Invalid:
		return Row{}, unknownWord("run_verdict", verdictWords())
	case !c.covers(run):
		return Row{}, notCovered(c, run)
	case !utf8.ValidString(ref):
		return Row{}, refuse(FaultInvalidUTF8, "evidence_ref.ref")
	}
	row := Row{content: c.Content, identity: c.Identity, run: run, ref: ref}
	row.binding = row.computeBinding()
	return row, nil
}

// BindImported makes the row of a carrier that stands alone: its own verdict is
// that of the run. It refuses a carrier without one.
func BindImported(r *Record, ref string) (Row, error) {
	if r.in.Unclassified {
		return Row{}, refuse(FaultUnclassified, "decision_verdict")
	}
	return BuildRow(r.Citation(), r.in.Verdict, ref)
}

// Content returns the content digest of the carrier that the row cites.
func (w *Row) Content() canon.Digest { return w.content }

// Identity returns the digest of the decision identity that the row states.
func (w *Row) Identity() canon.Digest { return w.identity }

// RunVerdict returns the verdict of the run that the row states.
func (w *Row) RunVerdict() truth.Verdict { return w.run }

// Ref says where the carrier is found. It is empty when the row does not say.
func (w *Row) Ref() string { return w.ref }

// Binding returns the digest that ties the parts of the row together.
func (w *Row) Binding() canon.Digest { return w.binding }

// Verify checks that the row coheres with the carrier cited as c and with the
// run verdict, and recomputes whatever can be recomputed. In this order: the
// row states the verdict run; that covers the carrier's own; the row cites this
// carrier's content; it states this carrier's identity; its binding is that of
// its parts.
func (w *Row) Verify(c Citation, run truth.Verdict) error {
	switch {
	case run < truth.Match || run > truth.Invalid:
		return unknownWord("run_verdict", verdictWords())
	case w.run != run:
		return &FaultError{Fault: FaultVerdictDiffers, Field: "run_verdict", Got: w.run.String(), Want: run.String()}
	case !c.covers(run):
		return notCovered(c, run)
	case w.content != c.Content:
		return &FaultError{
			Fault: FaultContentDiffers, Field: "evidence_ref.digest", Got: string(w.content), Want: string(c.Content),
		}
	case w.identity != c.Identity:
		return &FaultError{
			Fault: FaultIdentityDiffers, Field: "decision_identity_digest", Got: string(w.identity), Want: string(c.Identity),
		}
	}
	return w.verifyBinding()
}

func (w *Row) verifyBinding() error {
	if want := w.computeBinding(); w.binding != want {
		return &FaultError{
			Fault: FaultNotRecomputed, Field: "coherence_binding", Got: string(w.binding), Want: string(want),
		}
	}
	return nil
}

func notCovered(c Citation, run truth.Verdict) *FaultError {
	return &FaultError{
		Fault: FaultNotCovered, Field: "run_verdict", Got: run.String(), Want: "at least " + c.Verdict.String(),
	}
}

func (w *Row) computeBinding() canon.Digest {
	var buf [1024]byte
	return canon.Sum(append(w.appendBound(append(buf[:0], '{')), '}'))
}

// AppendJSON appends the row as canonical JSON text.
func (w *Row) AppendJSON(dst []byte) []byte {
	dst = appendWord(dst, `{"coherence_binding":"`, string(w.binding))
	return append(w.appendBound(append(dst, ',')), '}')
}

// appendBound appends the members that the binding covers.
func (w *Row) appendBound(dst []byte) []byte {
	dst = appendWord(dst, `"decision_identity_digest":"`, string(w.identity))
	dst = append(dst, `,"evidence_ref":`...)
	if w.envelope != "" {
		dst = append(dst, w.envelope...)
	} else {
		dst = w.appendEnvelope(dst)
	}
	return appendWord(dst, `,"recipe":"`+Recipe+`","run_verdict":"`, w.run.String())
}

func (w *Row) appendEnvelope(dst []byte) []byte {
	dst = appendWord(dst, `{"canonicalization":"`+refCanonicalization+`","digest":"`, string(w.content))
	dst = appendMember(dst, `,"digest_subject":"`+refDigestSubject+`","ref":`, w.ref)
	return append(dst, `,"schema":"`+SchemaCarrier+`","type":"`+refType+`"}`...)
}
