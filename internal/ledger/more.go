// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"unsafe"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// more is what a run has beyond its calls: the records of its decisions where
// there is evidence, the kinship of spans where calls are seen from several
// layers, and what is rare.
type more struct {
	records    []record // without gaps, from the order first
	first      int64
	superseded []Superseded
	broken     []broken
	kin        *kin
	rare       *rare
}

// rare is what few runs have.
type rare struct {
	trace  Trace // the last one, where the run's id is none
	traces []rootedTrace

	gone   [truth.Invalid + 1]int64 // calls that are not kept, by verdict
	merged int64

	others []policyPart // policies after the first
	behind []int64      // by policy: changes that its rules could not take in
	ruled  []ruledName

	names  []string // of tools, where the shard's table is full
	issued Sum      // the last record of the run
}

// A rootedTrace is a trace of a run that is not itself a trace.
type rootedTrace struct {
	fold traceFold
	root bool
}

// maxTraces bounds the traces that are told apart. A run of more is not known
// to have seen all their roots.
const maxTraces = 64

// A policyPart is a policy that judged calls of the run, with what its rules saw.
type policyPart struct {
	policy *Policy
	state  *sequence.State
	calls  int64
}

// A ruledName is a call that the rules know by another name than its record.
type ruledName struct {
	order int64
	tool  nameRef
}

// broken is a rule that a call violated.
type broken struct {
	order  int64
	rule   uint16
	policy uint8
}

func (r *run) needMore() *more {
	if r.more == nil {
		r.more = &more{first: r.base()}
	}
	return r.more
}

func (r *run) needRare() *rare {
	m := r.needMore()
	if m.rare == nil {
		m.rare = &rare{}
	}
	return m.rare
}

func (r *run) needKin() *kin {
	m := r.needMore()
	if m.kin == nil {
		m.kin = &kin{}
	}
	return m.kin
}

func (r *run) edges() []edge {
	if r.more == nil || r.more.kin == nil {
		return nil
	}
	return r.more.kin.edges
}

func (r *run) hops() []hop {
	if r.more == nil || r.more.kin == nil {
		return nil
	}
	return r.more.kin.hops
}

// rare returns what is rare of r, nil where nothing is. It is for reading.
func (r *run) rare() *rare {
	if r.more == nil {
		return nil
	}
	return r.more.rare
}

func (m *more) size() int64 {
	n := int64(unsafe.Sizeof(more{})) + sliceSize(m.records) + sliceSize(m.superseded) + sliceSize(m.broken)
	if m.kin != nil {
		n += int64(unsafe.Sizeof(kin{})) + sliceSize(m.kin.edges) + sliceSize(m.kin.hops)
	}
	if r := m.rare; r != nil {
		n += int64(unsafe.Sizeof(rare{})) + sliceSize(r.traces) + sliceSize(r.others) + sliceSize(r.behind) +
			sliceSize(r.ruled) + sliceSize(r.names)
		for _, j := range r.others {
			n += stateSize(j.state, j.policy)
		}
		for _, name := range r.names {
			n += int64(len(name))
		}
	}
	return n
}

func sliceSize[T any](s []T) int64 {
	var one T
	return int64(cap(s)) * int64(unsafe.Sizeof(one))
}
