// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

func TestEachRecordCanBeProvedWithoutTheJournal(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	cfg.SegmentBytes, cfg.CheckpointRecords = 8<<10, 7
	signer, verifier := testSigner(t, "journal.example/x")
	cfg.Signers = []note.Signer{signer}
	j := openDisk(t, d, cfg)
	for i := range 13 {
		appendEvents(t, j, testEvents("run-1", i*2, 2))
	}
	closeJournal(t, j)
	dir := d.copyTo(t)
	keys := note.VerifierList(verifier)
	for _, rec := range readAll(t, dir, Filter{}) {
		for _, digest := range []canon.Digest{canon.Sum(rec.Data), rec.ContentHash} {
			p, err := Prove(dir, Wanted{Digest: string(digest)})
			require.NoError(t, err)
			proven, err := VerifyProof(p.String(), keys)
			require.NoError(t, err)
			assert.Equal(t, rec.JournalSeq, proven.Seq)
			assert.Equal(t, rec.ID(), proven.Record.ID())
			assert.Equal(t, canon.Sum(rec.Data), proven.Digest)
			assert.Equal(t, []string{keyName(verifier.Name(), verifier.KeyHash())}, proven.Checkpoint.Keys)

			parsed, err := ParseProof(p.String())
			require.NoError(t, err)
			assert.Equal(t, p, parsed)
		}
	}
	_, err := Prove(dir, Wanted{Digest: string(canon.Sum([]byte("nothing")))})
	var f *Finding
	require.ErrorAs(t, err, &f)
	assert.Equal(t, FaultNoSuchRecord, f.Fault)
}

func TestARecordThatNoCheckpointCoversCannotBeProvedYet(t *testing.T) {
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	e := testEvent("run-1", 0)
	appendEvents(t, j, []carrier.Event{e})
	_, err := Prove(dir, Wanted{Digest: string(canon.Sum(e.Data))})
	var f *Finding
	require.ErrorAs(t, err, &f)
	assert.Equal(t, FaultNoCheckpoint, f.Fault)
	assert.Equal(t, 2, f.Line)
	closeJournal(t, j)
	_, err = Prove(dir, Wanted{Digest: string(canon.Sum(e.Data))})
	require.NoError(t, err)
}

func proofFixture(t *testing.T) (*Proof, *sample) {
	t.Helper()
	s := sampleJournal(t)
	p, err := Prove(writeDir(t, s.files), Wanted{Digest: string(canon.Sum(testEvent("run-1", 11).Data))})
	require.NoError(t, err)
	return p, s
}

func TestAProofThatWasChangedDoesNotHold(t *testing.T) {
	p, s := proofFixture(t)
	other := strings.TrimSuffix(string(s.lines(s.names[0])[1]), "\n")
	relabeled := strings.Replace(p.Line, fmt.Sprintf(`"tdtseq":%d`, p.Index), fmt.Sprintf(`"tdtseq":%d`, p.Index+1), 1)
	first, err := ParseCheckpoint(s.kept[0], testKeys(t))
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		change func(*Proof)
		want   Fault
	}{
		"another verdict":           {func(p *Proof) { p.Line = strings.Replace(p.Line, `"match"`, `"mismatch"`, 1) }, FaultProof},
		"another record":            {func(p *Proof) { p.Line = other }, FaultProof},
		"another place":             {func(p *Proof) { p.Index++ }, FaultProof},
		"another place in the line": {func(p *Proof) { p.Line = relabeled }, FaultProof},
		"a hash changed":            {func(p *Proof) { p.Hashes[1][3] ^= 1 }, FaultProof},
		"a hash less":               {func(p *Proof) { p.Hashes = p.Hashes[1:] }, FaultProof},
		"a hash more":               {func(p *Proof) { p.Hashes = append(p.Hashes, [hashSize]byte{}) }, FaultProof},
		"a checkpoint before it":    {func(p *Proof) { p.Checkpoint = first.Note }, FaultProof},
		"another root": {func(p *Proof) {
			p.Checkpoint = strings.Replace(p.Checkpoint, "\n\n", "\n", 1)
		}, FaultMalformed},
		"another size":   {func(p *Proof) { p.Checkpoint = changeSize(t, p.Checkpoint) }, FaultSignature},
		"no checkpoint":  {func(p *Proof) { p.Checkpoint = "" }, FaultMalformed},
		"no line at all": {func(p *Proof) { p.Line = "" }, FaultProof},
		"a leaf that is no line": {func(p *Proof) {
			p.Line, p.Index, p.Hashes = "x", 0, nil
			c := Checkpoint{Origin: "o", Size: 1}
			tr, err := newTree(treeState{})
			require.NoError(t, err)
			tr.add([]byte("x"), nil)
			c.Root = tr.root()
			require.NoError(t, c.sign([]note.Signer{testMAC(t)}))
			p.Checkpoint = c.Note
		}, FaultMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			changed := *p
			changed.Hashes = append([][hashSize]byte(nil), p.Hashes...)
			tt.change(&changed)
			_, err := VerifyProof(changed.String(), testKeys(t))
			var f *Finding
			require.ErrorAs(t, err, &f)
			assert.Equal(t, tt.want, f.Fault, "%v", f)
		})
	}
	t.Run("each byte of the text", func(t *testing.T) {
		text := p.String()
		for i := range text {
			changed := []byte(text)
			changed[i] ^= 1
			_, err := VerifyProof(string(changed), testKeys(t))
			require.Error(t, err, "byte %d", i)
		}
	})
}

func changeSize(t *testing.T, text string) string {
	t.Helper()
	lines := strings.SplitN(text, "\n", 3)
	return lines[0] + "\n" + lines[1] + "0\n" + lines[2]
}

func TestAProofByAnUnknownKeyIsNeitherGoodNorBad(t *testing.T) {
	p, _ := proofFixture(t)
	proven, err := VerifyProof(p.String(), nil)
	var f *Finding
	require.ErrorAs(t, err, &f)
	assert.Equal(t, FaultKeyUnknown, f.Fault)
	assert.Contains(t, f.Detail, "hmac-sha256:"+testKeyID)
	assert.Equal(t, p.Index, proven.Seq, "the rest is right")
}

func TestAJournalThatWasChangedProvesNothingOfWhatChanged(t *testing.T) {
	s := sampleJournal(t)
	name := s.names[1]
	lines := s.lines(name)
	lines[2][30] ^= 1
	files := s.with(name, []byte(strings.Join(byteStrings(lines), "")))
	dir := writeDir(t, files)
	l, ok := parseLine([]byte(strings.TrimSuffix(string(s.lines(s.names[1])[3]), "\n")))
	require.True(t, ok)
	_, err := Prove(dir, Wanted{Digest: string(canon.Sum(l.data))})
	var f *Finding
	require.ErrorAs(t, err, &f)
	assert.Equal(t, FaultLink, f.Fault)
	assert.Equal(t, name, f.File)
}

func byteStrings(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}

func TestProofTextsThatAreNone(t *testing.T) {
	p, _ := proofFixture(t)
	good := p.String()
	for name, text := range map[string]string{
		"empty":                "",
		"another header":       strings.Replace(good, "@v1", "@v2", 1),
		"no extra":             strings.Replace(good, "extra ", "", 1),
		"no index":             strings.Replace(good, "index ", "", 1),
		"a padded index":       strings.Replace(good, "index ", "index 0", 1),
		"a sign before":        strings.Replace(good, "index ", "index +", 1),
		"a hash too short":     strings.Replace(good, "=\n", "\n", 2),
		"carriage returns":     strings.ReplaceAll(good, "\n", "\r\n"),
		"base64 with a break":  strings.Replace(good, "extra e", "extra\ne", 1),
		"base64 of another":    strings.Replace(good, "extra ", "extra \n", 1),
		"too many hashes":      strings.Replace(good, "\n\n", "\n"+strings.Repeat(base64.StdEncoding.EncodeToString(make([]byte, 32))+"\n", 65)+"\n", 1),
		"longer than a proof":  good + strings.Repeat("x", maxProof),
		"without a checkpoint": good[:strings.Index(good, "\n\n")],
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseProof(text)
			require.ErrorIs(t, err, errProofText)
			_, err = VerifyProof(text, testKeys(t))
			var f *Finding
			require.ErrorAs(t, err, &f)
			assert.Equal(t, FaultMalformed, f.Fault)
		})
	}
}
