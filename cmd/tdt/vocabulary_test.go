// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/evidence"
)

// TestTheVocabularyHasTheWordsOfThisCommand compares the sections of the
// vocabulary whose words are of this package.
func TestTheVocabularyHasTheWordsOfThisCommand(t *testing.T) {
	text, err := os.ReadFile("../../docs/vocabulary.md")
	require.NoError(t, err)
	section := func(name string) map[string]string {
		_, after, ok := strings.Cut(string(text), "\n### "+name+"\n")
		require.True(t, ok, name)
		body, _, _ := strings.Cut(after, "\n#")
		words := map[string]string{}
		for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.+) \\|$").FindAllStringSubmatch(body, -1) {
			words[m[1]] = m[2]
		}
		return words
	}
	want := map[string]string{}
	for word, f := range deriveFaults {
		want[string(word)] = f.means
	}
	assert.Equal(t, want, section("Faults of a derivation"))
	kinds := section("Records of a journal")
	assert.Len(t, kinds, len(recordWords))
	for eventType, word := range recordWords {
		assert.Contains(t, kinds[word], "`"+eventType+"`", word)
	}
	assert.Equal(t, []string{signaturesNotChecked, signaturesUnknownKey, signaturesVerified}, slices.Sorted(maps.Keys(section("Signatures"))))
	outcomes := []string{evidence.CannotVerify.String(), evidence.Sound.String(), evidence.Unsound.String()}
	assert.Equal(t, outcomes, slices.Sorted(maps.Keys(section("Outcomes of a journal"))))
	statuses := slices.Sorted(maps.Keys(section("Exit statuses")))
	assert.Equal(t, []string{fmt.Sprint(exitOK), fmt.Sprint(exitFailure), fmt.Sprint(exitUsage), fmt.Sprint(exitFindings)}, statuses)
}
