// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap/zapcore"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const (
	laxPolicy    = "tools: {allow: [search]}\nenforcement: {unconstrained_tools: allow}\n"
	strictPolicy = "tools: {deny: [search]}\nenforcement: {unconstrained_tools: allow}\n"
)

// A watched is a processor with one policy file that the test changes and has
// looked at when it likes.
type watched struct {
	*rig
	p    *tdtProcessor
	file string
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	w := &watched{rig: &rig{}, file: writeFile(t, "policy.yaml", laxPolicy)}
	var err error
	w.p, err = newProcessor(w.settings(t), readConfig(t, "policies: [{file: "+w.file+"}]\nreload_interval: 0s"))
	require.NoError(t, err)
	for _, s := range w.p.reloader.sources {
		s.settle = func() {}
	}
	require.NoError(t, w.p.start(t.Context(), w.host))
	t.Cleanup(func() { assert.NoError(t, w.p.shutdown(context.Background())) })
	return w
}

func (w *watched) write(t *testing.T, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(w.file, []byte(text), 0o600))
}

// verdict judges one call by what is in force now.
func (w *watched) verdict(t *testing.T) string {
	t.Helper()
	out, err := w.p.processTraces(t.Context(), callOf("search", "{}"))
	require.NoError(t, err)
	return verdictOf(firstSpan(out))
}

func (w *watched) inForce() string { return string(w.p.reloader.policies()[0].Truth.DeclaredDigest()) }

func TestAChangedPolicyJudgesTheNextBatch(t *testing.T) {
	w := newWatched(t)
	before := w.inForce()
	w.write(t, strictPolicy)
	assert.Equal(t, before, w.inForce(), "nothing changes before the file is looked at")
	w.p.reloader.reload()
	out, err := w.p.processTraces(t.Context(), batchOf(func(s ptrace.Span) { toolCall(s, 9, "search", "{}") }))
	require.NoError(t, err)
	assert.Equal(t, "mismatch", verdictOf(firstSpan(out)))
	assert.Equal(t, w.inForce(), attr(firstSpan(out), carrier.AttrDeclared))
	assert.NotEqual(t, before, w.inForce())
	assert.EqualValues(t, 1, w.sum(t, "policy_reloads"))
	assert.EqualValues(t, 1, w.sum(t, "policy_loaded"))

	logged := w.logs.FilterMessage("policy reloaded").All()
	require.Len(t, logged, 1)
	assert.Equal(t, before, logged[0].ContextMap()["previous_policy_digest"], "a valid policy may be a laxer one: both are told")
	assert.Equal(t, w.inForce(), logged[0].ContextMap()["declared_policy_digest"])

	w.p.reloader.reload()
	assert.EqualValues(t, 1, w.sum(t, "policy_reloads"), "a file that did not change is not read again")
}

// TestAPolicyFileThatDoesNotLoadChangesNothing spoils the file in every way,
// and puts it right again.
func TestAPolicyFileThatDoesNotLoadChangesNothing(t *testing.T) {
	const canary = "SECRET-in-the-file"
	for _, tt := range []struct {
		name, want string
		spoil      func(t *testing.T, file string)
	}{
		{"empty", "policy.yaml", writing("")},
		{"half-written", "policy.yaml:2", writing("tools:\n  allow: [" + canary + ", \"un")},
		{"binary", "policy.yaml", writing("\x00\xff\xfe" + canary)},
		{"an unknown field", "tools.alow", writing("tools:\n  alow: [" + canary + "]\n")},
		{"a value of the wrong type", "tools.allow", writing("tools: {allow: {" + canary + ": 1}}")},
		{"a repeated key", "policy.yaml:2", writing("tools: {allow: [" + canary + "]}\ntools: {deny: [" + canary + "]}")},
		{"an unknown anchor", "policy.yaml:1", writing("tools: {allow: [" + canary + ", *none]}")},
		{"an unknown enforcement", "enforcement.unconstrained_tools", writing("enforcement: {unconstrained_tools: " + canary + "}")},
		{"a faulty rule of order", "sequences", writing("sequences: [{type: max_calls, tool: " + canary + ", max: " + canary + "}]")},
		{"two documents", "policy.yaml", writing(laxPolicy + "---\n" + strictPolicy + "# " + canary)},
		{"a bomb", "policy.yaml", writing(yamlBomb())},
		{"too large", "bytes", writing(strings.Repeat("# "+canary+"\n", 1<<20))},
		{"gone", "no such file", func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) }},
		{"a directory", "it is not a file", func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.Mkdir(file, 0o700))
		}},
		{"a pipe", "it is not a file", func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			if err := exec.Command("mkfifo", file).Run(); err != nil {
				t.Skipf("no pipe can be made: %v", err)
			}
		}},
		{"a link to nowhere", "no such file", func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.Symlink(file+".gone", file))
		}},
		{"unreadable", "permission denied", func(t *testing.T, file string) {
			if os.Geteuid() == 0 {
				t.Skip("root reads everything")
			}
			require.NoError(t, os.Chmod(file, 0))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWatched(t)
			before := w.inForce()
			tt.spoil(t, w.file)
			for range 3 {
				w.p.reloader.reload()
			}
			assert.Equal(t, before, w.inForce(), "the last good policy stays")
			assert.Equal(t, "match", w.verdict(t))
			assert.Zero(t, w.sum(t, "policy_loaded"))
			assert.EqualValues(t, 1, w.sum(t, "policy_reloads"), "one fault is told once")
			errs := w.logs.FilterLevelExact(zapcore.ErrorLevel).All()
			require.Len(t, errs, 1)
			assert.Contains(t, fmt.Sprint(errs[0].ContextMap()["error"]), tt.want)
			assert.NotContains(t, w.told(t), canary, "names of fields apart, no part of the file is told")
			events := w.host.all()
			require.NotEmpty(t, events)
			assert.Equal(t, componentstatus.StatusRecoverableError, events[len(events)-1].Status())
			assert.ErrorContains(t, events[len(events)-1].Err(), "policy policy: ")

			require.NoError(t, os.RemoveAll(w.file))
			w.write(t, strictPolicy)
			w.p.reloader.reload()
			assert.NotEqual(t, before, w.inForce())
			assert.EqualValues(t, 1, w.sum(t, "policy_loaded"))
			events = w.host.all()
			assert.Equal(t, componentstatus.StatusOK, events[len(events)-1].Status())
		})
	}
}

func writing(text string) func(*testing.T, string) {
	return func(t *testing.T, file string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
}

// yamlBomb is a short text with many values once its aliases are followed.
func yamlBomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return b.String()
}

func TestTheSamePolicyAgainEndsAFault(t *testing.T) {
	w := newWatched(t)
	w.write(t, "tools: [")
	w.p.reloader.reload()
	require.Zero(t, w.sum(t, "policy_loaded"))
	w.write(t, laxPolicy)
	w.p.reloader.reload()
	assert.EqualValues(t, 1, w.sum(t, "policy_loaded"))
	events := w.host.all()
	assert.Equal(t, componentstatus.StatusOK, events[len(events)-1].Status())
}

func TestAnotherFaultOfTheSameFileIsToldToo(t *testing.T) {
	w := newWatched(t)
	for _, text := range []string{"tools: [", "tools: {alow: []}", "tools: {alow: []}"} {
		w.write(t, text)
		w.p.reloader.reload()
	}
	assert.Equal(t, 2, w.logs.FilterLevelExact(zapcore.ErrorLevel).Len(), "who mends one fault learns of the next")
}

// TestHalfOfAPolicyIsNotTaken writes while the file is looked at: the half that
// is there first is a valid policy.
func TestHalfOfAPolicyIsNotTaken(t *testing.T) {
	w := newWatched(t)
	before := w.inForce()
	w.p.reloader.sources[0].settle = func() { w.write(t, strictPolicy+"schemas: {search: {type: object}}\n") }
	w.write(t, strictPolicy)
	w.p.reloader.reload()
	assert.Equal(t, before, w.inForce())
	assert.Empty(t, w.host.all(), "a file that is being written is no fault")
	w.p.reloader.sources[0].settle = func() {}
	w.p.reloader.reload()
	assert.NotNil(t, w.p.reloader.policies()[0].Truth.Schema("search"), "it is taken once it is whole")
}

// TestASwappedLink is how a ConfigMap changes: the file's directory is a link
// that is replaced in one step.
func TestASwappedLink(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"one": laxPolicy, "two": strictPolicy} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "policy.yaml"), []byte(text), 0o600))
	}
	swap := func(to string) {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, "tmp")))
		require.NoError(t, os.Rename(filepath.Join(dir, "tmp"), filepath.Join(dir, "data")))
	}
	swap("one")
	r := newRig(t, "policies: [{file: "+filepath.Join(dir, "data", "policy.yaml")+"}]\nreload_interval: 5ms")
	assert.Equal(t, "match", verdictOf(firstSpan(r.consume(t, callOf("search", "{}")))))
	swap("two")
	id := 1
	assert.Eventually(t, func() bool {
		id++
		span := firstSpan(r.consume(t, batchOf(func(s ptrace.Span) { toolCall(s, id, "search", "{}") })))
		return verdictOf(span) == "mismatch"
	}, 10*time.Second, 10*time.Millisecond)
}

// TestAThousandReloadsUnderLoad changes the policy while batches pass: each is
// judged by one policy, and nothing piles up.
func TestAThousandReloadsUnderLoad(t *testing.T) {
	w := newWatched(t)
	stop := make(chan struct{})
	var load sync.WaitGroup
	for worker := range 2 {
		load.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				td := batchOf()
				spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
				for n := range 20 {
					toolCall(spans.AppendEmpty(), n+1, "search", "{}")
					spans.At(n).SetTraceID(pcommon.TraceID{0: byte(worker + 1), 1: byte(i >> 16), 2: byte(i >> 8), 3: byte(i)})
				}
				out, err := w.p.processTraces(context.Background(), td)
				assert.NoError(t, err)
				digests := map[string]bool{}
				for _, span := range spansOf(out) {
					digests[attr(span, carrier.AttrDeclared)+verdictOf(span)] = true
				}
				assert.Len(t, digests, 1, "a batch is judged by one policy")
			}
		})
	}
	reloads := 1000
	if testing.Short() {
		reloads = 50
	}
	var settled runtime.MemStats
	for i := range reloads {
		w.write(t, []string{laxPolicy, strictPolicy}[(i+1)%2])
		w.p.reloader.reload()
		if i == reloads/4 {
			runtime.GC()
			runtime.ReadMemStats(&settled)
		}
	}
	close(stop)
	load.Wait()
	assert.EqualValues(t, reloads, w.sum(t, "policy_reloads"))
	w.p.ledger.CloseAll(time.Now(), 1, 1<<30)
	var after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&after)
	assert.Less(t, after.HeapAlloc, settled.HeapAlloc*4+64<<20, "policies that were replaced go")
}
