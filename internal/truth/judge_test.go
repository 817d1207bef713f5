// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

func readPolicy(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Read("policy.yaml", []byte(text))
	require.NoError(t, err)
	return p
}

const dutiful = `
tools:
  allow: ["read_*", pay, wipe]
  deny: [wipe]
  approval_required: [pay]
  restrict_scope_classes: [export]
  redact_args: [read_mail]
schemas:
  pay: {type: object, required: [amount], properties: {amount: {type: number}}, additionalProperties: false}
  broken: {$ref: "#/nowhere"}
`

func TestFindingsNameTheDeclaredLine(t *testing.T) {
	p := readPolicy(t, dutiful)
	text := func(s string) *string { return &s }
	for _, tt := range []struct {
		name     string
		call     *Call
		evidence Evidence
		reasons  []string
		clause   string
	}{
		{
			"a deny beats an allow", callOf("wipe", nil, "present"), Evidence{ClassesKnown: true},
			[]string{"args.absent", "tool.denied"}, "The policy denies this tool (tools.deny[0]); no arguments were recorded.",
		},
		{
			"an allow list is exhaustive", callOf("steal", text("{}"), "present"), Evidence{ClassesKnown: true},
			[]string{"args.unconstrained", "tool.not_allowed"}, "allow list does not name this tool",
		},
		{
			"a violated schema is shown by its location", callOf("pay", text(`{"amount":"lots"}`), "present"),
			Evidence{ClassesKnown: true, Approval: Yes},
			[]string{"args.schema_violated"}, "(type at /properties/amount",
		},
		{
			"an undeclared key is not shown", callOf("pay", text(`{"amount":1,"SECRET-KEY":2}`), "present"),
			Evidence{ClassesKnown: true, Approval: Yes},
			[]string{"args.schema_violated"}, "(additionalProperties at",
		},
		{
			"an approval that was not given is a mismatch", callOf("pay", text(`{"amount":1}`), "present"),
			Evidence{ClassesKnown: true, Approval: No},
			[]string{"approval.not_obtained"}, "approval is required and was not given (tools.approval_required[0])",
		},
		{
			"what cannot be evaluated is incomplete", callOf("pay", text(`{"amount":1}`), "required_missing"), Evidence{},
			[]string{"approval.unknown", "identity.required_missing", "scope.undeterminable"}, "an identity is required",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Judge(p, tt.call, &tt.evidence)
			assertExplained(t, &d)
			assert.Equal(t, tt.reasons, d.Reasons(nil))
			assert.Contains(t, strings.ToLower(d.Explanation()), strings.ToLower(tt.clause))
			assert.NotContains(t, d.Explanation(), "SECRET-KEY")
			assert.NotContains(t, d.Explanation(), "lots")
		})
	}
}

func TestUnusableArgumentsKeepTheirReason(t *testing.T) {
	p := readPolicy(t, "enforcement: {unconstrained_tools: allow}")
	for reason := range reasonTexts {
		if !strings.HasPrefix(string(reason), "args.") {
			continue
		}
		d := Judge(p, &Call{Tool: "any", ArgsWhy: reason, Identity: IdentityAbsent}, &Evidence{})
		assert.Equal(t, Incomplete, d.Verdict, reason)
		assert.Equal(t, []string{string(reason)}, d.Reasons(nil))
	}
}

func TestTheZeroCallIsInvalid(t *testing.T) {
	d := Judge(readPolicy(t, "enforcement: {unconstrained_tools: allow}"), &Call{}, &Evidence{})
	assert.Equal(t, Invalid, d.Verdict, "an identity state that nobody set is not a good one")
}

func TestUnknownEvidenceNeverMatches(t *testing.T) {
	p := readPolicy(t, dutiful)
	known := Judge(p, callOf("pay", ptr(`{"amount":1}`), "present"), &Evidence{ClassesKnown: true, Approval: Yes})
	require.Equal(t, Match, known.Verdict)
	for _, e := range []Evidence{{}, {ClassesKnown: true}, {Approval: Yes}} {
		d := Judge(p, callOf("pay", ptr(`{"amount":1}`), "present"), &e)
		assert.Equal(t, Incomplete, d.Verdict, "%+v", e)
	}
}

func TestACallThatWasNotJudgedIsInvalidOnEveryAxis(t *testing.T) {
	d := Unjudged(IdentityReasonFault)
	assert.Equal(t, Invalid, d.Verdict)
	d.Axes(func(name, verdict string) {
		assert.NotEmpty(t, name)
		assert.Equal(t, "invalid", verdict, name)
	})
	assert.Equal(t, []string{"identity.internal_error"}, d.Reasons(nil))
	assert.Equal(t, "This program met a fault of its own, and did not finish judging the call.", d.Explanation())
}

func TestEveryReasonSpeaksInOneClause(t *testing.T) {
	for reason, text := range reasonTexts {
		axis, why, ok := strings.Cut(string(reason), ".")
		require.True(t, ok, reason)
		assert.NotEmpty(t, why)
		assert.Contains(t, axisNames[1:], axis, reason)
		assert.NotEmpty(t, text, reason)
		assert.False(t, strings.HasSuffix(text, "."), reason)
		assert.Equal(t, strings.ToLower(text[:1]), text[:1], reason)
	}
}

func ptr(s string) *string { return &s }

const benchArgs = `{"path":"/srv/data/report.txt","limit":3,"mode":"text","encoding":"utf-8","follow":true,` +
	`"note":"quarterly figures of the northern branch, as asked for by the desk on the phone this morning, with the annex and without the cover letter; keep the footnotes"}`

const benchPolicy = `
tools: {allow: [read_file], deny: ["delete_*"]}
schemas:
  read_file:
    type: object
    required: [path]
    additionalProperties: false
    properties:
      path: {type: string, pattern: "^/srv/"}
      limit: {type: integer, minimum: 1, maximum: 100}
      mode: {enum: [text, binary]}
      encoding: {type: string, maxLength: 20}
      follow: {type: boolean}
      note: {type: string}
`

// BenchmarkDecision is one tool call of 300 B against a schema of six
// properties: parse, judge, and three digests. The budget is 7 µs and 30
// allocations.
func BenchmarkDecision(b *testing.B) {
	p, err := policy.Read("policy.yaml", []byte(benchPolicy))
	require.NoError(b, err)
	key, err := canon.NewKey("bench", []byte("a-key-for-benchmarks-and-nothing-else"))
	require.NoError(b, err)
	var doc canon.Doc
	b.ReportAllocs()
	for b.Loop() {
		if err := doc.Parse(benchArgs, canon.Limits{Bytes: 256 << 10, Members: 4096}); err != nil {
			b.Fatal(err)
		}
		c := Call{Tool: "read_file", Args: &doc, Identity: IdentityAbsent}
		d := Judge(p, &c, &Evidence{})
		if d.Verdict != Match {
			b.Fatal(d.Explanation())
		}
		args := key.ArgsDigest(&doc)
		observed := canon.ObservedInput(c.Tool, args, 7)
		_ = observed
	}
}
