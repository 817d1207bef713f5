// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const canary = "CANARY-4711"

// TestNoKeyAndNoTextOfARecordIsTold breaks all that can break, with a canary in
// keys, arguments and payloads, and looks for it in all that is written or
// told. The payload itself is in the journal: it is what is recorded. Arguments
// are not, since only their digest is in a payload.
func TestNoKeyAndNoTextOfARecordIsTold(t *testing.T) {
	secret := canary + "-secret-of-sufficient-length"
	key, err := canon.NewKey("kid", []byte(secret))
	require.NoError(t, err)
	var args canon.Doc
	require.NoError(t, args.Parse(`{"card":"`+canary+`","`+canary+`":1}`, canon.Limits{}))
	mac, err := NewMAC("kid", []byte(secret))
	require.NoError(t, err)
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	cfg.Signers[0], cfg.OnFailure, cfg.SegmentBytes = mac, PassThrough, 4<<10
	var told []string
	tell := func(v any) { told = append(told, fmt.Sprintf("%v %+v %#v", v, v, v)) }
	cfg.OnHealth = func(h Health) { tell(h) }
	cfg.OnCheckpoint = func(c Checkpoint) { tell(c) }
	tell(cfg)
	j := openJournal(t, cfg)
	for i := range 5 {
		e := testEvent("run-1", i)
		data := strings.Replace(carrierData("x", i), "hmac-sha256:"+testKeyID+":"+strings.Repeat("0123456789abcdef", 4), key.ArgsDigest(&args), 1)
		require.NoError(t, e.SetData(carrier.TypeCarrier, data))
		appendEvents(t, j, []carrier.Event{e})
	}
	closeJournal(t, j)
	for name, text := range readDir(t, dir) {
		assert.NotContains(t, string(text), canary, name)
	}

	for _, err := range brokenAppends(t) {
		require.Error(t, err)
		tell(err)
	}
	for _, change := range changes {
		tell(reopenChanged(t, change))
	}
	require.Greater(t, len(told), 10)
	for _, text := range told {
		assert.NotContains(t, text, canary)
		assert.NotContains(t, text, fmt.Sprint([]byte(secret)))
	}
}

// brokenAppends returns the errors of batches that fail in each way, with the
// canary wherever an event has a text.
func brokenAppends(t *testing.T) []error {
	t.Helper()
	d := newDisk()
	cfg := diskConfig(t)
	cfg.OnFailure, cfg.Wait = PassThrough, 50*time.Millisecond
	j := openDisk(t, d, cfg)
	event := func(change func(*carrier.Event)) []carrier.Event {
		e := testEvent(canary, 0)
		require.NoError(t, e.SetData("x", `{"tool_name":"`+canary+`"}`))
		e.Subject, e.TraceParent = canary, canary
		e.ContentHash = carrier.ContentHash(&e, e.Data)
		change(&e)
		return []carrier.Event{e}
	}
	var errs []error
	add := func(ctx context.Context, events []carrier.Event) {
		_, err := j.Append(ctx, events)
		errs = append(errs, err)
	}
	add(t.Context(), event(func(e *carrier.Event) { e.RunID += ":" }))
	add(t.Context(), event(func(e *carrier.Event) { e.Time = canary }))
	add(t.Context(), event(func(e *carrier.Event) { e.Data = []byte(`{"` + canary) }))
	add(t.Context(), event(func(e *carrier.Event) { e.ContentHash = canary }))
	add(t.Context(), event(func(e *carrier.Event) { e.Subject = canary + "\xff" }))
	add(t.Context(), event(func(e *carrier.Event) { e.Type = JournalTypes + canary }))
	stop := make(chan struct{})
	d.mu.Lock()
	d.onSync = func(string) error { <-stop; return errDisk }
	d.mu.Unlock()
	add(t.Context(), event(func(*carrier.Event) {}))
	add(t.Context(), event(func(*carrier.Event) {}))
	close(stop)
	require.Eventually(t, func() bool { return j.Health().Reason == ReasonSync }, 5*time.Second, time.Millisecond)
	add(t.Context(), event(func(*carrier.Event) {}))
	closed, cancel := context.WithCancel(t.Context())
	cancel()
	_ = j.Close(closed)
	<-j.stopped
	add(t.Context(), event(func(*carrier.Event) {}))
	return errs
}

// reopenChanged changes a journal with the canary in it and returns all that is
// told of it.
func reopenChanged(t *testing.T, change func([]byte) []byte) error {
	t.Helper()
	dir := journalDir(t)
	cfg := testConfig(t, dir)
	j := openJournal(t, cfg)
	for i := range 4 {
		e := testEvent(canary, i)
		require.NoError(t, e.SetData(carrier.TypeCarrier, carrierData(canary, i)))
		appendEvents(t, j, []carrier.Event{e})
	}
	closeJournal(t, j)
	path := filepath.Join(dir, segmentName(1))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, change(text), 0o600))
	_, opened := Open(cfg)
	require.Error(t, opened)
	report, err := Verify(dir, VerifyOptions{Carriers: true})
	require.NoError(t, err)
	require.NotEmpty(t, report.Findings)
	r, err := OpenReader(dir, Filter{})
	require.NoError(t, err)
	var read error
	for _, err := range r.All() {
		read = err
	}
	require.NoError(t, r.Close())
	_, proved := Prove(dir, Wanted{Digest: string(canon.Sum([]byte("none")))})
	return errors.Join(opened, report.First(), read, proved)
}
