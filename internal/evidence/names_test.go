// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSideFilesOfSeveralRecoveriesStayApart(t *testing.T) {
	assert.Equal(t, "torn-0000000003-77.bin", tornName(3, 77, 0))
	assert.Equal(t, "torn-0000000003-77-2.bin", tornName(3, 77, 2))
	for name, want := range map[string]uint64{
		"journal-0000000001.ndjson": 1, "journal-9999999999.ndjson": maxSegment, "journal-0000000000.ndjson": 0,
		"journal-1.ndjson": 0, "journal-+000000001.ndjson": 0, "journal-0000000001.ndjson.gz": 0, "torn-1.bin": 0,
	} {
		got, ok := segmentNumber(name)
		assert.Equal(t, want > 0, ok, name)
		if ok {
			assert.Equal(t, want, got)
			assert.Equal(t, name, segmentName(got))
		}
	}
	assert.True(t, looksLikeSegment("journal-x.ndjson"))
	assert.False(t, looksLikeSegment("journal-0000000001.ndjson.bak"))
}

func TestPositionsAreReadWholeOrNotAtAll(t *testing.T) {
	p := position{segment: 12, offset: 34567, seq: 89}
	text := p.text()
	require.Len(t, text, positionSize)
	got, ok := parsePosition(text)
	require.True(t, ok)
	assert.Equal(t, p, got)
	for i := range len(text) {
		changed := []byte(text)
		changed[i] ^= 1
		_, ok := parsePosition(string(changed))
		assert.False(t, ok, "byte %d", i)
		_, ok = parsePosition(text[:i])
		assert.False(t, ok)
	}
	assert.Nil(t, readPosition(strings.NewReader(text[:20])))

	next := position{segment: 13, offset: 1, seq: 90}
	torn := next.text()[:30] + text[30:]
	for file, want := range map[string]position{
		text: p, text + next.text(): next, next.text() + text: next, torn + next.text(): next, text + torn: p, text + text[:5]: p,
	} {
		assert.Equal(t, &want, readPosition(strings.NewReader(file)))
	}
}
