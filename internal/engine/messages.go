// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/recognize"
)

// messageShards keep batches of different traces from waiting for each other.
const messageShards = 16

// messages remember, within bounds, what models asked for in each trace, for
// calls that were recorded without their arguments.
type messages struct {
	shards *[messageShards]messageShard
}

type messageShard struct {
	sync.Mutex
	index *recognize.MessageIndex
}

func newMessages(r *recognize.Recognizer) messages {
	m := messages{shards: &[messageShards]messageShard{}}
	limits := recognize.IndexLimits{
		Requests: recognize.DefaultIndexRequests / messageShards,
		Bytes:    recognize.DefaultIndexBytes / messageShards,
	}
	for i := range m.shards {
		m.shards[i].index = r.NewMessageIndex(limits)
	}
	return m
}

func (m messages) of(span ptrace.Span) (shard *messageShard, run string) {
	id := span.TraceID()
	return &m.shards[id[15]%messageShards], string(id[:])
}

// add remembers the requests on a model's span.
func (m messages) add(span ptrace.Span) {
	shard, run := m.of(span)
	shard.Lock()
	defer shard.Unlock()
	shard.index.Add(run, span)
}

// resolve gives calls without arguments those that a model asked for under the
// call's id. It returns how many calls met a fault of ours, and go without.
func (m messages) resolve(found []Member) (faults int64) {
	for i := range found {
		if !m.resolveOne(&found[i]) {
			faults++
		}
	}
	return faults
}

func (m messages) resolveOne(member *Member) (sound bool) {
	shard, run := m.of(member.Span)
	shard.Lock()
	defer shard.Unlock()
	defer func() { sound = recover() == nil }()
	shard.index.Resolve(run, member.Obs)
	return true
}
