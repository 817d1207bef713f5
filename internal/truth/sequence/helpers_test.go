// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// read loads a policy text, which must parse; its rules may have faults.
func read(t testing.TB, text string) *loader {
	t.Helper()
	p, err := policy.Read("policy.yaml", []byte(text))
	require.NoError(t, err)
	return load(p.Sequences(), p.Aliases())
}

// rules loads a policy text that is right.
func rules(t testing.TB, text string) *Rules {
	t.Helper()
	p, err := policy.Read("policy.yaml", []byte(text))
	require.NoError(t, err)
	r, err := Load("policy.yaml", p)
	require.NoError(t, err)
	return r
}

// flow loads rules given as a YAML flow list, one a line.
func flow(t testing.TB, aliases string, lines ...string) *Rules {
	t.Helper()
	return rules(t, fmt.Sprintf("aliases: {%s}\nsequences: [\n%s\n]\n", aliases, strings.Join(lines, ",\n")))
}

// named returns calls without arguments, named by the words of text.
func named(text string) []Call {
	var calls []Call
	for _, name := range strings.Fields(text) {
		calls = append(calls, Call{Name: name})
	}
	return calls
}

// withArgs returns a call with arguments.
func withArgs(t testing.TB, name, args string) Call {
	t.Helper()
	doc := new(canon.Doc)
	require.NoError(t, doc.Parse(args, canon.Limits{}), args)
	return Call{Name: name, Args: doc.Root(), HasArgs: true}
}

// play takes calls into a new state.
func play(r *Rules, bound int, calls []Call) *State {
	s := r.NewState(bound)
	for _, c := range calls {
		s.Add(c)
	}
	return s
}

// brief prints a record so that two can be compared at a glance.
func brief(r Record) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %v %s", r.RuleID, r.Outcome, r.Spanned, r.Reason))
}

func briefs(records []Record) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = brief(r)
	}
	return out
}
