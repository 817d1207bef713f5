// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// TestEqualCallsAreToldApart writes one call in several runs, whose digests are
// equal, and proves the one that is wanted and no other.
func TestEqualCallsAreToldApart(t *testing.T) {
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	for i := range MaxCandidates + 2 {
		appendEvents(t, j, testEvents(fmt.Sprintf("run-%d", i), 0, 1))
	}
	closeJournal(t, j)
	all := readAll(t, dir, Filter{})
	digest := string(canon.Sum(all[0].Data))
	require.Equal(t, digest, string(canon.Sum(all[1].Data)))

	for _, w := range []Wanted{{Digest: digest}, {Digest: digest[:11]}, {Digest: string(all[0].ContentHash)}, {RunID: "run"}} {
		_, err := Prove(dir, w)
		var several *AmbiguousError
		require.ErrorAs(t, err, &several, "%+v", w)
		assert.Equal(t, MaxCandidates+2, several.Total)
		require.Len(t, several.Candidates, MaxCandidates)
		assert.Equal(t, all[1].RunID, several.Candidates[1].RunID)
		assert.Equal(t, all[1].TraceParent, several.Candidates[1].TraceParent)
		assert.Equal(t, all[1].JournalSeq, several.Candidates[1].JournalSeq)
		assert.Len(t, readAll(t, dir, Filter{Wanted: &w}), several.Total)
	}
	for i, w := range []Wanted{{Seq: &all[3].JournalSeq}, {Digest: digest, RunID: "run-3"}, {Digest: digest[:20], Seq: &all[3].JournalSeq, RunID: "run"}} {
		p, err := Prove(dir, w)
		require.NoError(t, err, i)
		assert.Equal(t, all[3].JournalSeq, p.Index)
		assert.Equal(t, all[3].Text, p.Line)
		assert.Len(t, readAll(t, dir, Filter{Wanted: &w}), 1)
	}
}
