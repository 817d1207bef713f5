// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

var (
	yamlBlock   = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")
	pageSection = regexp.MustCompile(`(?m)^###? `)
	quotedWord  = regexp.MustCompile("`([^`]+)`")
	knownWords  = regexp.MustCompile(`known(?: here)? are ([a-z_, ]+)`)
)

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/policy.md")
	require.NoError(t, err)
	return string(text)
}

// TestExamplesOfThePageLoad holds every policy in docs/policy.md: it loads, and
// nothing in it silently constrains nothing.
func TestExamplesOfThePageLoad(t *testing.T) {
	page := readPage(t)
	blocks := yamlBlock.FindAllStringSubmatch(page, -1)
	assert.Len(t, blocks, strings.Count(page, "\n```")/2, "every block is a policy in yaml")
	for _, block := range blocks {
		_, found, err := Check("docs/policy.md", []byte(block[1]))
		require.NoError(t, err, block[1])
		assert.Empty(t, found, block[1])
	}
}

// TestThePageHasEveryKindOfRule wants a section for each kind, with an example
// of it, and no row or section of a kind that does not exist.
func TestThePageHasEveryKindOfRule(t *testing.T) {
	sections := map[string]string{}
	for _, text := range pageSection.Split(readPage(t), -1) {
		title, rest, _ := strings.Cut(text, "\n")
		sections[title] = rest
	}
	for _, kind := range sequence.Kinds() {
		examples := yamlBlock.FindAllStringSubmatch(sections[kind], -1)
		require.NotEmpty(t, examples, "no example of %s", kind)
		assert.Contains(t, examples[0][1], "type: "+kind+",")
		assert.Contains(t, sections["sequences"], "\n| `"+kind+"` | ", "no fields of %s", kind)
	}
	for _, reason := range sequence.Reasons() {
		if reason != "" {
			assert.Contains(t, readPage(t), "(`"+reason+"`)", "no word on %s", reason)
		}
	}
}

// TestThePageHasEveryField asks the reader of policies what it knows.
func TestThePageHasEveryField(t *testing.T) {
	page := yamlBlock.ReplaceAllString(readPage(t), "")
	const strange = "jjjjjjjjjjjjjjj"
	unknown := []string{strange + ": 1", "tools: {" + strange + ": 1}", "enforcement: {" + strange + ": 1}"}
	for _, text := range unknown {
		_, err := policy.Read("p", []byte(text))
		holdsFields(t, page, err)
	}
	for _, kind := range sequence.Kinds() {
		p, err := policy.Read("p", []byte("sequences: [{type: "+kind+", "+strange+": 1}]"))
		require.NoError(t, err)
		_, err = sequence.Load("p", p)
		holdsFields(t, rowOf(page, kind)+" `type` `id`", err)
	}
}

// holdsFields wants every field in text that err names as known.
func holdsFields(t *testing.T, text string, err error) {
	t.Helper()
	require.Error(t, err)
	known := knownWords.FindStringSubmatch(err.Error())
	require.NotNil(t, known, err)
	var words []string
	for _, w := range quotedWord.FindAllStringSubmatch(text, -1) {
		words = append(words, w[1])
	}
	for name := range strings.SplitSeq(known[1], ", ") {
		has := func(w string) bool { return w == name || strings.HasSuffix(w, "."+name) }
		assert.True(t, slices.ContainsFunc(words, has), "docs/policy.md does not have %s", name)
	}
}

// rowOf returns the row with the fields of a kind of rule.
func rowOf(page, kind string) string {
	_, row, _ := strings.Cut(page, "\n| `"+kind+"` |")
	row, _, _ = strings.Cut(row, "\n")
	return row
}
