// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/report"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// wantJournal says what a verb about journals reads.
const wantJournal = "the directory of a journal"

// openJournal opens the journal in a directory for reading. It may be written at
// the same time.
func openJournal(dir string, f evidence.Filter) (*evidence.Reader, error) {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, plainPathError(err)
	case !info.IsDir():
		return nil, &contentError{dir, 0, "a file", wantJournal}
	}
	r, err := evidence.OpenReader(dir, f)
	if errors.Is(err, evidence.ErrNoJournal) {
		return nil, &contentError{dir, 0, "a directory without a journal", wantJournal}
	}
	if err != nil {
		return nil, plainPathError(err)
	}
	return r, nil
}

// readJournal calls visit for each record that the filter lets through.
func readJournal(dir string, f evidence.Filter, visit func(*evidence.Record) error) error {
	r, err := openJournal(dir, f)
	if err != nil {
		return err
	}
	defer r.Close()
	for rec, err := range r.All() {
		if _, damaged := errors.AsType[*evidence.Finding](err); damaged {
			return fmt.Errorf("%s: %w (tdt verify says what else)", dir, err)
		}
		if err != nil {
			return plainPathError(err)
		}
		if err := visit(rec); err != nil {
			return err
		}
	}
	return nil
}

// filterFlags select records of a journal.
type filterFlags struct {
	run, since, until, policy string
	verdicts                  []string
}

func (f *filterFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.run, "run", "", "the run with this id")
	c.Flags().StringVar(&f.since, "since", "", "from this time on: RFC 3339, a date, or how long ago, such as 90m")
	c.Flags().StringVar(&f.until, "until", "", "before this time, likewise")
	c.Flags().StringVar(&f.policy, "policy", "", "judged by this policy: its file, or its declared digest")
	c.Flags().StringSliceVar(&f.verdicts, "verdict", nil, "with this verdict (repeatable)")
	_ = c.RegisterFlagCompletionFunc("verdict", cobra.FixedCompletions(verdictWords, cobra.ShellCompDirectiveNoFileComp))
}

var verdictWords = []string{"match", "incomplete", "mismatch", "invalid"}

// filter returns what the flags ask for.
func (f *filterFlags) filter(s streams) (out evidence.Filter, err error) {
	out.RunID = f.run
	now := time.Now()
	if out.Since, err = parseMoment(f.since, now); err != nil {
		return out, usagef("--since: %w", err)
	}
	if out.Until, err = parseMoment(f.until, now); err != nil {
		return out, usagef("--until: %w", err)
	}
	for _, word := range f.verdicts {
		v, ok := truth.ParseVerdict(word)
		if !ok {
			return out, usagef("--verdict: want %s", strings.Join(verdictWords, ", "))
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	out.Policy, err = s.policyDigest(f.policy)
	return out, err
}

// policyDigest returns the declared digest that text is, or that of the policy
// in the file that it names.
func (s streams) policyDigest(text string) (canon.Digest, error) {
	if text == "" || canon.Digest(text).Valid() {
		return canon.Digest(text), nil
	}
	p, err := s.readPolicy(text)
	if err != nil {
		return "", err
	}
	return p.DeclaredDigest(), nil
}

// parseMoment reads a time, a date in UTC, or how long ago it was.
func parseMoment(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	return time.Time{}, errors.New("want a time like 2026-01-02T15:04:05Z, a date like 2026-01-02, or a duration like 90m")
}

// recordWords say in a word what the events of a journal are.
var recordWords = map[string]string{
	carrier.TypeCarrier:     "carrier",
	carrier.TypeRow:         "row",
	engine.TypeRun:          "run",
	engine.TypeSupersedes:   "supersedes",
	evidence.TypeHead:       "head",
	evidence.TypeCheckpoint: "checkpoint",
	evidence.TypeSeal:       "seal",
	evidence.TypeGap:        "gap",
}

// recordWord returns the word for an event type, or the type itself.
func recordWord(eventType string) string {
	if word, ok := recordWords[eventType]; ok {
		return word
	}
	return report.Cell(eventType)
}

// recordTypes returns the event types that words name.
func recordTypes(words []string) (types []string, err error) {
	for _, word := range words {
		found := ""
		for t, w := range recordWords {
			if w == word || t == word {
				found = t
			}
		}
		if found == "" {
			return nil, usagef("--type: want carrier, row, run, supersedes, head, checkpoint, seal or gap")
		}
		types = append(types, found)
	}
	return types, nil
}
