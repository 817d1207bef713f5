// SPDX-License-Identifier: Apache-2.0

package recognize

// Dialects returns every built-in dialect, in the order in which they are
// tried: the first whose conditions hold names the observation, so what
// refines a convention stands before the convention. Fields are read from all
// that hold.
//
// The two conventions that the processor's own view is written in stand last:
// a span that carries it is recognized as before.
func Dialects() []Dialect {
	var all []Dialect
	for _, group := range [][]Dialect{
		mcpNamed, codingAgents, genAIFrameworks, traceloops, openInferences, mcpSpecific, platforms, mcpGeneric, openInferenceGeneric, genAIGeneric,
	} {
		all = append(all, group...)
	}
	return all
}
