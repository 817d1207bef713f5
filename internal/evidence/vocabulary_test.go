// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"encoding"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClosedVocabulariesReadWhatTheyWriteAndNothingElse(t *testing.T) {
	for _, reason := range Reasons() {
		text, err := reason.MarshalText()
		require.NoError(t, err)
		var r Reason
		require.NoError(t, r.UnmarshalText(text))
		assert.Equal(t, reason, r)
		assert.NotEmpty(t, reason.Meaning())
	}
	assert.Empty(t, Reason(200).Meaning())
	for _, mode := range []OnFailure{PassThrough, Block} {
		text, err := mode.MarshalText()
		require.NoError(t, err)
		var got OnFailure
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, mode, got)
	}
	for _, into := range []encoding.TextUnmarshaler{new(Reason), new(OnFailure), new(leaving)} {
		for _, text := range []string{"", "unknown", "Block", "sealed ", "pass"} {
			assert.Error(t, into.UnmarshalText([]byte(text)), "%T %q", into, text)
		}
	}
	assert.Equal(t, "unknown", Reason(0).String())
	assert.Equal(t, "unknown", Reason(200).String())
	assert.Empty(t, OnFailure(0).String())
	assert.Empty(t, OnFailure(200).String())
}

func TestZeroValuesAreNeverGood(t *testing.T) {
	assert.Equal(t, "unsound", Outcome(0).String())
	assert.Equal(t, "unsound", Outcome(200).String())
	assert.Equal(t, []string{"sound", "cannot_verify", "unsound"}, []string{Sound.String(), CannotVerify.String(), Unsound.String()})
	assert.Equal(t, FaultMalformed.String(), Fault(0).String())
	assert.Equal(t, FaultMalformed.Meaning(), Fault(200).Meaning())
}

func TestEachFaultHasAWordAndAMeaning(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Faults() {
		text, err := f.MarshalText()
		require.NoError(t, err)
		assert.False(t, seen[string(text)], "%s is there twice", text)
		seen[string(text)] = true
		assert.NotEmpty(t, f.Meaning())
	}
	assert.Len(t, seen, int(FaultNoSuchRecord))
}

// TestGeneratedTablesOfWords holds the tables in the documentation against the
// vocabularies; TDT_UPDATE=1 writes them anew.
func TestGeneratedTablesOfWords(t *testing.T) {
	const file = "../../docs/evidence.md"
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	var faults, reasons strings.Builder
	for _, f := range Faults() {
		fmt.Fprintf(&faults, "| `%s` | %s |\n", f, f.Meaning())
	}
	for _, r := range Reasons() {
		fmt.Fprintf(&reasons, "| `%s` | %s |\n", r, r.Meaning())
	}
	want := withTable(t, string(page), "faults", faults.String())
	want = withTable(t, want, "reasons", reasons.String())
	if os.Getenv("TDT_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(page), "run with TDT_UPDATE=1, then read the diff")
}

// withTable returns page with the rows between the marks of the table name.
func withTable(t *testing.T, page, name, rows string) string {
	t.Helper()
	before, rest, ok := strings.Cut(page, "<!-- "+name+" -->\n")
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, "<!-- /"+name+" -->\n")
	require.True(t, ok)
	return before + "<!-- " + name + " -->\n| word | what it says |\n|---|---|\n" + rows + "<!-- /" + name + " -->\n" + after
}

func TestFindingsSayWhere(t *testing.T) {
	for want, f := range map[string]Finding{
		"a.ndjson:3: link_broken: the file was changed in or before this line: detail": {Fault: FaultLink, File: "a.ndjson", Line: 3, Detail: "detail"},
		"a.ndjson: segment_missing: a segment is gone that retention did not remove":   {Fault: FaultSegmentMissing, File: "a.ndjson"},
		"proof_wrong: the hashes of the proof do not lead to its root":                 {Fault: FaultProof},
	} {
		assert.EqualError(t, &f, want)
	}
}

func TestAReportListsSomeAndCountsAll(t *testing.T) {
	var r Report
	for i := range 3 * maxListed {
		r.found(&Finding{Fault: FaultLink, Line: i + 1})
		r.gap(PlacedGap{Line: i + 1})
	}
	assert.Len(t, r.Findings, maxListed)
	assert.Len(t, r.Gaps, maxListed)
	assert.Equal(t, 3*maxListed, r.FindingsTotal)
	assert.Equal(t, 3*maxListed, r.GapsTotal)
	assert.Equal(t, 1, r.First().Line)
	assert.Nil(t, (&Report{}).First())
}

func TestErrorsOfAppend(t *testing.T) {
	assert.EqualError(t, &AppendError{Reason: ReasonStalled, Unsettled: true}, "append evidence: stalled (the records may yet be written)")
	assert.EqualError(t, &AppendError{Reason: ReasonWrite, Err: errDisk}, "append evidence: write_failed: the disk fails, as it was told")
	assert.EqualError(t, &EventError{Index: 3, Err: errNoRun}, "append evidence: event 3: run id is empty")
	assert.ErrorIs(t, fmt.Errorf("x: %w", &EventError{Err: errNoRun}), errNoRun)
}
