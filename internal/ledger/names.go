// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// A nameRef stands for a tool's name: an index into the names that a shard's
// runs share, or, with private, into those of one run.
type nameRef uint16

const private nameRef = 1 << 15

// Most runs call the same few tools, so their names are kept once a shard. Who
// calls ever new names fills that table and then pays with room of its own.
const (
	maxShared    = 512
	maxSharedLen = 128
	maxNameLen   = 256
)

// names are the names that the runs of one shard share. It only grows, up to
// its bound.
type names struct {
	refs map[string]nameRef
	list []string
}

// share returns the reference of s, and false where s must be kept privately.
func (n *names) share(s string) (nameRef, bool) {
	if ref, ok := n.refs[s]; ok {
		return ref, true
	}
	if len(n.list) >= maxShared || len(s) > maxSharedLen {
		return 0, false
	}
	if n.refs == nil {
		n.refs = map[string]nameRef{}
	}
	ref := nameRef(len(n.list))
	s = strings.Clone(s) // or it would keep the attribute's batch in memory
	n.list, n.refs[s] = append(n.list, s), ref
	return ref, true
}

// clipName bounds what is kept of a name. A longer one is then equal to itself
// and similar to nothing.
func clipName(s string) string {
	if len(s) <= maxNameLen {
		return s
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return s[:maxNameLen-17] + "#" + strconv.FormatUint(1<<63|h.Sum64(), 16)
}

// refer returns the reference of a clipped name for the calls of r.
func (s *shard) refer(r *run, name string) nameRef {
	if ref, ok := s.names.share(name); ok {
		return ref
	}
	own := &r.needRare().names
	for i, known := range *own {
		if known == name {
			return private | nameRef(i)
		}
	}
	*own = append(*own, strings.Clone(name))
	return private | nameRef(len(*own)-1)
}

// name returns what ref stands for among the calls of r.
func (s *shard) name(r *run, ref nameRef) string {
	if ref&private == 0 {
		return s.names.list[ref]
	}
	return r.more.rare.names[ref&^private]
}

// pruneNames drops the private names of r that no call has any more.
func (s *shard) pruneNames(r *run) {
	if r.more == nil || r.more.rare == nil || len(r.more.rare.names) == 0 {
		return
	}
	rare := r.more.rare
	old := rare.names
	rare.names = nil
	moved := map[nameRef]nameRef{}
	move := func(ref *nameRef) {
		if *ref&private == 0 {
			return
		}
		to, ok := moved[*ref]
		if !ok {
			rare.names = append(rare.names, old[*ref&^private])
			to = private | nameRef(len(rare.names)-1)
			moved[*ref] = to
		}
		*ref = to
	}
	for i := range r.calls {
		move(&r.calls[i].tool)
	}
	for i := range rare.ruled {
		move(&rare.ruled[i].tool)
	}
}
