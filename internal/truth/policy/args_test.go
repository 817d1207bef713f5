// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

type verdictCase struct {
	ID       string
	Category string
	Input    struct {
		Policy string
		Tool   string `json:"tool_name"`
		Args   *string
	}
	Want struct {
		Error string
		Axes  struct{ Args string }
	}
}

// argsAxis judges the axis of arguments as spec section 5 does.
func argsAxis(t *testing.T, p *Policy, c *verdictCase) string {
	t.Helper()
	var d canon.Doc
	if c.Input.Args == nil || d.Parse(*c.Input.Args, canon.Limits{}) != nil {
		return "incomplete"
	}
	s := p.Schema(c.Input.Tool)
	if s == nil {
		return map[Unconstrained]string{Warn: "incomplete", Deny: "mismatch", Allow: "match"}[p.UnconstrainedTools()]
	}
	r := s.Check(d.Root())
	if r.Outcome == Violated {
		assert.NotEmpty(t, r.Keyword)
	}
	return map[Outcome]string{Valid: "match", Violated: "mismatch", Malformed: "invalid"}[r.Outcome]
}

func TestArgsAxisVectors(t *testing.T) {
	for _, c := range readVectors[verdictCase](t, "differential/verdict.json") {
		t.Run(c.ID, func(t *testing.T) {
			p, err := Read("p.yaml", []byte(c.Input.Policy))
			if c.Want.Error != "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.Want.Axes.Args, argsAxis(t, p, &c))
			for _, s := range p.Schemas() {
				if s.Fault() != nil {
					t.Log(s.Fault().Reason, s.Fault())
				}
			}
		})
	}
}
