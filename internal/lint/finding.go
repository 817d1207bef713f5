// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A Code says what kind of thing a finding is: "area.word". The set is closed,
// and the strings are output that scripts read: add, never rename.
type Code string

// The codes of findings about lists and fields.
const (
	ToolsLiteralStar        Code = "tools.literal_star"
	ToolsUnlikelyName       Code = "tools.unlikely_name"
	ToolsShadowed           Code = "tools.shadowed"
	ToolsDenyWithoutEffect  Code = "tools.deny_without_effect"
	ToolsAllowWithoutEffect Code = "tools.allow_without_effect"
	ToolsEmptyList          Code = "tools.empty_list"
	ToolsNothingAllowed     Code = "tools.nothing_allowed"
	ToolsUnconstrained      Code = "tools.unconstrained"
	ToolsNeverMatch         Code = "tools.never_match"
	ObligationWithoutEffect Code = "obligations.without_effect"
	ClassesContradictory    Code = "classes.contradictory"
	ClassesUnknown          Code = "classes.unknown"
	ClassesIgnoredEntry     Code = "classes.ignored_entry"
	FieldsNotJudged         Code = "fields.not_judged"
)

// The codes of findings about argument schemas.
const (
	SchemasMalformed         Code = "schemas.malformed"
	SchemasUnreachable       Code = "schemas.unreachable"
	SchemasLiteralStar       Code = "schemas.literal_star"
	SchemasAcceptEverything  Code = "schemas.accept_everything"
	SchemasRequiredForbidden Code = "schemas.required_forbidden"
	SchemasRegexDiffers      Code = "schemas.regex_differs"
	SchemasRegexBudget       Code = "schemas.regex_budget"
	SchemasUnknownKeyword    Code = "schemas.unknown_keyword"
	SchemasIdleKeyword       Code = "schemas.idle_keyword"
)

// sequences is the area of findings about sequence rules, whose words are those
// of sequence.LintCodes.
const sequences = "sequences."

// meanings has one entry for each code but those of sequence rules.
var meanings = map[Code]string{
	ToolsLiteralStar:        "a star inside a pattern is a character like any: the line means only names that have it",
	ToolsUnlikelyName:       "no tool is likely to have such a name: it is empty, or begins or ends with white space",
	ToolsShadowed:           "another line of the list means all that this one means",
	ToolsDenyWithoutEffect:  "no call is denied by this line that would match without it",
	ToolsAllowWithoutEffect: "a deny line covers everything that this line allows",
	ToolsEmptyList:          "an empty list constrains as little as none",
	ToolsNothingAllowed:     "no call can match: nothing is allowed, and what nothing constrains is denied",
	ToolsUnconstrained:      "a tool is allowed and its arguments are not constrained",
	ToolsNeverMatch:         "a tool is allowed and has no schema, and what nothing constrains is denied: no call of it can match",
	ObligationWithoutEffect: "the line attaches a duty only to tools that the policy does not allow",
	ClassesContradictory:    "a class is both allowed and denied, and denied wins",
	ClassesUnknown:          "no tool in tool_classes has the class",
	ClassesIgnoredEntry:     "the entry is no list of classes, so it says nothing",
	FieldsNotJudged:         "the field is for a system that enforces: no verdict depends on it",

	SchemasMalformed:         "the schema cannot be used, so the args axis is invalid for the tool",
	SchemasUnreachable:       "no call of the tool can match, so its schema decides nothing",
	SchemasLiteralStar:       "schemas are looked up by the exact name of a tool: a star is a character like any",
	SchemasAcceptEverything:  "the schema accepts every value",
	SchemasRequiredForbidden: "an argument is required and forbidden, so no arguments are valid",
	SchemasRegexDiffers:      "other regex engines read a part of the pattern differently",
	SchemasRegexBudget:       "the pattern needs backtracking, and counts as not matching where that takes too long",
	SchemasUnknownKeyword:    "the dialect has no such keyword, so it constrains nothing",
	SchemasIdleKeyword:       "the keyword constrains nothing here",
}

// Codes lists every code, sorted.
func Codes() []Code {
	codes := make([]Code, 0, len(meanings)+len(sequence.LintCodes()))
	for code := range meanings {
		codes = append(codes, code)
	}
	for _, word := range sequence.LintCodes() {
		codes = append(codes, Code(sequences+word))
	}
	slices.Sort(codes)
	return codes
}

// Known reports whether c is in the vocabulary.
func (c Code) Known() bool { return slices.Contains(Codes(), c) }

// Meaning says what every finding of the code says, in general. For findings
// about sequence rules it is empty: their messages say it.
func (c Code) Meaning() string { return meanings[c] }

// A Finding is one thing that a policy says and that has not the meaning it
// seems to have.
type Finding struct {
	Code   Code   `json:"code"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Path   string `json:"path"` // such as tools.deny[2]
	Msg    string `json:"message"`
}

// Check reads the policy in text and returns it with all findings in the order
// of the file. The error is that of policy.Read or sequence.Load: a policy that
// does not load is not looked at any further.
func Check(file string, text []byte) (*policy.Policy, []Finding, error) {
	p, err := policy.Read(file, text)
	if err != nil {
		return nil, nil, err
	}
	rules, err := sequence.Load(file, p)
	if err != nil {
		return nil, nil, err
	}
	root, err := tree.Read(file, text)
	if err != nil {
		return nil, nil, err
	}
	l := &linter{file: file, policy: p, root: root, lists: listsOf(p)}
	l.lintFields()
	l.lintTools()
	l.lintNothing()
	l.lintClasses()
	l.lintSchemas()
	for _, f := range sequence.Lint(rules, p) {
		l.found = append(l.found, Finding{Code(sequences + f.Code.String()), file, f.Line, f.Column, f.Path, f.Msg})
	}
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code))
	})
	return p, l.found, nil
}
