// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"crypto/sha256"
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tool-decision-truth/collector/internal/ledger"
)

// A RunKey says what the spans of one run share: the names of attributes, the
// first present one of which counts. Without one, or where none is present, it
// is the trace.
type RunKey []string

// named returns the run that a span names by the key: the attribute's value
// together with the resource's service, so that two services that number their
// sessions alike do not share runs.
func (k RunKey) named(at Located) (ledger.ID, bool) {
	for _, name := range k {
		for _, attrs := range []pcommon.Map{at.Span.Attributes(), at.Resource.Resource().Attributes()} {
			if value := Text(attrs, name); value != "" {
				return hashedRun(name, value, at.Resource.Resource().Attributes()), true
			}
		}
	}
	return ledger.ID{}, false
}

// runOfTrace returns the run of a span that names none: its trace. A span
// without a trace id is alone, since spans of strangers lack it too.
func runOfTrace(at Located) ledger.ID {
	if trace := at.Span.TraceID(); !trace.IsEmpty() {
		return ledger.ID(trace)
	}
	return hashedRun("span_id", at.Span.SpanID().String(), at.Resource.Resource().Attributes())
}

func hashedRun(name, value string, resource pcommon.Map) (id ledger.ID) {
	h := sha256.New()
	write := func(s string) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	write(name)
	write(value)
	for _, key := range []string{"service.namespace", "service.name", "tenant.id"} {
		write(Text(resource, key))
	}
	copy(id[:], h.Sum(nil))
	return id
}

// Text returns the attribute named key as text, "" where it is not there.
func Text(attrs pcommon.Map, key string) string {
	if v, ok := attrs.Get(key); ok {
		return v.AsString()
	}
	return ""
}
