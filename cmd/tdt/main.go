// SPDX-License-Identifier: Apache-2.0

// The command tdt judges recorded tool calls, checks policies, and verifies
// evidence, with the engine of the Collector processor and without the
// Collector.
//
// Exit statuses are a contract: 0 all is fine, 3 tdt answered and the answer is
// bad news, 1 tdt could not answer, 2 it was called wrongly.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Exit statuses. Scripts depend on them: a bad answer is not a failed run.
const (
	exitOK       = 0
	exitFailure  = 1
	exitUsage    = 2
	exitFindings = 3
)

// errFindings ends a run whose answer is bad news. It has been told already.
var errFindings = errors.New("findings")

// A usageError is a fault of the command line itself.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// streams are where a verb reads and writes. Answers go to out, everything
// about the run itself to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run executes one command line and returns its exit status.
func run(args []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(args)
	err := root.Execute()
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.As(err, &usage):
		fmt.Fprintf(s.err, "tdt: %v\n", err)
		return exitUsage
	default:
		fmt.Fprintf(s.err, "tdt: %v\n", err)
		return exitFailure
	}
}
