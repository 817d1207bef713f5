// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// rowFields are the members of a row, in canonical order.
var rowFields = [...]string{
	"coherence_binding", "decision_identity_digest", "evidence_ref", "recipe", "run_verdict",
}

// Places in rowFields.
const (
	rowBinding = iota
	rowIdentity
	rowEvidenceRef
	rowRecipe
	rowRunVerdict
)

// refFields are the members of evidence_ref, in canonical order.
var refFields = [...]string{"canonicalization", "digest", "digest_subject", "ref", "schema", "type"}

// Places in refFields.
const (
	refFieldCanonicalization = iota
	refFieldDigest
	refFieldSubject
	refFieldRef
	refFieldSchema
	refFieldType
)

// A rowReader reads rows one after another and reuses its storage.
type rowReader struct {
	doc     canon.Doc
	members [len(rowFields)]canon.Node
	ref     [len(refFields)]canon.Node
}

// ReadRow reads a row and checks what it says by itself. In this order: strict
// JSON; an object; recipe; evidence_ref and its type, digest, digest_subject,
// canonicalization and schema; run_verdict; decision_identity_digest;
// coherence_binding, of which the form alone: Verify recomputes it.
//
// Other members of the row are ignored. The evidence_ref is bound as it is:
// other members in it, and a ref that is missing or no text, are a matter of
// the binding alone.
func ReadRow(text string) (Row, error) {
	var r rowReader
	return r.text(text)
}

func (rr *rowReader) text(text string) (Row, error) {
	if err := rr.doc.Parse(text, canon.Limits{Bytes: MaxTextBytes}); err != nil {
		return Row{}, refuseText(err)
	}
	return rr.node(rr.doc.Root())
}

func (rr *rowReader) node(n canon.Node) (Row, error) {
	if n.Kind() != canon.KindObject {
		return Row{}, &FaultError{Fault: FaultNotObject, Got: n.Kind().String(), Want: "object"}
	}
	readMembers(n, rowFields[:], rr.members[:])
	var row Row
	r := memberReader{names: rowFields[:], members: rr.members[:]}
	r.constant(rowRecipe, Recipe)
	if envelope := r.object(rowEvidenceRef); r.fault == nil {
		r.fault = rr.evidenceRef(&row, envelope)
	}
	readWord(&r, rowRunVerdict, &row.run, verdictWords)
	row.identity = r.digest(rowIdentity)
	row.binding = r.digest(rowBinding)
	if r.fault != nil {
		return Row{}, r.fault
	}
	return row, nil
}

// evidenceRef reads the row's envelope n.
func (rr *rowReader) evidenceRef(row *Row, n canon.Node) *FaultError {
	others := readMembers(n, refFields[:], rr.ref[:])
	r := memberReader{prefix: "evidence_ref.", names: refFields[:], members: rr.ref[:]}
	r.constant(refFieldType, refType)
	row.content = r.digest(refFieldDigest)
	r.constant(refFieldSubject, refDigestSubject)
	r.constant(refFieldCanonicalization, refCanonicalization)
	r.constant(refFieldSchema, SchemaCarrier)
	if r.fault != nil {
		return r.fault
	}
	ref := rr.ref[refFieldRef]
	row.ref = ref.Str()
	if others > 0 || ref.Kind() != canon.KindString {
		row.envelope = string(n.AppendJCS(nil))
	}
	return nil
}
