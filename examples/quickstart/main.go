// SPDX-License-Identifier: Apache-2.0

// The command quickstart shows the main job: it starts the built Collector,
// sends it recordings of real agents over OTLP, and prints the verdicts that
// come out on the spans. `make run` runs it from the root of the repository.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/tool-decision-truth/collector/internal/report"
)

const (
	collector  = "dist/minimal/otelcol-tdt"
	config     = "examples/quickstart/config.yaml"
	recordings = "examples/quickstart/recordings/*.jsonl"
	output     = "dist/quickstart/spans.jsonl"

	startTimeout = 30 * time.Second
	stopTimeout  = 30 * time.Second
	maxLine      = 64 << 20
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	if err := os.MkdirAll(filepath.Dir(output), 0o750); err != nil {
		return fmt.Errorf("make the output directory: %w", err)
	}
	if err := os.Remove(output); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the earlier output: %w", err)
	}
	sent, err := judgeRecordings(w)
	if err != nil {
		return err
	}
	rows, counts, err := readVerdicts(output)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n")
	if err := report.Table(w, rows, term.IsTerminal(int(os.Stdout.Fd()))); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s, from %d recordings.\n", report.Totals(counts), sent)
	fmt.Fprint(w, whatNext)
	return nil
}

const whatNext = `
A match says that the recorded call fits the declared policy. It does not say
that the call was safe, authorized, or that it ran.

The annotated spans:   ` + output + `
The policy:            examples/quickstart/policy.yaml (change a line, run again)
The same, offline:     bin/tdt judge --policy examples/quickstart/policy.yaml examples/quickstart/recordings/*.jsonl
What a policy misses:  bin/tdt policy check examples/quickstart/policy.yaml
Spans, no verdict?     bin/tdt recognize FILE
`

// judgeRecordings runs the Collector, sends every recording, and stops it, so
// that all it holds is written. It returns how many recordings were sent.
func judgeRecordings(w io.Writer) (sent int, err error) {
	endpoint, err := freeEndpoint()
	if err != nil {
		return 0, err
	}
	stop, err := startCollector(endpoint)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	files, err := filepath.Glob(recordings)
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("no recording matches %s: run this from the root of the repository", recordings)
	}
	for _, file := range files {
		fmt.Fprintf(w, "sending %s\n", filepath.Base(file))
		if err := send(file, "http://"+endpoint+"/v1/traces"); err != nil {
			return sent, err
		}
		sent++
	}
	return sent, nil
}

// freeEndpoint asks the system for a port on loopback that is free now.
func freeEndpoint() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// startCollector returns once the Collector takes connections. stop interrupts
// it and waits until it has written what it holds.
func startCollector(endpoint string) (stop func() error, err error) {
	cmd := exec.Command(collector, "--config", config)
	cmd.Env = append(os.Environ(), "TDT_ENDPOINT="+endpoint, "TDT_OUTPUT="+output)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s (make dist-minimal builds it): %w", collector, err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	stop = func() error {
		_ = cmd.Process.Signal(syscall.SIGINT)
		select {
		case err := <-exited:
			return err
		case <-time.After(stopTimeout):
			return errors.Join(errors.New("the Collector did not stop"), cmd.Process.Kill())
		}
	}
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-exited:
			return nil, fmt.Errorf("the Collector ended at its start: %w", err)
		default:
		}
		if conn, err := net.Dial("tcp", endpoint); err == nil {
			conn.Close()
			return stop, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("the Collector did not listen on %s within %s", endpoint, startTimeout), stop())
}

// send posts each line of file, one OTLP/JSON export request each.
func send(file, url string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("open recording: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if err := post(url, lines.Bytes()); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return lines.Err()
}

func post(url string, body []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the Collector answered %s", resp.Status)
	}
	return nil
}
