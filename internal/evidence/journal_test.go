// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

func TestLinesAreEventsWithAPlaceAndALink(t *testing.T) {
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	r := appendEvents(t, j, testEvents("run-1", 0, 3))
	assert.Equal(t, []uint64{1, 2, 3}, r.Seqs)
	closeJournal(t, j)
	text := readSegment(t, dir, 1)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	require.Len(t, lines, 5)
	types := []string{TypeHead, carrier.TypeCarrier, carrier.TypeCarrier, carrier.TypeCarrier, TypeCheckpoint}
	for i, line := range lines {
		e, err := carrier.ParseEvent(line)
		require.NoError(t, err)
		assert.Equal(t, types[i], e.Type)
		t.Log(line)
	}
}
