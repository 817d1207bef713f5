// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"strconv"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// readMembers puts the members of the object n that names lists into out, at
// the place of their name, and returns how many members are of other names.
// Names that come in the listed order cost one comparison each.
func readMembers(n canon.Node, names []string, out []canon.Node) (others int) {
	clear(out)
	next := 0
	for key, val := range n.All() {
		i := indexFrom(names, key, next)
		if i < 0 {
			others++
			continue
		}
		out[i], next = val, i+1
	}
	return others
}

// indexFrom returns the index of key in names, looking first from start on.
func indexFrom(names []string, key string, start int) int {
	for k := range names {
		i := start + k
		if i >= len(names) {
			i -= len(names)
		}
		if names[i] == key {
			return i
		}
	}
	return -1
}

// text returns the string n, which is the member field of a document.
func text(n canon.Node, field string) (string, *FaultError) {
	if n.Kind() != canon.KindString {
		return "", wrongType(n, field, "string")
	}
	return n.Str(), nil
}

// constant refuses a member that is not the string want.
func constant(n canon.Node, field, want string) *FaultError {
	s, err := text(n, field)
	if err != nil {
		return err
	}
	if s != want {
		return &FaultError{Fault: FaultUnexpectedValue, Field: field, Want: want}
	}
	return nil
}

// digest returns the well-formed digest n.
func digest(n canon.Node, field string) (canon.Digest, *FaultError) {
	s, err := text(n, field)
	if err != nil {
		return "", err
	}
	d := canon.Digest(s)
	if !d.Valid() {
		return "", &FaultError{Fault: FaultMalformed, Field: field, Want: digestForm}
	}
	return d, nil
}

const digestForm = "sha256: and 64 lowercase hex digits"

// boolean returns the boolean n.
func boolean(n canon.Node, field string) (bool, *FaultError) {
	if n.Kind() != canon.KindBool {
		return false, wrongType(n, field, "boolean")
	}
	return n.Bool(), nil
}

// integer returns the number n, which must be written as an integer: neither
// 1.0 nor 1e2 nor -0 is one, and it must fit 64 bits.
func integer(n canon.Node, field string) (int64, *FaultError) {
	if n.Kind() != canon.KindNumber {
		return 0, wrongType(n, field, "integer")
	}
	s := n.Number()
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || s == "-0" || strings.ContainsAny(s, ".eE+") {
		return 0, &FaultError{Fault: FaultNotInteger, Field: field, Want: "an integer within 64 bits"}
	}
	return v, nil
}

// count returns the number n, which must be an integer of at least 0.
func count(n canon.Node, field string) (int64, *FaultError) {
	v, err := integer(n, field)
	if err == nil && v < 0 {
		return 0, &FaultError{Fault: FaultNotInteger, Field: field, Got: strconv.FormatInt(v, 10), Want: "at least 0"}
	}
	return v, err
}

func wrongType(n canon.Node, field, want string) *FaultError {
	if n.Kind() == canon.KindNone {
		return &FaultError{Fault: FaultMissing, Field: field, Want: want}
	}
	return &FaultError{Fault: FaultWrongType, Field: field, Got: n.Kind().String(), Want: want}
}

// exactInteger is the largest magnitude up to which every integer is a double.
const exactInteger = 1 << 53

// isExact reports whether a double holds v, so that JCS writes its digits.
func isExact(v int64) bool { return v >= -exactInteger && v <= exactInteger }

// appendRounded appends v as JCS does, which sees the nearest double.
func appendRounded(dst []byte, v int64) []byte {
	if isExact(v) {
		return strconv.AppendInt(dst, v, 10)
	}
	return canon.AppendNumber(dst, float64(v))
}

// deeperThan reports whether the JSON text s nests more than limit containers.
// A text with fewer opening brackets than that is answered without a scan.
func deeperThan(s string, limit int) bool {
	if strings.Count(s, "{")+strings.Count(s, "[") <= limit {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{', c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return false
}
