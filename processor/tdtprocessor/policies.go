// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tool-decision-truth/collector/internal/engine"
)

// maxPolicyBytes is the largest policy file that is read.
const maxPolicyBytes = 16 << 20

// A policySource is one configured policy: where it is read from, and the text
// that is in force.
type policySource struct {
	file, name string
	when       func(engine.Located) bool
	text       []byte

	settle func() // waits for a file that may be being written
}

// settleTime is how long a changed file must stay as it is before it is taken.
const settleTime = 250 * time.Millisecond

func newPolicySources(e *expressions, cfgs []PolicyConfig) ([]*policySource, error) {
	sources := make([]*policySource, len(cfgs))
	for i := range cfgs {
		cfg := &cfgs[i]
		sources[i] = &policySource{file: cfg.File, name: cfg.name(), settle: func() { time.Sleep(settleTime) }}
		if cfg.When == "" {
			continue
		}
		c, err := e.condition(cfg.When)
		if err != nil {
			return nil, fmt.Errorf("policies[%d].when: %w", i, err)
		}
		conditions := []*condition{c}
		sources[i].when = func(at engine.Located) bool { return anyHolds(context.Background(), conditions, at) }
	}
	return sources, nil
}

// load reads the source's file. It returns nil where the text has not changed
// since it was last accepted. The error names file, line and field; it holds
// nothing of the text beside the names of fields.
func (s *policySource) load() (*engine.Policy, error) {
	text, err := s.readWhole()
	if err != nil {
		return nil, err
	}
	if s.text != nil && string(s.text) == string(text) {
		return nil, nil
	}
	p, err := s.read(text)
	if err != nil {
		return nil, err
	}
	s.text = text
	return p, nil
}

// errBeingWritten tells to look again later. It is no fault.
var errBeingWritten = errors.New("the file is being written")

// readWhole returns the file's text. One that is not in force yet is read
// twice: half of a policy can be a policy too, and a laxer one.
func (s *policySource) readWhole() ([]byte, error) {
	text, err := readBounded(s.file)
	if s.text == nil || err == nil && string(text) == string(s.text) {
		return text, err
	}
	s.settle()
	again, err := readBounded(s.file)
	if err == nil && string(again) != string(text) {
		return nil, errBeingWritten
	}
	return again, err
}

// errReader says no more: what a panic says may quote the text.
var errReader = errors.New("reading it met a fault of the processor itself")

// read turns a fault of ours into an error, so that a text which is read while
// telemetry flows ends nothing.
func (s *policySource) read(text []byte) (p *engine.Policy, err error) {
	defer func() {
		if recover() != nil {
			p, err = nil, fmt.Errorf("%s: %w", s.file, errReader)
		}
	}()
	return engine.NewPolicy(s.name, s.file, text, s.when)
}

// readBounded reads a file once and whole, and refuses what is no file or too
// large for a policy.
func readBounded(file string) ([]byte, error) {
	// Opening a pipe would wait for its writer, and hold a shutdown up.
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("%w; want the path of a policy, a relative one is taken from the Collector's working directory", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: it is not a file, want one with a policy", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPolicyBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxPolicyBytes {
		return nil, fmt.Errorf("%s: it has more than %d bytes", file, maxPolicyBytes)
	}
	return text, nil
}

// loadAll reads every source, for the start: all faults are told at once.
func loadAll(sources []*policySource) (engine.Policies, error) {
	var errs error
	policies := make(engine.Policies, len(sources))
	for i, s := range sources {
		p, err := s.load()
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("policies[%d]: %w", i, err))
		}
		policies[i] = p
	}
	return policies, errs
}
