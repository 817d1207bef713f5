// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func projectionText(t testing.TB, p *Projection) string {
	t.Helper()
	var out strings.Builder
	n, err := p.WriteTo(&out)
	require.NoError(t, err)
	require.Equal(t, int64(out.Len()), n)
	return out.String()
}

// withoutProse leaves out what the document says in sentences.
func withoutProse(t testing.TB, doc string) string {
	t.Helper()
	require.Contains(t, doc, `"non_claims"`)
	return withMember(t, doc, "non_claims", "")
}

// TestProjectionVectors projects decisions that no verifier saw: some of these
// carriers are not ones, and only here can they be projected.
func TestProjectionVectors(t *testing.T) {
	for _, v := range vectors(t, "projection") {
		t.Run(v.ID, func(t *testing.T) {
			var in struct {
				Decisions []struct {
					Carrier    map[string]any `json:"carrier"`
					Content    canon.Digest   `json:"carrier_content_digest"`
					Identity   canon.Digest   `json:"decision_identity_digest"`
					RunVerdict string         `json:"run_verdict"`
				} `json:"decisions"`
			}
			var want struct {
				Projection json.RawMessage `json:"projection"`
			}
			unmarshalStrict(t, v.Input, &in)
			unmarshalStrict(t, v.Want, &want)
			p := &Projection{}
			for _, d := range in.Decisions {
				member := func(name string) string { s, _ := d.Carrier[name].(string); return s }
				out := Decision{
					ToolName: member("tool_name"), Schema: member("schema"), Verdict: givenVerdict(member("decision_verdict")),
					ObservedInput: canon.Digest(member("observed_input_digest")), DeclaredPolicy: canon.Digest(member("declared_policy_digest")),
					RunVerdict: givenVerdict(d.RunVerdict), Identity: d.Identity, Content: d.Content,
				}
				_ = out.SourceClass.UnmarshalText([]byte(member("source_class")))
				p.decisions = append(p.decisions, out)
			}
			assert.JSONEq(t, string(want.Projection), withoutProse(t, projectionText(t, p)))
		})
	}
}

func TestReferenceProjection(t *testing.T) {
	key := "tdt-otel-snapshot-key-v0"
	p := NewProjector()
	text := readVector(t, "reference_otel_projection.json")
	var want struct {
		Spans []struct {
			Attributes map[string]string `json:"attributes"`
		} `json:"spans"`
	}
	require.NoError(t, json.Unmarshal(text, &want))
	for i, c := range []struct{ tool, args, id, verdict string }{
		{"deploy", `{"env":"prod"}`, "c0", "match"}, {"delete_all", `{}`, "c1", "mismatch"},
	} {
		in := carrierInput{
			ToolName: c.tool, Args: &c.args, Order: int64(i), Key: &key, KeyID: "fixture-kid-v0", CallID: c.id,
			SourceClass: "authoritative_boundary", ResultStatus: "ok", IdentityState: "present",
		}
		rec, err := in.build(t, c.verdict, want.Spans[i].Attributes[AttrDeclared])
		require.NoError(t, err)
		row, err := BindImported(&rec, EventRef("run", int64(2*i)))
		require.NoError(t, err)
		p.AddCarrier(int64(2*i), string(rec.AppendJSON(nil)))
		p.AddRow(int64(2*i+1), string(row.AppendJSON(nil)))
	}
	projection, err := p.Project()
	require.NoError(t, err)
	assert.JSONEq(t, withoutProse(t, string(text)), withoutProse(t, projectionText(t, projection)))
}

func TestProjectionLeavesOutTheArguments(t *testing.T) {
	s := newTestSet(t, 4)
	p := NewProjector()
	for i := range s.rows {
		p.AddRow(int64(2*i), s.rows[3-i])
		p.AddCarrier(int64(2*i+1), s.carriers[i])
	}
	projection, err := p.Project()
	require.NoError(t, err)
	text := projectionText(t, projection)
	assert.NotContains(t, text, "hmac-sha256")
	assert.NotContains(t, text, "kid-1")
	require.Len(t, projection.Decisions(), 4)
	for i, d := range projection.Decisions() {
		rec, err := Import(s.carriers[3-i])
		require.NoError(t, err)
		assert.Equal(t, rec.Decision(truth.Invalid), d, "spans come in the order of the rows")
	}
	assert.Equal(t, 4, projection.Report().Verified)
}

func TestAttributesLeaveOutWhatIsNotKnown(t *testing.T) {
	keys := func(d Decision) (out []string) {
		for _, a := range d.AppendAttributes(nil) {
			out = append(out, a.Key)
		}
		return out
	}
	rec := exampleRecord(t)
	assert.Equal(t, []string{
		"gen_ai.operation.name", "gen_ai.tool.name", "tool.name", "openinference.span.kind", "assay.claim_class", "assay.tdt.schema",
		"assay.tdt.decision_verdict", "assay.tdt.observed_input_digest", "assay.tdt.declared_policy_digest", "assay.tdt.source_class",
		"assay.tdt.run_verdict", "assay.tdt.decision_identity_digest", "assay.tdt.carrier_content_digest",
	}, keys(rec.Decision(truth.Mismatch)))
	assert.Equal(t, []string{"gen_ai.operation.name", "openinference.span.kind", "assay.claim_class"}, keys(Decision{}))
}

func TestProjectionWritesNothingOfASetThatDoesNotVerify(t *testing.T) {
	s := newTestSet(t, 2)
	p := NewProjector()
	p.AddCarrier(0, s.carriers[0])
	p.AddRow(1, s.rows[0])
	p.AddRow(2, s.rows[1])
	projection, err := p.Project()
	requireFault(t, err, FaultCarrierMissing, "evidence_ref.digest")
	require.Nil(t, projection)
}

func TestProjectionReportsAWriterThatFails(t *testing.T) {
	p := &Projection{decisions: make([]Decision, 10_000)}
	n, err := p.WriteTo(&failingWriter{after: 100_000})
	require.ErrorIs(t, err, errFull)
	assert.LessOrEqual(t, n, int64(100_000))
}

var errFull = errors.New("full")

// A failingWriter takes some bytes and then no more.
type failingWriter struct{ after int }

func (f *failingWriter) Write(p []byte) (int, error) {
	n := min(len(p), f.after)
	f.after -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}
