// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

type vector struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Note     string `json:"note"`
	Input    struct {
		Policy string `json:"policy"`
		Calls  string `json:"calls"`
		Extent Extent `json:"extent"`
	} `json:"input"`
	Want struct {
		Records []vectorRecord `json:"records"`
		Error   string         `json:"error"`
	} `json:"want"`
}

type vectorRecord struct {
	RuleID  string  `json:"rule_id"`
	Kind    Kind    `json:"kind"`
	Outcome Outcome `json:"outcome"`
	Spanned []int   `json:"spanned"`
}

// TestVectors replays what the reference answered. Some of its policies have a
// regex that does not compile: Load refuses those, and what the evaluator makes
// of such a selector is checked without Load.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/vectors/differential/sequence.json")
	require.NoError(t, err)
	var file struct {
		Cases []vector `json:"cases"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Cases, "no cases: a moved file must not pass")
	for _, v := range file.Cases {
		t.Run(v.ID, func(t *testing.T) { v.check(t) })
	}
}

func (v *vector) check(t *testing.T) {
	p, err := policy.Read("policy.yaml", []byte(v.Input.Policy))
	if v.Want.Error != "" {
		if err == nil {
			_, err = Load("policy.yaml", p)
		}
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	l := load(p.Sequences(), p.Aliases())
	require.Zero(t, l.fatal(), "%v", l.err(""))
	if _, err := Load("policy.yaml", p); len(l.faults) > 0 {
		require.Error(t, err)
	}

	calls := callsOf(t, v.Input.Calls)
	records := l.rules.Evaluate(calls, v.Input.Extent)
	assert.Equal(t, v.Want.Records, vectorRecords(records))
	assert.Equal(t, v.Want.Records, vectorRecords(play(l.rules, DefaultBound, calls).Records(v.Input.Extent)))
	for _, r := range records {
		assert.Equal(t, r.Outcome == Held, r.Reason == NoReason, "a reason exactly where the rule did not hold")
	}
}

func vectorRecords(records []Record) []vectorRecord {
	out := make([]vectorRecord, len(records))
	for i, r := range records {
		out[i] = vectorRecord{r.RuleID, r.Kind, r.Outcome, r.Spanned}
	}
	return out
}

// callsOf reads a list of {name, args}. A missing or null args is none.
func callsOf(t testing.TB, text string) []Call {
	t.Helper()
	doc := new(canon.Doc)
	require.NoError(t, doc.Parse(text, canon.Limits{}))
	calls := []Call{}
	for _, n := range doc.Root().All() {
		name, ok := n.Get("name")
		require.True(t, ok)
		args, ok := n.Get("args")
		calls = append(calls, Call{Name: name.Str(), Args: args, HasArgs: ok && args.Kind() != canon.KindNull})
	}
	return calls
}
