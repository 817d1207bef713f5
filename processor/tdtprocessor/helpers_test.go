// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	"go.yaml.in/yaml/v3"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadatatest"
)

// testKey is a key that no vector uses.
const testKey = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

// captureFiles is where the recordings of real agents lie.
const captureFiles = "../../testdata/captures/*.jsonl"

// writeFile writes text into a file of a directory that the test owns, and
// returns its path.
func writeFile(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// withPolicy writes a policy file and returns a configuration with it and more.
func withPolicy(t testing.TB, policy, more string) string {
	t.Helper()
	return "policies: [{file: '" + writeFile(t, "policy.yaml", policy) + "'}]\n" + more
}

// readConfig reads a configuration as the Collector does, without validating.
func readConfig(t testing.TB, text string) *Config {
	t.Helper()
	var raw map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &raw))
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, confmap.NewFromStringMap(raw).Unmarshal(cfg))
	return cfg
}

// A rig is the processor as the Collector runs it, between a source and a sink,
// with all that it tells of itself.
type rig struct {
	processor.Traces
	sink *consumertest.TracesSink
	tel  *componenttest.Telemetry
	logs *observer.ObservedLogs
	host *reportHost
}

// newRig builds and starts the processor, and shuts it down with the test.
func newRig(t testing.TB, config string) *rig {
	t.Helper()
	r := &rig{sink: &consumertest.TracesSink{}}
	r.build(t, config, r.sink)
	require.NoError(t, r.Start(context.Background(), r.host))
	t.Cleanup(func() { require.NoError(t, r.Shutdown(context.Background())) })
	return r
}

func (r *rig) build(t testing.TB, config string, next consumer.Traces) {
	t.Helper()
	cfg := readConfig(t, config)
	require.NoError(t, confmap.Validate(cfg))
	set := r.settings(t)
	var err error
	r.Traces, err = NewFactory().CreateTraces(context.Background(), set, cfg, next)
	require.NoError(t, err)
}

func (r *rig) settings(t testing.TB) processor.Settings {
	r.tel = componenttest.NewTelemetry()
	t.Cleanup(func() { _ = r.tel.Shutdown(context.Background()) })
	r.host = &reportHost{}
	set := metadatatest.NewSettings(r.tel)
	var core zapcore.Core
	core, r.logs = observer.New(zap.DebugLevel)
	set.Logger = zap.New(core)
	return set
}

// consume sends one batch through and returns what came out.
func (r *rig) consume(t testing.TB, td ptrace.Traces) ptrace.Traces {
	t.Helper()
	r.sink.Reset()
	require.NoError(t, r.ConsumeTraces(context.Background(), td))
	all := r.sink.AllTraces()
	require.NotEmpty(t, all, "the batch was dropped")
	return all[len(all)-1]
}

// sum returns the sum of a counter's points, over all labels.
func (r *rig) sum(t testing.TB, name string) (total int64) {
	t.Helper()
	m, err := r.tel.GetMetric("otelcol_processor_tdt_" + name)
	if err != nil {
		return 0 // nothing was counted yet
	}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			total += p.Value
		}
	case metricdata.Gauge[int64]:
		for _, p := range data.DataPoints {
			total += p.Value
		}
	}
	return total
}

// told returns all that the processor told of itself: logs, metrics and status
// events, as text.
func (r *rig) told(t testing.TB) string {
	t.Helper()
	var out strings.Builder
	encoder := zapcore.NewJSONEncoder(zap.NewDevelopmentEncoderConfig())
	for _, e := range r.logs.All() {
		line, err := encoder.EncodeEntry(e.Entry, e.Context)
		require.NoError(t, err)
		out.Write(line.Bytes())
	}
	var metrics metricdata.ResourceMetrics
	require.NoError(t, r.tel.Reader.Collect(context.Background(), &metrics))
	text, err := json.Marshal(metrics)
	require.NoError(t, err)
	out.Write(text)
	for _, event := range r.host.all() {
		if event.Err() != nil {
			out.WriteString("\n" + event.Err().Error())
		}
	}
	return out.String()
}

// A reportHost keeps the status events that are reported to it.
type reportHost struct {
	mu     sync.Mutex
	events []*componentstatus.Event
}

func (*reportHost) GetExtensions() map[component.ID]component.Component { return nil }

func (h *reportHost) Report(event *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, event)
}

func (h *reportHost) all() []*componentstatus.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.events)
}

func (h *reportHost) last() componentstatus.Status {
	all := h.all()
	if len(all) == 0 {
		return componentstatus.StatusNone
	}
	return all[len(all)-1].Status()
}

// A recorder is a journal that keeps what it is given. It fails while err is
// set.
type recorder struct {
	mu   sync.Mutex
	kept []string
	err  error
}

func (r *recorder) Append(_ context.Context, events []carrier.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	for i := range events {
		r.kept = append(r.kept, events[i].Type+" "+events[i].RunID+" "+string(events[i].Data))
	}
	return nil
}

// withEngine replaces the processor's engine by one whose settings are changed.
func withEngine(t testing.TB, p *tdtProcessor, change func(*engine.Settings)) {
	t.Helper()
	s, err := p.settings((&rig{}).settings(t))
	require.NoError(t, err)
	change(s)
	s.RunKey = nil
	runSettings(s, p.cfg) // what is kept of runs depends on the journal
	p.ledger = s.Ledger
	p.engine, err = newEngine(s, p.cfg)
	require.NoError(t, err)
}

// eachCapture reads every recording, one batch a line.
func eachCapture(t testing.TB, visit func(name string, batches []ptrace.Traces)) {
	t.Helper()
	files, err := filepath.Glob(captureFiles)
	require.NoError(t, err)
	require.NotEmpty(t, files, "no recordings: a moved directory must not pass")
	for _, file := range files {
		visit(strings.TrimSuffix(filepath.Base(file), ".jsonl"), readCapture(t, file))
	}
}

func readCapture(t testing.TB, file string) (batches []ptrace.Traces) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(lines.Bytes())
		require.NoError(t, err, file)
		batches = append(batches, td)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, batches, file)
	return batches
}

// toolCall writes a span that records a tool call in the terms of the GenAI
// conventions. Without arguments args is "".
func toolCall(span ptrace.Span, id int, tool, args string) {
	span.SetTraceID(pcommon.TraceID{14: byte(id >> 8), 15: 1})
	span.SetSpanID(pcommon.SpanID{4: byte(id >> 24), 5: byte(id >> 16), 6: byte(id >> 8), 7: byte(id)})
	span.SetName("execute_tool " + tool)
	span.SetStartTimestamp(pcommon.Timestamp(1e18 + id))
	span.SetEndTimestamp(pcommon.Timestamp(2e18))
	span.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
	span.Attributes().PutStr("gen_ai.tool.name", tool)
	if args != "" {
		span.Attributes().PutStr("gen_ai.tool.call.arguments", args)
	}
}

// batchOf makes a batch with one span for each of fill.
func batchOf(fill ...func(ptrace.Span)) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "agent")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for _, f := range fill {
		f(spans.AppendEmpty())
	}
	return td
}

// callOf makes a batch of one tool call.
func callOf(tool, args string) ptrace.Traces {
	return batchOf(func(span ptrace.Span) { toolCall(span, 1, tool, args) })
}

func spansOf(td ptrace.Traces) (spans []ptrace.Span) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				spans = append(spans, span)
			}
		}
	}
	return spans
}

func firstSpan(td ptrace.Traces) ptrace.Span { return spansOf(td)[0] }

// attr returns an attribute as text, "" where there is none.
func attr(span ptrace.Span, key string) string {
	v, ok := span.Attributes().Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

func verdictOf(span ptrace.Span) string { return attr(span, carrier.AttrVerdict) }

func reasonsOf(span ptrace.Span) (reasons []string) {
	if v, ok := span.Attributes().Get(attrReasons); ok {
		for _, r := range v.Slice().All() {
			reasons = append(reasons, r.Str())
		}
	}
	return reasons
}

// reservedOf counts the attributes under the reserved names, all copies.
func reservedOf(attrs pcommon.Map) map[string]int {
	counts := map[string]int{}
	for key := range attrs.All() {
		if recognize.Reserved(key) {
			counts[key]++
		}
	}
	return counts
}
