// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/lint"
	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/policy/schema"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A word is one of a closed vocabulary. Where the code itself says what it
// means, so does the document, with the same words.
type word struct{ text, means string }

// words makes words of values that say nothing of their meaning.
func words[T any](values ...T) []word {
	list := make([]word, len(values))
	for i, v := range values {
		list[i] = word{text: fmt.Sprint(v)}
	}
	return list
}

// meaningful makes words of values that have a meaning.
func meaningful[T any](values []T, means func(T) string) []word {
	list := words(values...)
	for i, v := range values {
		list[i].means = means(v)
	}
	return list
}

// vocabularies are the closed words by the heading under which they stand in
// docs/vocabulary.md.
func vocabularies() map[string][]word {
	axes := []word{}
	for a := truth.AxisTool; a.String() != ""; a++ {
		axes = append(axes, word{text: a.String()})
	}
	layers := []word{}
	for l := recognize.LayerAgent; l.String() != ""; l++ {
		layers = append(layers, word{text: l.String()})
	}
	return map[string][]word{
		"Layers":                                layers,
		"Flags of names":                        plain(recognize.NameFlags(math.MaxUint16).Names()),
		"Marks of calls":                        plain(recognize.Marks(math.MaxUint16).Names()),
		"Conflicts of spans":                    plain(recognize.Conflict(math.MaxUint8).Names()),
		"Why a run is closed":                   plain(ledger.Whys()),
		"Caveats of runs":                       plain(ledger.Caveats()),
		"Evidence on spans":                     words(engine.EvidenceDisabled, engine.EvidenceRecorded, engine.EvidenceFailed),
		"Faults of a journal":                   meaningful(evidence.Faults(), evidence.Fault.Meaning),
		"Why a journal fails":                   meaningful(evidence.Reasons(), evidence.Reason.Meaning),
		"Verdicts":                              words(truth.Verdicts()...),
		"Axes":                                  axes,
		"Reasons":                               meaningful(truth.Reasons(), truth.Reason.Text),
		"Identity states":                       words(truth.Identities()...),
		"Source classes":                        words(truth.SourceClasses()...),
		"Result statuses":                       words(truth.ResultStatuses()...),
		"Facts":                                 words(truth.Unknown, truth.Yes, truth.No, truth.Contradictory),
		"Unconstrained":                         words(policy.Warn, policy.Deny, policy.Allow),
		"Faults of texts":                       words(canon.Faults()...),
		"Malformed schema":                      words(schema.Reasons()...),
		"Faults of records, events and bundles": meaningful(carrier.Faults(), carrier.Fault.Meaning),
		"Kinds of records":                      words(carrier.RecordKind(0), carrier.KindCarrier, carrier.KindRow, carrier.KindEvent),
		"Types of events":                       words(carrier.TypeCarrier, carrier.TypeRow),
		"Kinds of rules":                        words(sequence.Kinds()...),
		"Extents":                               words(sequence.Extents()...),
		"Outcomes":                              words(sequence.Outcomes()...),
		"Reasons of rules":                      words(sequence.Reasons()...),
		"Findings about a policy":               meaningful(lint.Codes(), lint.Code.Meaning),
	}
}

func plain(texts []string) []word {
	out := make([]word, len(texts))
	for i, text := range texts {
		out[i] = word{text: text}
	}
	return out
}

var (
	heading = regexp.MustCompile(`(?m)^###? (.+)$`)
	entry   = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.+) \\|$")
)

// documented returns the entries under each heading of a document.
func documented(text string) map[string][]word {
	sections := map[string][]word{}
	at := heading.FindAllStringSubmatchIndex(text, -1)
	for i, h := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		var list []word
		for _, e := range entry.FindAllStringSubmatch(text[h[1]:end], -1) {
			list = append(list, word{e[1], e[2]})
		}
		sections[text[h[2]:h[3]]] = list
	}
	return sections
}

func TestEveryClosedWordIsInTheVocabulary(t *testing.T) {
	text, err := os.ReadFile("docs/vocabulary.md")
	require.NoError(t, err)
	sections := documented(string(text))
	for name, want := range vocabularies() {
		t.Run(name, func(t *testing.T) {
			got, ok := sections[name]
			require.True(t, ok, "docs/vocabulary.md has no such heading")
			assert.Equal(t, texts(want), texts(got), "the words in the code, in their order")
			for _, w := range want {
				i := slices.IndexFunc(got, func(g word) bool { return g.text == w.text })
				if i >= 0 && w.means != "" {
					assert.Equal(t, w.means, strings.ReplaceAll(got[i].means, `\|`, "|"), "what %s means", w.text)
				}
			}
		})
	}
}

func texts(list []word) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = w.text
	}
	return out
}
