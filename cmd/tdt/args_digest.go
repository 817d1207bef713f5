// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

const argsDigestLong = `Print the keyed digest of arguments, as carriers hold it.

Each line of the input is one JSON value, the arguments of one call. Each gets
one line: its digest, or "refused:" and the name of what makes it unusable. The
arguments themselves are never shown. Members with secret-like names are left
out of the digest, so two calls that differ in those alone have one digest.

The digest of a call whose arguments were not observed is that of no JSON value;
--absent prints it.

The key is read from --key-file (which its owner alone may read) or from the
variable ` + keyVariable + `, never from the command line.

Exit status: 0 every line has a digest, 3 a line was refused, 1 tdt could not
read something, 2 it was called wrongly.`

const argsDigestExample = `  echo '{"to":"ana"}' | tdt args-digest --key-file key --key-id prod-1
  tdt args-digest --key-id prod-1 --format json arguments.ndjson`

// maxArgsLine bounds the memory that one line takes.
const maxArgsLine = 64 << 20

// An argsDigester answers for one line after another.
type argsDigester struct {
	key     *canon.Key
	out     *bufio.Writer
	json    bool
	doc     canon.Doc
	refused bool
}

func newArgsDigest(s streams) *cobra.Command {
	var keys keyFlags
	var absent bool
	c := &cobra.Command{
		Use:     "args-digest [FILE...]",
		Short:   "Print the keyed digest of arguments, a JSON value a line",
		Long:    argsDigestLong,
		Example: argsDigestExample,
	}
	keys.register(c)
	c.Flags().BoolVar(&absent, "absent", false, "print the digest of arguments that were not observed, and read nothing")
	as := formatFlag(c, "table", "json")
	c.RunE = func(_ *cobra.Command, files []string) error {
		key, err := keys.need()
		if err != nil {
			return err
		}
		d := &argsDigester{key: key, out: bufio.NewWriter(s.out), json: as.value == "json"}
		if absent {
			if len(files) > 0 {
				return usagef("--absent reads no file")
			}
			d.answer("", 0, key.ArgsDigest(nil))
			return d.out.Flush()
		}
		return d.files(s, files)
	}
	return c
}

func (d *argsDigester) files(s streams, names []string) error {
	if len(names) == 0 {
		names = []string{stdinName}
	}
	if err := checkInputs(names...); err != nil {
		return err
	}
	for _, name := range names {
		in, err := s.open(name)
		if err != nil {
			return errors.Join(d.out.Flush(), err)
		}
		err = d.file(in)
		in.Close()
		if err != nil {
			return err
		}
	}
	if d.refused {
		return errFindings
	}
	return nil
}

// file answers for the lines of one file. An answer is not held back while the
// next line has not come, so that another program can ask and wait.
func (d *argsDigester) file(in *input) error {
	lines := newLineReader(in, maxArgsLine)
	for {
		line, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return d.out.Flush()
		case err != nil:
			return errors.Join(d.out.Flush(), fmt.Errorf("read %s: %w", in.name, plainPathError(err)))
		}
		if err := d.doc.Parse(line, canon.Limits{Bytes: maxArgsLine}); err != nil {
			d.refuse(in.name, lines.n, err)
		} else {
			d.answer(in.name, lines.n, d.key.ArgsDigest(&d.doc))
		}
		if lines.idle() {
			if err := d.out.Flush(); err != nil {
				return fmt.Errorf("write: %w", err)
			}
		}
	}
}

func (d *argsDigester) answer(file string, line int, digest string) {
	if !d.json {
		fmt.Fprintln(d.out, digest)
		return
	}
	writeJSONLine(d.out, struct {
		File       string `json:"file,omitempty"`
		Line       int    `json:"line,omitempty"`
		ArgsDigest string `json:"args_digest"`
	}{file, line, digest})
}

// refuse names the fault of a line, and where in the line it was noticed.
func (d *argsDigester) refuse(file string, line int, err error) {
	d.refused = true
	fault, offset := canon.FaultSyntax, 0
	if te, ok := errors.AsType[*canon.TextError](err); ok {
		fault, offset = te.Fault, te.Offset
	}
	if !d.json {
		fmt.Fprintf(d.out, "refused: %v at byte %d\n", fault, offset)
		return
	}
	writeJSONLine(d.out, struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Refused string `json:"refused"`
		Offset  int    `json:"offset"`
	}{file, line, fault.String(), offset})
}
