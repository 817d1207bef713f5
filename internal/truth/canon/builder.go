// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// A Builder writes one JSON text from typed values, for arguments that arrive
// as a tree and not as text. The text is meant for Parse, which alone decides
// whether it is usable: duplicate names and misplaced values are found there.
//
// What JSON cannot say is a fault here and never silently another value: a
// string that is not UTF-8, a number that is not finite. A fault, a limit among
// them, stops the Builder. A caller that walks a large tree asks Stopped.
//
// The zero Builder has no limits. Reset gives it some and empties it.
type Builder struct {
	buf     []byte
	lim     Limits
	members int
	depth   int
	comma   bool // the next value or name follows another one
	fault   Fault
}

// Reset empties b for a text within lim. It keeps the storage.
func (b *Builder) Reset(lim Limits) {
	*b = Builder{buf: b.buf[:0], lim: lim}
}

// Stopped reports whether a fault has been found. What is written after that is
// ignored.
func (b *Builder) Stopped() bool { return b.fault != 0 }

// Text returns what was written, or the *TextError that stopped it. Its Offset
// is one in the text written so far.
func (b *Builder) Text() (string, error) {
	if b.Stopped() {
		return "", &TextError{Fault: b.fault, Offset: len(b.buf)}
	}
	return string(b.buf), nil
}

// Null writes null.
func (b *Builder) Null() {
	if b.next() {
		b.wrote(append(b.buf, "null"...))
	}
}

// Bool writes true or false.
func (b *Builder) Bool(v bool) {
	if b.next() {
		b.wrote(strconv.AppendBool(b.buf, v))
	}
}

// Int writes an integer, every digit of it.
func (b *Builder) Int(v int64) {
	if b.next() {
		b.wrote(strconv.AppendInt(b.buf, v, 10))
	}
}

// Float writes a number. One that is not finite is a FaultNumberRange.
func (b *Builder) Float(v float64) {
	switch {
	case !b.next():
	case math.IsNaN(v) || math.IsInf(v, 0):
		b.fault = FaultNumberRange
	default:
		b.wrote(AppendNumber(b.buf, v))
	}
}

// Str writes a string. One that is not UTF-8 is a FaultUTF8.
func (b *Builder) Str(v string) {
	if b.next() {
		b.quote(v)
	}
}

// Key writes the name of the member whose value comes next.
func (b *Builder) Key(name string) {
	if !b.next() {
		return
	}
	if b.members++; b.lim.Members > 0 && b.members > b.lim.Members {
		b.fault = FaultMembers
		return
	}
	b.quote(name)
	if b.Stopped() {
		return
	}
	b.wrote(append(b.buf, ':'))
	b.comma = false
}

// BeginObject opens an object, until EndObject.
func (b *Builder) BeginObject() { b.begin('{') }

// EndObject closes an object.
func (b *Builder) EndObject() { b.end('}') }

// BeginArray opens an array, until EndArray.
func (b *Builder) BeginArray() { b.begin('[') }

// EndArray closes an array.
func (b *Builder) EndArray() { b.end(']') }

func (b *Builder) begin(bracket byte) {
	if !b.next() {
		return
	}
	if b.depth++; b.depth > maxDepth {
		b.fault = FaultDepth
		return
	}
	b.wrote(append(b.buf, bracket))
	b.comma = false
}

func (b *Builder) end(bracket byte) {
	if b.Stopped() {
		return
	}
	b.depth--
	b.wrote(append(b.buf, bracket))
}

// next reports whether to go on, and writes the comma that is due.
func (b *Builder) next() bool {
	if b.Stopped() {
		return false
	}
	if b.comma {
		b.buf = append(b.buf, ',')
	}
	return true
}

// quote writes a string, after checking that it fits: a string may be longer
// than every limit.
func (b *Builder) quote(s string) {
	switch {
	case b.lim.Bytes > 0 && len(s) > b.lim.Bytes:
		b.fault = FaultSize
	case !utf8.ValidString(s):
		b.fault = FaultUTF8
	default:
		b.wrote(AppendString(b.buf, s))
	}
}

// wrote takes buf with a complete token at its end.
func (b *Builder) wrote(buf []byte) {
	b.buf, b.comma = buf, true
	if b.lim.Bytes > 0 && len(buf) > b.lim.Bytes {
		b.fault = FaultSize
	}
}
