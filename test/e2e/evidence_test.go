// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// long says that the long versions of tests are wanted: make torture.
func long() bool { return os.Getenv("TDT_TORTURE") != "" }

func nodeKeys(t testing.TB) *evidence.Keys {
	t.Helper()
	keys := &evidence.Keys{}
	require.NoError(t, keys.AddSecret("node-1", []byte(nodeKey)))
	return keys
}

// A held is what is needed of a record to compare spans with it.
type held struct {
	eventType, traceParent string
	observed, identity     string // of a carrier
}

// A tail reads a journal as it grows, over restarts of whoever writes it.
type tail struct {
	t    testing.TB
	dir  string
	r    *evidence.Reader
	held map[string]held // by the digest of the payload
}

func newTail(t testing.TB, dir string) *tail {
	j := &tail{t: t, dir: dir, held: map[string]held{}}
	t.Cleanup(func() {
		if j.r != nil {
			_ = j.r.Close()
		}
	})
	return j
}

// read takes in what has become durable since it was called last.
func (j *tail) read() map[string]held {
	j.t.Helper()
	if j.r == nil {
		r, err := evidence.OpenReader(j.dir, evidence.Filter{})
		require.NoError(j.t, err)
		j.r = r
	}
	for rec, err := range j.r.All() {
		require.NoError(j.t, err)
		h := held{eventType: strings.Clone(rec.Type), traceParent: strings.Clone(rec.TraceParent)}
		if rec.Type == carrier.TypeCarrier {
			c, err := carrier.Import(string(rec.Data))
			require.NoError(j.t, err)
			h.observed, h.identity = strings.Clone(string(c.ObservedInput())), string(c.IdentityDigest())
		}
		j.held[string(canon.Sum(rec.Data))] = h
	}
	return j.held
}

// heldIn returns what the journal holds, by the digest of the payload.
func heldIn(t testing.TB, dir string) map[string]held {
	t.Helper()
	return newTail(t, dir).read()
}

// records returns the records of a journal, by the digest of the payload.
func records(t testing.TB, dir string) map[string]*evidence.Record {
	t.Helper()
	r, err := evidence.OpenReader(dir, evidence.Filter{})
	require.NoError(t, err)
	defer r.Close()
	all := map[string]*evidence.Record{}
	for rec, err := range r.All() {
		require.NoError(t, err)
		all[string(canon.Sum(rec.Data))] = rec
	}
	return all
}

// sound verifies a journal that nobody writes.
func sound(t testing.TB, dir string) *evidence.Report {
	t.Helper()
	report, err := evidence.Verify(dir, evidence.VerifyOptions{Keys: nodeKeys(t), Carriers: true})
	require.NoError(t, err)
	require.Equal(t, evidence.Sound, report.Outcome, "%+v", report.Findings)
	return report
}

// citesWhatIsRecorded holds that each span that says recorded cites records of
// the journal.
func citesWhatIsRecorded(t testing.TB, spans []ptrace.Span, journal map[string]held) (recorded int) {
	t.Helper()
	for _, span := range spans {
		if span.Name() == "tdt.run" {
			if d := attr(span, "assay.tdt.run_record_digest"); d != "" {
				require.Contains(t, journal, d, "the record of a run is not in the journal")
			}
			continue
		}
		if attr(span, "assay.tdt.evidence") != "recorded" {
			require.Empty(t, attr(span, carrier.AttrContent))
			continue
		}
		h, ok := journal[attr(span, carrier.AttrContent)]
		require.True(t, ok, "a span cites a carrier that the journal does not have")
		require.Equal(t, carrier.TypeCarrier, h.eventType)
		require.Equal(t, attr(span, carrier.AttrObservedInput), h.observed)
		require.Equal(t, attr(span, carrier.AttrIdentity), h.identity)
		recorded++
	}
	return recorded
}

// TestTortureKilledCollectorsKeepTheirWord kills the Collector under load, at
// random moments, and starts it again on the same journal. Every digest on a span
// that left it is in the journal then; a batch that was not acknowledged is sent
// again and makes no second record; nothing that was acknowledged is missing.
func TestTortureKilledCollectorsKeepTheirWord(t *testing.T) {
	kills := 5
	if long() {
		kills = 200
	}
	dir := filepath.Join(t.TempDir(), "journal")
	n := newNode(t, dir, "  on_failure: block\n  max_segment_bytes: 262144\n  checkpoint_interval: 200ms", "")
	load, journal := &load{calls: 20, workers: 8}, newTail(t, dir)
	recorded := 0
	for range kills {
		n.start()
		load.run(n, time.Duration(30+rand.IntN(400))*time.Millisecond, n.kill)
		repairAfterACrash(t, n)
		recorded += citesWhatIsRecorded(t, n.sink.drain(), journal.read())
	}
	n.start()
	load.finish(n)
	n.stop()
	report := sound(t, dir)
	citesWhatIsRecorded(t, n.sink.drain(), journal.read())
	load.check(t, journal.held)
	require.Positive(t, recorded)
	t.Logf("%d kills, %d spans cited what was durable, %d carriers, %d torn ends", kills, recorded, report.Carriers, report.GapsTotal)
}

// repairAfterACrash starts the Collector once more, which repairs what the crash
// has left, and verifies the journal while it runs.
func repairAfterACrash(t testing.TB, n *node) {
	t.Helper()
	n.start()
	report, err := evidence.Verify(n.journal, evidence.VerifyOptions{Keys: nodeKeys(t), Live: true})
	require.NoError(t, err)
	require.NotEqual(t, evidence.Unsound, report.Outcome, "%+v", report.Findings)
	n.kill()
}

// A load sends batches until it is told to stop, each in a trace of its own.
type load struct {
	workers, calls int

	mu     sync.Mutex
	next   int
	acked  map[int]bool
	unsure []int // sent, and not acknowledged
}

// run sends for a while and calls end in the middle of it.
func (l *load) run(n *node, during time.Duration, end func()) {
	client, done := n.connect()
	defer done()
	ctx, cancel := context.WithCancel(context.Background())
	var workers sync.WaitGroup
	for range l.workers {
		workers.Go(func() {
			for ctx.Err() == nil {
				id := l.take()
				_, err := client.Export(ctx, ptraceotlp.NewExportRequestFromTraces(callBatch(id>>16, id&0xffff, l.calls)))
				l.tell(id, err)
				if err != nil {
					return
				}
			}
		})
	}
	time.Sleep(during)
	end()
	cancel()
	workers.Wait()
}

// take returns the next batch to send: first those that were not acknowledged.
func (l *load) take() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.unsure); n > 0 {
		id := l.unsure[n-1]
		l.unsure = l.unsure[:n-1]
		return id
	}
	l.next++
	return l.next
}

func (l *load) tell(id int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.unsure = append(l.unsure, id)
		return
	}
	if l.acked == nil {
		l.acked = map[int]bool{}
	}
	l.acked[id] = true
}

// finish sends what is left, until all of it is acknowledged.
func (l *load) finish(n *node) {
	for len(l.unsure) > 0 {
		id := l.take()
		l.tell(id, n.send(callBatch(id>>16, id&0xffff, l.calls)))
	}
}

// check holds that each call has one carrier, and each that was acknowledged one.
func (l *load) check(t testing.TB, journal map[string]held) {
	t.Helper()
	bySpan := map[string]int{}
	for _, h := range journal {
		if h.eventType == carrier.TypeCarrier {
			bySpan[h.traceParent]++
		}
	}
	for parent, n := range bySpan {
		require.Equal(t, 1, n, "the call of %s is recorded more than once", parent)
	}
	for id := range l.acked {
		for span := range allOf(callBatch(id>>16, id&0xffff, l.calls)) {
			require.Equal(t, 1, bySpan[fmt.Sprintf("00-%s-%s-01", span.TraceID(), span.SpanID())], "an acknowledged call has no record")
		}
	}
}

func allOf(td ptrace.Traces) func(func(ptrace.Span) bool) {
	return func(yield func(ptrace.Span) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(span) {
						return
					}
				}
			}
		}
	}
}

// TestASecondCollectorIsRefusedTheJournal starts another Collector on a journal
// that is in use.
func TestASecondCollectorIsRefusedTheJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	first := newNode(t, dir, "  on_failure: pass_through", "")
	first.start()
	second := newNode(t, dir, "  on_failure: pass_through", "")
	second.launch()
	second.wait(30 * time.Second)
	assert.False(t, second.cmd.ProcessState.Success())
	assert.Contains(t, second.log.String(), "evidence directory is in use by another instance")
	assert.Contains(t, second.log.String(), fmt.Sprintf("(process %d)", first.cmd.Process.Pid))
	assert.Contains(t, second.log.String(), "each instance needs a directory of its own")
	second.cmd = nil
	require.NoError(t, first.send(callBatch(1, 1, 3)), "the first one goes on")
	first.stop()
	sound(t, dir)
}

// TestATornEndIsRepairedAtTheNextStart cuts the journal within its last line.
func TestATornEndIsRepairedAtTheNextStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	n := newNode(t, dir, "  on_failure: block", "")
	n.start()
	require.NoError(t, n.send(callBatch(1, 1, 5)))
	n.kill()
	file := filepath.Join(dir, "journal-0000000001.ndjson")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(file, info.Size()-33))
	n.start()
	assert.EqualValues(t, 1, n.metric("evidence_torn_tails"))
	assert.Contains(t, n.log.String(), "the end of the journal was torn")
	require.NoError(t, n.send(callBatch(1, 2, 5)))
	n.stop()
	report := sound(t, dir)
	require.Len(t, report.Gaps, 1)
	assert.Equal(t, evidence.ReasonTornTail, report.Gaps[0].Cause)
	assert.EqualValues(t, 1, report.Gaps[0].Records, "a durable record is missing, and the journal says so")
}

// TestNoKeyAndNoArgumentShowsAnywhere runs a Collector at debug level with all
// of its own telemetry, and looks for the keys and for arguments in everything
// that can be seen of it.
func TestNoKeyAndNoArgumentShowsAnywhere(t *testing.T) {
	const canary = "c4n4ry-4rgum3nt"
	dir := filepath.Join(t.TempDir(), "journal")
	signing := "PRIVATE+KEY+example.com/node+b94b6ba3+AdEnehadYS+QUmOASwmxTDVbvLy8m0YV3oeMBCch+b/X"
	n := newNode(t, dir, "  on_failure: pass_through\n  signing_key: \"${env:NODE_SIGNING_KEY}\"", "arguments: remove")
	t.Setenv("NODE_SIGNING_KEY", signing)
	secret := strings.SplitN(signing, "+", 5)[4]
	n.start()
	td := callBatch(1, 1, 4)
	for span := range allOf(td) {
		span.Attributes().PutStr("gen_ai.tool.call.arguments", `{"path":"/`+canary+`","`+canary+`":"`+canary+`"}`)
	}
	bad := callBatch(1, 2, 1)
	for span := range allOf(bad) {
		span.Attributes().PutStr("gen_ai.tool.call.arguments", `{"`+canary+`":"`+canary)
	}
	require.NoError(t, n.send(td))
	require.NoError(t, n.send(bad))
	seen := map[string]string{
		"metrics": fetch(t, "http://"+n.metrics+"/metrics"), "health": n.status(), "effective config": fetch(t, "http://"+n.health+"/config"),
	}
	n.stop()
	seen["log"] = n.log.String()
	seen["print-config"] = n.printConfig()
	for _, span := range n.sink.drain() {
		seen["spans"] += fmt.Sprint(span.Attributes().AsRaw())
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		seen[filepath.Base(file)] = string(text)
	}
	assert.Contains(t, seen["journal-0000000001.ndjson"], `"tool_name":"read_file"`)
	assert.Contains(t, seen["print-config"], "[REDACTED]")
	assert.Contains(t, seen["effective config"], "[REDACTED]")
	assert.Contains(t, seen["spans"], "recorded")
	for what, text := range seen {
		for _, word := range []string{nodeKey, secret, canary} {
			assert.NotContains(t, text, word, what)
		}
	}
}

func fetch(t testing.TB, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(text)
}

// printConfig returns the configuration as the distribution prints it.
func (n *node) printConfig() string {
	n.t.Helper()
	cmd := exec.Command(distribution(n.t), "print-config", "--feature-gates", "extension.healthcheck.useComponentStatus", "--config", n.config())
	cmd.Env = append(os.Environ(), "NODE_KEY="+nodeKey)
	out, err := cmd.CombinedOutput()
	require.NoError(n.t, err, string(out))
	return string(out)
}
