// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// judging is one policy, ready to judge recordings or plain calls.
type judging struct {
	streams
	engine   *engine.Engine
	policy   *engine.Policy
	key      *canon.Key
	extent   sequence.Extent
	carriers bool
	spans    int64
}

func newJudging(s streams, flags *judgeFlags) (*judging, error) {
	if flags.policy == "" {
		return nil, usagef("--policy must name the policy file")
	}
	key, err := flags.keys.load()
	if err != nil {
		return nil, err
	}
	label, text, err := s.read(flags.policy, maxPolicyFile)
	if err != nil {
		return nil, err
	}
	base := filepath.Base(label)
	p, err := engine.NewPolicy(strings.TrimSuffix(base, filepath.Ext(base)), label, text, nil)
	if err != nil {
		return nil, err
	}
	r, err := recognize.New(recognize.Options{})
	if err != nil {
		return nil, err
	}
	set := engine.Settings{
		Recognizer: r, Key: key,
		Ledger: ledger.NewLedger(ledger.Options{Extent: flags.extent(), SameTool: recognize.SameTool}),
	}
	return &judging{streams: s, engine: engine.New(set, nil), policy: p, key: key, extent: flags.extent()}, nil
}

// extent is the operator's word on the runs. A recording may end before they do.
func (f *judgeFlags) extent() sequence.Extent {
	if f.complete {
		return sequence.Complete
	}
	return sequence.Partial
}

// epoch stands for the time in a verb that judges recordings: it has none.
var epoch = time.Unix(0, 0)

// recordings judges every file, in order, as one stream, and says what became
// of the runs.
func (j *judging) recordings(files []string, out *decisionPrinter) error {
	if err := j.judgeFiles(files, out, newResults(out.decision)); err != nil {
		return err
	}
	return j.engine.CloseAll(context.Background(), epoch, ledger.WhyEnd, func(runs []*engine.ClosedRun) { printRuns(out, runs) })
}

func (j *judging) judgeFiles(files []string, out *decisionPrinter, held *results) error {
	if err := checkInputs(files...); err != nil {
		return err
	}
	progress := j.progress("spans read")
	defer progress.stop()
	for _, file := range files {
		err := j.readTraces(file, func(td ptrace.Traces) error {
			progress.add(int64(td.SpanCount()))
			return j.batch(td, held, out)
		})
		if err != nil {
			return err
		}
	}
	if err := held.flush(len(held.held)); err != nil {
		return err
	}
	progress.stop()
	if len(out.counts) == 0 {
		fmt.Fprintf(out.errw, "tdt: no tool call was found in %s; tdt recognize says why\n", counted(int(j.spans), "span"))
	}
	return nil
}

// batch judges one export request.
func (j *judging) batch(td ptrace.Traces, held *results, out *decisionPrinter) error {
	b, err := j.engine.Process(context.Background(), epoch, engine.Policies{j.policy}, td)
	if err != nil {
		return err
	}
	j.spans += b.Spans
	for i := range b.Decisions {
		d := &b.Decisions[i]
		r, err := held.add(d, d.Run, hex.EncodeToString(d.Run[:]))
		if err != nil {
			return err
		}
		if r == nil || !j.carriers {
			continue
		}
		record, err := j.engine.Carrier(d)
		if err != nil {
			return fmt.Errorf("span %s: %w", r.SpanID, err)
		}
		r.carrier = record.AppendJSON(nil)
	}
	if j.carriers {
		return nil
	}
	runs, err := j.engine.End(context.Background(), epoch, b.Ended)
	printRuns(out, runs)
	return err
}

func printRuns(out *decisionPrinter, runs []*engine.ClosedRun) {
	for _, run := range runs {
		out.run(run.Record)
	}
}
