// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// variantFaults says how each variant of a bundle that is refused as a whole is
// refused here.
var variantFaults = map[string][2]string{
	"bad_root":         {"root_differs", "manifest.json:bundle_id"},
	"blank_line":       {"blank_line", ""},
	"deep_payload":     {"too_deep", ""},
	"dot_prefix":       {"unexpected_entry", ""},
	"duplicate_member": {"duplicate_key", ""},
	"event_count":      {"count_differs", "manifest.json:event_count"},
	"gap":              {"sequence_gap", "assayseq"},
	"no_git":           {"missing", "assaygit"},
	"no_hash":          {"missing", "assaycontenthash"},
	"no_producer":      {"missing", "assayproducer"},
	"other_run":        {"other_run", "assayrunid"},
	"source_not_uri":   {"malformed", "source"},
}

func TestVariantsAreAnsweredAsTheReferenceDoes(t *testing.T) {
	var expected map[string]struct {
		Note          string   `json:"note"`
		Exit          int      `json:"exit"`
		Refused       string   `json:"refused"`
		OK            bool     `json:"ok"`
		Carriers      int      `json:"carriers"`
		Rows          int      `json:"rows"`
		Verified      int      `json:"verified_rows"`
		Failed        []string `json:"failed"`
		ProjectExit   int      `json:"project_exit"`
		ProjectWrites bool     `json:"project_writes"`
	}
	unmarshalStrict(t, readVector(t, "interop/variants/expected.json"), &expected)
	files, err := filepath.Glob(filepath.Join(vectorDir, "interop/variants/*.tar.gz"))
	require.NoError(t, err)
	require.Len(t, files, len(expected))
	for name, want := range expected {
		t.Run(name, func(t *testing.T) {
			bundle := readVector(t, "interop/variants/"+name+".tar.gz")
			_, report, err := VerifyBundle(bytes.NewReader(bundle), BundleLimits{})
			assert.Equal(t, want.Exit == 0, err == nil, "%v", err)
			if want.Refused != "" {
				fault, field, ok := FaultOf(err)
				require.True(t, ok, "%v", err)
				assert.Equal(t, variantFaults[name], [2]string{fault.String(), field})
			} else {
				assert.Equal(t, [3]int{want.Carriers, want.Rows, want.Verified}, [3]int{report.Carriers, report.Rows, report.Verified})
			}
			projection, err := projectBundle(bundle)
			assert.Equal(t, want.ProjectWrites, err == nil && projection != nil)
		})
	}
}

func projectBundle(bundle []byte) (*Projection, error) {
	p := NewProjector()
	_, err := ReadBundle(bytes.NewReader(bundle), BundleLimits{}, func(e *Event) error { p.AddEvent(e); return nil })
	if err != nil {
		return nil, err
	}
	return p.Project()
}

func TestInteropBundles(t *testing.T) {
	for _, name := range []string{"bundle_0", "bundle_1"} {
		m, report, err := VerifyBundle(bytes.NewReader(readVector(t, "interop/"+name+".tar.gz")), BundleLimits{})
		require.NoError(t, err)
		assert.Equal(t, Report{Carriers: 1, Rows: 1, Verified: 1}, report)
		assert.Equal(t, "assay-cli 5.4.0", m.Producer+" "+m.ProducerVersion)
	}
	_, _, err := VerifyBundle(bytes.NewReader(readVector(t, "interop/bundle_tampered.tar.gz")), BundleLimits{})
	requireRefusal(t, err)

	projection, err := projectBundle(readVector(t, "interop/bundle_0.tar.gz"))
	require.NoError(t, err)
	want := string(readVector(t, "interop/projection_0.json"))
	assert.JSONEq(t, withoutProse(t, want), withoutProse(t, projectionText(t, projection)))
	prose := strings.Index(want, `  "non_claims"`)
	assert.Equal(t, want[:prose], projectionText(t, projection)[:prose], "and laid out alike")
}
