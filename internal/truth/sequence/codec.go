// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// stateVersion begins every stored State.
const stateVersion = 1

// Why a stored state is refused.
var (
	ErrStateVersion = errors.New("stored by another version")
	ErrOtherRules   = errors.New("stored for other rules")
	ErrState        = errors.New("not a stored state")
)

// MarshalBinary returns s for storage. What it writes is compact, and the same
// for equal states.
func (s *State) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// AppendBinary appends what MarshalBinary returns.
func (s *State) AppendBinary(dst []byte) ([]byte, error) {
	var print [printSize]byte
	if s.rules != nil {
		print = s.rules.print
	}
	dst = append(append(dst, stateVersion), print[:]...)
	dst = binary.AppendUvarint(dst, uint64(s.bound))
	dst = binary.AppendUvarint(dst, uint64(s.calls))
	dst = appendCore(dst, &s.core)
	if s.past == nil {
		return dst, nil
	}
	dst = binary.AppendUvarint(dst, uint64(s.past.first))
	if s.past.base != nil {
		dst = appendCore(dst, s.past.base)
	}
	return append(dst, s.past.tape...), nil
}

func appendCore(dst []byte, k *core) []byte {
	for _, c := range k.cells {
		dst = append(dst, byte(c.phase))
		dst = binary.AppendUvarint(dst, uint64(c.kept))
		dst = binary.AppendUvarint(dst, uint64(c.left))
	}
	dst = binary.AppendUvarint(dst, uint64(len(k.log)))
	return append(dst, k.log...)
}

// UnmarshalBinary makes s, which must come from NewState of the same rules, the
// state that data holds. It refuses whatever no State of these rules writes,
// and then leaves s as it was.
func (s *State) UnmarshalBinary(data []byte) error {
	if s.rules == nil {
		return fmt.Errorf("a state without rules: %w", ErrOtherRules)
	}
	got := s.rules.NewState(0)
	d := decoder{rest: data}
	if err := d.header(s.rules); err != nil {
		return err
	}
	got.bound = uint32(d.number(math.MaxUint32))
	got.calls = int(d.number(math.MaxInt - 1))
	d.core(&got.core)
	d.past(got)
	if d.bad || !got.sound() {
		return ErrState
	}
	// One state has one text: no varint is longer than it must be.
	if again, _ := got.AppendBinary(nil); !bytes.Equal(again, data) {
		return ErrState
	}
	*s = *got
	return nil
}

// A decoder reads a stored state. After the first thing that is wrong it is
// bad, and reads nothing more.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) header(r *Rules) error {
	switch {
	case len(d.rest) < 1+printSize:
		return ErrState
	case d.rest[0] != stateVersion:
		return fmt.Errorf("got version %d, want %d: %w", d.rest[0], stateVersion, ErrStateVersion)
	case !bytes.Equal(d.rest[1:1+printSize], r.print[:]):
		return ErrOtherRules
	}
	d.rest = d.rest[1+printSize:]
	return nil
}

func (d *decoder) number(limit uint64) uint64 {
	v, n := binary.Uvarint(d.rest)
	if d.bad || n <= 0 || v > limit {
		d.bad = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// bytes returns a copy of the next n bytes.
func (d *decoder) bytes(n uint64) []byte {
	if d.bad || n > uint64(len(d.rest)) {
		d.bad = true
		return nil
	}
	b := append([]byte(nil), d.rest[:n]...)
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) core(k *core) {
	for i := range k.cells {
		k.cells[i] = cell{
			phase: phase(d.number(math.MaxUint8)),
			kept:  uint32(d.number(math.MaxUint32)),
			left:  uint32(d.number(math.MaxUint32)),
		}
	}
	k.log = d.bytes(d.number(math.MaxInt))
}

func (d *decoder) past(s *State) {
	if s.past == nil {
		d.bad = d.bad || len(d.rest) > 0
		return
	}
	s.past.first = int(d.number(uint64(s.calls)))
	if s.past.first > 0 {
		s.past.base = &core{cells: make([]cell, len(s.core.cells))}
		d.core(s.past.base)
	}
	s.past.tape = d.bytes(uint64(len(d.rest)))
}
