// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"encoding/hex"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
)

const (
	storedConfig = "runs: {storage: file_storage}\nhmac: {key: " + testKey + ", key_id: k}"
	storedPolicy = `
tools: {allow: [read, mail]}
schemas: {read: {type: object}, mail: {type: object}}
sequences:
  - {type: never_after, trigger: read, forbidden: mail}
`
)

// A storedRig is a processor with a storage.
type storedRig struct {
	*tdtProcessor
	rig  rig
	held *fakeStorage
}

func newStoredRig(t *testing.T, config string, held *fakeStorage) *storedRig {
	t.Helper()
	r := &storedRig{held: held, rig: rig{sink: &consumertest.TracesSink{}}}
	set := r.rig.settings(t)
	cfg := readConfig(t, config)
	require.NoError(t, confmap.Validate(cfg))
	var err error
	r.tdtProcessor, err = newProcessor(set, cfg)
	require.NoError(t, err)
	r.every, r.emit = time.Hour, r.rig.sink.ConsumeTraces
	require.NoError(t, r.start(context.Background(), &reportingStorageHost{r.rig.host, hostWith(held)}))
	return r
}

// A reportingStorageHost hears of the component's status, too.
type reportingStorageHost struct {
	*reportHost
	storage *storageHost
}

func (h *reportingStorageHost) GetExtensions() map[component.ID]component.Component {
	return h.storage.GetExtensions()
}

func (r *storedRig) end(t *testing.T) {
	t.Helper()
	require.NoError(t, r.shutdown(context.Background()))
}

// call sends a call of a run through and returns its span.
func (r *storedRig) call(t *testing.T, run byte, id int, tool string) ptrace.Span {
	t.Helper()
	td, err := r.processTraces(context.Background(), batchOf(func(span ptrace.Span) {
		toolCall(span, id, tool, `{}`)
		start := pcommon.NewTimestampFromTime(r.now()) + pcommon.Timestamp(id)
		span.SetStartTimestamp(start)
		span.SetEndTimestamp(start + 1)
		span.SetTraceID(pcommon.TraceID{0: 0xee, 15: run})
	}))
	require.NoError(t, err)
	return firstSpan(td)
}

func TestStorageThatIsRefusedAtTheStart(t *testing.T) {
	other := componenttest.NewNopHost()
	for _, tt := range []struct {
		name string
		host component.Host
		want string
	}{
		{"an extension that is not there", other, `there is no extension "file_storage"`},
		{"an extension that stores nothing", hostWith(nopExtension{}), "stores nothing"},
		{"one that cannot list what it holds", hostWith(&unlisted{newFakeStorage()}), "cannot list what it holds"},
		{"one that fails to list", hostWith(&fakeStorage{held: map[string][]byte{}, listing: errors.New("bad disk")}), "list: bad disk"},
		{"one that fails to write", hostWith(&fakeStorage{held: map[string][]byte{}, err: errors.New("bad disk")}), "bad disk"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &rig{}
			r.build(t, withPolicy(t, storedPolicy, storedConfig), consumertest.NewNop())
			err := r.Start(context.Background(), tt.host)
			require.ErrorContains(t, err, tt.want)
			assert.ErrorContains(t, err, "runs: storage: ")
			assert.NoError(t, r.Shutdown(context.Background()))
		})
	}
}

type nopExtension struct {
	component.StartFunc
	component.ShutdownFunc
}

// unlisted hides that the storage can list what it holds.
type unlisted struct{ *fakeStorage }

func (u *unlisted) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return struct{ storage.Client }{u.fakeStorage}, nil
}

func TestARestartGoesOnWhereTheInstanceStopped(t *testing.T) {
	for name, config := range map[string]string{"keyed": storedConfig, "without a key": "runs: {storage: file_storage}"} {
		t.Run(name, func(t *testing.T) {
			config := withPolicy(t, storedPolicy, config)
			first := newStoredRig(t, config, newFakeStorage())
			at := first.now()
			first.now = func() time.Time { return at }
			first.call(t, 1, 1, "read")
			dead := first.held.copy() // what a killed process leaves
			first.end(t)
			assert.Len(t, first.held.stored(), 1, "a stop leaves open runs as they are")
			assert.Equal(t, 1, first.held.closed)
			assert.Zero(t, first.rig.sink.SpanCount(), "and sends no span of them")

			for what, held := range map[string]*fakeStorage{"stopped": first.held, "killed": dead} {
				second := newStoredRig(t, config, held)
				second.now = func() time.Time { return at }
				second.call(t, 1, 1, "read")
				mail := second.call(t, 1, 2, "mail")
				assert.Equal(t, `["never_after:read->mail"]`, attr(mail, attrViolatedRules), what)
				assert.Equal(t, "match", attr(mail, "assay.tdt.run_verdict"), what)
				require.NoError(t, second.engine.CloseAll(context.Background(), at, ledger.WhyEnd, func(runs []*engine.ClosedRun) {
					require.Len(t, runs, 1)
					assert.EqualValues(t, 2, runs[0].Record.Calls, "the first call is known again")
				}))
				second.end(t)
			}
		})
	}
}

func TestAStorageThatBeganLater(t *testing.T) {
	config := withPolicy(t, storedPolicy, storedConfig)
	r := newStoredRig(t, config, newFakeStorage())
	defer r.end(t)
	began := r.now
	r.now = func() time.Time { return began().Add(-time.Hour) }
	assert.Equal(t, "incomplete", attr(r.call(t, 1, 1, "read"), "assay.tdt.run_verdict"), "the run began before")
	r.now = began
	assert.Equal(t, "match", attr(r.call(t, 2, 1, "read"), "assay.tdt.run_verdict"))
}

func TestARunThatCannotBeReadIsLost(t *testing.T) {
	config := withPolicy(t, storedPolicy, storedConfig)
	first := newStoredRig(t, config, newFakeStorage())
	for run := range byte(3) {
		first.call(t, run, 1, "read")
	}
	first.end(t)
	held := first.held
	keys := held.stored()
	held.held[runPrefix+keys[0]] = []byte("torn")
	held.held[runPrefix+keys[1]] = held.held[runPrefix+keys[1]][:20]
	held.held[runPrefix+"no id"] = []byte("x")
	held.held["of somebody else"] = []byte("x")

	second := newStoredRig(t, config, held)
	defer second.end(t)
	assert.Equal(t, []string{keys[2]}, held.stored(), "what cannot be read is dropped")
	assert.Contains(t, held.held, "of somebody else")
	assert.Equal(t, 1, second.rig.logs.FilterMessage("stored runs cannot be read and are lost").Len())
	assert.Equal(t, "incomplete", attr(second.call(t, 0, 2, "read"), "assay.tdt.run_verdict"), "never a match")
	assert.Equal(t, "match", attr(second.call(t, 2, 2, "read"), "assay.tdt.run_verdict"))
}

func TestForgottenRunsAreDeleted(t *testing.T) {
	r := newStoredRig(t, withPolicy(t, storedPolicy, "runs: {storage: file_storage, idle_timeout: 1m, max_lifetime: 1h}"), newFakeStorage())
	defer r.end(t)
	begin := r.now()
	at := begin
	r.now = func() time.Time { return at }
	r.call(t, 1, 1, "read")
	at = begin.Add(2 * time.Minute)
	r.sweep(context.Background())
	assert.Equal(t, 1, r.rig.sink.SpanCount(), "it is closed")
	assert.Len(t, r.held.stored(), 1, "and remembered")
	at = begin.Add(3 * time.Hour)
	r.sweep(context.Background())
	assert.Empty(t, r.held.stored())
}

func TestAStorageThatFailsHarmsNoBatch(t *testing.T) {
	r := newStoredRig(t, withPolicy(t, storedPolicy, storedConfig), newFakeStorage())
	r.call(t, 1, 1, "read")
	r.held.fail(errors.New("disk full"))
	for id := range 3 {
		assert.Equal(t, "match", verdictOf(r.call(t, 2, id+1, "read")))
	}
	assert.EqualValues(t, 3, r.rig.sum(t, "run_storage_failures"))
	assert.Equal(t, componentstatus.StatusRecoverableError, r.rig.host.last())
	assert.Equal(t, 1, r.rig.logs.FilterMessageSnippet("runs are not stored").Len(), "it is told once")
	assert.Len(t, r.held.stored(), 1)

	r.held.fail(nil)
	r.sweep(context.Background())
	assert.Len(t, r.held.stored(), 2, "what could not be stored is tried again")
	assert.Equal(t, componentstatus.StatusOK, r.rig.host.last())
	r.end(t)
}

func TestWritersShareTransactions(t *testing.T) {
	r := newStoredRig(t, withPolicy(t, storedPolicy, storedConfig), newFakeStorage())
	before := r.held.batches
	r.store.write.Lock() // as if a transaction were under way
	var writers sync.WaitGroup
	for run := range byte(16) {
		writers.Go(func() { r.call(t, run, 1, "read") })
	}
	require.Eventually(t, func() bool {
		r.store.gather.Lock()
		defer r.store.gather.Unlock()
		return len(r.store.next.runs) == 16
	}, 5*time.Second, time.Millisecond)
	r.store.write.Unlock()
	writers.Wait()
	assert.Equal(t, 1, r.held.batches-before)
	assert.Len(t, r.held.stored(), 16)
	r.end(t)
}

// TestWhatIsStoredIsWhatTheLedgerHolds runs batches of the same runs at once: a
// write never leaves an older state behind.
func TestWhatIsStoredIsWhatTheLedgerHolds(t *testing.T) {
	r := newStoredRig(t, withPolicy(t, storedPolicy, storedConfig), newFakeStorage())
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 50 {
				r.call(t, byte(i%5), 1+w*50+i, "read")
			}
		})
	}
	writers.Wait()
	require.Len(t, r.held.stored(), 5)
	for run := range byte(5) {
		id := ledger.ID{0: 0xee, 15: run}
		now, ok := r.ledger.AppendRun(nil, id)
		require.True(t, ok)
		assert.Equal(t, now, r.held.held[runPrefix+hex.EncodeToString(id[:])])
	}
	r.end(t)
}
