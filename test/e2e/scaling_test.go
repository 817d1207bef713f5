// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	bits "encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const (
	scaledRuns   = 1000
	scaledAgents = 4
	scaledBatch  = 40 // runs that have a span in one batch
)

// TestTortureRunsOverThreeInstancesAreAsOverOne drives agents → balancer → three
// instances, as examples/scaling has them, and the same spans into one instance.
// The records are the same, though one of the three is killed on the way.
func TestTortureRunsOverThreeInstancesAreAsOverOne(t *testing.T) {
	if !long() {
		t.Skip("it needs dist/balancer and minutes: make torture")
	}
	for _, tt := range []struct {
		name               string
		balancer, instance []string // what differs from the examples
		runs               int
	}{
		{name: "by trace id", runs: scaledRuns},
		{
			name:     "by attribute",
			balancer: []string{"--set=exporters::load_balancing::routing_key=attributes", "--set=exporters::load_balancing::routing_attributes=[session.id]"},
			instance: []string{"--set=processors::tdt::runs::key=[session.id]"},
			runs:     scaledRuns / 2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) { threeAsOne(t, tt.balancer, tt.instance, tt.runs) })
	}
}

func threeAsOne(t *testing.T, balancer, instance []string, runs int) {
	binary, err := filepath.Abs(filepath.Join(root, "dist/balancer/otelcol-balancer"))
	require.NoError(t, err)
	require.FileExists(t, binary, "make dist-balancer")
	policy, dir := policyFile(t, orderPolicy), t.TempDir()
	var instances []*example
	var env []string
	for i := range 4 { // the last one sees everything
		x := newInstance(t, policy, filepath.Join(dir, fmt.Sprint(i)))
		x.args = instance
		x.run(t)
		instances = append(instances, x)
		env = append(env, fmt.Sprintf("INSTANCE_%d=%s", i+1, x.endpoint))
	}
	first := &example{binary: binary, config: "balancer.yaml", args: balancer, endpoint: freeEndpoint(t)}
	first.env = append(env, "BALANCER_ENDPOINT="+first.endpoint)
	first.run(t)

	sendAll(t, scaledRecording(), first, instances)
	require.False(t, t.Failed())
	one := instances[3].closedRuns(t, runs)
	var three []map[string]string
	total := 0
	for i, x := range instances[:3] {
		x.awaitClosed(t)
		three = append(three, x.closedRuns(t, 0))
		t.Logf("instance %d has %d runs", i+1, len(three[i]))
		assert.Greater(t, len(three[i]), runs/10, "the runs are spread")
		total += len(three[i])
	}
	require.Len(t, one, runs)
	require.Equal(t, runs, total, "each run lies in one journal")
	for run, want := range one {
		i := slices.IndexFunc(three, func(runs map[string]string) bool { return runs[run] != "" })
		require.GreaterOrEqual(t, i, 0, run)
		require.Equal(t, want, three[i][run], run)
	}
}

// sendAll sends what each agent has to the balancer and to the last instance.
// The second instance is killed on the way and started again.
func sendAll(t *testing.T, agents [][]ptrace.Traces, first *example, instances []*example) {
	var sending sync.WaitGroup
	for i, batches := range agents {
		sending.Go(func() {
			for j, batch := range batches {
				if i == 0 && j == len(batches)/2 {
					instances[1].kill(t)
					instances[1].run(t)
				}
				deliver(t, first.endpoint, batch)
				deliver(t, instances[3].endpoint, batch)
			}
		})
	}
	sending.Wait()
}

// scaledRecording makes what each agent sends: batches with one span of many
// runs each, in the order in which the spans began.
func scaledRecording() [][]ptrace.Traces {
	rng := rand.New(rand.NewPCG(1, 2))
	began := time.Now().Add(time.Minute) // after the storages begin
	agents := make([][]ptrace.Traces, scaledAgents)
	for agent := range agents {
		var open []func(ptrace.Span) bool
		next := agent
		for next < scaledRuns || len(open) > 0 {
			for len(open) < scaledBatch*2 && next < scaledRuns {
				open, next = append(open, scaledRun(rng, next, began)), next+scaledAgents
			}
			rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
			td := ptrace.NewTraces()
			rs := td.ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutStr("service.name", fmt.Sprint("agent-", agent))
			spans := rs.ScopeSpans().AppendEmpty().Spans()
			for i := range min(scaledBatch, len(open)) {
				if !open[i](spans.AppendEmpty()) {
					open[i] = nil
				}
			}
			open = slices.DeleteFunc(open, func(f func(ptrace.Span) bool) bool { return f == nil })
			agents[agent] = append(agents[agent], td)
		}
	}
	return agents
}

// scaledRun returns what writes the spans of a run one by one: its calls, then
// the root, which ends last. It reports whether there are more.
func scaledRun(rng *rand.Rand, run int, began time.Time) func(ptrace.Span) bool {
	calls, n := 1+rng.IntN(8), 0
	at := func(i int) pcommon.Timestamp {
		return pcommon.NewTimestampFromTime(began.Add(time.Duration(i) * time.Millisecond))
	}
	return func(span ptrace.Span) bool {
		trace := pcommon.TraceID{0: 0x77}
		bits.BigEndian.PutUint32(trace[12:], uint32(run))
		bits.BigEndian.PutUint64(trace[4:12], uint64(run)*0x9e3779b97f4a7c15) // as random as ids are
		span.SetTraceID(trace)
		// Two traces of one agent are one session.
		span.Attributes().PutInt("session.id", int64(run/(2*scaledAgents)*scaledAgents+run%scaledAgents))
		if n++; n > calls {
			span.SetSpanID(pcommon.SpanID{3: byte(run >> 8), 4: byte(run), 7: 1})
			span.SetName("invoke_agent")
			span.SetStartTimestamp(at(0))
			span.SetEndTimestamp(at(n + 1))
			return false
		}
		tool := []string{"read", "pay", "mail"}[rng.IntN(3)]
		span.SetSpanID(pcommon.SpanID{3: byte(run >> 8), 4: byte(run), 7: byte(n + 1)})
		span.SetParentSpanID(pcommon.SpanID{3: byte(run >> 8), 4: byte(run), 7: 1})
		span.SetName("execute_tool " + tool)
		span.SetStartTimestamp(at(n))
		span.SetEndTimestamp(at(n + 1))
		span.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
		span.Attributes().PutStr("gen_ai.tool.name", tool)
		if rng.IntN(10) > 0 {
			span.Attributes().PutStr("gen_ai.tool.call.arguments", fmt.Sprintf(`{"eur":%d}`, rng.IntN(110)))
		}
		return true
	}
}

// deliver sends a batch until it is taken.
func deliver(t *testing.T, endpoint string, td ptrace.Traces) {
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if !assert.NoError(t, err) {
		return
	}
	defer conn.Close()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		copied := ptrace.NewTraces()
		td.CopyTo(copied)
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		_, err := ptraceotlp.NewGRPCClient(conn).Export(ctx, ptraceotlp.NewExportRequestFromTraces(copied))
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			assert.NoError(t, err)
			return
		}
	}
}

// An example is a Collector that runs a configuration of examples/scaling.
type example struct {
	binary, config, endpoint, data string

	args   []string
	env    []string
	cmd    *exec.Cmd
	log    bytes.Buffer
	exited chan struct{}
}

const scaledIdle = 15 * time.Second

func newInstance(t *testing.T, policy, data string) *example {
	require.NoError(t, os.MkdirAll(data, 0o700))
	x := &example{binary: distribution(t), config: "instance.yaml", endpoint: freeEndpoint(t), data: data}
	x.env = []string{
		"INSTANCE=" + x.endpoint, "DATA=" + data, "POLICY=" + policy, "IDLE_TIMEOUT=" + scaledIdle.String(),
		"ASSAY_TDT_HMAC_KEY=" + nodeKey, "ASSAY_TDT_HMAC_KEY_ID=node-1",
	}
	return x
}

func (x *example) run(t *testing.T) {
	t.Helper()
	x.cmd = exec.Command(x.binary, append([]string{"--config", filepath.Join("examples/scaling", x.config)}, x.args...)...)
	x.cmd.Dir, x.cmd.Stderr, x.cmd.Env = root, &x.log, append(os.Environ(), x.env...)
	require.NoError(t, x.cmd.Start())
	cmd, exited := x.cmd, make(chan struct{})
	x.exited = exited
	go func() { _ = cmd.Wait(); close(exited) }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-exited:
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
		}
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.Dial("tcp", x.endpoint)
		if err == nil {
			conn.Close()
			return
		}
		select {
		case <-exited:
			require.Fail(t, "it did not start", x.log.String())
		default:
		}
		require.True(t, time.Now().Before(deadline), "it does not listen")
	}
}

func (x *example) kill(t *testing.T) {
	t.Helper()
	assert.NoError(t, x.cmd.Process.Kill())
	<-x.exited
}

// closedRuns returns what finally stands recorded of each run: its last record
// and the carriers that rows cite. It waits until there are so many.
func (x *example) closedRuns(t *testing.T, atLeast int) map[string]string {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(time.Second) {
		runs := recordedRuns(t, filepath.Join(x.data, "journal"))
		if len(runs) >= atLeast {
			return runs
		}
		require.True(t, time.Now().Before(deadline), "%d runs are recorded, want %d", len(runs), atLeast)
	}
}

// awaitClosed waits until no run was recorded for as long as a run is open.
func (x *example) awaitClosed(t *testing.T) {
	t.Helper()
	last, since := -1, time.Now()
	for deadline := time.Now().Add(3 * time.Minute); time.Since(since) < scaledIdle/2 && time.Now().Before(deadline); time.Sleep(time.Second) {
		if n := len(recordedRuns(t, filepath.Join(x.data, "journal"))); n != last {
			last, since = n, time.Now()
		}
	}
}

func recordedRuns(t *testing.T, dir string) map[string]string {
	t.Helper()
	r, err := evidence.OpenReader(dir, evidence.Filter{})
	require.NoError(t, err)
	defer r.Close()
	runs, rows := map[string]string{}, map[string][]string{}
	for rec, err := range r.All() {
		require.NoError(t, err)
		switch rec.Type {
		case engine.TypeRun:
			var record map[string]any
			require.NoError(t, json.Unmarshal(rec.Data, &record))
			delete(record, "supersedes")
			text, err := json.Marshal(record)
			require.NoError(t, err)
			runs[rec.RunID] = string(text)
		case carrier.TypeCarrier:
			rows[rec.RunID] = append(rows[rec.RunID], string(canon.Sum(rec.Data)))
		}
	}
	for run := range runs {
		slices.Sort(rows[run])
		runs[run] += "\n" + strings.Join(slices.Compact(rows[run]), "\n")
	}
	return runs
}
