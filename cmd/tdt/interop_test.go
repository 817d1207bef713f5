// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An answer is what the other system said of a bundle.
type answer struct {
	Note          string   `json:"note"`
	Exit          int      `json:"exit"`
	OK            bool     `json:"ok"`
	Refused       string   `json:"refused"`
	Carriers      int      `json:"carriers"`
	Rows          int      `json:"rows"`
	Verified      int      `json:"verified_rows"`
	Failed        []string `json:"failed"`
	ProjectExit   int      `json:"project_exit"`
	ProjectWrites bool     `json:"project_writes"`
}

// TestBundlesAreAnsweredAsTheOtherSystemDoes verifies and projects every
// variant, with none left out.
func TestBundlesAreAnsweredAsTheOtherSystemDoes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectors, "interop/variants/expected.json"))
	require.NoError(t, err)
	var expected map[string]answer
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&expected))
	bundles, err := filepath.Glob(filepath.Join(vectors, "interop/variants/*.tar.gz"))
	require.NoError(t, err)
	require.Len(t, bundles, len(expected), "an answer for each bundle")
	require.NotEmpty(t, bundles)
	for name, want := range expected {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(vectors, "interop/variants", name+".tar.gz")
			status, stdout, stderr := tdt(t, "", "verify", "--format", "json", file)
			require.Empty(t, stderr)
			var got struct {
				OK   bool
				Sets []*setReport
			}
			require.NoError(t, json.Unmarshal([]byte(stdout), &got))
			require.Len(t, got.Sets, 1)
			set := got.Sets[0]
			assert.Equal(t, want.OK, got.OK, want.Note)
			assert.Equal(t, want.OK, set.OK)
			assert.Equal(t, want.Exit == 0, status == exitOK)
			assert.Equal(t, [3]int{want.Carriers, want.Rows, want.Verified}, [3]int{set.Carriers, set.Rows, set.Verified})
			if !want.OK {
				assert.Equal(t, exitFindings, status)
				require.NotEmpty(t, set.First)
				assert.NotEmpty(t, set.First[0].Fault)
			}
			status, stdout, _ = tdt(t, "", "project", file)
			assert.Equal(t, want.ProjectExit == 0, status == exitOK)
			assert.Equal(t, want.ProjectWrites, stdout != "")
		})
	}
}

func TestTheOtherSystemsProjectionIsOurs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectors, "interop/projection_0.json"))
	require.NoError(t, err)
	status, stdout, stderr := tdt(t, "", "project", "--format", "projection", filepath.Join(vectors, "interop/bundle_0.tar.gz"))
	require.Equal(t, exitOK, status, stderr)
	var got, want map[string]any
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	require.NoError(t, json.Unmarshal(text, &want))
	assert.Len(t, got["non_claims"], len(want["non_claims"].([]any)))
	delete(got, "non_claims") // prose of our own
	delete(want, "non_claims")
	assert.Equal(t, want, got)
}

// TestExportMakesTheOtherSystemsBundle compares with its import of the same
// carriers: equal events have one root.
func TestExportMakesTheOtherSystemsBundle(t *testing.T) {
	for _, n := range []string{"0", "1"} {
		root := func(file string) string {
			status, stdout, stderr := tdt(t, "", "import", "--format", "json", file)
			require.Equal(t, exitOK, status, stderr)
			var r struct {
				Bundle bundleReport
			}
			require.NoError(t, json.Unmarshal([]byte(stdout), &r))
			return r.Bundle.RunRoot
		}
		ours := filepath.Join(t.TempDir(), "ours.tar.gz")
		status, _, stderr := tdt(t, "", "export", "--run-id", "interop-"+n, "-o", ours, filepath.Join(vectors, "interop/carrier_"+n+".json"))
		require.Equal(t, exitOK, status, stderr)
		assert.Equal(t, root(filepath.Join(vectors, "interop/bundle_"+n+".tar.gz")), root(ours))
	}
}
