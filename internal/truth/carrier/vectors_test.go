// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const vectorDir = "../../../testdata/vectors"

// A vector is one case of a differential file. Input and want differ by file.
type vector struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Note     string          `json:"note"`
	Op       string          `json:"op"`
	Area     string          `json:"area"`
	Why      string          `json:"why"`
	Input    json.RawMessage `json:"input"`
	Want     json.RawMessage `json:"want"`

	Reference json.RawMessage `json:"reference"`
}

// vectors reads the cases of differential/name.json. No cases is a failure: a
// file that moved must not pass.
func vectors(t testing.TB, name string) []vector {
	t.Helper()
	var file struct {
		Description   string   `json:"description"`
		GeneratedWith any      `json:"generated_with"`
		Cases         []vector `json:"cases"`
	}
	unmarshalStrict(t, readVector(t, "differential/"+name+".json"), &file)
	require.NotEmpty(t, file.Cases)
	return file.Cases
}

func readVector(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectorDir, name))
	require.NoError(t, err)
	return text
}

// unmarshalStrict refuses members that into does not know.
func unmarshalStrict(t testing.TB, text []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(into))
}

// untar returns the entries of a bundle by the standard library alone.
func untar(t testing.TB, bundle []byte) map[string]string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(bundle))
	require.NoError(t, err)
	out := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		body, err := io.ReadAll(r)
		require.NoError(t, err)
		out[h.Name] = string(body)
	}
}

// interopEvents returns the event lines of an interop bundle.
func interopEvents(t testing.TB, name string) []string {
	t.Helper()
	entries := untar(t, readVector(t, "interop/"+name+".tar.gz"))
	return strings.Split(strings.TrimSuffix(entries["events.ndjson"], "\n"), "\n")
}

// requireFault requires err to be a refusal with fault and field.
func requireFault(t testing.TB, err error, fault Fault, field string) {
	t.Helper()
	gotFault, gotField, ok := FaultOf(err)
	require.True(t, ok, "want a refusal, got %v", err)
	require.Equal(t, fault.String()+" "+field, gotFault.String()+" "+gotField, "%v", err)
}
