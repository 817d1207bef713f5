// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// When somebody waits at a terminal, and how often they are told.
const (
	progressDelay    = time.Second
	progressInterval = 200 * time.Millisecond
)

// A progress tells on a terminal how far a verb has come, once it takes longer
// than one likes to wait in silence. It is one line, and gone at the end. Its
// zero value and a nil one tell nothing.
type progress struct {
	w       io.Writer
	what    string // such as "records verified"
	n       atomic.Int64
	done    chan struct{}
	stopped sync.WaitGroup
}

// progress starts to tell on standard error, if that is a terminal.
func (s streams) progress(what string) *progress {
	f, ok := s.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return startProgress(s.err, what, progressDelay, progressInterval)
}

func startProgress(w io.Writer, what string, delay, interval time.Duration) *progress {
	p := &progress{w: w, what: what, done: make(chan struct{})}
	p.stopped.Go(func() { p.tell(delay, interval) })
	return p
}

// add counts n more.
func (p *progress) add(n int64) {
	if p != nil {
		p.n.Add(n)
	}
}

// stop ends the line. It may be called twice.
func (p *progress) stop() {
	if p == nil || p.done == nil {
		return
	}
	close(p.done)
	p.stopped.Wait()
	p.done = nil
}

func (p *progress) tell(delay, interval time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	told := false
	for {
		select {
		case <-p.done:
			if told {
				fmt.Fprint(p.w, "\r\x1b[K")
			}
			return
		case <-timer.C:
			fmt.Fprintf(p.w, "\r%d %s", p.n.Load(), p.what)
			told = true
			timer.Reset(interval)
		}
	}
}
