// SPDX-License-Identifier: Apache-2.0

// Package e2e drives the built distribution over real OTLP.
package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const root = "../.."

// distribution returns the path of the built Collector.
func distribution(t testing.TB) string {
	t.Helper()
	return built(t, "minimal/otelcol-tdt", "dist-minimal")
}

// A collector is a running otelcol-tdt.
type collector struct {
	grpc, http string
	dir        string
	template   string // of the configuration, configTemplate where it is empty
	cmd        *exec.Cmd
	log        *bytes.Buffer
	exited     chan error
}

func freeEndpoint(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

const configTemplate = `
receivers:
  otlp:
    protocols:
      grpc: {endpoint: $GRPC}
      http: {endpoint: $HTTP}
processors:
  tdt:
$PROCESSOR
exporters:
  file: {path: $DIR/spans.jsonl}
service:
  pipelines:
    traces: {receivers: [otlp], processors: [tdt], exporters: [file]}
  telemetry:
    metrics: {level: detailed, readers: [{pull: {exporter: {prometheus: {host: 127.0.0.1, port: $METRICS}}}}]}
`

// start runs the Collector with the given configuration of the processor and
// stops it when the test ends.
func start(t *testing.T, processor string, env ...string) *collector {
	t.Helper()
	c := &collector{grpc: freeEndpoint(t), http: freeEndpoint(t), dir: t.TempDir(), log: &bytes.Buffer{}, exited: make(chan error, 1)}
	c.launch(t, processor, env...)
	t.Cleanup(func() { c.stop(t) })
	return c
}

func (c *collector) config(t *testing.T, processor string) string {
	_, port, err := net.SplitHostPort(freeEndpoint(t))
	require.NoError(t, err)
	text := strings.NewReplacer("$GRPC", c.grpc, "$HTTP", c.http, "$PROCESSOR", indent(processor), "$METRICS", port).Replace(cmp.Or(c.template, configTemplate))
	path := filepath.Join(c.dir, "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "$DIR", c.dir)), 0o600))
	return path
}

func (c *collector) launch(t *testing.T, processor string, env ...string) {
	t.Helper()
	c.cmd = exec.Command(distribution(t), "--config", c.config(t, processor))
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Dir = root
	c.cmd.Stderr = c.log
	require.NoError(t, c.cmd.Start())
	exited := make(chan error, 1)
	cmd := c.cmd
	go func() { exited <- cmd.Wait() }()
	c.exited = exited
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", c.http)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	}, 30*time.Second, 50*time.Millisecond, "the Collector did not listen")
}

// stop interrupts the Collector and waits until it has written what it holds.
func (c *collector) stop(t *testing.T) {
	t.Helper()
	if c.cmd.ProcessState != nil {
		return
	}
	_ = c.cmd.Process.Signal(syscall.SIGINT)
	select {
	case err := <-c.exited:
		require.NoError(t, err, c.log.String())
	case <-time.After(30 * time.Second):
		_ = c.cmd.Process.Kill()
		t.Fatal("the Collector did not stop")
	}
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

// recording reads a capture, one request a line.
func recording(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "testdata/captures", name))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.NotEmpty(t, lines)
	return lines
}

func parse(t *testing.T, line string) ptrace.Traces {
	t.Helper()
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(line))
	require.NoError(t, err)
	return td
}

func (c *collector) sendHTTP(t *testing.T, line string) *http.Response {
	t.Helper()
	resp, err := http.Post("http://"+c.http+"/v1/traces", "application/json", strings.NewReader(line))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp
}

func (c *collector) sendGRPC(t *testing.T, td ptrace.Traces) error {
	t.Helper()
	conn, err := grpc.NewClient(c.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err = ptraceotlp.NewGRPCClient(conn).Export(ctx, ptraceotlp.NewExportRequestFromTraces(td))
	return err
}

// spans reads what the Collector has written, by span id.
func (c *collector) spans(t *testing.T) map[string]ptrace.Span {
	t.Helper()
	f, err := os.Open(filepath.Join(c.dir, "spans.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	found := map[string]ptrace.Span{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		for _, rs := range parse(t, lines.Text()).ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					found[span.SpanID().String()] = span
				}
			}
		}
	}
	require.NoError(t, lines.Err())
	return found
}

func attr(span ptrace.Span, key string) string {
	v, ok := span.Attributes().Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}
