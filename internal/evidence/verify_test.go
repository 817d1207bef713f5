// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// TestASegmentFoundChangedMustStayAsItWasFound changes it once more.
func TestASegmentFoundChangedMustStayAsItWasFound(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	cfg.OnFailure = PassThrough
	j := openDisk(t, d, cfg)
	appendEvents(t, j, testEvents("run-1", 0, 4))
	closeJournal(t, j)
	f := d.files[segmentName(1)]
	f.data[len(f.data)/2] ^= 1
	j = openDisk(t, d, cfg)
	closeJournal(t, j)
	once, err := Verify(d.copyTo(t), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	require.Len(t, once.Findings, 1)
	f.data[len(f.data)/3] ^= 1
	twice, err := Verify(d.copyTo(t), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	require.Len(t, twice.Findings, 2)
	assert.Equal(t, FaultSegmentChanged, twice.Findings[1].Fault)
	delete(d.files, segmentName(1))
	gone, err := Verify(d.copyTo(t), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	require.NotEmpty(t, gone.Findings)
	assert.Equal(t, FaultSegmentMissing, gone.First().Fault)
	assert.Equal(t, segmentName(1), gone.First().File)
}

func TestThePositionFileShowsAnEndThatWasCutByAccident(t *testing.T) {
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	appendEvents(t, j, testEvents("run-1", 0, 4))
	closeJournal(t, j)
	files := readDir(t, dir)
	lines := bytes.SplitAfter(files[segmentName(1)], newline)
	files[segmentName(1)] = bytes.Join(lines[:3], nil)
	r, err := Verify(writeDir(t, files), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	assert.Equal(t, FaultRecordMissing, r.First().Fault)
	delete(files, segmentName(1))
	r, err = Verify(writeDir(t, files), VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	assert.Equal(t, FaultRecordMissing, r.First().Fault)
}

// TestAPayloadWhoseHashSeesAnotherNumber has an integer beyond 2^53.
func TestAPayloadWhoseHashSeesAnotherNumber(t *testing.T) {
	d := newDisk()
	j := openDisk(t, d, diskConfig(t))
	text := strings.Replace(carrierData("x", 0), `"order":0`, `"order":9007199254740993`, 1)
	observed := canon.ObservedInput("x", "hmac-sha256:"+testKeyID+":"+strings.Repeat("0123456789abcdef", 4), 9007199254740993)
	text = strings.ReplaceAll(text, string(canon.ObservedInput("x", "hmac-sha256:"+testKeyID+":"+strings.Repeat("0123456789abcdef", 4), 0)), string(observed))
	rec, err := carrier.Import(text)
	require.NoError(t, err)
	e := testEvent("run-1", 0)
	e.SetRecord(&rec)
	require.Contains(t, string(e.Data), "9007199254740993")
	e.PII, e.Secrets = true, true
	appendEvents(t, j, []carrier.Event{e})
	closeJournal(t, j)
	dir := d.copyTo(t)
	mustBeSound(t, dir, VerifyOptions{Carriers: true})
	assert.Len(t, readAll(t, dir, Filter{}), 1)
}

func TestKeptCheckpointsThatDoNotFit(t *testing.T) {
	s := sampleJournal(t)
	dir := writeDir(t, s.files)
	other := sampleJournal(t)
	mac, err := NewMAC(testKeyID, []byte("another secret under the same id"))
	require.NoError(t, err)
	forged := Checkpoint{Origin: "tdt-journal/x", Size: 3}
	require.NoError(t, forged.sign([]note.Signer{mac}))
	stranger, err := NewMAC("stranger", []byte("a secret that nobody knows"))
	require.NoError(t, err)
	first, err := ParseCheckpoint(s.kept[0], testKeys(t))
	require.NoError(t, err)
	require.NoError(t, first.sign([]note.Signer{stranger}))
	none := Checkpoint{Origin: first.Origin, Root: sha256.Sum256(nil)}
	require.NoError(t, none.sign([]note.Signer{testMAC(t)}))
	for name, tt := range map[string]struct {
		kept    []string
		outcome Outcome
		fault   Fault
	}{
		"all of the journal's own":         {s.kept, Sound, 0},
		"one of no lines":                  {[]string{none.Note}, Sound, 0},
		"one of another journal":           {other.kept[:1], Unsound, FaultCheckpoint},
		"one that is forged":               {[]string{forged.Note}, Unsound, FaultSignature},
		"one of an unknown key that fits":  {[]string{first.Note}, CannotVerify, 0},
		"no checkpoint, only an old claim": {nil, Sound, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Verify(dir, VerifyOptions{Keys: testKeys(t), Checkpoints: tt.kept})
			require.NoError(t, err)
			assert.Equal(t, tt.outcome, r.Outcome, "%+v", r.Findings)
			if tt.fault != 0 {
				assert.Equal(t, tt.fault, r.First().Fault)
			}
		})
	}
	_, err = Verify(dir, VerifyOptions{Checkpoints: []string{"no checkpoint"}})
	require.Error(t, err)
}

func TestVerifyKnowsWhichKeysItKnows(t *testing.T) {
	d := newDisk()
	cfg := diskConfig(t)
	old, oldKey := testSigner(t, "journal.example/old")
	young, youngKey := testSigner(t, "journal.example/new")
	for i, signers := range [][]note.Signer{{old}, {old, young}, {young}, {testMAC(t)}} {
		cfg.Signers = signers
		j := openDisk(t, d, cfg)
		appendEvents(t, j, testEvents("run-1", i*3, 3))
		closeJournal(t, j)
	}
	dir := d.copyTo(t)
	secrets := testKeys(t)
	all := testKeys(t)
	all.Add(oldKey)
	all.Add(youngKey)
	wrong := &Keys{}
	require.NoError(t, wrong.AddSecret(testKeyID, []byte("not the secret under this id")))
	for name, tt := range map[string]struct {
		keys                 note.Verifiers
		outcome              Outcome
		checkpoints, unknown uint64
	}{
		"all keys":           {all, Sound, 4, 0},
		"no keys":            {nil, CannotVerify, 0, 4},
		"no keys, as *Keys":  {(*Keys)(nil), CannotVerify, 0, 4},
		"the old one":        {note.VerifierList(oldKey), CannotVerify, 2, 2},
		"the new ones":       {note.VerifierList(youngKey), CannotVerify, 2, 2},
		"the secret alone":   {secrets, CannotVerify, 1, 3},
		"a secret not right": {wrong, Unsound, 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Verify(dir, VerifyOptions{Keys: tt.keys})
			require.NoError(t, err)
			assert.Equal(t, tt.outcome, r.Outcome)
			assert.Equal(t, tt.checkpoints, r.Checkpoints)
			assert.Equal(t, tt.unknown, r.UnknownKeys)
			if tt.outcome == Unsound {
				assert.Equal(t, FaultSignature, r.First().Fault)
			}
		})
	}
}

func TestVerifyNeedsAJournal(t *testing.T) {
	_, err := Verify(t.TempDir(), VerifyOptions{})
	require.ErrorIs(t, err, ErrNoJournal)
	_, err = Verify(journalDir(t), VerifyOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestACarrierThatItsOwnChecksRefuse(t *testing.T) {
	d := newDisk()
	j := openDisk(t, d, diskConfig(t))
	e := testEvent("run-1", 0)
	require.NoError(t, e.SetData(carrier.TypeCarrier, strings.Replace(carrierData("x", 0), `"order":0`, `"order":1`, 1)))
	appendEvents(t, j, []carrier.Event{e})
	closeJournal(t, j)
	dir := d.copyTo(t)
	mustBeSound(t, dir, VerifyOptions{})
	r, err := Verify(dir, VerifyOptions{Keys: testKeys(t), Carriers: true})
	require.NoError(t, err)
	assert.Equal(t, FaultCarrier, r.First().Fault)
	assert.Equal(t, 2, r.First().Line)
}
