// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth"
)

// nameFlags are told beside the verdict: a name that was not read as it stands
// there, or that is not what it looks like, is what a reader would puzzle over.
var nameFlags = []struct {
	flag   recognize.NameFlags
	reason string
	clause string
}{
	{recognize.NameMissing, "name.missing", "the span has no tool name"},
	{recognize.NameWrongType, "name.wrong_type", "the attribute of the tool's name is not text"},
	{recognize.NameNotUTF8, "name.not_utf8", "the tool's name has bytes that are no text"},
	{recognize.NameControl, "name.control", "the tool's name has control characters"},
	{recognize.NameBidi, "name.bidi", "the tool's name has characters that change the reading direction"},
	{recognize.NameZeroWidth, "name.zero_width", "the tool's name has characters that nobody sees"},
	{recognize.NameMixedScript, "name.mixed_script", "the tool's name mixes alphabets that look alike"},
	{recognize.NameNotNFKC, "name.not_nfkc", "the tool's name has variants of plain characters"},
	{recognize.NameSpace, "name.space", "the tool's name has white space at an end"},
	{recognize.NameServerPrefix, "name.server_prefix", "the tool's name has a server's name before it"},
	{recognize.NamePlaceholder, "name.placeholder", "the tool's name is a placeholder"},
}

// toldFlags returns what is to be told of the tool's name. That it begins with
// a server's name explains a mismatch, and is nothing to tell of a match.
func (d *Decision) toldFlags() recognize.NameFlags {
	flags := d.Primary().Obs.Name
	if d.Truth.Findings[truth.AxisTool-1].Verdict == truth.Match || d.Tool != d.Primary().Obs.Tool {
		flags &^= recognize.NameServerPrefix
	}
	return flags
}

// Reasons returns the codes of why axes did not match and of what is odd about
// the name or the span, sorted.
func (d *Decision) Reasons() []string {
	reasons := d.Truth.Reasons(nil)
	told := d.toldFlags()
	for i := range nameFlags {
		if told.Has(nameFlags[i].flag) {
			reasons = append(reasons, nameFlags[i].reason)
		}
	}
	for _, name := range d.Primary().Obs.Conflict.Names() {
		reasons = append(reasons, "conflict."+name)
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

// Explanation says the verdict, its reasons and what is odd about the name in
// words, without any observed value.
func (d *Decision) Explanation() string {
	told := d.toldFlags()
	if told == 0 {
		return d.Truth.Explanation()
	}
	var clauses []string
	for i := range nameFlags {
		if told.Has(nameFlags[i].flag) {
			clauses = append(clauses, nameFlags[i].clause)
		}
	}
	note := strings.Join(clauses, "; ")
	return d.Truth.Explanation() + " " + strings.ToUpper(note[:1]) + note[1:] + "."
}
