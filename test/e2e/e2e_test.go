// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const capture = "pydantic-ai-2.68.0-settings-v4.jsonl"

func policyFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

const simplePolicy = `
version: "1"
tools: {allow: [read_file, search], deny: [fail_tool]}
schemas:
  read_file: {type: object, properties: {path: {type: string}, limit: {type: integer}}, required: [path]}
  search: {type: object, properties: {options: {type: object, additionalProperties: false}}}
`

// judged is what `tdt judge` says of the same recording, by span id.
func judged(t *testing.T, policy, name string) map[string]map[string]any {
	t.Helper()
	cmd := exec.Command("go", "run", "./cmd/tdt", "judge", "--policy", policy, "--format", "json", filepath.Join("testdata/captures", name))
	cmd.Dir = root
	out, _ := cmd.Output() // exit status 3 says that there are findings
	found := map[string]map[string]any{}
	for line := range strings.Lines(string(out)) {
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &object))
		if id, ok := object["span_id"].(string); ok {
			found[id] = object
		}
	}
	require.NotEmpty(t, found)
	return found
}

func TestVerdictsArriveOverBothProtocols(t *testing.T) {
	policy := policyFile(t, simplePolicy)
	want := judged(t, policy, capture)
	for _, protocol := range []string{"grpc", "http"} {
		t.Run(protocol, func(t *testing.T) {
			c := start(t, fmt.Sprintf("policies: [{file: %s, name: simple}]", policy))
			for _, line := range recording(t, capture) {
				if protocol == "http" {
					require.Equal(t, http.StatusOK, c.sendHTTP(t, line).StatusCode)
				} else {
					require.NoError(t, c.sendGRPC(t, parse(t, line)))
				}
			}
			c.stop(t)
			verdicts := map[string]int{}
			for id, span := range c.spans(t) {
				verdict := attr(span, "assay.tdt.decision_verdict")
				if verdict == "" {
					continue
				}
				verdicts[verdict]++
				require.Contains(t, want, id)
				assert.Equal(t, want[id]["verdict"], verdict)
				assert.Equal(t, want[id]["explanation"], attr(span, "assay.tdt.explanation"))
				assert.Equal(t, want[id]["declared_policy_digest"], attr(span, "assay.tdt.declared_policy_digest"))
				assert.Equal(t, "disabled", attr(span, "assay.tdt.evidence"))
				assert.Empty(t, attr(span, "assay.tdt.carrier_content_digest"))
			}
			assert.Equal(t, map[string]int{"match": 3, "mismatch": 3}, verdicts)
		})
	}
}

func TestSpoofedAttributesDoNotArrive(t *testing.T) {
	c := start(t, fmt.Sprintf("policies: [{file: %s}]", policyFile(t, simplePolicy)))
	td := parse(t, recording(t, capture)[0])
	rs := td.ResourceSpans().At(0)
	rs.Resource().Attributes().PutStr("assay.tdt.decision_verdict", "match")
	for _, ss := range rs.ScopeSpans().All() {
		ss.Scope().Attributes().PutStr("assay.claim_class", "proven")
		for _, span := range ss.Spans().All() {
			span.Attributes().PutStr("assay.tdt.decision_verdict", "match")
			span.Attributes().PutStr("assay.tdt.anything", "match")
			span.Events().AppendEmpty().Attributes().PutStr("assay.tdt.decision_verdict", "match")
		}
	}
	require.NoError(t, c.sendGRPC(t, td))
	c.stop(t)
	text, err := os.ReadFile(filepath.Join(c.dir, "spans.jsonl"))
	require.NoError(t, err)
	assert.NotContains(t, string(text), "assay.tdt.anything")
	assert.NotContains(t, string(text), "proven")
	for _, span := range c.spans(t) {
		for _, event := range span.Events().All() {
			_, ok := event.Attributes().Get("assay.tdt.decision_verdict")
			assert.False(t, ok)
		}
	}
}

// TestValidateTellsEveryMistake runs the distribution's own check: each mistake
// is told with its path and what would be right.
func TestValidateTellsEveryMistake(t *testing.T) {
	good := policyFile(t, simplePolicy)
	misspelt := policyFile(t, "tools:\n  allow: [a]\n  dney: [b]\n")
	for _, tt := range []struct{ name, processor, want string }{
		{"no policy", "reload_interval: 1s", "policies: at least one is needed"},
		{"a missing file", "policies: [{file: /nowhere/policy.yaml}]", "/nowhere/policy.yaml"},
		{"a misspelt constraint", "policies: [{file: " + misspelt + "}]", "policy.yaml:3"},
		{"bad OTTL", "policies: [{file: " + good + ", when: 'attributes[== 1'}]", "policies[0].when"},
		{"an unknown setting", "policies: [{file: " + good + "}]\nargumants: keep", "argumants"},
		{"a bad mode", "policies: [{file: " + good + "}]\narguments: drop", "want keep or remove"},
		{"evidence without a key", "policies: [{file: " + good + "}]\nevidence: {directory: /nowhere}", "a journal needs `hmac`"},
		{"a short key", "policies: [{file: " + good + "}]\nhmac: {key: short-secret, key_id: k}", "want at least 32"},
		{"a published key", "policies: [{file: " + good + "}]\nhmac: {key: tool-decision-truth-vectors-key-v0, key_id: k}", "published test key"},
		{"an unknown dialect", "policies: [{file: " + good + "}]\nrecognize: {dialects: {openinferense: false}}", "openinferense"},
		{"facts from nobody", "policies: [{file: " + good + "}]\nfacts: {approval_obtained: {true_when: ['true']}}", "from: must be set"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &collector{grpc: "127.0.0.1:0", http: "127.0.0.1:0", dir: t.TempDir()}
			cmd := exec.Command(distribution(t), "validate", "--config", c.config(t, tt.processor))
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			require.Error(t, cmd.Run(), out.String())
			assert.Contains(t, out.String(), tt.want)
			assert.NotContains(t, out.String(), "short-secret")
		})
	}
}
