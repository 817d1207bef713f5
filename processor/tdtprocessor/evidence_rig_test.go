// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"go.yaml.in/yaml/v3"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadatatest"
)

// An evidenceRig is a processor with a journal, and with all that can be seen of it.
type evidenceRig struct {
	t       testing.TB
	p       *tdtProcessor
	dir     string // of the journal
	journal *unsureJournal
	tel     *componenttest.Telemetry
	logs    *observer.ObservedLogs
	host    *statusHost
	runs    *runSink
}

// evidenceKey is a key as an operator has one.
const evidenceKey = "Zq9vT3kP0sYw7LmB2xRfHc8NdJ4gUaE6"

const evidenceConfig = `
policies: [{file: $DIR/policy.yaml, name: desk}]
hmac: {key: ` + evidenceKey + `, key_id: rig-1}
evidence: {directory: $DIR/journal$EVIDENCE}
`

const evidencePolicy = `
tools: {allow: [read_file, pay], deny: [wipe]}
schemas:
  read_file: {type: object, properties: {path: {type: string}}, required: [path]}
`

// newEvidenceRig starts a processor. The texts given are more settings of `evidence`,
// and more settings beside it.
func newEvidenceRig(t testing.TB, evidenceSettings, more string) *evidenceRig {
	t.Helper()
	r := buildEvidenceRig(t, policyDirectory(t), evidenceSettings, more)
	r.start()
	return r
}

// policyDirectory returns a directory with a policy in it.
func policyDirectory(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(evidencePolicy), 0o600))
	return dir
}

// buildEvidenceRig returns a rig that is not started, in a directory that may have a
// journal already. The pairs replace words of its configuration.
func buildEvidenceRig(t testing.TB, dir, evidenceSettings, more string, pairs ...string) *evidenceRig {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	r := &evidenceRig{t: t, dir: filepath.Join(dir, "journal"), tel: componenttest.NewTelemetry(), logs: logs, host: &statusHost{}, runs: &runSink{}}
	t.Cleanup(func() { _ = r.tel.Shutdown(context.Background()) })
	set := metadatatest.NewSettings(r.tel)
	set.Logger = zap.New(core)
	if evidenceSettings != "" {
		evidenceSettings = ", " + evidenceSettings
	}
	cfg := evidenceSettingsOf(t, strings.NewReplacer(append(pairs, "$DIR", dir, "$EVIDENCE", evidenceSettings)...).Replace(evidenceConfig+more))
	var err error
	r.p, err = newProcessor(set, cfg)
	require.NoError(t, err)
	settings, err := r.p.settings(set)
	require.NoError(t, err)
	r.journal = &unsureJournal{Journal: r.p.journal}
	settings.Journal, r.p.ledger = r.journal, settings.Ledger
	r.p.engine, err = newEngine(settings, cfg)
	require.NoError(t, err)
	r.p.emit = r.runs.take
	return r
}

func evidenceSettingsOf(t testing.TB, text string) *Config {
	t.Helper()
	var raw map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &raw))
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, confmap.NewFromStringMap(raw).Unmarshal(cfg))
	require.NoError(t, confmap.Validate(cfg))
	return cfg
}

func (r *evidenceRig) start() {
	r.t.Helper()
	require.NoError(r.t, r.p.start(context.Background(), r.host))
	r.t.Cleanup(func() { _ = r.p.shutdown(context.Background()) })
}

func (r *evidenceRig) stop() {
	r.t.Helper()
	require.NoError(r.t, r.p.shutdown(context.Background()))
}

// process gives the processor one batch.
func (r *evidenceRig) process(td ptrace.Traces) error {
	_, err := r.p.processTraces(context.Background(), td)
	return err
}

// records returns what the journal holds durably, by the digest of the payload.
func (r *evidenceRig) records() map[string]*evidence.Record {
	r.t.Helper()
	all := map[string]*evidence.Record{}
	for _, rec := range readJournal(r.t, r.dir) {
		all[string(canon.Sum(rec.Data))] = rec
	}
	return all
}

// count returns how many records of a type the journal holds.
func (r *evidenceRig) count(eventType string) int {
	r.t.Helper()
	n := 0
	for _, rec := range readJournal(r.t, r.dir) {
		if rec.Type == eventType {
			n++
		}
	}
	return n
}

// metric returns the sum over all attributes of a metric, or of those where the
// attribute named has the value given.
func (r *evidenceRig) metric(name string, label ...string) int64 {
	r.t.Helper()
	m, err := r.tel.GetMetric("otelcol_processor_tdt_" + name)
	if err != nil {
		return 0
	}
	var points []metricdata.DataPoint[int64]
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		points = data.DataPoints
	case metricdata.Gauge[int64]:
		points = data.DataPoints
	}
	var sum int64
	for _, p := range points {
		if len(label) == 2 {
			if v, _ := p.Attributes.Value(attribute.Key(label[0])); v.AsString() != label[1] {
				continue
			}
		}
		sum += p.Value
	}
	return sum
}

// An unsureJournal is a journal that fails as it is told: before it writes, or
// after it has written and without saying so.
type unsureJournal struct {
	engine.Journal
	before, after atomic.Pointer[error]
	appends       atomic.Int64
}

func (j *unsureJournal) Append(ctx context.Context, events []carrier.Event) error {
	j.appends.Add(1)
	if err := j.before.Load(); err != nil {
		return *err
	}
	err := j.Journal.Append(ctx, events)
	if lie := j.after.Load(); lie != nil {
		return *lie
	}
	return err
}

func (j *unsureJournal) fail(err error)   { j.before.Store(&err) }
func (j *unsureJournal) forget(err error) { j.after.Store(&err) }
func (j *unsureJournal) work() {
	j.before.Store(nil)
	j.after.Store(nil)
}

// A statusHost is a host that keeps the status that it was told.
type statusHost struct {
	mu     sync.Mutex
	events []*componentstatus.Event
}

func (h *statusHost) GetExtensions() map[component.ID]component.Component { return nil }

// Report implements componentstatus.Reporter.
func (h *statusHost) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// last returns the last status, and its error's text.
func (h *statusHost) last() (componentstatus.Status, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.events) == 0 {
		return componentstatus.StatusNone, ""
	}
	e := h.events[len(h.events)-1]
	return e.Status(), fmt.Sprint(e.Err())
}

// A runSink takes the spans of closed runs.
type runSink struct {
	mu    sync.Mutex
	spans []ptrace.Span
}

func (s *runSink) take(_ context.Context, td ptrace.Traces) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for span := range spansIn(td) {
		s.spans = append(s.spans, span)
	}
	return nil
}

func (s *runSink) all() []ptrace.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]ptrace.Span(nil), s.spans...)
}

// callSpans makes a batch of calls of read_file in one trace, with the ids from
// first on.
func callSpans(trace byte, first, n int) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range n {
		fillCall(spans.AppendEmpty(), trace, first+i, "read_file", fmt.Sprintf(`{"path":"/data/%d"}`, first+i))
	}
	return td
}

func fillCall(span ptrace.Span, trace byte, id int, tool, args string) {
	span.SetTraceID(pcommon.TraceID{0: trace, 15: 1})
	span.SetSpanID(pcommon.SpanID{0: 1, 5: byte(id >> 16), 6: byte(id >> 8), 7: byte(id)})
	span.SetParentSpanID(pcommon.SpanID{0: 2})
	span.SetName("execute_tool " + tool)
	span.SetStartTimestamp(pcommon.Timestamp(1e18 + id*1000))
	span.SetEndTimestamp(pcommon.Timestamp(1e18 + id*1000 + 500))
	span.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
	span.Attributes().PutStr("gen_ai.tool.name", tool)
	if args != "" {
		span.Attributes().PutStr("gen_ai.tool.call.arguments", args)
	}
}

// How long something may take that happens in the background, and how often one
// looks.
const (
	waitFor = 10 * time.Second
	tick    = 5 * time.Millisecond
)
