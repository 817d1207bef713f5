// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"encoding"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A memberReader takes members of one object by their place in names. It keeps
// the first fault and returns zero values from then on, so that a decoder can
// be written as the list of its members.
type memberReader struct {
	prefix  string // path of the object, with its dot
	names   []string
	members []canon.Node
	fault   *FaultError
}

func (r *memberReader) text(i int) string {
	return take(r, i, text)
}

func (r *memberReader) digest(i int) canon.Digest {
	return take(r, i, digest)
}

func (r *memberReader) boolean(i int) bool {
	return take(r, i, boolean)
}

func (r *memberReader) integer(i int) int64 {
	return take(r, i, integer)
}

func (r *memberReader) count(i int) int64 {
	return take(r, i, count)
}

// constant refuses a member that is not the string want.
func (r *memberReader) constant(i int, want string) {
	if r.fault == nil {
		r.keep(constant(r.members[i], r.names[i], want))
	}
}

// optional returns a string that may be absent or null, and whether it is
// present and empty.
func (r *memberReader) optional(i int) (s string, empty bool) {
	if k := r.members[i].Kind(); r.fault != nil || k == canon.KindNone || k == canon.KindNull {
		return "", false
	}
	s = r.text(i)
	return s, s == "" && r.fault == nil
}

// present returns a member of any type.
func (r *memberReader) present(i int) canon.Node {
	if r.fault == nil && r.members[i].Kind() == canon.KindNone {
		r.keep(refuse(FaultMissing, r.names[i]))
	}
	return r.members[i]
}

// object returns a member that must be an object.
func (r *memberReader) object(i int) canon.Node {
	if r.fault == nil && r.members[i].Kind() != canon.KindObject {
		r.keep(wrongType(r.members[i], r.names[i], "object"))
	}
	return r.members[i]
}

// check makes a check that needs the members before it to be good.
func (r *memberReader) check(do func() *FaultError) {
	if r.fault == nil {
		r.keep(do())
	}
}

// readWord reads a word of a closed vocabulary into out.
func readWord(r *memberReader, i int, out encoding.TextUnmarshaler, known func() []string) {
	word := r.text(i)
	r.check(func() *FaultError {
		if out.UnmarshalText([]byte(word)) == nil {
			return nil
		}
		return unknownWord(r.names[i], known())
	})
}

// verdict reads a verdict that may be absent or null.
func (r *memberReader) verdict(i int) (v truth.Verdict, unclassified bool) {
	if k := r.members[i].Kind(); k == canon.KindNone || k == canon.KindNull {
		return 0, true
	}
	readWord(r, i, &v, verdictWords)
	return v, false
}

// take reads member i with read, unless a fault came before.
func take[T any](r *memberReader, i int, read func(canon.Node, string) (T, *FaultError)) (out T) {
	if r.fault == nil {
		var fault *FaultError
		out, fault = read(r.members[i], r.names[i])
		r.keep(fault)
	}
	return out
}

// keep keeps fault, if there is one, with the path of its field.
func (r *memberReader) keep(fault *FaultError) {
	if fault == nil {
		return
	}
	if r.prefix != "" {
		fault.Field = r.prefix + fault.Field
	}
	r.fault = fault
}
