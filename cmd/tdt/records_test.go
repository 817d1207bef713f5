// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// readAll returns the records of a text as "line kind", or what is wrong.
func readAll(r io.Reader) (got []string, err error) {
	err = readRecords(&input{"f", io.NopCloser(r)}, func(r *record) error {
		what := r.kind.String()
		if r.err != nil {
			what = "no JSON"
		}
		got = append(got, fmt.Sprintf("%d %s", r.line, what))
		return nil
	})
	return got, err
}

func TestRecordsAreToldApartByTheirMembers(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
		err        string
	}{
		{"carriers, rows and events", "{\"args_digest\":1}\n{\"recipe\":1}\n{\"specversion\":1}\n", []string{"1 carrier", "2 row", "3 event"}, ""},
		{"lines that are blank are none", "\n \n{\"args_digest\":1}\n\r\n\n{\"recipe\":1}", []string{"3 carrier", "6 row"}, ""},
		{"one document over several lines", "\n{\n\"recipe\":\n1\n}\n", []string{"2 row"}, ""},
		{"what comes later is for whoever reads it", "{\"recipe\":1}\n[]\nx\n{}\n", []string{"1 row", "2 set", "3 no JSON", "4 set"}, ""},
		{"a damaged first record is one", "{\"a\":1,\"a\":2}\n{\"recipe\":1}", []string{"1 no JSON", "2 row"}, ""},
		{"a document that is cut is a damaged record", "{\n\"recipe\":\n", []string{"2 no JSON"}, ""},
		{"nothing", "", nil, "f: it is empty; want " + wantRecords},
		{"blank lines alone", "\n\n", nil, "f: it is empty; want " + wantRecords},
		{"another object", "\n{}\n", nil, "f:2: it is a JSON object that tdt has no use for; want " + wantRecords},
		{"another text", "hello\n", nil, "f:1: it is no JSON; want " + wantRecords},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readAll(strings.NewReader(tt.text))
			assert.Equal(t, tt.want, got)
			if tt.err != "" {
				assert.EqualError(t, err, tt.err)
				return
			}
			assert.NoError(t, err)
		})
	}
}

func TestARecordThatIsTooLongIsRefusedAndTheNextIsRead(t *testing.T) {
	long := `{"recipe":"` + strings.Repeat("x", carrier.MaxTextBytes) + `"}`
	got, err := readAll(strings.NewReader("{\"recipe\":1}\n" + long + "\n{\"args_digest\":1}\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{"1 row", "2 no JSON", "3 carrier"}, got)
	got, err = readAll(strings.NewReader("{\n" + long[1:]))
	require.NoError(t, err)
	assert.Equal(t, []string{"1 no JSON"}, got)
}

func TestReadersThatFailAreTold(t *testing.T) {
	broken := errors.New("broken")
	for _, before := range []string{"", "{\"recipe\":1}\n", "{\n"} {
		_, err := readAll(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)))
		assert.ErrorIs(t, err, broken, "%q", before)
	}
}

// TestVerifyNamesTheFirstOfManyFaults gives more faults than are listed, the
// first of which is found last.
func TestVerifyNamesTheFirstOfManyFaults(t *testing.T) {
	key := testKey(t)
	rec := testRecord(t, key, 0, 1)
	row, err := carrier.BindImported(&rec, "nowhere")
	require.NoError(t, err)
	lines := []string{string(row.AppendJSON(nil))} // its carrier never comes
	for range 10 * maxFaults {
		lines = append(lines, `{"recipe":"wrong"}`)
	}
	file := filepath.Join(t.TempDir(), "rows.ndjson")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600))
	status, stdout, stderr := tdt(t, "", "verify", file)
	assert.Equal(t, exitFindings, status)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "Not verified: 1001 faults, the first at "+file+":1.")
	assert.Contains(t, stdout, "carrier_missing")
	assert.Contains(t, stdout, "and 901 more\n")
}

func TestEventsOutsideOfABundleAreChecked(t *testing.T) {
	key := testKey(t)
	rec := testRecord(t, key, 0, 1)
	e := carrier.Event{Source: "urn:x", Time: "2026-01-02T03:04:05Z", RunID: "r"}
	e.SetRecord(&rec)
	good, err := carrier.AppendEvent(nil, &e)
	require.NoError(t, err)
	bad := strings.Replace(string(good), "send_mail", "send_male", 1)
	other := e
	require.NoError(t, other.SetData("somebody.else.v1", `{"a":1}`))
	others, err := carrier.AppendEvent(nil, &other)
	require.NoError(t, err)
	status, stdout, _ := tdt(t, string(good)+"\n"+string(others)+"\n", "verify", "-")
	assert.Equal(t, exitOK, status, stdout)
	assert.Regexp(t, `stdin +records +2 +1 +0 +0 +0`, stdout)
	status, stdout, _ = tdt(t, string(others)+"\n"+bad+"\n", "verify", "-")
	assert.Equal(t, exitFindings, status)
	assert.Regexp(t, `stdin:2 +event +not_recomputed +assaycontenthash`, stdout)
	status, _, stderr := tdt(t, string(others)+"\n", "export", "--run-id", "r", "-o", "-", "-")
	assert.Equal(t, exitFailure, status)
	assert.Contains(t, stderr, "stdin:1: it is an event of another kind; want carriers and rows")
}
