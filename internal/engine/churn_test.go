// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/ledger"
)

// churnTime returns how long the long tests run, zero where they are not asked
// for: TDT_TORTURE is a duration, or anything else for ten minutes.
func churnTime() time.Duration {
	text := os.Getenv("TDT_TORTURE")
	if text == "" {
		return 0
	}
	if d, err := time.ParseDuration(text); err == nil {
		return d
	}
	return 10 * time.Minute
}

// TestTortureAMillionLiveRunsInFlatMemory keeps a million runs open while others
// come and go, for as long as it is asked to, and watches the process grow.
func TestTortureAMillionLiveRunsInFlatMemory(t *testing.T) {
	churn := churnTime()
	if churn == 0 {
		t.Skip("it takes minutes and a gigabyte: make torture")
	}
	const live, perSecond = 1_000_000, 10_000 // runs, and how many begin in a second of the test's clock
	policies := policyOf(t, tenRules)
	e := benchEngine(t, true, ledger.Options{
		MaxRuns: live + live/10, MaxClosed: 100_000, IdleTimeout: live / perSecond * time.Second, MaxLifetime: 24 * time.Hour,
	})
	s, now := newStream(1000, 0), noon
	s.each, s.batches = 1, 5
	closed := 0
	step := func() {
		_, err := e.Process(context.Background(), now, policies, s.td)
		require.NoError(t, err)
		s.advance()
		if s.batch%5 != 0 {
			return
		}
		now = now.Add(time.Second * 1000 / perSecond)
		require.NoError(t, e.Sweep(context.Background(), now, func(runs []*ClosedRun) { closed += len(runs) }))
	}
	for begin := time.Now(); closed < live/2; { // until as many go as come, twice over the whole
		step()
		require.Less(t, time.Since(begin), 30*time.Minute)
	}
	stats := e.set.Ledger.Stats()
	require.Greater(t, stats.Open, int64(live)*95/100)
	t.Logf("%d runs are open, %d closed ones remembered; the ledger says %d MB, the process has %d MB", stats.Open, stats.Closed, stats.Bytes>>20, residentBytes(t)>>20)
	closed = 0
	var samples []int64 // one a second: the collector makes them go up and down
	next := time.Now()
	for begin := time.Now(); time.Since(begin) < churn; {
		step()
		if time.Now().After(next) {
			samples = append(samples, residentBytes(t))
			next = time.Now().Add(time.Second)
		}
	}
	after, third := e.set.Ledger.Stats(), max(len(samples)/3, 1)
	first, last := slices.Max(samples[:third]), slices.Max(samples[len(samples)-third:])
	t.Logf("in %s %d runs went; %d are open; the ledger says %d MB, the process has had %d MB at most in the first third of the time, %d MB in the last",
		churn, closed, after.Open, after.Bytes>>20, first>>20, last>>20)
	require.Less(t, float64(last), 1.05*float64(first), "memory is not flat")
	require.InDelta(t, float64(stats.Bytes), float64(after.Bytes), 0.05*float64(stats.Bytes))
}

// residentBytes returns the memory that the process has from the system.
func residentBytes(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("there is no /proc to read the memory of the process from")
	}
	fields := bytes.Fields(text)
	require.Greater(t, len(fields), 1)
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	require.NoError(t, err)
	return pages * int64(os.Getpagesize())
}
