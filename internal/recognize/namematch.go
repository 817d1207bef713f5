// SPDX-License-Identifier: Apache-2.0

package recognize

import "strings"

// nameSeparators stand between a server's or plugin's name and the tool's.
const nameSeparators = "_-.:/"

// sameTool reports whether outer and inner can be names of one tool as seen
// from two layers: equal, or one is the other behind a server's, a name
// space's or a plugin's name and a separator. It compares; it changes neither.
func sameTool(outer, inner string) bool {
	outer, inner = bareComponent(outer), bareComponent(inner)
	if outer == "" || inner == "" {
		return false
	}
	return outer == inner || endsWithTool(outer, inner) || endsWithTool(inner, outer)
}

func endsWithTool(long, short string) bool {
	cut := len(long) - len(short)
	return cut > 1 && strings.HasSuffix(long, short) && strings.IndexByte(nameSeparators, long[cut-1]) >= 0
}

// bareComponent takes FastMCP's component key, tool:NAME@VERSION, to NAME.
func bareComponent(s string) string {
	rest, ok := strings.CutPrefix(s, "tool:")
	if !ok {
		return s
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[:at]
	}
	return rest
}
