// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestTheProcessorSaysThatItChangesData(t *testing.T) {
	r := newRig(t, withPolicy(t, anyPolicy, ""))
	assert.True(t, r.Capabilities().MutatesData)
}

func TestAllThatWasTakenInHasComeOutAtShutdown(t *testing.T) {
	cfg := readConfig(t, withPolicy(t, anyPolicy, ""))
	processortest.VerifyShutdown(t, NewFactory(), cfg)
}

func TestShutdownAtAnyTime(t *testing.T) {
	everything := withPolicy(t, anyPolicy, "hmac: {key: "+testKey+", key_id: k1}\nevidence: {directory: "+t.TempDir()+"/j}")
	expired, cancel := context.WithCancel(t.Context())
	cancel()
	build := func(t *testing.T) *rig {
		r := &rig{sink: &consumertest.TracesSink{}}
		r.build(t, everything, r.sink)
		return r
	}
	t.Run("before the start", func(t *testing.T) {
		assert.NoError(t, build(t).Shutdown(t.Context()))
	})
	t.Run("twice", func(t *testing.T) {
		r := build(t)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		assert.NoError(t, r.Shutdown(t.Context()))
		assert.NoError(t, r.Shutdown(t.Context()))
	})
	t.Run("after a start that was refused", func(t *testing.T) {
		first := build(t)
		require.NoError(t, first.Start(t.Context(), componenttest.NewNopHost()))
		second := build(t)
		require.Error(t, second.Start(t.Context(), componenttest.NewNopHost()), "a journal has one writer")
		assert.NoError(t, second.Shutdown(t.Context()))
		assert.NoError(t, first.Shutdown(t.Context()))
	})
	t.Run("with a context that has expired", func(t *testing.T) {
		r := build(t)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		r.consume(t, callOf("search", "{}"))
		_ = r.Shutdown(expired) // what could not be kept is told, and nothing hangs or panics
	})
	t.Run("under load", func(t *testing.T) {
		r := build(t)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		var load sync.WaitGroup
		for worker := range 4 {
			load.Go(func() {
				for i := range 200 {
					_ = r.ConsumeTraces(context.Background(), batchOf(func(s ptrace.Span) {
						toolCall(s, i+1, "search", "{}")
						s.SetTraceID(pcommon.TraceID{1: byte(worker + 1)})
					}))
				}
			})
		}
		time.Sleep(5 * time.Millisecond)
		assert.NoError(t, r.Shutdown(t.Context()))
		load.Wait()
	})
	t.Run("a context that has expired does not stop the start", func(t *testing.T) {
		r := build(t)
		require.NoError(t, r.Start(expired, componenttest.NewNopHost()))
		assert.NoError(t, r.Shutdown(t.Context()))
	})
}

// TestRunsThatAreOpenAtShutdownAreClosed wants the span of the run downstream
// before Shutdown returns.
func TestRunsThatAreOpenAtShutdownAreClosed(t *testing.T) {
	r := newRig(t, withPolicy(t, anyPolicy, ""))
	r.consume(t, callOf("search", "{}"))
	r.sink.Reset()
	require.NoError(t, r.Shutdown(t.Context()))
	require.Len(t, r.sink.AllTraces(), 1)
	span := firstSpan(r.sink.AllTraces()[0])
	assert.Equal(t, runSpanName, span.Name())
	assert.Equal(t, "partial", attr(span, attrRunExtent))
	assert.EqualValues(t, 1, r.sum(t, "runs_closed"))
}

// TestWhatIsDownstreamIsHeard holds that an error of the next consumer comes
// back as it is, so that whoever sent the batch knows whether to send it again.
func TestWhatIsDownstreamIsHeard(t *testing.T) {
	refused := errors.New("downstream is busy")
	for _, tt := range []struct {
		name      string
		err       error
		permanent bool
	}{
		{"an error to retry", refused, false},
		{"a permanent error", consumererror.NewPermanent(refused), true},
		{"an error with the data that failed", consumererror.NewTraces(refused, ptrace.NewTraces()), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &rig{}
			r.build(t, withPolicy(t, anyPolicy, ""), consumertest.NewErr(tt.err))
			require.NoError(t, r.Start(t.Context(), r.host))
			err := r.ConsumeTraces(t.Context(), callOf("search", "{}"))
			assert.Equal(t, tt.err, err)
			assert.Equal(t, tt.permanent, consumererror.IsPermanent(err))
			assert.NoError(t, r.Shutdown(t.Context()), "a run's span that is refused is told in the log")
			assert.NotZero(t, r.logs.FilterMessageSnippet("were refused").Len())
		})
	}
}

// TestABatchThatIsSentAgainMakesNoSecondRecord is the other half: downstream
// refuses half of the attempts, and each batch is sent until it is taken.
func TestABatchThatIsSentAgainMakesNoSecondRecord(t *testing.T) {
	p, _ := newTestProcessor(t, withPolicy(t, anyPolicy, "hmac: {key: "+testKey+", key_id: k1}"))
	kept := &recorder{}
	key, err := canon.NewKey("k1", []byte(testKey))
	require.NoError(t, err)
	withEngine(t, p, func(s *engine.Settings) { s.Journal, s.Key = kept, key })
	require.NoError(t, p.start(t.Context(), componenttest.NewNopHost()))
	attempts, delivered := 0, 0
	next, err := consumer.NewTraces(func(context.Context, ptrace.Traces) error {
		if attempts++; attempts%3 > 0 {
			return errors.New("busy")
		}
		delivered++
		return nil
	})
	require.NoError(t, err)
	for i := range 20 {
		origin := batchOf(func(s ptrace.Span) { toolCall(s, i+1, "search", "{}") })
		for {
			td := ptrace.NewTraces()
			origin.CopyTo(td)
			out, err := p.processTraces(t.Context(), td)
			require.NoError(t, err)
			assert.Equal(t, "recorded", attr(firstSpan(out), attrEvidence))
			if next.ConsumeTraces(t.Context(), out) == nil {
				break
			}
		}
	}
	assert.Equal(t, 20, delivered)
	assert.Len(t, kept.kept, 20)
	require.NoError(t, p.shutdown(context.Background()))
}
