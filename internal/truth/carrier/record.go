// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// SchemaCarrier is the schema that every carrier names (spec section 7).
const SchemaCarrier = "assay.tool_decision_truth.v0"

// An Input is what one decision says: whatever a carrier holds that is not
// derived from the rest of it.
type Input struct {
	ToolName     string
	ArgsDigest   string // keyed, as canon.Key.ArgsDigest makes it
	Order        int64  // place of the call in its run
	SourceClass  truth.SourceClass
	CallID       string
	ResultStatus truth.ResultStatus
	Identity     truth.Identity
	KeyID        string // the one inside ArgsDigest

	// Verdict is the decision. A carrier without one must say so by
	// Unclassified: a verdict that was forgotten is refused.
	Verdict      truth.Verdict
	Unclassified bool

	DeclaredPolicy canon.Digest
}

// A Record is a carrier: the evidence of one decision (spec section 7). It is
// made by Build or Import, passed every check there, and does not change. The
// zero Record is not a carrier.
type Record struct {
	in       Input
	observed canon.Digest
	content  canon.Digest // of an imported record

	// foreign is the text of an imported record that is not written as Build's
	// are: it has other members, lacks an optional one, or refers to a declared
	// document.
	foreign string
}

// Build makes the carrier of one decision. It refuses a field that is malformed
// or outside its vocabulary, and names it. It holds no argument: the caller has
// digested them.
func Build(in Input) (Record, error) {
	if fault := in.check(); fault != nil {
		return Record{}, fault
	}
	return Record{in: in, observed: canon.ObservedInput(in.ToolName, in.ArgsDigest, in.Order)}, nil
}

// check makes the checks in the order in which Import makes them.
func (in *Input) check() *FaultError {
	if fault := checkArgsDigest(in.ArgsDigest); fault != nil {
		return fault
	}
	if fault := checkKeyID(in); fault != nil {
		return fault
	}
	switch {
	case !in.DeclaredPolicy.Valid():
		return &FaultError{Fault: FaultMalformed, Field: "declared_policy_digest", Want: digestForm}
	case !utf8.ValidString(in.ToolName):
		return refuse(FaultInvalidUTF8, "tool_name")
	case in.SourceClass.String() == "":
		return unknownWord("source_class", truth.SourceClasses())
	case in.ResultStatus.String() == "":
		return unknownWord("result_status", truth.ResultStatuses())
	case in.Identity < truth.IdentityPresent || in.Identity > truth.IdentityInvalid:
		return unknownWord("identity_state", truth.Identities())
	case !utf8.ValidString(in.CallID):
		return refuse(FaultInvalidUTF8, "call_id")
	case in.Unclassified != (in.Verdict == 0), in.Verdict > truth.Invalid:
		return unknownWord("decision_verdict", verdictWords())
	}
	return nil
}

func checkArgsDigest(s string) *FaultError {
	if _, err := canon.ParseArgsDigest(s); err == nil {
		return nil
	}
	return &FaultError{
		Fault: FaultMalformed, Field: "args_digest", Want: "hmac-sha256:, a key id, a colon and 64 lowercase hex digits",
	}
}

// checkKeyID requires the key id to be that of a well-formed arguments digest.
func checkKeyID(in *Input) *FaultError {
	if id, _ := canon.ParseArgsDigest(in.ArgsDigest); id != in.KeyID {
		return refuse(FaultKeyIDDiffers, "key_id")
	}
	return nil
}

// Input returns what the carrier says. Strings of an imported record may be
// part of the text it was read from: clone what is kept for long.
func (r *Record) Input() Input { return r.in }

// ObservedInput returns the digest of tool name, arguments digest and order.
func (r *Record) ObservedInput() canon.Digest { return r.observed }

// ContentDigest returns the digest that names the record itself: what a row
// cites.
func (r *Record) ContentDigest() canon.Digest {
	if r.content != "" {
		return r.content
	}
	var buf [1536]byte
	return canon.Sum(r.appendTemplate(buf[:0], appendRounded))
}

// IdentityDigest returns the digest that records of one logical decision share,
// whoever made them.
func (r *Record) IdentityDigest() canon.Digest {
	return IdentityDigest(r.observed, r.in.DeclaredPolicy)
}

// IdentityDigest returns the decision identity digest of a carrier with the two
// digests, for whoever keeps these and not the carrier.
func IdentityDigest(observed, declared canon.Digest) canon.Digest {
	var buf [256]byte
	return canon.Sum(appendIdentity(buf[:0], observed, declared))
}

// AppendJSON appends the carrier as JSON text, which is canonical, so that its
// SHA-256 is the content digest. The one exception is an order beyond 2^53: it
// keeps its digits here, where canonical form would round it.
func (r *Record) AppendJSON(dst []byte) []byte {
	if r.foreign != "" {
		return append(dst, r.foreign...)
	}
	return r.appendTemplate(dst, appendInteger)
}

// appendCanonical appends the text that the content digest is of, for a record
// whose order no double holds. For any other that is what AppendJSON appends.
func (r *Record) appendCanonical(dst []byte) []byte {
	if r.foreign == "" {
		return r.appendTemplate(dst, appendRounded)
	}
	var d canon.Doc
	_ = d.Parse(r.foreign, canon.Limits{}) // it was made from a Doc
	return d.Root().AppendJCS(dst)
}

// appendTemplate writes the members by hand in canonical order.
func (r *Record) appendTemplate(dst []byte, order func([]byte, int64) []byte) []byte {
	dst = appendMember(dst, `{"args_digest":`, r.in.ArgsDigest)
	dst = appendMember(dst, `,"call_id":`, r.in.CallID)
	dst = appendIdentity(append(dst, `,"decision_identity":`...), r.observed, r.in.DeclaredPolicy)
	if r.in.Unclassified {
		dst = append(dst, `,"decision_verdict":null`...)
	} else {
		dst = appendWord(dst, `,"decision_verdict":"`, r.in.Verdict.String())
	}
	dst = appendWord(dst, `,"declared_policy_digest":"`, string(r.in.DeclaredPolicy))
	dst = appendWord(dst, `,"declared_ref":null,"identity_state":"`, r.in.Identity.String())
	dst = appendWord(dst, `,"key_id":"`, r.in.KeyID)
	dst = appendWord(dst, `,"observed_input_digest":"`, string(r.observed))
	dst = order(append(dst, `,"order":`...), r.in.Order)
	dst = appendWord(dst, `,"result_status":"`, r.in.ResultStatus.String())
	dst = appendWord(dst, `,"schema":"`+SchemaCarrier+`","source_class":"`, r.in.SourceClass.String())
	return append(appendMember(dst, `,"tool_name":`, r.in.ToolName), '}')
}

func appendIdentity(dst []byte, observed, declared canon.Digest) []byte {
	dst = appendWord(dst, `{"declared_policy_digest":"`, string(declared))
	return append(appendWord(dst, `,"observed_input_digest":"`, string(observed)), '}')
}

// appendWord appends intro, which ends in a quote, and a word that needs no
// escape.
func appendWord(dst []byte, intro, word string) []byte {
	return append(append(append(dst, intro...), word...), '"')
}

func appendInteger(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }

func unknownWord(field string, known []string) *FaultError {
	return &FaultError{Fault: FaultUnknownWord, Field: field, Want: orList(known)}
}

func verdictWords() []string {
	words := make([]string, 0, 4)
	for _, v := range truth.Verdicts() {
		words = append(words, v.String())
	}
	return words
}

// orList renders words for a message.
func orList(words []string) string { return "one of " + strings.Join(words, ", ") }
