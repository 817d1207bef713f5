// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"bufio"
	"fmt"
	"io"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// SchemaProjection is the schema of the offline projection (spec section 11).
const SchemaProjection = "assay.tool_decision_truth.otel_projection.v0"

// The conventions whose names the projection uses.
const (
	SemconvGenAI         = "1.37.0-development"
	SemconvOpenInference = "pinned"
)

// A Projector verifies a set of carriers and rows as a Verifier does, and
// projects it if all of it holds. It keeps what is projected of each carrier,
// some hundred bytes, until then.
type Projector struct {
	Verifier
	carriers map[sum]Decision
	rows     []projectedRow
}

type projectedRow struct {
	content sum
	run     truth.Verdict
}

// NewProjector returns a Projector for one set.
func NewProjector() *Projector {
	p := &Projector{carriers: map[sum]Decision{}}
	p.onCarrier = func(content sum, rec *Record) { p.carriers[content] = rec.Decision(0) }
	p.onRow = func(w *Row) { p.rows = append(p.rows, projectedRow{sumOf(w.content), w.run}) }
	return p
}

// A Projection is the lossy view of a set that verified. Only a Projector makes
// one.
type Projection struct {
	decisions []Decision
	report    Report
}

// Project returns the projection of the set, or the error of Finish: of a set
// that does not verify as a whole nothing is projected. The Projector is not
// used after that, and Finish is not called.
func (p *Projector) Project() (*Projection, error) {
	report, err := p.Finish()
	if err != nil {
		return nil, err
	}
	out := &Projection{report: report, decisions: make([]Decision, 0, len(p.rows))}
	for _, row := range p.rows {
		d := p.carriers[row.content]
		d.RunVerdict = row.run
		out.decisions = append(out.decisions, d)
	}
	return out, nil
}

// Decisions returns the projected decisions in the order of the rows.
func (p *Projection) Decisions() []Decision { return p.decisions }

// Report counts what was verified.
func (p *Projection) Report() Report { return p.report }

// WriteTo writes the offline document.
func (p *Projection) WriteTo(w io.Writer) (int64, error) {
	counted := &countingWriter{to: w}
	out := bufio.NewWriterSize(counted, 1<<16)
	buf := appendProjectionHead(nil)
	var attrs []Attribute
	for i := range p.decisions {
		d := &p.decisions[i]
		attrs = d.AppendAttributes(attrs[:0])
		buf = appendSpan(buf, i, d.SpanName(), attrs)
		_, _ = out.Write(buf) // an error stays with out until Flush
		buf = buf[:0]
	}
	_, _ = out.Write(appendProjectionTail(buf, len(p.decisions)))
	if err := out.Flush(); err != nil {
		return counted.n, fmt.Errorf("write projection: %w", err)
	}
	return counted.n, nil
}

// A countingWriter counts the bytes that were written.
type countingWriter struct {
	to io.Writer
	n  int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

func appendProjectionHead(dst []byte) []byte {
	dst = append(dst, "{\n  \"schema\": \""+SchemaProjection+"\",\n  \"semconv\": {\n    \"otel_genai\": \""+SemconvGenAI+
		"\",\n    \"openinference\": \""+SemconvOpenInference+"\"\n  },\n  \"spans\": ["...)
	return dst
}

func appendSpan(dst []byte, index int, name string, attrs []Attribute) []byte {
	if index > 0 {
		dst = append(dst, ',')
	}
	dst = appendMember(dst, "\n    {\n      \"name\": ", name)
	dst = append(dst, ",\n      \"kind\": \"INTERNAL\",\n      \"attributes\": {"...)
	for i, a := range attrs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = canon.AppendString(append(dst, "\n        "...), a.Key)
		dst = appendMember(dst, ": ", a.Value)
	}
	return append(dst, "\n      }\n    }"...)
}

// nonClaims says in the document what it does not say (spec section 13).
var nonClaims = [...]string{
	"This view goes one way and loses detail; the carriers and rows it was made from are the source of truth, and nothing is read back from it.",
	"Attributes under gen_ai, tool and openinference restate a decision for trace viewers; they are no record of what an instrumentation observed.",
	"A verdict is derived by comparing one observed call with a declared policy. It does not say that the call was safe, authorized, intended, " +
		"enforced or executed, nor that anything was complete beyond what was observed.",
	"Neither arguments nor their keyed digest are in this view.",
	"Attribute names follow OpenTelemetry GenAI semantic conventions " + SemconvGenAI + " and OpenInference as pinned.",
}

func appendProjectionTail(dst []byte, spans int) []byte {
	if spans > 0 {
		dst = append(dst, "\n  "...)
	}
	dst = append(dst, "],\n  \"resource_attributes\": {\n    \"service.name\": \"assay\"\n  },\n  \"lossy\": true,\n"+
		"  \"source_of_truth\": \"assay artifacts\",\n  \"non_claims\": ["...)
	for i, claim := range nonClaims {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = canon.AppendString(append(dst, "\n    "...), claim)
	}
	return append(dst, "\n  ]\n}\n"...)
}
