// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// TestASegmentAloneIsSoundUntilItIsChanged verifies each segment of a journal
// without the others, as it is and with each line changed.
func TestASegmentAloneIsSoundUntilItIsChanged(t *testing.T) {
	s := sampleJournal(t)
	before := uint64(0)
	for i, name := range s.names {
		text := s.files[name]
		require.True(t, LooksLikeSegment(text))
		records := 0
		r, err := VerifySegment(bytes.NewReader(text), "copy", VerifyOptions{Keys: testKeys(t), Carriers: true}, func(int, *carrier.Event) { records++ })
		require.NoError(t, err)
		require.Equal(t, Sound, r.Outcome, "%+v", r.Findings)
		assert.Equal(t, &Alone{Segment: uint64(i + 1), LinesBefore: before, Sealed: i < len(s.names)-1}, r.Alone)
		assert.EqualValues(t, r.Records, records)
		before += r.Lines

		for n, line := range s.lines(name) {
			changed := bytes.Clone(text)
			changed[bytes.Index(text, line)+len(line)/2] ^= 1
			r, err := VerifySegment(bytes.NewReader(changed), "copy", VerifyOptions{Keys: testKeys(t)}, nil)
			require.NoError(t, err)
			require.Equal(t, Unsound, r.Outcome, "%s:%d", name, n+1)
			assert.Equal(t, "copy", r.First().File)
			assert.Equal(t, n+1, r.First().Line)
		}
	}
}

func TestASegmentAloneThatIsCut(t *testing.T) {
	s := sampleJournal(t)
	text := s.files[s.names[1]]
	lines := s.lines(s.names[1])
	short := text[:len(text)-len(lines[len(lines)-1])]
	r, err := VerifySegment(bytes.NewReader(short), "copy", VerifyOptions{Keys: testKeys(t)}, nil)
	require.NoError(t, err)
	assert.Empty(t, r.Findings, "nothing shows that lines are missing")
	assert.False(t, r.Alone.Sealed, "but that it has no seal is told")

	r, err = VerifySegment(bytes.NewReader(text[:len(text)-9]), "copy", VerifyOptions{Keys: testKeys(t)}, nil)
	require.NoError(t, err)
	assert.Equal(t, FaultTornTail, r.First().Fault)

	r, err = VerifySegment(bytes.NewReader(text), "copy", VerifyOptions{}, nil)
	require.NoError(t, err)
	assert.Equal(t, CannotVerify, r.Outcome, "without keys")
}
