// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/engine"
)

// closedRuns closes runs, one for each of the traces, in a processor whose
// journal fails.
func closedRuns(t *testing.T, r *evidenceRig, traces ...byte) []*engine.ClosedRun {
	t.Helper()
	for _, trace := range traces {
		_ = r.process(callSpans(trace, 0, 1))
	}
	var closed []*engine.ClosedRun
	err := r.p.engine.CloseAll(context.Background(), r.p.now(), 1, func(runs []*engine.ClosedRun) { closed = append(closed, runs...) })
	require.Error(t, err)
	require.Len(t, closed, len(traces))
	return closed
}

func TestWhatWaitsIsTheLastEndOfEachRun(t *testing.T) {
	for _, block := range []bool{false, true} {
		t.Run(fmt.Sprintf("block is %v", block), func(t *testing.T) {
			r := newEvidenceRig(t, "", "")
			r.journal.fail(errDisk)
			first := closedRuns(t, r, 1, 2)
			again := closedRuns(t, r, 1)
			u := unkept{block: block}
			on, dropped := u.add(first)
			assert.Zero(t, dropped)
			assert.Len(t, on, map[bool]int{false: 2, true: 0}[block], "spans wait with block alone")
			u.add(again)
			waiting := u.take()
			assert.ElementsMatch(t, []*engine.ClosedRun{runOf(first, 2), again[0]}, waiting, "the earlier end of run 1 is out of date")
			assert.Empty(t, u.take())

			assert.Empty(t, u.again(waiting), "nothing is recorded yet")
			later := closedRuns(t, r, 2)
			tried := u.take()
			u.add(later)
			r.journal.work()
			require.NoError(t, r.p.engine.Keep(context.Background(), again))
			assert.Len(t, u.again(tried), map[bool]int{false: 0, true: 1}[block], "what is recorded goes on, if it did not before")
			assert.Equal(t, later, u.take(), "the run was closed again while its earlier end was tried")
		})
	}
}

func runOf(runs []*engine.ClosedRun, trace byte) *engine.ClosedRun {
	for _, run := range runs {
		if run.Closed.Trace[0] == trace {
			return run
		}
	}
	return nil
}

func TestWhatWaitsIsBounded(t *testing.T) {
	r := newEvidenceRig(t, "", "runs: {max_runs: 100000}")
	r.journal.fail(errDisk)
	runs := closedRuns(t, r, 1, 2, 3)
	each := runs[0].Unkept()
	for _, block := range []bool{false, true} {
		u := unkept{block: block}
		u.events = maxUnkept - 2*each
		on, dropped := u.add(runs)
		assert.Equal(t, 1, dropped)
		assert.Len(t, on, map[bool]int{false: 3, true: 1}[block], "the record is lost, and not the span")
		assert.Len(t, u.take(), 2)
	}
}
