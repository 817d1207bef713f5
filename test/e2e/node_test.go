// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// A node is a Collector with a journal that sends what it has judged to a sink
// in the test, and whose process the test can kill and start again.
type node struct {
	t         testing.TB
	dir       string // configuration and log
	journal   string
	processor string // settings of the processor
	sink      *sink

	grpc, health, metrics string
	cmd                   *exec.Cmd
	exited                chan struct{}
	log                   *logBuffer
}

const nodeConfig = `
receivers:
  otlp: {protocols: {grpc: {endpoint: $GRPC}}}
processors:
  tdt:
$PROCESSOR
exporters:
  otlp_http:
    endpoint: $SINK
    compression: none
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
extensions:
  health_check:
    http: {endpoint: $HEALTH, status: {enabled: true, path: /}, config: {enabled: true, path: /config}}
    component_health: {include_recoverable_errors: true, recovery_duration: 1ms}
service:
  extensions: [health_check]
  pipelines:
    traces: {receivers: [otlp], processors: [tdt], exporters: [otlp_http]}
  telemetry:
    logs: {level: debug, encoding: json}
    metrics: {level: detailed, readers: [{pull: {exporter: {prometheus: {host: 127.0.0.1, port: $METRICS}}}}]}
`

// nodeKey is the key of the tests' journals, as an operator has one.
const nodeKey = "pV7kQ2sWz9Tx4LmB8yRfHc3NdJ6gUaE1"

const nodePolicy = `
tools: {allow: [read_file], deny: [wipe]}
schemas:
  read_file: {type: object, properties: {path: {type: string}}, required: [path]}
`

// newNode prepares a Collector with the given settings of evidence, one a line,
// and of the processor beside it. Its journal lies in the directory given.
func newNode(t testing.TB, journal, evidence, more string) *node {
	t.Helper()
	n := &node{t: t, dir: t.TempDir(), journal: journal, sink: newSink(t), log: &logBuffer{}}
	require.NoError(t, os.WriteFile(filepath.Join(n.dir, "policy.yaml"), []byte(nodePolicy), 0o600))
	n.processor = "policies: [{file: " + filepath.Join(n.dir, "policy.yaml") + ", name: node}]\n" +
		"hmac: {key: \"${env:NODE_KEY}\", key_id: node-1}\n" +
		"evidence:\n  directory: " + journal + "\n" + evidence + "\n" + more
	t.Cleanup(n.kill)
	return n
}

// config writes the configuration with ports that are free now.
func (n *node) config() string {
	n.t.Helper()
	n.grpc, n.health, n.metrics = freePort(n.t), freePort(n.t), freePort(n.t)
	_, port, err := net.SplitHostPort(n.metrics)
	require.NoError(n.t, err)
	text := strings.NewReplacer("$GRPC", n.grpc, "$PROCESSOR", indent(n.processor), "$SINK", n.sink.server.URL, "$HEALTH", n.health, "$METRICS", port).Replace(nodeConfig)
	path := filepath.Join(n.dir, "config.yaml")
	require.NoError(n.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// launch starts the process and returns at once.
func (n *node) launch() {
	n.t.Helper()
	n.cmd = exec.Command(distribution(n.t), "--feature-gates", "extension.healthcheck.useComponentStatus", "--config", n.config())
	n.cmd.Env = append(os.Environ(), "NODE_KEY="+nodeKey)
	n.cmd.Stderr, n.cmd.Stdout = n.log, n.log
	require.NoError(n.t, n.cmd.Start())
	n.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		_ = cmd.Wait()
		close(exited)
	}(n.cmd, n.exited)
}

// start starts the process and waits until it takes spans.
func (n *node) start() {
	n.t.Helper()
	n.launch()
	require.Eventually(n.t, n.ready, 30*time.Second, 20*time.Millisecond, "the Collector is not ready: %s", n.log)
}

func (n *node) ready() bool {
	resp, err := http.Get("http://" + n.health)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	conn, err := net.Dial("tcp", n.grpc)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// status returns what the health check says, of each component.
func (n *node) status() string {
	resp, err := http.Get("http://" + n.health + "/?verbose")
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return fmt.Sprintf("%d %s", resp.StatusCode, text)
}

// kill ends the process without any warning.
func (n *node) kill() {
	if n.cmd == nil {
		return
	}
	_ = n.cmd.Process.Kill()
	<-n.exited
	n.cmd = nil
}

// stop asks the process to end, and waits until it has.
func (n *node) stop() {
	n.t.Helper()
	_ = n.cmd.Process.Signal(syscall.SIGTERM)
	n.wait(30 * time.Second)
	require.True(n.t, n.cmd.ProcessState.Success(), n.log.String())
	n.cmd = nil
}

func (n *node) wait(d time.Duration) {
	n.t.Helper()
	select {
	case <-n.exited:
	case <-time.After(d):
		require.Fail(n.t, "the Collector did not end", n.log.String())
	}
}

// metric returns the sum of the metric's values, over all of its labels.
func (n *node) metric(name string) (sum float64) {
	resp, err := http.Get("http://" + n.metrics + "/metrics")
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	for _, m := range regexp.MustCompile(`(?m)^otelcol_processor_tdt_`+name+`(?:_total)?(?:\{[^}]*\})? (\S+)$`).FindAllSubmatch(text, -1) {
		v, _ := strconv.ParseFloat(string(m[1]), 64)
		sum += v
	}
	return sum
}

// connect returns a client of the Collector's receiver.
func (n *node) connect() (ptraceotlp.GRPCClient, func()) {
	n.t.Helper()
	conn, err := grpc.NewClient(n.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(n.t, err)
	return ptraceotlp.NewGRPCClient(conn), func() { _ = conn.Close() }
}

// send sends one batch.
func (n *node) send(td ptrace.Traces) error {
	client, done := n.connect()
	defer done()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err := client.Export(ctx, ptraceotlp.NewExportRequestFromTraces(td))
	return err
}

// callBatch makes a batch of calls in a trace of its own, which the two numbers
// name.
func callBatch(a, b, calls int) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range calls {
		span := spans.AppendEmpty()
		span.SetTraceID(pcommon.TraceID{0: 1, 4: byte(a >> 8), 5: byte(a), 6: byte(b >> 16), 7: byte(b >> 8), 8: byte(b)})
		span.SetSpanID(pcommon.SpanID{0: 1, 6: byte(i >> 8), 7: byte(i)})
		span.SetParentSpanID(pcommon.SpanID{0: 9})
		span.SetName("execute_tool read_file")
		span.SetStartTimestamp(pcommon.Timestamp(1e18 + i*1000))
		span.SetEndTimestamp(pcommon.Timestamp(1e18 + i*1000 + 500))
		span.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
		span.Attributes().PutStr("gen_ai.tool.name", "read_file")
		span.Attributes().PutStr("gen_ai.tool.call.arguments", fmt.Sprintf(`{"path":"/%d/%d/%d"}`, a, b, i))
	}
	return td
}

// A sink takes what Collectors send on.
type sink struct {
	server *httptest.Server

	mu       sync.Mutex
	spans    []ptrace.Span
	requests []string // as OTLP JSON
}

func newSink(t testing.TB) *sink {
	s := &sink{}
	s.server = httptest.NewServer(http.HandlerFunc(s.take))
	t.Cleanup(s.server.Close)
	return s
}

func (s *sink) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	request := ptraceotlp.NewExportRequest()
	if err != nil || request.UnmarshalProto(body) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	text, err := request.MarshalJSON()
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, string(text))
	for _, rs := range request.Traces().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				s.spans = append(s.spans, span)
			}
		}
	}
	s.mu.Unlock()
	answer, _ := ptraceotlp.NewExportResponse().MarshalProto()
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(answer)
}

// drain returns what came since it was asked last.
func (s *sink) drain() []ptrace.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	spans := s.spans
	s.spans = nil
	return spans
}

// A logBuffer keeps what a process writes, from the process's side.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
