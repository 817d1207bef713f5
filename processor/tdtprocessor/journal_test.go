// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadata"
)

func spansIn(td ptrace.Traces) iter.Seq[ptrace.Span] {
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

func attrText(span ptrace.Span, key string) string { return engine.Text(span.Attributes(), key) }

var errDisk = &evidence.AppendError{Reason: evidence.ReasonDiskFull, Err: errors.New("no space left on device")}

// TestNoSpanLeavesBeforeItsRecord looks into the journal at the moment at which
// each batch would go on, from many sides at once.
func TestNoSpanLeavesBeforeItsRecord(t *testing.T) {
	r := newEvidenceRig(t, "", "")
	var batches sync.WaitGroup
	for i := range 16 {
		batches.Go(func() {
			td := callSpans(byte(i+1), 0, 20)
			if !assert.NoError(t, r.process(td)) {
				return
			}
			durable := r.records()
			for span := range spansIn(td) {
				assert.Equal(t, "recorded", attrText(span, "assay.tdt.evidence"))
				rec := durable[attrText(span, "assay.tdt.carrier_content_digest")]
				if assert.NotNil(t, rec, "the carrier is not in the journal") {
					c, err := carrier.Import(string(rec.Data))
					assert.NoError(t, err)
					assert.Equal(t, attrText(span, "assay.tdt.observed_input_digest"), string(c.ObservedInput()))
					assert.Equal(t, attrText(span, "assay.tdt.decision_identity_digest"), string(c.IdentityDigest()))
				}
			}
		})
	}
	batches.Wait()
	assert.Equal(t, 320, r.count(carrier.TypeCarrier))
	assert.EqualValues(t, 320, r.metric("evidence_records"))
	assert.EqualValues(t, 1, r.metric("evidence_healthy"))
	r.stop()
	report, err := evidence.Verify(r.dir, evidence.VerifyOptions{Keys: keysOf(t, "rig-1", evidenceKey), Carriers: true})
	require.NoError(t, err)
	assert.Equal(t, evidence.Sound, report.Outcome)
	assert.EqualValues(t, 1, report.Uncovered, "a shutdown leaves a checkpoint over everything before it")
	assert.NotZero(t, r.metric("evidence_tree_size"))
	assert.Equal(t, 1, r.logs.FilterMessage("journal checkpoint").Len(), "a checkpoint goes out as a log line, too")
}

func keysOf(t testing.TB, idsAndSecrets ...string) *evidence.Keys {
	t.Helper()
	keys := &evidence.Keys{}
	for i := 0; i < len(idsAndSecrets); i += 2 {
		require.NoError(t, keys.AddSecret(idsAndSecrets[i], []byte(idsAndSecrets[i+1])))
	}
	return keys
}

func TestPassThroughSaysThatEvidenceFailed(t *testing.T) {
	r := newEvidenceRig(t, "on_failure: pass_through", "")
	r.journal.fail(errDisk)
	td := callSpans(1, 0, 3)
	require.NoError(t, r.process(td))
	for span := range spansIn(td) {
		assert.Equal(t, "failed", attrText(span, "assay.tdt.evidence"))
		assert.Equal(t, "match", attrText(span, "assay.tdt.decision_verdict"), "the verdict is there all the same")
		for _, key := range []string{carrier.AttrContent, carrier.AttrIdentity, carrier.AttrObservedInput} {
			assert.Empty(t, attrText(span, key), "a digest that the journal does not hold")
		}
	}
	assert.Zero(t, r.count(carrier.TypeCarrier))

	r.journal.work()
	again := callSpans(1, 0, 3)
	require.NoError(t, r.process(again))
	for span := range spansIn(again) {
		assert.Equal(t, "recorded", attrText(span, "assay.tdt.evidence"), "a span that is sent again is recorded then")
	}
	assert.Equal(t, 3, r.count(carrier.TypeCarrier))
}

func TestBlockRefusesTheBatchUntilItsEvidenceIsDurable(t *testing.T) {
	r := newEvidenceRig(t, "on_failure: block", "")
	r.journal.fail(errDisk)
	td := callSpans(1, 0, 3)
	err := r.process(td)
	require.ErrorIs(t, err, errDisk)
	assert.False(t, consumererror.IsPermanent(err), "senders try again only where the error is retryable")
	for range 3 {
		require.Error(t, r.process(callSpans(1, 0, 3)))
	}

	r.journal.work()
	again := callSpans(1, 0, 3)
	require.NoError(t, r.process(again))
	require.NoError(t, r.process(callSpans(1, 0, 3)), "and once more, as by a sender that missed the answer")
	for span := range spansIn(again) {
		assert.Equal(t, "recorded", attrText(span, "assay.tdt.evidence"))
		assert.NotNil(t, r.records()[attrText(span, carrier.AttrContent)])
	}
	assert.Equal(t, 3, r.count(carrier.TypeCarrier), "a retried batch makes no second record")
}

// TestARecordWhoseFateWasUnknownIsNotWrittenTwice fails after the records are on
// disk, as a sync does whose answer comes too late.
func TestARecordWhoseFateWasUnknownIsNotWrittenTwice(t *testing.T) {
	r := newEvidenceRig(t, "on_failure: block", "")
	r.journal.forget(&evidence.AppendError{Reason: evidence.ReasonStalled, Unsettled: true})
	require.Error(t, r.process(callSpans(1, 0, 3)))
	assert.Equal(t, 3, r.count(carrier.TypeCarrier))
	r.journal.work()
	td := callSpans(1, 0, 3)
	require.NoError(t, r.process(td))
	assert.Equal(t, 3, r.count(carrier.TypeCarrier))
	for span := range spansIn(td) {
		assert.NotNil(t, r.records()[attrText(span, carrier.AttrContent)])
	}
}

// TestARefusedBatchDoesNotEndItsRun is about batches that hold whole runs: the
// run of a batch that will come again is not over.
func TestARefusedBatchDoesNotEndItsRun(t *testing.T) {
	r := newEvidenceRig(t, "on_failure: block", "runs: {scope: batch}")
	r.journal.fail(errDisk)
	require.Error(t, r.process(callSpans(1, 0, 2)))
	assert.Empty(t, r.runs.all())
	r.journal.work()
	require.NoError(t, r.process(callSpans(1, 0, 2)))
	require.Len(t, r.runs.all(), 1)
	assert.Equal(t, 2, r.count(carrier.TypeRow))
	assert.Equal(t, 1, r.count(engine.TypeRun))
}

func TestARunThatEndsWhileTheJournalFails(t *testing.T) {
	for _, tt := range []struct {
		mode  string
		spans int // of closed runs, before the journal works again
	}{
		{"block", 0},
		{"pass_through", 1},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			r := newEvidenceRig(t, "on_failure: "+tt.mode, "runs: {idle_timeout: 1ms}")
			require.NoError(t, r.process(callSpans(1, 0, 2)))
			r.journal.fail(errDisk)
			require.Eventually(t, func() bool {
				r.p.sweep(context.Background())
				return r.metric("runs_closed") == 1
			}, waitFor, tick)
			assert.Len(t, r.runs.all(), tt.spans)
			assert.Zero(t, r.count(engine.TypeRun))

			r.journal.work()
			r.p.sweep(context.Background())
			assert.Equal(t, 2, r.count(carrier.TypeRow))
			assert.Equal(t, 1, r.count(engine.TypeRun), "its record is made up for")
			require.Len(t, r.runs.all(), 1, "its span goes on once")
			digest := attrText(r.runs.all()[0], attrRunRecord)
			if tt.mode == "block" {
				require.NotNil(t, r.records()[digest])
			} else {
				assert.Empty(t, digest, "the span left before there was a record")
			}
		})
	}
}

// TestNoContentRefusesABatch sends calls that no record can hold beside one that
// is as it should be. To refuse the batch would be to refuse it for ever.
func TestNoContentRefusesABatch(t *testing.T) {
	for _, tt := range []struct{ name, tool, callID string }{
		{"a name of two megabytes", strings.Repeat("x", 2<<20), "call-1"},
		{"a call id of two megabytes", "read_file", strings.Repeat("x", 2<<20)},
		{"a call id that grows when it is escaped", "read_file", strings.Repeat("\x01", 300<<10)},
		{"a name that is not UTF-8", "read\xff", "call-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newEvidenceRig(t, "on_failure: block", "")
			td := callSpans(1, 0, 1)
			bad := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().AppendEmpty()
			fillCall(bad, 1, 7, tt.tool, `{"path":"/a"}`)
			bad.Attributes().PutStr("gen_ai.tool.call.id", tt.callID)
			require.NoError(t, r.process(td))
			good := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
			assert.Equal(t, "recorded", attrText(good, "assay.tdt.evidence"))
			if attrText(bad, "assay.tdt.evidence") == "recorded" {
				assert.NotNil(t, r.records()[attrText(bad, carrier.AttrContent)])
				return
			}
			assert.Equal(t, "failed", attrText(bad, "assay.tdt.evidence"))
			assert.Empty(t, attrText(bad, carrier.AttrContent))
			assert.EqualValues(t, 1, r.metric("evidence_failures", "reason", "unrecordable"))
		})
	}
}

func TestTheStatusNamesAllThatIsWrong(t *testing.T) {
	host := &statusHost{}
	board := &statusBoard{}
	board.fails("evidence", errors.New("before there is a host"))
	board.works("evidence")
	board.begin(host)
	board.works("evidence")
	status, _ := host.last()
	assert.Equal(t, componentstatus.StatusNone, status, "what did not fail has nothing to say")

	board.fails("evidence", errors.New("disk_full"))
	board.fails("policy desk", errors.New("desk.yaml:3: no"))
	status, text := host.last()
	assert.Equal(t, componentstatus.StatusRecoverableError, status)
	assert.Equal(t, "evidence: disk_full\npolicy desk: desk.yaml:3: no", text)
	board.works("evidence")
	status, text = host.last()
	assert.Equal(t, componentstatus.StatusRecoverableError, status, "the policy is still wrong")
	assert.Equal(t, "policy desk: desk.yaml:3: no", text)
	board.works("policy desk")
	status, _ = host.last()
	assert.Equal(t, componentstatus.StatusOK, status)
}

// TestHealthIsReportedWithAndWithoutACause goes through what the journal says of
// itself: a stalled one has no error to show.
func TestHealthIsReportedWithAndWithoutACause(t *testing.T) {
	r := newEvidenceRig(t, "", "")
	j := r.p.journal
	j.health(evidence.Health{Reason: evidence.ReasonStalled})
	status, text := r.host.last()
	assert.Equal(t, componentstatus.StatusRecoverableError, status)
	assert.Equal(t, "evidence: stalled", text)
	assert.Zero(t, r.metric("evidence_healthy"))
	j.health(evidence.Health{Reason: evidence.ReasonDiskFull, Err: errDisk.Err})
	_, text = r.host.last()
	assert.Equal(t, "evidence: disk_full: no space left on device", text)
	j.health(evidence.Health{})
	status, _ = r.host.last()
	assert.Equal(t, componentstatus.StatusOK, status)
	assert.EqualValues(t, 1, r.metric("evidence_healthy"))
}

func TestAJournalHasOneWriter(t *testing.T) {
	r := newEvidenceRig(t, "", "")
	second := buildEvidenceRig(t, filepath.Dir(r.dir), "", "")
	err := second.p.start(context.Background(), second.host)
	require.ErrorIs(t, err, evidence.ErrInUse)
	assert.ErrorContains(t, err, "each instance needs a directory of its own")
	require.NoError(t, second.p.shutdown(context.Background()))
	r.stop()
	second = buildEvidenceRig(t, filepath.Dir(r.dir), "", "")
	second.start()
}

func TestADirectoryThatIsNotSafeIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		make       func(t *testing.T, dir string)
	}{
		{"others may enter it", "want 0700", func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(dir, 0o755))
			require.NoError(t, os.Chmod(dir, 0o755))
		}},
		{"it is a link", "symbolic link", func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink(t.TempDir(), dir))
		}},
		{"it is a file", "it is a regular file, want a directory", func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(dir, nil, 0o600))
		}},
	} {
		for _, mode := range []string{"block", "pass_through"} {
			t.Run(tt.name+" with "+mode, func(t *testing.T) {
				r := buildEvidenceRig(t, policyDirectory(t), "on_failure: "+mode, "")
				tt.make(t, r.dir)
				assert.ErrorContains(t, r.p.start(context.Background(), r.host), tt.want)
				assert.NoError(t, r.p.shutdown(context.Background()))
			})
		}
	}
}

// TestATornEndIsSetAside cuts a journal in its last line, as a crash does.
func TestATornEndIsSetAside(t *testing.T) {
	r := newEvidenceRig(t, "", "runs: {idle_timeout: 1h}")
	require.NoError(t, r.process(callSpans(1, 0, 5)))
	r.stop()
	file := onlySegment(t, r.dir)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(file, int64(len(text)-40)))

	next := buildEvidenceRig(t, filepath.Dir(r.dir), "on_failure: block", "")
	next.start()
	assert.EqualValues(t, 1, next.metric("evidence_torn_tails"))
	assert.Equal(t, 1, next.logs.FilterMessageSnippet("torn").Len())
	require.NoError(t, next.process(callSpans(2, 0, 5)))
	next.stop()
	report, err := evidence.Verify(r.dir, evidence.VerifyOptions{Keys: keysOf(t, "rig-1", evidenceKey)})
	require.NoError(t, err)
	assert.Equal(t, evidence.Sound, report.Outcome, report.Findings)
	require.Len(t, report.Gaps, 1, "the verification names the gap")
	assert.Equal(t, evidence.ReasonTornTail, report.Gaps[0].Cause)
}

func onlySegment(t testing.TB, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "journal-*.ndjson"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return files[0]
}

// TestAChangedJournalIsRefusedOrLeft changes a record in the middle.
func TestAChangedJournalIsRefusedOrLeft(t *testing.T) {
	for _, mode := range []string{"block", "pass_through"} {
		t.Run(mode, func(t *testing.T) {
			r := newEvidenceRig(t, "", "")
			require.NoError(t, r.process(callSpans(1, 0, 5)))
			r.stop()
			file := onlySegment(t, r.dir)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), `"decision_verdict":"match"`, `"decision_verdict":"valid"`, 1)), 0o600))

			next := buildEvidenceRig(t, filepath.Dir(r.dir), "on_failure: "+mode, "")
			err = next.p.start(context.Background(), next.host)
			if mode == "block" {
				assert.ErrorContains(t, err, "set on_failure to pass_through")
				require.NoError(t, next.p.shutdown(context.Background()))
				return
			}
			require.NoError(t, err)
			status, why := next.host.last()
			assert.Equal(t, componentstatus.StatusRecoverableError, status)
			assert.Contains(t, why, "corrupt")
			assert.Zero(t, next.metric("evidence_healthy"))
			td := callSpans(2, 0, 1)
			require.NoError(t, next.process(td))
			for span := range spansIn(td) {
				assert.Equal(t, "recorded", attrText(span, "assay.tdt.evidence"))
			}
			next.stop()
		})
	}
}

// TestAShutdownWritesWhatItHolds ends a processor in every way in which one can
// be ended: while spans come, with a context that is over, twice, and without
// having been started.
func TestAShutdownWritesWhatItHolds(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	r := newEvidenceRig(t, "", "runs: {idle_timeout: 1h}")
	var senders sync.WaitGroup
	var sent sync.WaitGroup
	sent.Add(4)
	for i := range 4 {
		senders.Go(func() {
			assert.NoError(t, r.process(callSpans(byte(i+1), 0, 10)))
			sent.Done()
		})
	}
	sent.Wait()
	require.NoError(t, r.p.shutdown(over))
	require.NoError(t, r.p.shutdown(over))
	senders.Wait()
	report, err := evidence.Verify(r.dir, evidence.VerifyOptions{Keys: keysOf(t, "rig-1", evidenceKey)})
	require.NoError(t, err)
	assert.Equal(t, evidence.Sound, report.Outcome)
	assert.Equal(t, 40, r.count(carrier.TypeRow))
	assert.Equal(t, 4, r.count(engine.TypeRun))
	assert.Len(t, r.runs.all(), 4)

	never := buildEvidenceRig(t, policyDirectory(t), "", "")
	require.NoError(t, never.p.shutdown(over))
	assert.NoDirExists(t, never.dir, "what was not started touches no disk")
}

// TestKeysChange goes on with a journal under another key. Each record names its
// key, and each checkpoint verifies with the one that signed it.
func TestKeysChange(t *testing.T) {
	r := newEvidenceRig(t, "", "")
	require.NoError(t, r.process(callSpans(1, 0, 2)))
	r.stop()
	next := "Hc8NdJ4gUaE6Zq9vT3kP0sYw7LmB2xRf"
	rotated := buildEvidenceRig(t, filepath.Dir(r.dir), "", "", evidenceKey, next, "rig-1", "rig-2")
	rotated.start()
	require.NoError(t, rotated.process(callSpans(2, 0, 2)))
	rotated.stop()
	ids := map[string]int{}
	for _, rec := range readJournal(t, r.dir) {
		if rec.Type == carrier.TypeCarrier {
			c, err := carrier.Import(string(rec.Data))
			require.NoError(t, err)
			ids[c.Input().KeyID]++
		}
	}
	assert.Equal(t, map[string]int{"rig-1": 2, "rig-2": 2}, ids)
	for _, tt := range []struct {
		keys *evidence.Keys
		want evidence.Outcome
	}{
		{keysOf(t, "rig-1", evidenceKey, "rig-2", next), evidence.Sound},
		{keysOf(t, "rig-2", next), evidence.CannotVerify},
		{keysOf(t, "rig-1", evidenceKey), evidence.CannotVerify},
		{keysOf(t, "rig-1", next, "rig-2", next), evidence.Unsound},
	} {
		report, err := evidence.Verify(r.dir, evidence.VerifyOptions{Keys: tt.keys})
		require.NoError(t, err)
		assert.Equal(t, tt.want, report.Outcome)
	}
}

// TestASigningKeySignsCheckpoints verifies with the public half alone, and refuses
// a key that is none without showing it.
func TestASigningKeySignsCheckpoints(t *testing.T) {
	private, public, err := note.GenerateKey(rand.Reader, "example.com/rig")
	require.NoError(t, err)
	r := newEvidenceRig(t, "signing_key: "+private, "")
	require.NoError(t, r.process(callSpans(1, 0, 2)))
	r.stop()
	keys, err := evidence.ParseKeys(public + "\n")
	require.NoError(t, err)
	report, err := evidence.Verify(r.dir, evidence.VerifyOptions{Keys: keys})
	require.NoError(t, err)
	assert.Equal(t, evidence.Sound, report.Outcome)

	cfg := evidenceSettingsOf(t, strings.NewReplacer("$DIR", policyDirectory(t), "$EVIDENCE", ", signing_key: a-secret-that-is-no-key").Replace(evidenceConfig))
	_, err = newProcessor(processortest.NewNopSettings(metadata.Type), cfg)
	require.ErrorContains(t, err, "signing_key: it is malformed")
	assert.NotContains(t, err.Error(), "a-secret")
}
