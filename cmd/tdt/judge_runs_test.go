// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A ruleVector is what the described system answered about one run.
type ruleVector struct {
	ID       string
	Category string
	Input    struct{ Policy, Calls, Extent string }
	Want     struct {
		Records []wantRule
		Error   string
	}
}

type wantRule struct {
	RuleID  string `json:"rule_id"`
	Kind    string `json:"kind"`
	Outcome string `json:"outcome"`
	Spanned []int  `json:"spanned"`
}

type vectorCall struct {
	Name string
	Args json.RawMessage
}

func ruleVectors(t *testing.T) []ruleVector {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectors, "differential/sequence.json"))
	require.NoError(t, err)
	var file struct{ Cases []ruleVector }
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Cases, "no cases: a moved file must not pass")
	return file.Cases
}

func (v *ruleVector) calls(t *testing.T) (calls []vectorCall) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(v.Input.Calls), &calls))
	return calls
}

// judged runs `tdt judge` and returns the run that it prints last.
func (v *ruleVector) judged(t *testing.T, recorded string, plain bool) (status int, run runLine, stderr string) {
	t.Helper()
	dir := t.TempDir()
	policy, file := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "recorded")
	require.NoError(t, os.WriteFile(policy, []byte(v.Input.Policy), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(recorded), 0o600))
	args := []string{"judge", "--policy", policy, "--format", "json"}
	if v.Input.Extent == "complete" {
		args = append(args, "--complete")
	}
	if plain {
		args = append(args, "--calls")
	}
	status, stdout, stderr := tdt(t, "", append(args, file)...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if last := lines[len(lines)-1]; last != "" {
		require.NoError(t, json.Unmarshal([]byte(last), &run))
	}
	return status, run, stderr
}

func rulesOf(run *runLine) []wantRule {
	rules := []wantRule{}
	for _, r := range run.Rules {
		rules = append(rules, wantRule{r.RuleID, r.Kind, r.Outcome, r.Spanned})
	}
	return rules
}

// TestRulesOverPlainCallsAreThoseOfTheVectors replays every vector of rules
// through `tdt judge --calls`.
func TestRulesOverPlainCallsAreThoseOfTheVectors(t *testing.T) {
	for _, v := range ruleVectors(t) {
		t.Run(v.ID, func(t *testing.T) {
			var lines strings.Builder
			for _, c := range v.calls(t) {
				line := map[string]any{"tool_name": c.Name}
				if len(c.Args) > 0 {
					line["arguments"] = c.Args
				}
				require.NoError(t, json.NewEncoder(&lines).Encode(line))
			}
			status, run, stderr := v.judged(t, lines.String(), true)
			if v.Want.Error != "" {
				assert.Equal(t, exitFailure, status)
				return
			}
			if status == exitFailure { // ours: a regex that does not compile is a fault of the policy
				assert.Contains(t, stderr, "the regex does not compile")
				return
			}
			assert.Equal(t, "calls", run.Run)
			assert.Equal(t, v.Input.Extent, run.Extent)
			assert.Equal(t, v.Want.Records, rulesOf(&run))
		})
	}
}

// TestRulesOverRecordingsAreThoseOfTheVectors replays them as recorded spans of
// one trace, all that a span can record.
func TestRulesOverRecordingsAreThoseOfTheVectors(t *testing.T) {
	replayed := 0
	for _, v := range ruleVectors(t) {
		recorded, ok := recordingOf(v.calls(t))
		if v.Want.Error != "" || !ok {
			continue
		}
		t.Run(v.ID, func(t *testing.T) {
			status, run, stderr := v.judged(t, recorded, false)
			if status == exitFailure {
				assert.Contains(t, stderr, "the regex does not compile")
				return
			}
			replayed++
			assert.Equal(t, v.Input.Extent, run.Extent)
			assert.Equal(t, v.Want.Records, rulesOf(&run))
		})
	}
	assert.Greater(t, replayed, 200, "too few to mean anything")
}

// recordingOf writes calls as spans, and false where a span cannot record them:
// calls without a name, or with arguments that are no object.
func recordingOf(calls []vectorCall) (string, bool) {
	var spans []map[string]any
	for i, c := range calls {
		attrs := []map[string]any{stringAttr("gen_ai.operation.name", "execute_tool"), stringAttr("gen_ai.tool.name", c.Name)}
		if args := strings.TrimSpace(string(c.Args)); args != "" && args != "null" {
			if !strings.HasPrefix(args, "{") {
				return "", false
			}
			attrs = append(attrs, stringAttr("gen_ai.tool.call.arguments", args))
		}
		if c.Name == "" {
			return "", false
		}
		spans = append(spans, map[string]any{
			"traceId": strings.Repeat("5", 32), "spanId": fmt.Sprintf("%016x", 1000-i), "name": "execute_tool",
			"startTimeUnixNano": fmt.Sprint(1_000_000 + i), "endTimeUnixNano": "2000000", "attributes": attrs,
		})
	}
	text, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{"spans": spans}}}}})
	return string(text), err == nil && len(calls) > 0
}

func stringAttr(key, value string) map[string]any {
	return map[string]any{"key": key, "value": map[string]any{"stringValue": value}}
}
