// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// vectors is where the vectors lie, seen from this package.
const vectors = "../../testdata/vectors"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tdt": main})
}

// TestGoldenScripts holds transcripts of the command line. Each says in its
// first line what it guards.
func TestGoldenScripts(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("TDT_UPDATE") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("VECTORS", filepath.Join(testdata, "vectors"))
			env.Setenv("CAPTURES", filepath.Join(testdata, "captures"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "journal": journal},
	})
}

// exits runs a command and holds its exit status: exits STATUS COMMAND...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var status interface{ ExitCode() int }
		if !asExit(err, &status) {
			ts.Fatalf("%v", err)
		}
		got = status.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s exits %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func asExit(err error, to *interface{ ExitCode() int }) bool {
	e, ok := err.(interface{ ExitCode() int })
	*to = e
	return ok
}

// tdt runs one command line in this process.
func tdt(t testing.TB, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(args, streams{in: strings.NewReader(stdin), out: &out, err: &errs})
	return status, out.String(), errs.String()
}

// testKey is the key of records that tests make.
func testKey(t testing.TB) *canon.Key {
	t.Helper()
	key, err := canon.NewKey("test-kid", []byte("a key for tests alone"))
	require.NoError(t, err)
	return key
}

// testRecord makes the carrier of one decision.
func testRecord(t testing.TB, key *canon.Key, order int64, v truth.Verdict) carrier.Record {
	t.Helper()
	rec, err := carrier.Build(carrier.Input{
		ToolName: "send_mail", ArgsDigest: key.ArgsDigest(nil), Order: order,
		SourceClass: truth.SourceReported, CallID: "call-" + strconv.FormatInt(order, 10),
		ResultStatus: truth.ResultOK, Identity: truth.IdentityAbsent, KeyID: key.ID(), Verdict: v,
		DeclaredPolicy: canon.Sum([]byte("policy")),
	})
	require.NoError(t, err)
	return rec
}
