// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// A grammar writes small policies: a few names and classes in every list that a
// policy has, and schemas of which some are malformed.
type grammar struct{ *rand.Rand }

func (g grammar) some(words ...string) string {
	var list []string
	for _, w := range words {
		if g.IntN(3) == 0 {
			list = append(list, `"`+w+`"`)
		}
	}
	return "[" + strings.Join(list, ", ") + "]"
}

var (
	grammarTools    = []string{"read", "write", "re*", "*te", "*", "pay"}
	grammarClasses  = []string{"money", "files"}
	grammarToolKeys = []string{"allow", "deny", "approval_required", "restrict_scope", "redact_args"}
	grammarClassed  = []string{"deny_classes", "approval_required_classes", "restrict_scope_classes", "redact_args_classes"}
	grammarSchemas  = []string{
		"{type: object}", "{type: object, required: [a]}", "{type: object, properties: {a: {type: integer, maximum: 3}}, additionalProperties: false}",
		"true", "false", `{$ref: "#/nowhere"}`, `{$ref: "https://example.com/x"}`, "{type: [nothing]}", "{not: {}}",
		`{properties: {a: {pattern: "^(a+)+$"}}}`, "{enum: [{a: 1}]}",
	}
)

func (g grammar) policy() string {
	var b strings.Builder
	b.WriteString("tool_classes: {read: [files], pay: [money, files]}\ntools:\n")
	fmt.Fprintf(&b, "  allow_classes: %s\n", g.some(grammarClasses...))
	for _, key := range grammarToolKeys {
		if g.IntN(2) == 0 {
			fmt.Fprintf(&b, "  %s: %s\n", key, g.some(grammarTools...))
		}
	}
	for _, key := range grammarClassed {
		if g.IntN(3) == 0 {
			fmt.Fprintf(&b, "  %s: %s\n", key, g.some(grammarClasses...))
		}
	}
	fmt.Fprintf(&b, "enforcement: {unconstrained_tools: %s}\nschemas:\n", []string{"warn", "deny", "allow"}[g.IntN(3)])
	for _, tool := range []string{"read", "write", "pay"} {
		fmt.Fprintf(&b, "  %s: %s\n", tool, grammarSchemas[g.IntN(len(grammarSchemas))])
	}
	return b.String()
}

// FuzzJudge judges any call by any small policy: the gate is total, its verdict
// is the worst of its axes, every axis that does not match says why, and more
// evidence of the good never makes a verdict worse.
func FuzzJudge(f *testing.F) {
	f.Add(uint64(1), "read", `{"a":1}`, uint8(0))
	f.Add(uint64(2), "write", `{"a":4,"b":[]}`, uint8(0xff))
	f.Add(uint64(3), "pay", "", uint8(0x1b))
	f.Add(uint64(4), "", `{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}`, uint8(0x6c))
	for seed := range uint64(16) {
		f.Add(seed+10, "re*", `{}`, uint8(seed*17))
	}
	f.Fuzz(func(t *testing.T, seed uint64, tool, args string, evidence uint8) {
		text := grammar{rand.New(rand.NewPCG(seed, 7))}.policy()
		p, err := policy.Read("policy.yaml", []byte(text))
		require.NoError(t, err, text)
		call := &Call{Tool: tool, Identity: Identity(evidence & 3)}
		var doc canon.Doc
		if doc.Parse(args, canon.Limits{Bytes: 1 << 16, Members: 1 << 10}) == nil {
			call.Args = &doc
		}
		e := &Evidence{Approval: Fact(evidence >> 2 & 3), Scope: Fact(evidence >> 4 & 3), Redaction: Fact(evidence >> 6)}
		e.Classes, e.ClassesKnown = p.ToolClasses(tool)
		d := Judge(p, call, e)
		assertLaws(t, &d)
		again := Judge(p, call, e)
		assert.Equal(t, d, again, "the same is judged the same")
		assertMonotone(t, p, call, e, d.Verdict)
	})
}

func assertLaws(t *testing.T, d *Decision) {
	t.Helper()
	worst := Match
	for i := range d.Findings {
		fd := &d.Findings[i]
		assert.Equal(t, Axis(i+1), fd.Axis)
		require.Contains(t, Verdicts(), fd.Verdict)
		assert.Equal(t, fd.Verdict == Match, fd.Reason == NoReason, "%s: %s", fd.Axis, fd.Reason)
		if fd.Reason != NoReason {
			assert.True(t, fd.Reason.Known(), fd.Reason)
			assert.True(t, strings.HasPrefix(string(fd.Reason), fd.Axis.String()+"."), fd.Reason)
		}
		worst = Join(worst, fd.Verdict)
	}
	assert.Equal(t, worst, d.Verdict)
	reasons := d.Reasons(nil)
	assert.True(t, slices.IsSorted(reasons))
	assert.Equal(t, d.Verdict == Match, len(reasons) == 0)
	assert.True(t, strings.HasSuffix(d.Explanation(), "."))
}

// assertMonotone holds that knowing the best of everything is never worse than
// knowing nothing, and that knowing nothing is never a match where knowing the
// worst is none.
func assertMonotone(t *testing.T, p *policy.Policy, call *Call, e *Evidence, verdict Verdict) {
	t.Helper()
	judged := func(fact Fact) Verdict {
		d := Judge(p, call, &Evidence{Classes: e.Classes, ClassesKnown: e.ClassesKnown, Approval: fact, Scope: fact, Redaction: fact})
		return d.Verdict
	}
	best, unknown, worst := judged(Yes), judged(Unknown), judged(No)
	assert.LessOrEqual(t, best, unknown)
	assert.LessOrEqual(t, unknown, worst)
	assert.LessOrEqual(t, best, verdict)
	assert.LessOrEqual(t, verdict, max(worst, judged(Contradictory)))
	if worst != Match && best == Match {
		assert.Equal(t, Incomplete, unknown, "what applies and is unknown is incomplete")
	}
}
