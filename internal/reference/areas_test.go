// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// An answer is what a request comes to, by the names that are compared. A
// refusal is the answer refused alone: why is a matter of each program.
type answer map[string]string

var refused = answer{"refused": "true"}

// An area is one kind of question.
type area struct {
	name     string
	op       string
	generate func(*gen) *testCase
	ours     func(*testCase) answer
	theirs   func(reply) answer
}

// pickTexts returns the answer of members that are texts.
func pickTexts(names ...string) func(reply) answer {
	return func(r reply) answer {
		if r["error"] != nil || r["refused"] != nil {
			return refused
		}
		a := answer{}
		for _, name := range names {
			a[name] = plain(r[name])
		}
		return a
	}
}

// plain renders a member as text: a text as it is, all else as JSON.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, err := marshal(v)
	if err != nil {
		return err.Error()
	}
	return canonicalText(string(text))
}

func canonicalText(text string) string {
	var d canon.Doc
	if d.Parse(text, canon.Limits{}) != nil {
		return text
	}
	return string(d.Root().AppendJCS(nil))
}

// areas are all that is asked.
var areas = []area{
	{"jcs", "jcs", generateText, ourText, pickTexts("canonical", "sha256")},
	{"secret", "secret", func(g *gen) *testCase {
		c := newCase()
		c.texts["name"] = pick(g, secretLike)
		if g.chance(2) {
			c.texts["name"] = g.text() + pick(g, secretLike)[g.IntN(3):]
		}
		return c
	}, func(c *testCase) answer {
		return answer{"secret": fmt.Sprint(canon.SecretKey(c.texts["name"]))}
	}, pickTexts("secret")},
	{"pattern", "pattern", func(g *gen) *testCase {
		c := newCase()
		c.texts["pattern"], c.texts["name"] = pick(g, patterns), pick(g, toolNames)
		return c
	}, func(c *testCase) answer {
		return answer{"match": fmt.Sprint(policy.ParsePattern(c.texts["pattern"]).Match(c.texts["name"]))}
	}, pickTexts("match")},
	{"args_digest", "args_digest", func(g *gen) *testCase {
		c := newCase()
		c.docs["args"] = g.value(4)
		c.texts["key_hex"], c.texts["key_id"] = g.keyHex(), g.keyID()
		return c
	}, ourArgsDigest, pickTexts("args_digest")},
	{"observed_digest", "observed_digest", func(g *gen) *testCase {
		c := newCase()
		c.texts["tool_name"], c.texts["args_digest"], c.ints["order"] = g.text(), g.text(), g.order()
		return c
	}, func(c *testCase) answer {
		return answer{"observed_input_digest": string(canon.ObservedInput(c.texts["tool_name"], c.texts["args_digest"], c.ints["order"]))}
	}, pickTexts("observed_input_digest")},
	{"declared_digest", "declared_digest", func(g *gen) *testCase {
		c := newCase()
		c.docs["policy"] = g.policy()
		return c
	}, ourDigest, pickTexts("declared_policy_digest", "canonical")},
	{"yaml", "declared_digest", func(g *gen) *testCase {
		c := newCase()
		c.raw["policy"] = g.yaml()
		return c
	}, ourDigest, pickTexts("declared_policy_digest", "canonical")},
	{"verdict", "verdict", generateVerdict, ourVerdict, theirVerdict},
	{"run_verdict", "run_verdict", func(g *gen) *testCase {
		c := newCase()
		verdicts, orders := arr(), arr()
		for range g.IntN(5) {
			verdicts.items = append(verdicts.items, str(pick(g, verdictList)))
			if !g.chance(20) {
				orders.items = append(orders.items, num(fmt.Sprint(g.IntN(6))))
			}
		}
		c.docs["verdicts"], c.docs["orders"] = verdicts, orders
		return c
	}, ourRun, pickTexts("run_verdict")},
	{"sequence", "sequence", generateSequence, ourSequence, theirSequence},
	{"carrier", "carrier", generateCarrier, ourCarrier, pickTexts("carrier", "carrier_content_digest", "decision_identity_digest")},
	{"import", "import", generateImport, ourImport, theirOK},
	{"row", "row", generateRow, ourRow, pickTexts("row")},
	{"verify_row", "verify_row", generateVerifyRow, ourVerifyRow, theirOK},
	{"bundle", "bundle", generateBundle, ourBundle, theirBundle},
}

func theirOK(r reply) answer { return answer{"ok": plain(r["ok"])} }

// generateText makes a JSON text, sometimes one with bytes that are changed.
func generateText(g *gen) *testCase {
	c := newCase()
	if !g.chance(3) {
		c.docs["text"] = g.value(5)
		return c
	}
	text := []byte(g.value(3).String())
	for range 1 + g.IntN(2) {
		i := g.IntN(len(text))
		switch g.IntN(3) {
		case 0:
			text[i] = byte(g.IntN(256))
		case 1:
			text = slices.Delete(text, i, i+1)
		case 2:
			text = slices.Insert(text, i, pick(g, []byte(`{}[]",:0-.eE\u +tn`+"\x00\t\xff")))
		}
		if len(text) == 0 {
			break
		}
	}
	c.raw["text"] = string(text)
	return c
}

func ourText(c *testCase) answer {
	text, ok := c.raw["text"]
	if !ok {
		text = c.doc("text")
	}
	var d canon.Doc
	if d.Parse(text, canon.Limits{}) != nil {
		return refused
	}
	canonical := d.Root().AppendJCS(nil)
	return answer{"canonical": string(canonical), "sha256": string(canon.Sum(canonical))}
}

func ourDigest(c *testCase) answer {
	text, ok := c.raw["policy"]
	if !ok {
		text = c.doc("policy")
	}
	p, err := policy.Read("policy", []byte(text))
	if err != nil {
		return refused
	}
	return answer{"declared_policy_digest": string(p.DeclaredDigest()), "canonical": string(p.Canonical())}
}

func ourArgsDigest(c *testCase) answer {
	secret, err := hex.DecodeString(c.texts["key_hex"])
	if err != nil {
		return refused
	}
	key, err := canon.NewKey(c.texts["key_id"], secret)
	var d canon.Doc
	if err != nil || d.Parse(c.doc("args"), canon.Limits{}) != nil {
		return refused
	}
	return answer{"args_digest": key.ArgsDigest(&d)}
}

func ourRun(c *testCase) answer {
	var verdicts []truth.Verdict
	for _, v := range c.docs["verdicts"].items {
		parsed, _ := truth.ParseVerdict(v.text)
		verdicts = append(verdicts, parsed)
	}
	var orders []int64
	for _, o := range c.docs["orders"].items {
		var n int64
		_, _ = fmt.Sscan(o.text, &n)
		orders = append(orders, n)
	}
	return answer{"run_verdict": truth.RunVerdict(verdicts, orders).String()}
}
