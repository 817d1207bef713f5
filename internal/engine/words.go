// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth"
)

// A note is what a reader would puzzle over otherwise: a closed code that stands
// beside the reasons of the axes, and the clause that says it in words.
type note struct{ code, text string }

// notesOnNames say that a name was not read as it stands there, or is not what
// it looks like.
var notesOnNames = []struct {
	flag recognize.NameFlags
	note
}{
	{recognize.NameMissing, note{"name.missing", "the span has no tool name"}},
	{recognize.NameWrongType, note{"name.wrong_type", "the attribute of the tool's name is not text"}},
	{recognize.NameNotUTF8, note{"name.not_utf8", "the tool's name has bytes that are no text"}},
	{recognize.NameControl, note{"name.control", "the tool's name has control characters"}},
	{recognize.NameBidi, note{"name.bidi", "the tool's name has characters that change the reading direction"}},
	{recognize.NameZeroWidth, note{"name.zero_width", "the tool's name has characters that nobody sees"}},
	{recognize.NameMixedScript, note{"name.mixed_script", "the tool's name mixes alphabets that look alike"}},
	{recognize.NameNotNFKC, note{"name.not_nfkc", "the tool's name has variants of plain characters"}},
	{recognize.NameSpace, note{"name.space", "the tool's name has white space at an end"}},
	{recognize.NameServerPrefix, note{"name.server_prefix", "the tool's name has a server's name before it"}},
	{recognize.NamePlaceholder, note{"name.placeholder", "the tool's name is a placeholder"}},
}

// notesOnConflicts say what on a span contradicts itself.
var notesOnConflicts = []struct {
	conflict recognize.Conflict
	note
}{
	{recognize.ConflictRepeatedKey, note{"conflict.repeated_key", "an attribute is there twice with different values"}},
	{recognize.ConflictTool, note{"conflict.tool", "two attributes name different tools"}},
	{recognize.ConflictArgs, note{"conflict.args", "two attributes have different arguments"}},
	{recognize.ConflictCallID, note{"conflict.call_id", "two attributes have different call ids"}},
}

// notes appends what is to be told of the call's span to dst. That a name begins
// with a server's name explains a mismatch, and is nothing to tell of a match.
func (d *Decision) notes(dst []note) []note {
	obs := d.Primary().Obs
	told := obs.Name
	if d.Truth.Findings[truth.AxisTool-1].Verdict == truth.Match || d.Tool != obs.Tool {
		told &^= recognize.NameServerPrefix
	}
	for i := range notesOnNames {
		if told.Has(notesOnNames[i].flag) {
			dst = append(dst, notesOnNames[i].note)
		}
	}
	for i := range notesOnConflicts {
		if obs.Conflict.Has(notesOnConflicts[i].conflict) {
			dst = append(dst, notesOnConflicts[i].note)
		}
	}
	return dst
}

// Reasons returns the codes of why axes did not match, and the notes, sorted.
func (d *Decision) Reasons() []string {
	reasons := d.Truth.Reasons(nil)
	for _, n := range d.notes(nil) {
		reasons = append(reasons, n.code)
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

// Explanation says the verdict, its reasons and the notes in words, without any
// observed value.
func (d *Decision) Explanation() string {
	notes := d.notes(nil)
	if len(notes) == 0 {
		return d.Truth.Explanation()
	}
	clauses := make([]string, len(notes))
	for i := range notes {
		clauses[i] = notes[i].text
	}
	told := strings.Join(clauses, "; ")
	return d.Truth.Explanation() + " " + strings.ToUpper(told[:1]) + told[1:] + "."
}
