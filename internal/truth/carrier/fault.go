// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"errors"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A Fault names why a carrier, row, event or bundle is refused. The set is
// closed. The zero Fault is none of them and reads as not_json, so that a
// forgotten fault is still a refusal.
type Fault uint8

// The faults. Append only: the words appear in reports. Meaning explains each.
const (
	FaultNotJSON Fault = iota + 1
	FaultInvalidUTF8
	FaultLoneSurrogate
	FaultDuplicateKey
	FaultNumberRange
	FaultTooDeep
	FaultTooLarge
	FaultTooManyMembers
	FaultNotObject
	FaultMissing
	FaultWrongType
	FaultUnexpectedValue
	FaultUnknownWord
	FaultMalformed
	FaultNotInteger
	FaultRawArguments
	FaultKeyIDDiffers
	FaultIdentityDiffers
	FaultNotRecomputed
	FaultUnclassified
	FaultVerdictDiffers
	FaultNotCovered
	FaultContentDiffers
	FaultNoRows
	FaultCarrierMissing
	FaultDuplicateCarrier
	FaultDuplicateCitation
	FaultNotGzip
	FaultNotTar
	FaultTruncated
	FaultCorrupt
	FaultUnsafePath
	FaultUnexpectedEntry
	FaultDuplicateEntry
	FaultEntryOrder
	FaultMissingEntry
	FaultTrailingData
	FaultNoEvents
	FaultBlankLine
	FaultLineTooLong
	FaultTooManyEvents
	FaultSequenceGap
	FaultOtherRun
	FaultOtherSource
	FaultCountDiffers
	FaultSizeDiffers
	FaultHashDiffers
	FaultRootDiffers
)

// faultTexts gives each fault its word and what the word says.
var faultTexts = [...]struct{ word, meaning string }{
	{"not_json", "the text is not one JSON value"},
	FaultNotJSON:           {"not_json", "the text is not one JSON value"},
	FaultInvalidUTF8:       {"invalid_utf8", "the text has bytes that are not UTF-8"},
	FaultLoneSurrogate:     {"lone_surrogate", "a string holds half of a surrogate pair"},
	FaultDuplicateKey:      {"duplicate_key", "an object has two members of one name"},
	FaultNumberRange:       {"number_out_of_range", "a number is beyond what a finite double holds"},
	FaultTooDeep:           {"too_deep", "containers are nested deeper than allowed"},
	FaultTooLarge:          {"too_large", "the text has more bytes than allowed"},
	FaultTooManyMembers:    {"too_many_members", "the text has more object members than allowed"},
	FaultNotObject:         {"not_object", "the value is not a JSON object"},
	FaultMissing:           {"missing", "a required member is absent"},
	FaultWrongType:         {"wrong_type", "a member has another JSON type than required"},
	FaultUnexpectedValue:   {"unexpected_value", "a member that has one allowed value has another"},
	FaultUnknownWord:       {"unknown_word", "a member has a value outside its closed vocabulary"},
	FaultMalformed:         {"malformed", "a member does not have the required form"},
	FaultNotInteger:        {"not_integer", "a number is not written as an integer within its range"},
	FaultRawArguments:      {"raw_arguments", "a member is named as raw arguments are, which evidence never holds"},
	FaultKeyIDDiffers:      {"key_id_differs", "key_id is not the key id inside args_digest"},
	FaultIdentityDiffers:   {"identity_differs", "the decision identity is not that of the carrier's two digests"},
	FaultNotRecomputed:     {"not_recomputed", "a digest is not that of what it covers"},
	FaultUnclassified:      {"unclassified", "the carrier has no verdict"},
	FaultVerdictDiffers:    {"verdict_differs", "the row states another run verdict than the one given"},
	FaultNotCovered:        {"not_covered", "the run verdict is less severe than the carrier's verdict"},
	FaultContentDiffers:    {"content_differs", "the row cites another carrier"},
	FaultNoRows:            {"no_rows", "the set holds no row"},
	FaultCarrierMissing:    {"carrier_missing", "the set does not hold the carrier that the row cites"},
	FaultDuplicateCarrier:  {"duplicate_carrier", "the set holds the carrier twice"},
	FaultDuplicateCitation: {"duplicate_citation", "an earlier row cites the same carrier"},
	FaultNotGzip:           {"not_gzip", "the bundle is not compressed with gzip"},
	FaultNotTar:            {"not_tar", "the bundle does not hold a tar archive"},
	FaultTruncated:         {"truncated", "the bundle ends early"},
	FaultCorrupt:           {"corrupt", "the compressed data is damaged"},
	FaultUnsafePath:        {"unsafe_path", "an entry's name is absolute or leaves the archive"},
	FaultUnexpectedEntry:   {"unexpected_entry", "the archive has an entry that does not belong there"},
	FaultDuplicateEntry:    {"duplicate_entry", "the archive has two entries of one name"},
	FaultEntryOrder:        {"entry_order", "events.ndjson comes before manifest.json"},
	FaultMissingEntry:      {"missing_entry", "the archive lacks a required entry"},
	FaultTrailingData:      {"trailing_data", "something follows the archive"},
	FaultNoEvents:          {"no_events", "the bundle holds no event"},
	FaultBlankLine:         {"blank_line", "a line holds no event"},
	FaultLineTooLong:       {"line_too_long", "a line has more bytes than allowed"},
	FaultTooManyEvents:     {"too_many_events", "there are more events than allowed"},
	FaultSequenceGap:       {"sequence_gap", "sequence numbers do not run on from 0"},
	FaultOtherRun:          {"other_run", "an event belongs to another run"},
	FaultOtherSource:       {"other_source", "an event has another source than those before"},
	FaultCountDiffers:      {"count_differs", "the manifest states another number of events"},
	FaultSizeDiffers:       {"size_differs", "the manifest states another size"},
	FaultHashDiffers:       {"hash_differs", "the manifest states another hash"},
	FaultRootDiffers:       {"root_differs", "the manifest states another run root"},
}

// Faults lists every fault.
func Faults() []Fault {
	all := make([]Fault, 0, len(faultTexts)-1)
	for i := 1; i < len(faultTexts); i++ {
		all = append(all, Fault(i))
	}
	return all
}

// String returns the fault's word, and not_json for what is no fault.
func (f Fault) String() string { return faultTexts[f.known()].word }

// Meaning says in a few words what the fault states.
func (f Fault) Meaning() string { return faultTexts[f.known()].meaning }

func (f Fault) known() Fault {
	if int(f) >= len(faultTexts) {
		return 0
	}
	return f
}

// A FaultError is a refusal: the first check that failed, in the order in
// which the decoder documents its checks.
//
// Field is the member concerned, as a path of declared names such as
// evidence_ref.digest, and empty when it is the whole document. Got and Want
// hold words of closed vocabularies, JSON types, numbers and digests only:
// never a free text of the document, and never the name of a member that the
// format does not declare.
type FaultError struct {
	Fault     Fault
	Field     string
	Got, Want string
	Cause     error // the text's own error, with the place, when there is one
}

// Error returns field, fault, got and want.
func (e *FaultError) Error() string {
	var b strings.Builder
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Fault.String())
	if e.Got != "" {
		b.WriteString(", got " + e.Got)
	}
	if e.Want != "" {
		b.WriteString(", want " + e.Want)
	}
	if e.Cause != nil {
		b.WriteString(": " + e.Cause.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *FaultError) Unwrap() error { return e.Cause }

// FaultOf returns the fault and the field of err, and false for an error that
// is no refusal, such as one of the reader below.
func FaultOf(err error) (f Fault, field string, ok bool) {
	var fe *FaultError
	if !errors.As(err, &fe) {
		return 0, "", false
	}
	return fe.Fault, fe.Field, true
}

func refuse(f Fault, field string) *FaultError { return &FaultError{Fault: f, Field: field} }

// refuseText turns a *canon.TextError into the fault of the same word.
func refuseText(err error) *FaultError {
	out := &FaultError{Fault: FaultNotJSON, Cause: err}
	var te *canon.TextError
	if errors.As(err, &te) {
		out.Fault = textFaults[te.Fault]
	}
	return out
}

var textFaults = map[canon.Fault]Fault{
	canon.FaultSyntax: FaultNotJSON, canon.FaultUTF8: FaultInvalidUTF8, canon.FaultSurrogate: FaultLoneSurrogate,
	canon.FaultDuplicateKey: FaultDuplicateKey, canon.FaultNumberRange: FaultNumberRange, canon.FaultDepth: FaultTooDeep,
	canon.FaultSize: FaultTooLarge, canon.FaultMembers: FaultTooManyMembers,
}
