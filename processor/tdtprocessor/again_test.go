// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// TestTheViewIsJudgedAsTheSpanWas judges every recording, and then what came out
// of that, as a second Collector does, or somebody who verifies the verdicts. The
// attributes that the processor adds must not change what a span is taken for.
func TestTheViewIsJudgedAsTheSpanWas(t *testing.T) {
	config := "policies: [{file: " + filepath.Join(policyDirectory(t), "policy.yaml") + "}]\nruns: {idle_timeout: 24h}"
	judge := func() func(ptrace.Traces) map[string]map[string]string {
		p, _ := newTestProcessor(t, config)
		require.NoError(t, p.start(context.Background(), componenttest.NewNopHost()))
		t.Cleanup(func() { require.NoError(t, p.shutdown(context.Background())) })
		return func(td ptrace.Traces) map[string]map[string]string {
			_, err := p.processTraces(context.Background(), td)
			require.NoError(t, err)
			return viewsIn(td)
		}
	}
	eachCapture(t, func(name string, batches []ptrace.Traces) {
		first, second := judge(), judge()
		for _, td := range batches {
			assert.Equal(t, first(td), second(td), name)
		}
	})
}

// viewsIn returns what the processor wrote of each call.
func viewsIn(td ptrace.Traces) map[string]map[string]string {
	views := map[string]map[string]string{}
	for span := range spansIn(td) {
		view := map[string]string{}
		for _, key := range []string{
			carrier.AttrVerdict, carrier.AttrToolName, carrier.AttrSourceClass, carrier.AttrRunVerdict, attrExplanation, attrReasons, attrPrimary,
		} {
			view[key] = engine.Text(span.Attributes(), key)
		}
		if view[carrier.AttrVerdict] != "" {
			views[span.SpanID().String()] = view
		}
	}
	return views
}
