// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// allCaptures lists every recording.
func allCaptures(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(capture("*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no recordings: a moved directory must not pass")
	return files
}

// TestEveryRecordingIsDerivedAgain keeps a journal of all recordings, and derives
// each carrier in it again, those of superseded decisions too.
func TestEveryRecordingIsDerivedAgain(t *testing.T) {
	dir, policy, keys := testJournal(t, captureNames(t)...)
	args := []string{"verify", dir, "--keys", keys, "--policy", policy, "--format", "json"}
	for _, file := range allCaptures(t) {
		args = append(args, "--traces", file)
	}
	status, stdout, stderr := tdt(t, "", args...)
	assert.Equal(t, exitOK, status, stderr)
	derived := derivedOf(t, stdout)
	assert.Greater(t, derived.Agree, 500)
	assert.Zero(t, derived.Differ)
	assert.Zero(t, derived.CannotVerify)

	all := filepath.Join(t.TempDir(), "all.tar.gz")
	status, _, stderr = tdt(t, "", "evidence", "export", dir, "-o", all)
	require.Equal(t, exitOK, status, stderr)
	each := t.TempDir()
	status, _, stderr = tdt(t, "", "evidence", "export", dir, "-o", each)
	require.Equal(t, exitOK, status, stderr)
	bundles, err := filepath.Glob(filepath.Join(each, "*.tar.gz"))
	require.NoError(t, err)
	require.Greater(t, len(bundles), 100)
	status, stdout, stderr = tdt(t, "", append([]string{"verify", all}, bundles...)...)
	assert.Equal(t, exitOK, status, stdout+stderr)
}

func captureNames(t testing.TB) (names []string) {
	for _, file := range allCaptures(t) {
		names = append(names, filepath.Base(file))
	}
	return names
}

func derivedOf(t testing.TB, stdout string) *derivedReport {
	t.Helper()
	var report struct{ Sets []setReportJSON }
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	require.Len(t, report.Sets, 1)
	return &report.Sets[0].Derived
}

type setReportJSON struct {
	Derived  derivedReport
	Findings []fault
}

// TestDerivingFindsWhatDigestsCannot gives recordings and carriers that do not
// belong together. Each carrier is whole by itself.
func TestDerivingFindsWhatDigestsCannot(t *testing.T) {
	dir, policy, keys := testJournal(t)
	recording, err := os.ReadFile(capture(journalCapture))
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		change func(string) string
		want   string // "" : all agree
		status int
	}{
		{"nothing", func(s string) string { return s }, "", exitOK},
		{"another argument", func(s string) string { return strings.ReplaceAll(s, `\"limit\":3`, `\"limit\":4`) }, "args_differ", exitFindings},
		{"another tool", func(s string) string { return strings.ReplaceAll(s, "fail_tool", "tidy_tool") }, "tool_differs", exitFindings},
		{"no such spans", func(s string) string {
			return strings.ReplaceAll(s, "8473734b7ae76537acf99e1c3984e128", "9473734b7ae76537acf99e1c3984e128")
		}, "call_missing", exitFindings},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := tt.change(string(recording))
			if tt.want != "" {
				require.NotEqual(t, string(recording), changed, "the recording does not have what is changed")
			}
			file := filepath.Join(t.TempDir(), "spans.jsonl")
			require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
			status, stdout, stderr := tdt(t, "", "verify", dir, "--keys", keys, "--policy", policy, "--traces", file, "--format", "json")
			require.Equal(t, tt.status, status, stdout+stderr)
			var report struct{ Sets []setReportJSON }
			require.NoError(t, json.Unmarshal([]byte(stdout), &report))
			if tt.want != "" {
				require.NotEmpty(t, report.Sets[0].Findings)
				assert.Equal(t, tt.want, report.Sets[0].Findings[0].Fault)
				assert.Contains(t, report.Sets[0].Findings[0].File, "journal-0000000001.ndjson")
			}
		})
	}
}

// TestDerivingWithoutTheRightKeyOrPolicyIsNoFault asks for what cannot be told.
func TestDerivingWithoutTheRightKeyOrPolicyIsNoFault(t *testing.T) {
	dir, policy, keys := testJournal(t)
	other := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(other, []byte("tools: {allow: [read_file]}\n"), 0o600))
	newer := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(newer, []byte("hmac-sha256 newer text:"+journalKey+"\n"), 0o600))
	for _, tt := range []struct{ name, policy, keys, want string }{
		{"another policy", other, keys, "other_policy"},
		{"a newer key alone", policy, newer, "unknown_key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, _ := tdt(t, "", "verify", dir, "--keys", tt.keys, "--policy", tt.policy, "--traces", capture(journalCapture), "--format", "json")
			assert.Equal(t, exitFailure, status)
			derived := derivedOf(t, stdout)
			assert.Equal(t, 6, derived.CannotVerify)
			assert.Equal(t, map[deriveFault]int{deriveFault(tt.want): 6}, derived.Why)
			assert.Zero(t, derived.Differ)
		})
	}
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"--traces needs keys", []string{"verify", dir, "--policy", policy, "--traces", capture(journalCapture)}},
		{"--policy and --traces", []string{"verify", dir, "--keys", keys, "--traces", capture(journalCapture)}},
		{"two recordings", []string{"verify", dir, "--keys", keys, "--policy", policy, "--requests", "x", "--traces", "y"}},
	} {
		status, _, stderr := tdt(t, "", tt.args...)
		assert.Equal(t, exitUsage, status)
		assert.Contains(t, stderr, tt.want)
	}
}

// TestCarriersAreDerivedAgainFromSpans verifies what `tdt carriers` printed, with
// a verdict changed by somebody who made the carrier whole again.
func TestCarriersAreDerivedAgainFromSpans(t *testing.T) {
	_, policy, keys := testJournal(t)
	keyFile := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(keyFile, []byte(journalKey), 0o600))
	status, stdout, stderr := tdt(t, "", "carriers", "--policy", policy, "--key-file", keyFile, "--key-id", "kid", capture(journalCapture))
	require.Equal(t, exitOK, status, stderr)
	carriers := filepath.Join(t.TempDir(), "carriers.ndjson")
	again := []string{"verify", carriers, "--keys", keys, "--policy", policy, "--traces", capture(journalCapture)}

	require.NoError(t, os.WriteFile(carriers, []byte(stdout), 0o600))
	status, out, stderr := tdt(t, "", again...)
	assert.Equal(t, exitOK, status, out+stderr)
	assert.Contains(t, out, "6 agree, 0 differ, 0 cannot be verified")

	forged := strings.Replace(stdout, `"decision_verdict":"mismatch"`, `"decision_verdict":"match"`, 1)
	require.NoError(t, os.WriteFile(carriers, []byte(forged), 0o600))
	status, _, _ = tdt(t, "", "verify", carriers)
	assert.Equal(t, exitOK, status, "the carrier is whole by itself")
	status, out, _ = tdt(t, "", again...)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, out, "verdict_differs")
}

// TestAReplayedDecisionIsCompared holds what each member of a carrier must be.
func TestAReplayedDecisionIsCompared(t *testing.T) {
	base := replayed{
		tool: "pay", callID: "c", order: 3, source: truth.SourceReported, result: truth.ResultOK, identity: truth.IdentityAbsent, args: []string{"digest"},
		axes: [7]truth.Verdict{truth.Match, truth.Match, truth.Match, truth.Match, truth.Match, truth.Match, truth.Match},
	}
	fits := carrier.Input{
		ToolName: "pay", CallID: "c", Order: 3, SourceClass: truth.SourceReported, ResultStatus: truth.ResultOK,
		Identity: truth.IdentityAbsent, ArgsDigest: "digest", Verdict: truth.Match,
	}
	obligation := [7]truth.Verdict{truth.Match, truth.Match, truth.Match, truth.Match, truth.Incomplete, truth.Match, truth.Match}
	denied := [7]truth.Verdict{truth.Mismatch, truth.Match, truth.Match, truth.Match, truth.Incomplete, truth.Match, truth.Match}
	for _, tt := range []struct {
		name   string
		change func(*carrier.Input, *replayed)
		want   deriveFault
	}{
		{"it fits", func(*carrier.Input, *replayed) {}, ""},
		{"another tool", func(c *carrier.Input, _ *replayed) { c.ToolName = "say" }, deriveToolDiffers},
		{"another call", func(c *carrier.Input, _ *replayed) { c.CallID = "d" }, deriveCallDiffers},
		{"other arguments", func(c *carrier.Input, _ *replayed) { c.ArgsDigest = "other" }, deriveArgsDiffer},
		{"another source", func(c *carrier.Input, _ *replayed) { c.SourceClass = truth.SourceInferred }, deriveSource},
		{"a boundary, which the operator names", func(c *carrier.Input, _ *replayed) { c.SourceClass = truth.SourceAuthoritative }, ""},
		{"no boundary for what was inferred", func(c *carrier.Input, d *replayed) {
			c.SourceClass, d.source = truth.SourceAuthoritative, truth.SourceInferred
		}, deriveSource},
		{"another result", func(c *carrier.Input, _ *replayed) { c.ResultStatus = truth.ResultError }, deriveResult},
		{"an identity, which the operator names", func(c *carrier.Input, _ *replayed) { c.Identity = truth.IdentityPresent }, ""},
		{"an identity that is missing", func(c *carrier.Input, _ *replayed) { c.Identity = truth.IdentityRequiredMissing }, deriveVerdict},
		{"an identity that is missing, and says so", func(c *carrier.Input, _ *replayed) {
			c.Identity, c.Verdict = truth.IdentityRequiredMissing, truth.Incomplete
		}, ""},
		{"a span that contradicts itself", func(_ *carrier.Input, d *replayed) { d.identity = truth.IdentityInvalid }, deriveIdentity},
		{"a friendlier verdict", func(_ *carrier.Input, d *replayed) { d.axes = denied }, deriveVerdict},
		{"a sterner verdict", func(c *carrier.Input, _ *replayed) { c.Verdict = truth.Mismatch }, deriveVerdict},
		{"an obligation of which nothing is known", func(c *carrier.Input, d *replayed) { c.Verdict, d.axes = truth.Incomplete, obligation }, ""},
		{"an obligation that the processor believed met", func(_ *carrier.Input, d *replayed) { d.axes = obligation }, deriveFacts},
		{"an obligation that the processor believed unmet", func(c *carrier.Input, d *replayed) { c.Verdict, d.axes = truth.Mismatch, obligation }, deriveFacts},
		{"an obligation that would excuse a denial", func(_ *carrier.Input, d *replayed) { d.axes = denied }, deriveVerdict},
		{"no verdict", func(c *carrier.Input, _ *replayed) { c.Verdict, c.Unclassified = 0, true }, ""},
		{"another order", func(c *carrier.Input, _ *replayed) { c.Order = 4 }, deriveOrder},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, d := fits, base
			tt.change(&in, &d)
			got, _ := d.compare(&in, 0)
			assert.Equal(t, tt.want, got.why)
			if tt.want != "" {
				assert.NotEmpty(t, deriveFaults[tt.want].means, "every fault says what it means")
			}
		})
	}
}
