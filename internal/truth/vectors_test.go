// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

const vectors = "../../testdata/vectors"

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectors, name))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

// evidenceVector is the evidence of a vector: what is missing or null is
// unknown.
type evidenceVector struct {
	ToolClasses      *[]string `json:"tool_classes"`
	ApprovalObtained *bool     `json:"approval_obtained"`
	ScopeSatisfied   *bool     `json:"scope_satisfied"`
	RedactionApplied *bool     `json:"redaction_applied"`
}

func (v *evidenceVector) evidence() *Evidence {
	e := &Evidence{}
	if v == nil {
		return e
	}
	if v.ToolClasses != nil {
		e.Classes, e.ClassesKnown = *v.ToolClasses, true
	}
	for _, f := range []struct {
		said *bool
		to   *Fact
	}{{v.ApprovalObtained, &e.Approval}, {v.ScopeSatisfied, &e.Scope}, {v.RedactionApplied, &e.Redaction}} {
		if f.said != nil {
			*f.to = FactOf(*f.said)
		}
	}
	return e
}

// callOf reads a call as a vector has it. A text that is unusable is absent.
func callOf(tool string, args *string, identity string) *Call {
	c := &Call{Tool: tool}
	_ = c.Identity.UnmarshalText([]byte(identity))
	if args != nil {
		doc := &canon.Doc{}
		if doc.Parse(*args, canon.Limits{}) == nil {
			c.Args = doc
		}
	}
	return c
}

type verdictVector struct {
	ID    string
	Area  string
	Input struct {
		Policy        string
		PolicyB64     string  `json:"policy_b64"`
		ToolName      string  `json:"tool_name"`
		Args          *string `json:"args"`
		ArgsB64       *string `json:"args_b64"`
		IdentityState string  `json:"identity_state"`
		Evidence      *evidenceVector
	}
	Want struct {
		Error   string
		Verdict string
		Axes    map[string]string
		Digest  string `json:"declared_policy_digest"`
	}
}

func (v *verdictVector) decode(t *testing.T) {
	t.Helper()
	if v.Input.PolicyB64 != "" {
		text, err := base64.StdEncoding.DecodeString(v.Input.PolicyB64)
		require.NoError(t, err)
		v.Input.Policy = string(text)
	}
	if v.Input.ArgsB64 != nil {
		text, err := base64.StdEncoding.DecodeString(*v.Input.ArgsB64)
		require.NoError(t, err)
		args := string(text)
		v.Input.Args = &args
	}
}

func TestVerdictVectors(t *testing.T) {
	var file struct{ Cases []verdictVector }
	readVectors(t, "differential/verdict.json", &file)
	require.NotEmpty(t, file.Cases)
	for _, tt := range file.Cases {
		t.Run(tt.ID, func(t *testing.T) {
			tt.decode(t)
			p, err := policy.Read("policy.yaml", []byte(tt.Input.Policy))
			if tt.Want.Error != "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			d := Judge(p, callOf(tt.Input.ToolName, tt.Input.Args, tt.Input.IdentityState), tt.Input.Evidence.evidence())
			got := map[string]string{}
			d.Axes(func(name, verdict string) { got[name] = verdict })
			assert.Equal(t, tt.Want.Axes, got)
			assert.Equal(t, tt.Want.Verdict, d.Verdict.String())
			assert.Equal(t, tt.Want.Digest, string(p.DeclaredDigest()))
			assertExplained(t, &d)
		})
	}
}

// assertExplained holds what is true of every decision: an axis has a reason
// exactly where it does not match, and every reason is in the vocabulary.
func assertExplained(t *testing.T, d *Decision) {
	t.Helper()
	worst := Match
	for _, f := range d.Findings {
		worst = Join(worst, f.Verdict)
		assert.Equal(t, f.Verdict == Match, f.Reason == NoReason, "%s: %s %q", f.Axis, f.Verdict, f.Reason)
		assert.True(t, f.Reason == NoReason || f.Reason.Known(), "%q", f.Reason)
	}
	assert.Equal(t, worst, d.Verdict)
	assert.NotEmpty(t, d.Explanation())
}

func TestReferenceVectors(t *testing.T) {
	var file struct {
		Policies map[string]json.RawMessage
		Cases    []struct {
			ID       string
			Policy   string
			Observed []struct {
				ToolName      string          `json:"tool_name"`
				Args          json.RawMessage `json:"args"`
				Order         int64
				IdentityState string `json:"identity_state"`
				Evidence      *evidenceVector
			}
			Expected struct {
				Decisions  []string
				RunVerdict string `json:"run_verdict"`
			}
		}
	}
	readVectors(t, "reference_vectors.json", &file)
	require.NotEmpty(t, file.Cases)
	for _, tt := range file.Cases {
		t.Run(tt.ID, func(t *testing.T) {
			p, err := policy.Read(tt.Policy, file.Policies[tt.Policy])
			require.NoError(t, err)
			var got []string
			var verdicts []Verdict
			var orders []int64
			for _, o := range tt.Observed {
				var args *string
				if text := string(o.Args); text != "null" && text != "" {
					args = &text
				}
				d := Judge(p, callOf(o.ToolName, args, o.IdentityState), o.Evidence.evidence())
				got = append(got, d.Verdict.String())
				verdicts = append(verdicts, d.Verdict)
				orders = append(orders, o.Order)
				assertExplained(t, &d)
			}
			assert.Equal(t, tt.Expected.Decisions, got)
			assert.Equal(t, tt.Expected.RunVerdict, RunVerdict(verdicts, orders).String())
		})
	}
}

// TestDivergentArguments holds our side where the contract says that we differ:
// arguments that repeat a key or are no JSON are absent.
func TestDivergentArguments(t *testing.T) {
	var file struct {
		Cases []struct {
			verdictVector
			Why string
		}
	}
	readVectors(t, "differential/divergent.json", &file)
	ran := 0
	for _, tt := range file.Cases {
		if tt.Area != "verdict" || !isArgumentCase(tt.ID) {
			continue
		}
		ran++
		t.Run(tt.ID, func(t *testing.T) {
			tt.decode(t)
			p, err := policy.Read("policy.yaml", []byte(tt.Input.Policy))
			require.NoError(t, err)
			d := Judge(p, callOf(tt.Input.ToolName, tt.Input.Args, tt.Input.IdentityState), tt.Input.Evidence.evidence())
			assert.Equal(t, Incomplete, d.Findings[1].Verdict)
			assert.Equal(t, ArgsAbsent, d.Findings[1].Reason)
		})
	}
	require.Equal(t, 8, ran)
}

func isArgumentCase(id string) bool {
	for _, area := range []string{"verdict/duplicate_key/", "verdict/unparsable_args/"} {
		if len(id) > len(area) && id[:len(area)] == area {
			return true
		}
	}
	return false
}
