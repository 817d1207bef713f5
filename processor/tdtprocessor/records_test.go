// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// readJournal returns the records in a journal, those of the journal itself
// aside.
func readJournal(t testing.TB, dir string) []*evidence.Record {
	t.Helper()
	r, err := evidence.OpenReader(dir, evidence.Filter{})
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	var all []*evidence.Record
	for rec, err := range r.All() {
		require.NoError(t, err)
		all = append(all, rec)
	}
	return all
}

// renderJournal shows the records of a journal in their order. Carriers and
// records of runs are called by numbers: "#2" is the second record.
func renderJournal(t testing.TB, dir string) string {
	records := readJournal(t, dir)
	names := map[string]string{}
	for i, rec := range records {
		names[string(canon.Sum(rec.Data))] = fmt.Sprintf("#%d", i+1)
	}
	var out strings.Builder
	for i, rec := range records {
		fmt.Fprintf(&out, "#%d run %s seq %d %s\n", i+1, shortRun(rec.RunID), rec.Seq, renderRecord(t, rec, names))
	}
	return out.String()
}

// shortRun leaves out the zeros that the small ids of cases begin with.
func shortRun(id string) string { return strings.TrimLeft(id, "0") }

func renderRecord(t testing.TB, rec *evidence.Record, names map[string]string) string {
	name := func(digest canon.Digest) string {
		if n, ok := names[string(digest)]; ok {
			return n
		}
		return "a digest that is not here"
	}
	switch rec.Type {
	case carrier.TypeCarrier:
		c, err := carrier.Import(string(rec.Data))
		require.NoError(t, err)
		in := c.Input()
		return fmt.Sprintf("carrier order %d: %s %s, %s, result %s, identity %s, call %q, key %s, span %s\n    %s",
			in.Order, in.ToolName, in.Verdict, in.SourceClass, in.ResultStatus, in.Identity, in.CallID, in.KeyID,
			rec.TraceParent[36:52], c.ContentDigest())
	case carrier.TypeRow:
		row, err := carrier.ReadRow(string(rec.Data))
		require.NoError(t, err)
		return fmt.Sprintf("row: cites %s, run verdict %s, ref %s", name(row.Content()), row.RunVerdict(), row.Ref())
	case engine.TypeSupersedes:
		var s struct {
			Carrier    canon.Digest
			Supersedes []canon.Digest
		}
		require.NoError(t, json.Unmarshal(rec.Data, &s))
		var earlier []string
		for _, d := range s.Supersedes {
			earlier = append(earlier, name(d))
		}
		return fmt.Sprintf("supersedes: %s replaces %s", name(s.Carrier), strings.Join(earlier, ", "))
	}
	return rec.Type + ": " + digestIn.ReplaceAllStringFunc(string(rec.Data), func(d string) string {
		if n, ok := names[d]; ok {
			return n
		}
		return d
	})
}

var digestIn = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
