// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.yaml.in/yaml/v3"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadatatest"
)

// point is one series with its value. Labels are keys and values in turn.
func point(value int64, labels ...string) metricdata.DataPoint[int64] {
	var set []attribute.KeyValue
	for i := 0; i+1 < len(labels); i += 2 {
		set = append(set, attribute.String(labels[i], labels[i+1]))
	}
	return metricdata.DataPoint[int64]{Value: value, Attributes: attribute.NewSet(set...)}
}

func points(p ...metricdata.DataPoint[int64]) []metricdata.DataPoint[int64] { return p }

// TestOwnTelemetry sends one batch of which every number is known.
func TestOwnTelemetry(t *testing.T) {
	r := newRig(t, withPolicy(t, anyPolicy, ""))
	batch := func() ptrace.Traces {
		return batchOf(
			func(s ptrace.Span) { toolCall(s, 1, "read_file", `{"path":"/a"}`) },
			func(s ptrace.Span) { toolCall(s, 2, "read_file", `{"path":`) },
			func(s ptrace.Span) { toolCall(s, 3, "fail_tool", `{}`) },
			func(s ptrace.Span) { toolCall(s, 4, "ping", `{}`) },
			func(s ptrace.Span) {
				s.SetName("another span")
				s.Attributes().PutStr(carrier.AttrVerdict, "match")
				s.Events().AppendEmpty().Attributes().PutStr(carrier.AttrClaimClass, "proven")
			},
			func(s ptrace.Span) {
				toolCall(s, 5, "search", "")
				s.SetName("search")
				s.Attributes().RemoveIf(func(string, pcommon.Value) bool { return true })
				s.Attributes().PutStr("openinference.span.kind", "TOOL")
				s.Attributes().PutStr("tool.name", "search")
			},
		)
	}
	r.consume(t, batch())
	at := metricdatatest.IgnoreTimestamp()
	check := func(times int64) {
		metadatatest.AssertEqualProcessorTdtSpansInspected(t, r.tel, points(point(6*times)), at)
		metadatatest.AssertEqualProcessorTdtSpoofedAttributesRemoved(t, r.tel, points(point(2*times)), at)
		metadatatest.AssertEqualProcessorTdtCallsRecognized(t, r.tel, points(point(4*times, "dialect", "gen_ai"), point(times, "dialect", "openinference")), at)
		metadatatest.AssertEqualProcessorTdtDecisions(t, r.tel, points(
			point(1, "policy", "policy", "verdict", "match"), point(2, "policy", "policy", "verdict", "incomplete"),
			point(1, "policy", "policy", "verdict", "mismatch"), point(1, "policy", "policy", "verdict", "invalid")), at)
		metadatatest.AssertEqualProcessorTdtArgumentsUnusable(t, r.tel, points(point(1, "reason", "args.truncated")), at)
		metadatatest.AssertEqualProcessorTdtRulesViolated(t, r.tel, points(point(1, "policy", "policy")), at)
		metadatatest.AssertEqualProcessorTdtPolicyLoaded(t, r.tel, points(point(1, "policy", "policy")), at)
	}
	check(1)
	r.consume(t, batch())
	check(2) // spans that come again are looked at again, and decided once

	require.NoError(t, r.Shutdown(context.Background()))
	metadatatest.AssertEqualProcessorTdtRunsClosed(t, r.tel, points(point(1, "why", "shutdown")), at)
	for _, healthy := range []string{"internal_errors", "evidence_failures", "policy_reloads", "run_spans_dropped", "run_storage_failures"} {
		assert.Zero(t, r.sum(t, healthy), healthy)
	}
}

// TestLabelsAreClosedWords compares the words that metadata.yaml lists with
// those of the code.
func TestLabelsAreClosedWords(t *testing.T) {
	text, err := os.ReadFile("metadata.yaml")
	require.NoError(t, err)
	var meta struct {
		Attributes map[string]struct {
			Enum []string `yaml:"enum"`
		} `yaml:"attributes"`
		Telemetry struct {
			Metrics map[string]struct {
				Attributes []string `yaml:"attributes"`
			} `yaml:"metrics"`
		} `yaml:"telemetry"`
	}
	require.NoError(t, yaml.Unmarshal(text, &meta))
	var verdicts []string
	for _, v := range truth.Verdicts() {
		verdicts = append(verdicts, v.String())
	}
	assert.Equal(t, verdicts, meta.Attributes["verdict"].Enum)
	assert.Equal(t, ledger.Whys(), meta.Attributes["why"].Enum)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for name := range meta.Telemetry.Metrics {
		assert.Contains(t, string(readme), "`otelcol_"+name+"`", "the README says what a healthy system shows")
	}
	for _, m := range strings.Split(string(readme), "`otelcol_processor_tdt_")[1:] {
		name, _, _ := strings.Cut(m, "`")
		assert.Contains(t, meta.Telemetry.Metrics, "processor_tdt_"+name, "the README has a metric that does not exist")
	}
}
