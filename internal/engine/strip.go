// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/recognize"
)

// Strip removes every attribute under the reserved names from all of td, and
// returns how many there were. Judge does so itself: this is for a batch that
// it could not go through.
func Strip(td ptrace.Traces) (removed int64) {
	for _, rs := range td.ResourceSpans().All() {
		removed += stripMap(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			removed += stripMap(ss.Scope().Attributes())
			for _, span := range ss.Spans().All() {
				removed += stripMap(span.Attributes()) + stripAround(span)
			}
		}
	}
	return removed
}

// stripAround removes reserved attributes from a span's events and links, and
// returns how many there were.
func stripAround(span ptrace.Span) int64 {
	var removed int64
	for _, event := range span.Events().All() {
		removed += stripMap(event.Attributes())
	}
	for _, link := range span.Links().All() {
		removed += stripMap(link.Attributes())
	}
	return removed
}

// stripMap removes every attribute under the reserved names, all copies of it,
// and returns how many there were. What arrives under these names was not
// written by us, and would be read as if it were. It looks before it removes:
// removing moves, and nearly no map has such a key.
func stripMap(attrs pcommon.Map) int64 {
	for key := range attrs.All() {
		if recognize.Reserved(key) {
			return removeReserved(attrs)
		}
	}
	return 0
}

func removeReserved(attrs pcommon.Map) int64 {
	before := attrs.Len()
	attrs.RemoveIf(func(key string, _ pcommon.Value) bool { return recognize.Reserved(key) })
	return int64(before - attrs.Len())
}
