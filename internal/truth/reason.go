// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"maps"
	"slices"
)

// A Reason is a closed code, "axis.why", that says why an axis did not match.
// The strings are wire format: they stand in assay.tdt.reasons on spans and in
// the output of the command line. Add, never rename.
type Reason string

// Why an axis did not match. An axis that matches has no reason.
const (
	NoReason Reason = ""

	ToolDenied              Reason = "tool.denied"
	ToolNotAllowed          Reason = "tool.not_allowed"
	ToolUnconstrained       Reason = "tool.unconstrained"
	ToolUnconstrainedDenied Reason = "tool.unconstrained_denied"

	ArgsAbsent              Reason = "args.absent"
	ArgsUnconstrained       Reason = "args.unconstrained"
	ArgsUnconstrainedDenied Reason = "args.unconstrained_denied"
	ArgsSchemaViolated      Reason = "args.schema_violated"
	ArgsSchemaMalformed     Reason = "args.schema_malformed"

	// The arguments were there and are unusable, which judges as absent.
	ArgsPlaceholder      Reason = "args.placeholder"
	ArgsRedacted         Reason = "args.redacted"
	ArgsTruncated        Reason = "args.truncated"
	ArgsNotJSON          Reason = "args.not_json"
	ArgsInvalidUTF8      Reason = "args.invalid_utf8"
	ArgsLoneSurrogate    Reason = "args.lone_surrogate"
	ArgsDuplicateKey     Reason = "args.duplicate_key"
	ArgsNumberOutOfRange Reason = "args.number_out_of_range"
	ArgsTooDeep          Reason = "args.too_deep"
	ArgsTooLarge         Reason = "args.too_large"
	ArgsTooManyMembers   Reason = "args.too_many_members"
	ArgsWrongType        Reason = "args.wrong_type"
	ArgsPositional       Reason = "args.positional"
	ArgsNotExact         Reason = "args.not_exact"
	ArgsAmbiguous        Reason = "args.ambiguous"
	ArgsUnmatchedCallID  Reason = "args.unmatched_call_id"

	IdentityReasonMissing  Reason = "identity.required_missing"
	IdentityReasonInvalid  Reason = "identity.invalid"
	IdentityReasonConflict Reason = "identity.conflicting_attributes"
	// A fault of the program itself leaves nothing to go by. It judges as an
	// invalid identity, so that the verdict can be recomputed like any other.
	IdentityReasonFault Reason = "identity.internal_error"

	ClassUnknown    Reason = "class.unknown"
	ClassDenied     Reason = "class.denied"
	ClassNotAllowed Reason = "class.not_allowed"

	ApprovalUnknown        Reason = "approval.unknown"
	ApprovalNotObtained    Reason = "approval.not_obtained"
	ApprovalUndeterminable Reason = "approval.undeterminable"
	ApprovalContradictory  Reason = "approval.contradictory"

	ScopeUnknown        Reason = "scope.unknown"
	ScopeNotSatisfied   Reason = "scope.not_satisfied"
	ScopeUndeterminable Reason = "scope.undeterminable"
	ScopeContradictory  Reason = "scope.contradictory"

	RedactionUnknown        Reason = "redaction.unknown"
	RedactionNotApplied     Reason = "redaction.not_applied"
	RedactionUndeterminable Reason = "redaction.undeterminable"
	RedactionContradictory  Reason = "redaction.contradictory"
)

// reasonTexts has one entry for each reason: the clause that a person reads.
// It speaks of what is declared, never of what was observed.
var reasonTexts = map[Reason]string{
	ToolDenied:              "the policy denies this tool",
	ToolNotAllowed:          "the policy's allow list does not name this tool",
	ToolUnconstrained:       "the policy says nothing about this tool",
	ToolUnconstrainedDenied: "the policy names no such tool and denies what it does not name",

	ArgsAbsent:              "no arguments were recorded",
	ArgsUnconstrained:       "the policy has no argument schema for this tool",
	ArgsUnconstrainedDenied: "the policy has no argument schema for this tool and denies what it does not constrain",
	ArgsSchemaViolated:      "the arguments violate the declared schema",
	ArgsSchemaMalformed:     "the declared argument schema is malformed",

	ArgsPlaceholder:      "a placeholder stands where the arguments would be",
	ArgsRedacted:         "the arguments were redacted before they came here",
	ArgsTruncated:        "the arguments were cut short",
	ArgsNotJSON:          "the arguments are not JSON",
	ArgsInvalidUTF8:      "the arguments are not UTF-8",
	ArgsLoneSurrogate:    "the arguments have a lone surrogate",
	ArgsDuplicateKey:     "the arguments repeat a key",
	ArgsNumberOutOfRange: "the arguments have a number that no double holds",
	ArgsTooDeep:          "the arguments are nested too deeply",
	ArgsTooLarge:         "the arguments are larger than the limit",
	ArgsTooManyMembers:   "the arguments have more members than the limit",
	ArgsWrongType:        "the arguments' attribute has a type that holds no arguments",
	ArgsPositional:       "the arguments were recorded without their names",
	ArgsNotExact:         "the arguments were recorded in a form that does not give them back exactly",
	ArgsAmbiguous:        "the arguments were recorded more than once, and differ",
	ArgsUnmatchedCallID:  "the arguments lie in a message that this call cannot be matched with",

	IdentityReasonMissing:  "an identity is required and none was observed",
	IdentityReasonInvalid:  "the observed identity is invalid",
	IdentityReasonConflict: "the span contradicts itself",
	IdentityReasonFault:    "this program met a fault of its own, and did not finish judging the call",

	ClassUnknown:    "the policy constrains classes and this tool's classes are unknown",
	ClassDenied:     "the policy denies a class of this tool",
	ClassNotAllowed: "the policy's class allow list has none of this tool's classes",

	ApprovalUnknown:        "approval is required and it is unknown whether it was given",
	ApprovalNotObtained:    "approval is required and was not given",
	ApprovalContradictory:  "approval is required and is both confirmed and denied",
	ApprovalUndeterminable: "approval depends on a class, and this tool's classes are unknown",

	ScopeUnknown:        "a scope restriction applies and it is unknown whether it was kept",
	ScopeNotSatisfied:   "a scope restriction applies and was not kept",
	ScopeContradictory:  "a scope restriction applies and is both confirmed and denied",
	ScopeUndeterminable: "a scope restriction depends on a class, and this tool's classes are unknown",

	RedactionUnknown:        "redaction is required and it is unknown whether it was done",
	RedactionNotApplied:     "redaction is required and was not done",
	RedactionContradictory:  "redaction is required and is both confirmed and denied",
	RedactionUndeterminable: "redaction depends on a class, and this tool's classes are unknown",
}

// Reasons lists every reason, sorted.
func Reasons() []Reason { return slices.Sorted(maps.Keys(reasonTexts)) }

// Text returns the clause that says r in words, free of observed values.
func (r Reason) Text() string { return reasonTexts[r] }

// Known reports whether r is in the vocabulary.
func (r Reason) Known() bool { _, ok := reasonTexts[r]; return ok }
