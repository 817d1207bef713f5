// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// TestWhatIsExplainedIsWhatIsJudged takes the verdicts of the vectors: the
// verdict of each axis is one of those that are explained for its tool.
func TestWhatIsExplainedIsWhatIsJudged(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(vectors, "differential/verdict.json"))
	require.NoError(t, err)
	var file struct {
		Cases []struct {
			ID    string
			Input struct {
				Policy   string
				ToolName string `json:"tool_name"`
				Evidence *struct {
					ToolClasses *[]string `json:"tool_classes"`
				}
			}
			Want struct{ Axes map[string]string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Cases)
	for _, c := range file.Cases {
		if c.Want.Axes == nil {
			continue
		}
		p, err := policy.Read("p", []byte(c.Input.Policy))
		if err != nil {
			continue // a policy in another encoding, or one that is refused
		}
		e := explainer{policy: p, tool: c.Input.ToolName}
		if c.Input.Evidence != nil && c.Input.Evidence.ToolClasses != nil {
			e.classes, e.known = *c.Input.Evidence.ToolClasses, true
		}
		for _, axis := range e.axes() {
			want := c.Want.Axes[axis.Axis]
			found := slices.ContainsFunc(axis.Facts, func(f explainedFact) bool { return f.Verdict == want })
			assert.True(t, found, "%s: axis %s is %s, explained are %v", c.ID, axis.Axis, want, axis.Facts)
			require.NotEmpty(t, axis.Facts)
		}
	}
}
