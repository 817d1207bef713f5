// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// standIns are texts that emitters write in place of arguments.
var standIns = map[string]truth.Reason{
	"__REDACTED__": truth.ArgsRedacted, "<REDACTED>": truth.ArgsRedacted, "[REDACTED]": truth.ArgsRedacted, "[redacted]": truth.ArgsRedacted,
	"<redacted>": truth.ArgsRedacted, `"[redacted]"`: truth.ArgsRedacted, `"[REDACTED]"`: truth.ArgsRedacted, `"__REDACTED__"`: truth.ArgsRedacted,
	"<scrubbed>": truth.ArgsRedacted, "[Filtered]": truth.ArgsRedacted, "[FILTERED]": truth.ArgsRedacted, "***": truth.ArgsRedacted, "****": truth.ArgsRedacted,
	"<not serializable>": truth.ArgsPlaceholder, "<not json serializable>": truth.ArgsPlaceholder, "<replaced>": truth.ArgsPlaceholder, `"<replaced>"`: truth.ArgsPlaceholder,
	"<not specified>": truth.ArgsPlaceholder, "<not found>": truth.ArgsPlaceholder, "None": truth.ArgsPlaceholder, "N/A": truth.ArgsPlaceholder, "n/a": truth.ArgsPlaceholder,
	"undefined": truth.ArgsPlaceholder, "[object Object]": truth.ArgsPlaceholder, "unknown": truth.ArgsPlaceholder,
	"<truncated>": truth.ArgsTruncated, "[truncated]": truth.ArgsTruncated, "[TRUNCATED]": truth.ArgsTruncated,
}

// failedSentence begins the sentence that Semantic Kernel writes instead of
// arguments that it cannot write.
const failedSentence = "Failed to serialize arguments"

// cutMarks are what emitters put behind text that they cut.
var cutMarks = []string{"...[TRUNCATED", "...[truncated", "... [truncated", "…[truncated", "[truncated]", "[TRUNCATED]", "<truncated>", "(truncated)"}

// maxStandIn is at least the length of the longest stand-in.
const maxStandIn = 64

// standIn says why text is no arguments but something in their place, or "".
func standIn(text string) truth.Reason {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return truth.ArgsAbsent
	}
	if len(trimmed) <= maxStandIn { // a longer text is not worth its hash
		if why, ok := standIns[trimmed]; ok {
			return why
		}
	}
	if strings.HasPrefix(trimmed, failedSentence) || strings.HasPrefix(trimmed, `"`+failedSentence) {
		return truth.ArgsPlaceholder
	}
	return cut(trimmed)
}

// cut looks for a mark of truncation at the end of text. JSON and Python text
// cannot end in one.
func cut(text string) truth.Reason {
	switch text[len(text)-1] {
	case '}', '{', ',', ':':
		return ""
	}
	if strings.HasSuffix(text, "...") || strings.HasSuffix(text, "…") {
		return truth.ArgsTruncated
	}
	from := max(0, len(text)-80)
	for _, mark := range cutMarks {
		if i := strings.LastIndex(text[from:], mark); i >= 0 && strings.IndexByte(text[from+i:], '}') < 0 {
			return truth.ArgsTruncated
		}
	}
	return ""
}

// alteredValues are values by which redactors replace what they remove inside
// arguments: the whole string, or its beginning where more follows.
var alteredValues = []struct {
	text string
	open bool
	why  truth.Reason
}{
	{"[REDACTED]", false, truth.ArgsRedacted}, {"[REDACTED", true, truth.ArgsRedacted}, {"<REDACTED>", false, truth.ArgsRedacted},
	{"[redacted]", false, truth.ArgsRedacted}, {"<redacted>", false, truth.ArgsRedacted}, {"__REDACTED__", false, truth.ArgsRedacted},
	{"[Scrubbed due to ", true, truth.ArgsRedacted}, {"<scrubbed>", false, truth.ArgsRedacted}, {"[Filtered]", false, truth.ArgsRedacted},
	{"***REDACTED***", false, truth.ArgsRedacted}, {"<replaced>", false, truth.ArgsPlaceholder}, {"<not serializable>", false, truth.ArgsPlaceholder},
}

// altered looks into valid JSON text for a string that a redactor put there.
// Arguments with such a value are valid and are not what ran, so none of them
// is used: a policy that judged them would judge something else. A tool that
// is honestly called with the text "[REDACTED]" loses its arguments too, and
// is incomplete rather than wrong.
func altered(text string) truth.Reason {
	for i := 0; ; {
		j := strings.IndexByte(text[i:], '"')
		if j < 0 || i+j+1 >= len(text) {
			return ""
		}
		i += j + 1
		switch text[i] {
		case '[', '<', '_', '*':
			if why := alteredAt(text[i:]); why != "" {
				return why
			}
		}
	}
}

func alteredAt(text string) truth.Reason {
	for _, v := range alteredValues {
		if rest, ok := strings.CutPrefix(text, v.text); ok && (v.open || strings.HasPrefix(rest, `"`)) {
			return v.why
		}
	}
	return ""
}
