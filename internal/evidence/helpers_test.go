// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A testClock is a clock that tests move.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func newTestClock() *testClock {
	return &testClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Types of events that the journal does not know.
const (
	typeNote  = "example.note.v0"
	typeOther = "example.other.v0"
)

const (
	testSecret = "evidence-test-secret-0123456789abcdef"
	testKeyID  = "test-kid"
)

func testMAC(tb testing.TB) *MAC {
	tb.Helper()
	mac, err := NewMAC(testKeyID, []byte(testSecret))
	require.NoError(tb, err)
	return mac
}

func testKeys(tb testing.TB) *Keys {
	tb.Helper()
	keys := &Keys{}
	require.NoError(tb, keys.AddSecret(testKeyID, []byte(testSecret)))
	return keys
}

// testSigner returns a signing key and the key that verifies it.
func testSigner(tb testing.TB, name string) (note.Signer, note.Verifier) {
	tb.Helper()
	private, public, err := note.GenerateKey(rand.Reader, name)
	require.NoError(tb, err)
	signer, err := note.NewSigner(private)
	require.NoError(tb, err)
	verifier, err := note.NewVerifier(public)
	require.NoError(tb, err)
	return signer, verifier
}

// testConfig returns a configuration for a journal in dir that seldom does
// anything by itself.
func testConfig(tb testing.TB, dir string) Config {
	tb.Helper()
	return Config{
		Directory: dir, OnFailure: Block, Source: "urn:example:tdt:test",
		Producer: "tdt", ProducerVersion: "0.0.0", Git: "unknown",
		Signers: []note.Signer{testMAC(tb)}, Now: newTestClock().Now,
		SegmentAge: 1000 * time.Hour, CheckpointAge: 1000 * time.Hour, Wait: 30 * time.Second, RetryWindow: 1000,
	}
}

func journalDir(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "journal")
}

func openJournal(tb testing.TB, cfg Config) *Journal {
	tb.Helper()
	j, err := Open(cfg)
	require.NoError(tb, err)
	return j
}

func closeJournal(tb testing.TB, j *Journal) {
	tb.Helper()
	require.NoError(tb, j.Close(context.Background()))
}

// carrierData is a carrier as package carrier writes it, of about 800 bytes.
func carrierData(tool string, order int) string {
	args := "hmac-sha256:" + testKeyID + ":" + strings.Repeat("0123456789abcdef", 4)
	observed := canon.ObservedInput(tool, args, int64(order))
	policy := canon.Sum([]byte("policy"))
	return fmt.Sprintf(`{"args_digest":%q,"call_id":"call-%d","decision_identity":{"declared_policy_digest":%q,"observed_input_digest":%q},`+
		`"decision_verdict":"match","declared_policy_digest":%q,"declared_ref":null,"identity_state":"absent","key_id":%q,`+
		`"observed_input_digest":%q,"order":%d,"result_status":"ok","schema":"assay.tool_decision_truth.v0",`+
		`"source_class":"reported_trace","tool_name":%q}`,
		args, order, policy, observed, policy, testKeyID, observed, order, tool)
}

func testEvent(run string, seq int) carrier.Event {
	e := carrier.Event{RunID: run, Seq: int64(seq), Time: "2026-01-02T03:04:05.678Z", TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	if err := e.SetData(carrier.TypeCarrier, carrierData("send_mail", seq)); err != nil {
		panic(err)
	}
	return e
}

func testEvents(run string, from, n int) []carrier.Event {
	events := make([]carrier.Event, n)
	for i := range events {
		events[i] = testEvent(run, from+i)
	}
	return events
}

func appendEvents(tb testing.TB, j *Journal, events []carrier.Event) Receipt {
	tb.Helper()
	r, err := j.Append(context.Background(), events)
	require.NoError(tb, err)
	require.Len(tb, r.Seqs, len(events))
	return r
}

func readSegment(tb testing.TB, dir string, number uint64) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(dir, segmentName(number)))
	require.NoError(tb, err)
	return string(text)
}
