// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// oracleVariable names the program to compare with.
const oracleVariable = "TDT_ORACLE"

// besideTheRepository is where it is looked for else.
const besideTheRepository = "../../../shared/oracle/tdt-oracle"

// patience is how long an answer may take.
const patience = 20 * time.Second

// errBroke says that the program ended instead of an answer: a request that it
// cannot bear. It is started again for the next one.
var errBroke = errors.New("the reference program broke")

// An oracle is the running program.
type oracle struct {
	path  string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	asked int
}

func startOracle(t *testing.T) *oracle {
	t.Helper()
	path := os.Getenv(oracleVariable)
	if path == "" {
		path = besideTheRepository
	}
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the reference program tdt-oracle is missing: set %s to its path", oracleVariable)
	}
	o := &oracle{path: path}
	require.NoError(t, o.start())
	t.Cleanup(o.stop)
	return o
}

func (o *oracle) start() (err error) {
	o.cmd = exec.Command(o.path)
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	o.out = bufio.NewReaderSize(out, 1<<16)
	return o.cmd.Start()
}

func (o *oracle) stop() {
	o.in.Close()
	_ = o.cmd.Process.Kill()
	_ = o.cmd.Wait()
}

// A reply is what the program answers.
type reply map[string]any

// ask sends one request and waits for its answer.
func (o *oracle) ask(request map[string]any) (reply, error) {
	o.asked++
	text, err := marshal(request)
	if err != nil {
		return nil, err
	}
	timer := time.AfterFunc(patience, func() { _ = o.cmd.Process.Kill() })
	defer timer.Stop()
	_, err = o.in.Write(append(text, '\n'))
	var line []byte
	if err == nil {
		line, err = o.out.ReadBytes('\n')
	}
	if err != nil {
		o.stop()
		return nil, errors.Join(errBroke, o.start())
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var r reply
	if err := d.Decode(&r); err != nil {
		return nil, err
	}
	if what, ok := r["error"]; ok && what == "request" {
		return nil, errors.New("the request is not understood: " + string(line))
	}
	return r, nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
