// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/evidence"
)

// TestVerifyNamesTheFirstThingThatIsWrong changes a sound journal in the ways in
// which one can, and reads where the command says it was changed.
func TestVerifyNamesTheFirstThingThatIsWrong(t *testing.T) {
	lines := func(edit func([][]byte) [][]byte) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			text, err := os.ReadFile(segment(dir))
			require.NoError(t, err)
			parts := edit(bytes.SplitAfter(text, []byte("\n")))
			require.NoError(t, os.WriteFile(segment(dir), bytes.Join(parts, nil), 0o600))
		}
	}
	for _, tt := range []struct {
		name, want string
		change     func(t *testing.T, dir string)
	}{
		{"a verdict is flipped", ":3 ", lines(func(l [][]byte) [][]byte {
			l[2] = bytes.Replace(l[2], []byte(`"decision_verdict":"mismatch"`), []byte(`"decision_verdict":"match"`), 1)
			return l
		})},
		{"a bit is flipped", ":5 ", lines(func(l [][]byte) [][]byte {
			l[4][100] ^= 1
			return l
		})},
		{"a record is deleted", ":4 ", lines(func(l [][]byte) [][]byte { return append(l[:3:3], l[4:]...) })},
		{"a record is inserted", ":5 ", lines(func(l [][]byte) [][]byte { return append(l[:4:4], l[3:]...) })},
		{"two records change places", ":4 ", lines(func(l [][]byte) [][]byte {
			l[3], l[4] = l[4], l[3]
			return l
		})},
		{"the end is cut in a line", ":15 ", lines(func(l [][]byte) [][]byte {
			l[14] = l[14][:40]
			return l
		})},
		{"the end is cut between lines", "record_missing", lines(func(l [][]byte) [][]byte { return l[:10] })},
		{"the file is deleted", "record_missing", func(t *testing.T, dir string) { require.NoError(t, os.Remove(segment(dir))) }},
		{"the file has another name", "journal-0000000002.ndjson", func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(segment(dir), filepath.Join(dir, "journal-0000000002.ndjson")))
		}},
		{"a file is added", "journal-0000000002.ndjson", func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "journal-0000000002.ndjson"), []byte("{}\n"), 0o600))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, _, keys := testJournal(t)
			tt.change(t, dir)
			status, stdout, stderr := tdt(t, "", "verify", dir, "--keys", keys)
			assert.Equal(t, exitFindings, status, stdout+stderr)
			_, first, _ := strings.Cut(stdout, "Not verified: ")
			table := strings.Split(first, "\n")
			require.Greater(t, len(table), 3, stdout)
			assert.Contains(t, table[3], tt.want, "the first row of the table")

			status, stdout, _ = tdt(t, "", "verify", dir, "--keys", keys, "--format", "json")
			assert.Equal(t, exitFindings, status)
			var report struct {
				OK   bool
				Sets []struct {
					Faults   int
					Findings []fault
					Journal  struct{ Outcome string }
				}
			}
			require.NoError(t, json.Unmarshal([]byte(stdout), &report))
			require.Len(t, report.Sets, 1)
			assert.False(t, report.OK)
			assert.Equal(t, "unsound", report.Sets[0].Journal.Outcome)
			assert.Len(t, report.Sets[0].Findings, report.Sets[0].Faults)
		})
	}
}

func segment(dir string) string { return filepath.Join(dir, "journal-0000000001.ndjson") }

// TestOnlyAKeptCheckpointShowsACutEnd removes the newest lines and what the
// journal itself remembers of them, as somebody does who knows how.
func TestOnlyAKeptCheckpointShowsACutEnd(t *testing.T) {
	dir, _, keys := testJournal(t)
	last := ""
	require.NoError(t, readJournal(dir, evidence.Filter{Types: []string{evidence.TypeCheckpoint}}, func(rec *evidence.Record) error {
		var c struct{ Note string }
		require.NoError(t, json.Unmarshal(rec.Data, &c))
		last = c.Note
		return nil
	}))
	kept := filepath.Join(t.TempDir(), "checkpoint")
	require.NoError(t, os.WriteFile(kept, []byte(last), 0o600))
	status, _, _ := tdt(t, "", "verify", dir, "--keys", keys, "--checkpoint", kept)
	assert.Equal(t, exitOK, status)

	text, err := os.ReadFile(segment(dir))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(segment(dir), bytes.Join(bytes.SplitAfter(text, []byte("\n"))[:10], nil), 0o600))
	require.NoError(t, os.Remove(filepath.Join(dir, "position")))
	status, stdout, _ := tdt(t, "", "verify", dir)
	assert.Equal(t, exitOK, status, "what is left agrees with itself")
	assert.Contains(t, stdout, "not checked")
	status, stdout, _ = tdt(t, "", "verify", dir, "--keys", keys, "--checkpoint", kept)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stdout, "newest_missing")
}

// TestReadingALiveJournal reads a journal while it is open, with records that
// are durable and a checkpoint that is still to come.
func TestReadingALiveJournal(t *testing.T) {
	dir, policy, keys := testJournal(t)
	m := journalMaker{dir: dir, policy: policy, keyID: "kid", key: journalKey, traces: []string{capture("google-adk-1.14.1-default.jsonl")}, open: true}
	m.meanwhile = func() {
		status, stdout, stderr := tdt(t, "", "verify", dir, "--keys", keys)
		assert.Equal(t, exitOK, status, stdout+stderr)
		assert.Contains(t, stdout, "The journal is being written")
		for _, args := range [][]string{
			{"evidence", "list", dir}, {"runs", dir}, {"evidence", "show", dir, "1"},
			{"evidence", "export", dir, "-o", filepath.Join(t.TempDir(), "live.tar.gz")},
			{"evidence", "prove", dir, "--record", "sha256:1464b0d7fdf6cb407a1619be316de06db2d5af4191f02c3451cfaae635326cdc"},
		} {
			status, _, stderr := tdt(t, "", args...)
			assert.Equal(t, exitOK, status, "%v: %s", args, stderr)
		}
	}
	require.NoError(t, m.write())
}
