// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxErrors is how many faults are worth printing. A document with more has
// one cause, and the first lines show it.
const maxErrors = 50

// A Pos is a place in a document. Lines and columns count from 1; 0 is unknown.
type Pos struct{ Line, Column int }

// An Error is one fault of a document. It names fields, which the operator
// wrote, and never repeats their values.
type Error struct {
	File         string // a label, as given to Read
	Line, Column int    // 0 where unknown
	Path         string // of the field, such as tools.allow[2]; empty for the document
	Msg          string
}

// Error returns file:line:col: path: msg, without the parts that are unknown.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	for _, n := range []int{e.Line, e.Column} {
		if n > 0 {
			fmt.Fprintf(&b, ":%d", n)
		}
	}
	for _, part := range []string{e.Path, e.Msg} {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(part)
	}
	return b.String()
}

// Errors are all the faults of a document, in the order in which they stand
// there. errors.As finds an *Error in it.
type Errors []*Error

// Error returns one line a fault, and says so when it leaves some out.
func (es Errors) Error() string {
	var b strings.Builder
	for i, e := range es {
		if i == maxErrors {
			fmt.Fprintf(&b, "\nand %d more", len(es)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap returns every fault.
func (es Errors) Unwrap() []error {
	list := make([]error, len(es))
	for i, e := range es {
		list[i] = e
	}
	return list
}

// Err returns es in document order as one error: nil for none, the *Error
// itself for one.
func (es Errors) Err() error {
	switch len(es) {
	case 0:
		return nil
	case 1:
		return es[0]
	}
	slices.SortStableFunc(es, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return es
}
