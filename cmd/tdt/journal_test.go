// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A journalMaker writes a journal as the processor does.
type journalMaker struct {
	dir, policy string
	keyID, key  string
	traces      []string
	open        bool // leaves the runs open
	meanwhile   func()
}

// journalClock is when the journals of tests are written.
var journalClock = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// write judges the recordings and leaves a journal.
func (m *journalMaker) write() error {
	signer, err := evidence.NewMAC(m.keyID, []byte(m.key))
	if err != nil {
		return err
	}
	now := journalClock
	journal, err := evidence.Open(evidence.Config{
		Directory: m.dir, OnFailure: evidence.Block, Source: "urn:test:journal", Producer: "test", ProducerVersion: "1", Git: "none",
		Signers: []note.Signer{signer}, Now: func() time.Time { return now },
	})
	if err != nil {
		return err
	}
	if err := m.judge(journal, now); err != nil {
		return err
	}
	if m.meanwhile != nil {
		m.meanwhile()
	}
	return journal.Close(context.Background())
}

func (m *journalMaker) judge(journal *evidence.Journal, now time.Time) error {
	text, err := os.ReadFile(m.policy)
	if err != nil {
		return err
	}
	p, err := engine.NewPolicy("desk", m.policy, text, nil)
	if err != nil {
		return err
	}
	r, err := recognize.New(recognize.Options{})
	if err != nil {
		return err
	}
	key, err := canon.NewKey(m.keyID, []byte(m.key))
	if err != nil {
		return err
	}
	e := engine.New(engine.Settings{
		Recognizer: r, Key: key, Journal: appender{journal}, Block: true,
		Ledger: ledger.NewLedger(ledger.Options{SameTool: recognize.SameTool, Records: ledger.DefaultRecords}),
	}, nil)
	ctx := context.Background()
	for _, file := range m.traces {
		err := streams{}.readTraces(file, func(td ptrace.Traces) error {
			b, err := e.Process(ctx, now, engine.Policies{p}, td)
			if err != nil {
				return err
			}
			_, err = e.End(ctx, now, b.Ended)
			return err
		})
		if err != nil {
			return err
		}
	}
	if m.open {
		return nil
	}
	return e.CloseAll(ctx, now.Add(time.Minute), ledger.WhyIdle, func([]*engine.ClosedRun) {})
}

// An appender is a journal as the engine wants it.
type appender struct{ journal *evidence.Journal }

func (a appender) Append(ctx context.Context, events []carrier.Event) error {
	_, err := a.journal.Append(ctx, events)
	return err
}

// journal is a command of scripts: journal [-open] DIRECTORY POLICY KEYID KEY TRACES...
func journal(ts *testscript.TestScript, neg bool, args []string) {
	m := journalMaker{}
	if len(args) > 0 && args[0] == "-open" {
		m.open, args = true, args[1:]
	}
	if neg || len(args) < 5 {
		ts.Fatalf("usage: journal [-open] DIRECTORY POLICY KEYID KEY TRACES...")
	}
	m.dir, m.policy, m.keyID, m.key = ts.MkAbs(args[0]), ts.MkAbs(args[1]), args[2], args[3]
	for _, file := range args[4:] {
		m.traces = append(m.traces, ts.MkAbs(file))
	}
	ts.Check(m.write())
}

const (
	journalKey     = "Wq7kP0sYv3TzL9mB2xRfHc8NdJ4gUaE6"
	journalCapture = "pydantic-ai-2.68.0-settings-v4.jsonl"
	journalPolicy  = `
version: "1"
tools: {allow: [read_file, search], deny: [fail_tool]}
schemas:
  read_file: {type: object, properties: {path: {type: string}, limit: {type: integer}}, required: [path]}
  search: {type: object, properties: {options: {type: object, additionalProperties: false}}}
sequences:
  - {type: max_calls, tool: read_file, max: 0}
  - {type: require, tool: search}
`
)

// testJournal leaves a journal, a policy and a file of keys in a directory.
func testJournal(t testing.TB, captures ...string) (dir, policy, keys string) {
	t.Helper()
	root := t.TempDir()
	policy, keys = filepath.Join(root, "policy.yaml"), filepath.Join(root, "keys")
	require.NoError(t, os.WriteFile(policy, []byte(journalPolicy), 0o600))
	require.NoError(t, os.WriteFile(keys, []byte("hmac-sha256 kid text:"+journalKey+"\n"), 0o600))
	m := journalMaker{dir: filepath.Join(root, "journal"), policy: policy, keyID: "kid", key: journalKey}
	if len(captures) == 0 {
		captures = []string{journalCapture}
	}
	for _, c := range captures {
		m.traces = append(m.traces, capture(c))
	}
	require.NoError(t, m.write())
	return m.dir, policy, keys
}

func capture(name string) string { return filepath.Join("../../testdata/captures", name) }
