// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// MaxTextBytes bounds the text of one carrier or row. It is the bound of an
// event line, so that whatever is read can be put into a bundle.
const MaxTextBytes = MaxEventBytes

// recordFields are the members of a carrier, in canonical order.
var recordFields = [...]string{
	"args_digest", "call_id", "decision_identity", "decision_verdict", "declared_policy_digest", "declared_ref",
	"identity_state", "key_id", "observed_input_digest", "order", "result_status", "schema", "source_class", "tool_name",
}

// Places in recordFields.
const (
	recordArgsDigest = iota
	recordCallID
	recordIdentity
	recordVerdict
	recordDeclared
	recordDeclaredRef
	recordIdentityState
	recordKeyID
	recordObserved
	recordOrder
	recordResult
	recordSchema
	recordSource
	recordTool
)

// identityFields are the members of decision_identity, in canonical order.
var identityFields = [...]string{"declared_policy_digest", "observed_input_digest"}

// An importer reads carriers one after another and reuses its storage.
type importer struct {
	doc      canon.Doc
	members  [len(recordFields)]canon.Node
	identity [len(identityFields)]canon.Node
	buf      []byte
}

// Import reads a carrier that somebody else wrote and accepts it only if every
// check of spec section 7 holds. In this order: strict JSON; an object; schema;
// no raw arguments at any depth; args_digest and key_id; the form of the two
// digests; decision_identity; tool_name; order; the observed digest recomputed;
// source_class, result_status, identity_state, call_id, decision_verdict.
//
// Other members pass and count in the content digest; so does a declared_ref.
// A verdict that is null or missing passes as unclassified. That a carrier is
// accepted does not say that its verdict is right.
func Import(text string) (Record, error) {
	var im importer
	return im.text(text)
}

func (im *importer) text(text string) (Record, error) {
	if err := im.doc.Parse(text, canon.Limits{Bytes: MaxTextBytes}); err != nil {
		return Record{}, refuseText(err)
	}
	return im.node(im.doc.Root(), nil)
}

// node imports the carrier n, whose canonical text is canonical if known.
func (im *importer) node(n canon.Node, canonical []byte) (Record, error) {
	if n.Kind() != canon.KindObject {
		return Record{}, &FaultError{Fault: FaultNotObject, Got: n.Kind().String(), Want: "object"}
	}
	others := readMembers(n, recordFields[:], im.members[:])
	rec, fault := im.record(n)
	if fault != nil {
		return Record{}, fault
	}
	if others == 0 && im.isTemplate() {
		im.buf = rec.appendTemplate(im.buf[:0], appendRounded)
		rec.content = canon.Sum(im.buf)
		return rec, nil
	}
	if canonical == nil {
		im.buf = n.AppendJCS(im.buf[:0])
		canonical = im.buf
	}
	rec.content = canon.Sum(canonical)
	rec.foreign = string(canonical)
	if !isExact(rec.in.Order) {
		rec.foreign = exactText(n)
	}
	return rec, nil
}

// record makes the checks, on the members read.
func (im *importer) record(n canon.Node) (Record, *FaultError) {
	var rec Record
	in := &rec.in
	r := memberReader{names: recordFields[:], members: im.members[:]}
	r.constant(recordSchema, SchemaCarrier)
	r.check(func() *FaultError { return checkNoRawArguments(n) })
	in.ArgsDigest = take(&r, recordArgsDigest, argsDigest)
	in.KeyID = r.text(recordKeyID)
	r.check(func() *FaultError { return checkKeyID(in) })
	rec.observed = r.digest(recordObserved)
	in.DeclaredPolicy = r.digest(recordDeclared)
	im.checkIdentity(&r, &rec)
	in.ToolName = r.text(recordTool)
	in.Order = r.integer(recordOrder)
	r.check(func() *FaultError { return checkObserved(&rec) })
	readWord(&r, recordSource, &in.SourceClass, truth.SourceClasses)
	readWord(&r, recordResult, &in.ResultStatus, truth.ResultStatuses)
	readWord(&r, recordIdentityState, &in.Identity, truth.Identities)
	in.CallID = r.text(recordCallID)
	in.Verdict, in.Unclassified = r.verdict(recordVerdict)
	return rec, r.fault
}

// isTemplate reports whether the members read, and there are no others, are
// those that Build writes.
func (im *importer) isTemplate() bool {
	return im.members[recordDeclaredRef].Kind() == canon.KindNull &&
		im.members[recordVerdict].Kind() != canon.KindNone &&
		im.members[recordIdentity].Len() == len(identityFields)
}

// checkIdentity requires decision_identity to hold the carrier's two digests.
func (im *importer) checkIdentity(r *memberReader, rec *Record) {
	n := r.object(recordIdentity)
	if r.fault != nil {
		return
	}
	readMembers(n, identityFields[:], im.identity[:])
	inner := memberReader{prefix: "decision_identity.", names: identityFields[:], members: im.identity[:]}
	for i, want := range [...]canon.Digest{rec.in.DeclaredPolicy, rec.observed} {
		got := inner.text(i)
		inner.check(func() *FaultError {
			if got == string(want) {
				return nil
			}
			return &FaultError{Fault: FaultIdentityDiffers, Field: identityFields[i], Want: string(want)}
		})
	}
	r.fault = inner.fault
}

func checkObserved(rec *Record) *FaultError {
	want := canon.ObservedInput(rec.in.ToolName, rec.in.ArgsDigest, rec.in.Order)
	if rec.observed == want {
		return nil
	}
	return &FaultError{
		Fault: FaultNotRecomputed, Field: "observed_input_digest", Got: string(rec.observed), Want: string(want),
	}
}

// checkNoRawArguments refuses members that are named as raw arguments are, at
// any depth: evidence holds digests.
func checkNoRawArguments(n canon.Node) *FaultError {
	for key, val := range n.All() {
		switch key {
		case "args", "arguments", "input", "tool_arguments":
			return refuse(FaultRawArguments, key)
		}
		if val.Len() > 0 {
			if fault := checkNoRawArguments(val); fault != nil {
				return fault
			}
		}
	}
	return nil
}

// argsDigest returns the well-formed keyed digest n.
func argsDigest(n canon.Node, field string) (string, *FaultError) {
	s, fault := text(n, field)
	if fault == nil {
		fault = checkArgsDigest(s)
	}
	return s, fault
}

// exactText writes the carrier n with its order as it is written there.
func exactText(n canon.Node) string {
	dst := []byte{'{'}
	for key, val := range n.All() {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(canon.AppendString(dst, key), ':')
		if key == "order" {
			dst = append(dst, val.Number()...)
		} else {
			dst = val.AppendJCS(dst)
		}
	}
	return string(append(dst, '}'))
}
