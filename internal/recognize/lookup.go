// SPDX-License-Identifier: Apache-2.0

package recognize

import "slices"

// DialectNames lists the built-in dialects, in the order in which they are
// tried.
func DialectNames() []string {
	all := Dialects()
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Name
	}
	return names
}

// Title returns the framework that the dialect named name stands for. A name
// that is not built in is an operator's own, and its own title.
func Title(name string) string {
	all := Dialects()
	if i := slices.IndexFunc(all, func(d Dialect) bool { return d.Name == name }); i >= 0 {
		return all[i].Title
	}
	return name
}

// SameTool reports whether two names can be those of one tool as seen from two
// layers: equal, or one is the other behind the name of a server, a name space
// or a plugin. It proves nothing by itself (see SameCall).
func SameTool(a, b string) bool { return sameTool(a, b) }
