// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
)

const storedTemplate = `
receivers:
  otlp:
    protocols:
      grpc: {endpoint: $GRPC}
      http: {endpoint: $HTTP}
processors:
  tdt:
$PROCESSOR
exporters:
  file: {path: $DIR/spans.jsonl, append: true}
extensions:
  file_storage: {directory: $DIR/storage, create_directory: true}
service:
  extensions: [file_storage]
  pipelines:
    traces: {receivers: [otlp], processors: [tdt], exporters: [file]}
  telemetry:
    metrics: {level: detailed, readers: [{pull: {exporter: {prometheus: {host: 127.0.0.1, port: $METRICS}}}}]}
`

const orderPolicy = `
tools: {allow: [read, pay, mail]}
schemas: {read: {type: object}, mail: {type: object}, pay: {type: object, properties: {eur: {type: number, maximum: 100}}, required: [eur]}}
sequences:
  - {type: never_after, trigger: read, forbidden: mail}
  - {type: max_calls, tool: pay, max: 1}
  - {type: before, first: read, then: pay}
`

// runOf makes the batches of one run: its root, and one call in each of the
// batches after that.
func runOf(began time.Time, tools ...string) []ptrace.Traces {
	at := func(i int) pcommon.Timestamp {
		return pcommon.NewTimestampFromTime(began.Add(time.Duration(i) * time.Millisecond))
	}
	span := func(id int, name string) (ptrace.Traces, ptrace.Span) {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "desk")
		s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.SetTraceID(pcommon.TraceID{0: 0xab, 15: 1})
		s.SetSpanID(pcommon.SpanID{7: byte(id)})
		s.SetName(name)
		s.SetStartTimestamp(at(id))
		s.SetEndTimestamp(at(id + 1))
		return td, s
	}
	root, _ := span(1, "invoke_agent desk")
	batches := []ptrace.Traces{root}
	for i, tool := range tools {
		td, s := span(2+i, "execute_tool "+tool)
		s.SetParentSpanID(pcommon.SpanID{7: 1})
		s.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
		s.Attributes().PutStr("gen_ai.tool.name", tool)
		s.Attributes().PutStr("gen_ai.tool.call.arguments", `{"eur":5}`)
		batches = append(batches, td)
	}
	return batches
}

// startStored runs a Collector that has a storage extension. killed ends it as
// a crash does, and starts it again.
func startStored(t *testing.T, processor string) (c *collector, killed func()) {
	t.Helper()
	c = &collector{grpc: freeEndpoint(t), http: freeEndpoint(t), dir: t.TempDir(), template: storedTemplate, log: &bytes.Buffer{}}
	c.launch(t, processor)
	t.Cleanup(func() { c.stop(t) })
	return c, func() {
		t.Helper()
		require.NoError(t, c.cmd.Process.Kill())
		<-c.exited
		c.launch(t, processor)
	}
}

// arrived reads what was written so far. A line may be torn where the Collector
// was killed, or is about to be written.
func (c *collector) arrived() (spans []ptrace.Span) {
	text, err := os.ReadFile(filepath.Join(c.dir, "spans.jsonl"))
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(text) {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err != nil {
			continue
		}
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					spans = append(spans, span)
				}
			}
		}
	}
	return spans
}

// closedSpan waits for the span of a run that was closed.
func (c *collector) closedSpan(t *testing.T) (run ptrace.Span) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		for _, span := range c.arrived() {
			if span.Name() == "tdt.run" {
				return span
			}
		}
	}
	require.Fail(t, "no run was closed", c.log.String())
	return run
}

// runRecords returns the records of runs in a journal, in its order.
func runRecords(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, rec := range records(t, dir) {
		if rec.Type == engine.TypeRun {
			all = append(all, string(rec.Data))
		}
	}
	return all
}

func storedProcessor(t *testing.T, dir, more string) string {
	return fmt.Sprintf(`policies: [{file: %s, name: main}]
evidence: {directory: %s}
hmac: {key: %s, key_id: node-1}
runs: {idle_timeout: 3s%s}`, policyFile(t, orderPolicy), dir, nodeKey, more)
}

// TestARunGoesOnAfterKills kills the instance after every call of a run: its
// record is the one that it has without.
func TestARunGoesOnAfterKills(t *testing.T) {
	batches := runOf(time.Now().Add(time.Minute), "read", "pay", "pay", "mail") // after the storages begin
	play := func(t *testing.T, kill bool) string {
		journal := filepath.Join(t.TempDir(), "journal")
		c, killed := startStored(t, storedProcessor(t, journal, ", storage: file_storage"))
		for i, batch := range batches {
			require.NoError(t, c.sendGRPC(t, batch))
			if kill {
				killed()
				require.NoError(t, c.sendGRPC(t, batches[i]), "and it is sent again")
			}
		}
		run := c.closedSpan(t)
		assert.Equal(t, "match", attr(run, "assay.tdt.run_verdict"))
		assert.Equal(t, "complete", attr(run, "assay.tdt.run_extent"))
		assert.Equal(t, "4", attr(run, "assay.tdt.run_calls"))
		assert.Equal(t, `["never_after:read->mail","max_calls:pay<=1"]`, attr(run, "assay.tdt.violated_rules"))
		c.stop(t)
		require.NotContains(t, c.log.String(), "panic")
		sound(t, journal)
		found := runRecords(t, journal)
		require.Len(t, found, 1)
		return found[0]
	}
	assert.Equal(t, play(t, false), play(t, true))
}

// TestARunIsLostWithoutStorage kills the instance in the middle of a run.
func TestARunIsLostWithoutStorage(t *testing.T) {
	batches := runOf(time.Now(), "read", "pay", "mail")
	journal := filepath.Join(t.TempDir(), "journal")
	c, killed := startStored(t, storedProcessor(t, journal, ""))
	require.NoError(t, c.sendGRPC(t, batches[0]))
	require.NoError(t, c.sendGRPC(t, batches[1]))
	killed()
	require.NoError(t, c.sendGRPC(t, batches[2]))
	require.NoError(t, c.sendGRPC(t, batches[3]))
	run := c.closedSpan(t)
	assert.Equal(t, "incomplete", attr(run, "assay.tdt.run_verdict"), "never a match")
	assert.Equal(t, "partial", attr(run, "assay.tdt.run_extent"))
	assert.Contains(t, attr(run, "assay.tdt.run_caveats"), "state_lost")
	for _, span := range c.arrived() {
		if v := attr(span, "assay.tdt.decision_verdict"); v != "" {
			assert.Equal(t, "match", v, "calls have their own verdicts")
		}
	}
	c.stop(t)
	sound(t, journal)
}

// TestOpenRunsOutliveAStop stops and starts an instance without a key: what
// tells spans apart is the same after that.
func TestOpenRunsOutliveAStop(t *testing.T) {
	processor := fmt.Sprintf("policies: [{file: %s}]\nruns: {idle_timeout: 3s, storage: file_storage}", policyFile(t, orderPolicy))
	c, _ := startStored(t, processor)
	batches := runOf(time.Now(), "read", "mail")
	require.NoError(t, c.sendGRPC(t, batches[0]))
	require.NoError(t, c.sendGRPC(t, batches[1]))
	c.stop(t)
	for _, span := range c.arrived() {
		require.NotEqual(t, "tdt.run", span.Name(), "the run is not over")
	}
	c.launch(t, processor)
	require.NoError(t, c.sendGRPC(t, batches[1]))
	require.NoError(t, c.sendGRPC(t, batches[2]))
	run := c.closedSpan(t)
	assert.Equal(t, "2", attr(run, "assay.tdt.run_calls"))
	assert.Equal(t, "complete", attr(run, "assay.tdt.run_extent"))
	assert.Equal(t, `["never_after:read->mail"]`, attr(run, "assay.tdt.violated_rules"))
}
