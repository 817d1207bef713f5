// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestManifestsThatLie(t *testing.T) {
	manifest, events := plainBundle(t)
	other := quote(string(canon.Sum(nil)))
	mutations := []mutation{
		{field: "schema_version", value: "2", fault: FaultUnexpectedValue},
		{field: "schema_version", value: "1.0", fault: FaultNotInteger},
		{field: "bundle_id", value: other, fault: FaultRootDiffers},
		{field: "run_root", value: other, fault: FaultRootDiffers, in: "bundle_id"},
		{field: "event_count", value: "-1", fault: FaultNotInteger},
		{field: "event_count", value: "7", fault: FaultCountDiffers},
		{field: "event_count", value: "6.0", fault: FaultNotInteger},
		{field: "algorithms.canon", value: `"x"`, fault: FaultUnexpectedValue},
		{field: "algorithms.hash", value: `"sha512"`, fault: FaultUnexpectedValue},
		{field: "algorithms.root", value: `""`, fault: FaultUnexpectedValue},
		{field: "files.x", value: "{}", fault: FaultUnexpectedEntry, in: "files"},
		{field: "run_id", value: `"other"`, fault: FaultOtherRun, in: "assayrunid"},
		{field: "run_id", value: `""`, fault: FaultOtherRun, in: "assayrunid"},
		{field: "x-note", value: "{}"},
		{field: "producer.git", value: `"abc"`},
		{field: "producer.name", value: `"x"`},
	}
	for _, f := range []string{"run_id", "producer.name", "producer.version", "algorithms.canon", "algorithms.hash", "algorithms.root"} {
		mutations = append(mutations, typeMutations(f, "string")...)
	}
	for _, f := range []string{"algorithms", "files", "producer"} {
		mutations = append(mutations, typeMutations(f, "object")...)
	}
	for _, f := range []string{"schema_version", "event_count"} {
		mutations = append(mutations, typeMutations(f, "number")...)
	}
	for _, f := range []string{"bundle_id", "run_root"} {
		mutations = append(mutations, typeMutations(f, "string")...)
		mutations = append(mutations, digestMutations(f, string(canon.Sum(nil)))...)
	}
	for _, m := range mutations {
		t.Run(m.field+" is "+m.value, func(t *testing.T) { requireLie(t, withMember(t, manifest, m.field, m.value), events, m) })
	}
}

// requireLie requires the bundle of manifest and events to be refused for the
// mutation m of the manifest.
func requireLie(t *testing.T, manifest, events string, m mutation) {
	t.Helper()
	_, _, err := VerifyBundle(bytes.NewReader(archiveOf(t, entry{name: entryManifest, body: manifest}, entry{name: entryEvents, body: events})), BundleLimits{})
	if m.fault == 0 {
		require.NoError(t, err)
		return
	}
	if m.in == "" {
		m.in = m.field
	}
	if !strings.HasPrefix(m.in, "assay") {
		m.in = "manifest.json:" + m.in
	}
	requireFault(t, err, m.fault, m.in)
}

func TestManifestsThatLieOfTheFile(t *testing.T) {
	manifest, events := plainBundle(t)
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(manifest), &doc))
	for _, tt := range []struct {
		member string
		value  any
		fault  Fault
	}{
		{"path", "x", FaultUnexpectedValue},
		{"path", nil, FaultWrongType},
		{"sha256", string(canon.Sum(nil)), FaultHashDiffers},
		{"sha256", "", FaultMalformed},
		{"bytes", 1, FaultSizeDiffers},
		{"bytes", -1, FaultNotInteger},
		{"bytes", "6423", FaultWrongType},
	} {
		file := doc["files"].(map[string]any)[entryEvents].(map[string]any)
		before := file[tt.member]
		file[tt.member] = tt.value
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		file[tt.member] = before
		requireLie(t, string(text), events, mutation{field: "files.events.ndjson." + tt.member, fault: tt.fault})
	}
	for name, text := range map[string]string{
		"no text": "", "a list": "[]", "a member twice": `{"run_id":"x",` + manifest[1:],
	} {
		_, _, err := VerifyBundle(bytes.NewReader(archiveOf(t, entry{name: entryManifest, body: text}, entry{name: entryEvents, body: events})), BundleLimits{})
		_, field, ok := FaultOf(err)
		require.True(t, ok, name)
		assert.Equal(t, entryManifest, field, name)
	}
}
