// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"errors"
	"fmt"
	"regexp/syntax"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// A fault is one thing that is wrong with the rules.
type fault struct {
	at        position
	path, msg string
	regex     bool // a regex that does not compile, and nothing else
}

func (l *loader) fault(n *policy.Node, path, format string, args ...any) {
	l.faultAt(place(n), path, format, args...)
}

func (l *loader) faultAt(at position, path, format string, args ...any) {
	l.faults = append(l.faults, fault{at: at, path: path, msg: fmt.Sprintf(format, args...)})
}

func (l *loader) badRegex(n *policy.Node, path string, err error) {
	why := err.Error()
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		why = fmt.Sprintf("%s: %q", e.Code, e.Expr)
	}
	l.faults = append(l.faults, fault{
		at: place(n), path: path, regex: true,
		msg: "the regex does not compile: " + why + "; want RE2 syntax",
	})
}

// fatal counts the faults that leave no rule behind.
func (l *loader) fatal() (n int) {
	for _, f := range l.faults {
		if !f.regex {
			n++
		}
	}
	return n
}

// err returns all faults as errors of the policy, or nil.
func (l *loader) err(file string) error {
	errs := make(policy.Errors, len(l.faults))
	for i, f := range l.faults {
		errs[i] = &policy.Error{File: file, Line: f.at.line, Column: f.at.column, Path: f.path, Msg: f.msg}
	}
	return errs.Err()
}

// wanted says what an operand of the form looks like.
func wanted(f form) string {
	return [...]string{
		formSelector:  "the name of a tool or an alias, or {tool, args_match}",
		formSelectors: "a list of tools",
		formText:      "a text that no tool's name may contain",
		formBound:     "an integer from 0 to 4294967295",
		formFlag:      "true or false",
	}[f]
}

// describe says what a node is. It shows numbers and booleans, and leaves out
// texts.
func describe(n *policy.Node) string {
	switch n.Kind {
	case canon.KindNull:
		return "null"
	case canon.KindBool, canon.KindNumber:
		return n.Str
	case canon.KindString:
		if n.Str == "" {
			return "an empty text"
		}
		return "a text"
	case canon.KindArray:
		return "a list"
	default:
		return "a mapping"
	}
}
