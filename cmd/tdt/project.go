// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const projectLong = `Project verified evidence to spans, so that trace viewers can show it.

The files are those that tdt verify takes: one bundle, or carriers and rows as
one set. All of it verifies first; if anything does not, nothing is written, not
a single byte. Each row becomes one span, in the order of the rows.

  --format otlp        OTLP JSON, which every OpenTelemetry receiver takes
  --format projection  the projection document, which says what it leaves out

The view is lossy and one-directional: the carriers and rows are the source of
truth, and nothing is ever read back from it. It holds no arguments and no
digests of them. Records have no time; a span has that of its event in a bundle,
or that of --time.

Exit status: 0 it was written, 3 something does not verify, 1 tdt could not read
something or a file holds no evidence, 2 it was called wrongly.`

const projectExample = `  tdt project evidence.tar.gz > spans.json
  tdt project carriers.ndjson rows.ndjson --format projection`

func newProject(s streams) *cobra.Command {
	var at string
	c := &cobra.Command{
		Use:     "project FILE...",
		Short:   "Project verified evidence to OTLP spans",
		Long:    projectLong,
		Example: projectExample,
		Args:    cobra.MinimumNArgs(1),
	}
	c.Flags().StringVar(&at, "time", "", "time of spans whose records have none, RFC 3339 (default the epoch)")
	as := formatFlag(c, "otlp", "projection")
	c.RunE = func(_ *cobra.Command, files []string) error {
		p := projection{streams: s, fallback: time.Unix(0, 0)}
		if at != "" {
			t, err := time.Parse(time.RFC3339, at)
			if err != nil {
				return usagef("--time: want RFC 3339, such as 2026-01-02T03:04:05Z")
			}
			p.fallback = t
		}
		return p.run(files, as.value)
	}
	return c
}

// A projection is one use of the verb.
type projection struct {
	streams
	fallback time.Time
	times    []time.Time // of the rows, in their order
}

func (p *projection) run(files []string, format string) error {
	projector := carrier.NewProjector()
	f, err := p.feedSet(&projector.Verifier, files, func(r *seen) {
		if r.kind == carrier.KindRow {
			p.times = append(p.times, p.timeOf(r))
		}
	})
	if err != nil {
		return err
	}
	view, err := projector.Project()
	if err != nil || f.faults.total > 0 {
		return f.refuse(p.err)
	}
	if format == "projection" {
		_, err := view.WriteTo(p.out)
		return err
	}
	return p.writeSpans(view.Decisions())
}

func (p *projection) timeOf(r *seen) time.Time {
	if t, err := time.Parse(time.RFC3339, r.time); err == nil {
		return t
	}
	return p.fallback
}

// The parts of an OTLP JSON document that a projection has.
type (
	otlpSpan struct {
		TraceID    string          `json:"traceId"`
		SpanID     string          `json:"spanId"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"`
		Start      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []otlpAttribute `json:"attributes"`
	}
	otlpAttribute struct {
		Key   string `json:"key"`
		Value struct {
			Text string `json:"stringValue"`
		} `json:"value"`
	}
)

const (
	spanKindInternal = 1

	otlpHead = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"assay"}}]},` +
		`"scopeSpans":[{"scope":{"name":"` + producerName + `"},"spans":[`
	otlpTail = "\n]}]}]}\n"
)

// writeSpans writes the decisions as OTLP JSON, a span a line. All are of one
// trace. Its id and those of the spans are made from what they are about, so
// that the same evidence always makes the same spans.
func (p *projection) writeSpans(decisions []carrier.Decision) error {
	out := bufio.NewWriterSize(p.out, 1<<16)
	_, _ = io.WriteString(out, otlpHead) // an error stays with out until Flush
	trace := traceID(decisions)
	var attrs []carrier.Attribute
	for i := range decisions {
		d := &decisions[i]
		attrs = d.AppendAttributes(attrs[:0])
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_ = out.WriteByte('\n')
		text, err := json.Marshal(p.span(trace, d, attrs, i))
		if err != nil {
			return fmt.Errorf("span: %w", err)
		}
		_, _ = out.Write(text)
	}
	_, _ = io.WriteString(out, otlpTail)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write spans: %w", err)
	}
	return nil
}

func (p *projection) span(trace string, d *carrier.Decision, attrs []carrier.Attribute, i int) *otlpSpan {
	at := unixNano(p.times[i])
	const digest = len("sha256:")
	s := &otlpSpan{
		TraceID: trace, SpanID: string(d.Content[digest : digest+16]), Name: d.SpanName(), Kind: spanKindInternal,
		Start: at, End: at, Attributes: make([]otlpAttribute, len(attrs)),
	}
	for i, a := range attrs {
		s.Attributes[i].Key, s.Attributes[i].Value.Text = a.Key, a.Value
	}
	return s
}

// unixNano renders t as OTLP has it, which knows nothing before the epoch.
func unixNano(t time.Time) string {
	if t.Before(time.Unix(0, 0)) || t.Year() > 2261 {
		return "0"
	}
	return strconv.FormatInt(t.UnixNano(), 10)
}

func traceID(decisions []carrier.Decision) string {
	h := sha256.New()
	for i := range decisions {
		_, _ = io.WriteString(h, string(decisions[i].Content)+"\n") // a hash does not fail
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
