// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

func generateCarrier(g *gen) *testCase {
	c := generateVerdict(g)
	c.texts["key_hex"], c.texts["key_id"] = g.keyHex(), g.keyID()
	c.texts["source_class"], c.texts["result_status"], c.texts["call_id"] = pick(g, sources), pick(g, results), g.text()
	c.ints["order"] = g.order()
	c.absent["args"] = false
	return c
}

func ourCarrier(c *testCase) answer {
	p, call, d := judge(c)
	if p == nil {
		return refused
	}
	secret, _ := hex.DecodeString(c.texts["key_hex"])
	key, err := canon.NewKey(c.texts["key_id"], secret)
	if err != nil {
		return refused
	}
	in := carrier.Input{
		ToolName: c.texts["tool_name"], ArgsDigest: key.ArgsDigest(call.Args), Order: c.ints["order"], CallID: c.texts["call_id"],
		KeyID: key.ID(), Identity: call.Identity, Verdict: d.Verdict, DeclaredPolicy: p.DeclaredDigest(),
	}
	if in.SourceClass.UnmarshalText([]byte(c.texts["source_class"])) != nil ||
		in.ResultStatus.UnmarshalText([]byte(c.texts["result_status"])) != nil {
		return refused
	}
	rec, err := carrier.Build(in)
	if err != nil {
		return refused
	}
	return answer{
		"carrier":                  canonicalText(string(rec.AppendJSON(nil))),
		"carrier_content_digest":   string(rec.ContentDigest()),
		"decision_identity_digest": string(rec.IdentityDigest()),
	}
}

// record returns a good carrier.
func (g *gen) record() carrier.Record {
	key, err := canon.NewKey("kid", []byte("k"))
	if err != nil {
		panic(err)
	}
	var d canon.Doc
	if d.Parse(g.value(1).String(), canon.Limits{}) != nil {
		d.Reset()
	}
	in := carrier.Input{
		ToolName: g.text(), ArgsDigest: key.ArgsDigest(&d), Order: g.Int64N(100), CallID: g.text(), KeyID: "kid",
		SourceClass: truth.SourceReported, ResultStatus: truth.ResultOK, Identity: truth.IdentityAbsent,
		Verdict: pick(g, truth.Verdicts()), DeclaredPolicy: canon.Sum([]byte(g.text())),
	}
	if g.chance(8) {
		in.Verdict, in.Unclassified = 0, true
	}
	rec, err := carrier.Build(in)
	if err != nil {
		panic(err)
	}
	return rec
}

func recordNode(r *carrier.Record) *node { return parse(string(r.AppendJSON(nil))) }

// mutate changes n in one place, or not at all.
func (g *gen) mutate(n *node) *node {
	if g.chance(4) {
		return n
	}
	places := 0
	n.walk("", func(string, *node) { places++ })
	at, i := g.IntN(places), 0
	n.walk("", func(_ string, v *node) {
		if i == at {
			g.change(v)
		}
		i++
	})
	return n
}

// change makes another value of n.
func (g *gen) change(n *node) {
	switch {
	case n.kind == canon.KindObject && g.chance(2):
		n.put(pick(g, []string{"args", "arguments", "input", "tool_arguments", "extra", "declared_ref", "nested"}), g.value(1))
	case n.kind == canon.KindObject && len(n.keys) > 0:
		i := g.IntN(len(n.keys))
		n.keys, n.items = slices.Delete(n.keys, i, i+1), slices.Delete(n.items, i, i+1)
	case n.kind == canon.KindString && n.text != "" && g.chance(2):
		g.changeText(n)
	case n.kind == canon.KindNumber && g.chance(2):
		n.text = pick(g, []string{"0", "1", "-1", "1.0", "1e0", "9007199254740993", "9223372036854775808"})
	default:
		*n = *g.value(1)
	}
}

func (g *gen) changeText(n *node) {
	switch g.IntN(4) {
	case 0:
		n.text = n.text[:len(n.text)-1]
	case 1:
		n.text = strings.ToUpper(n.text)
	case 2:
		n.text += pick(g, []string{"0", " ", "x"})
	default:
		words := slices.Concat(verdictList, sources, results, identities, []string{"sha256:" + strings.Repeat("0", 64)})
		n.text = pick(g, words)
	}
	n.text = strings.ToValidUTF8(n.text, "")
}

func generateImport(g *gen) *testCase {
	c := newCase()
	rec := g.record()
	c.docs["carrier"] = g.mutate(recordNode(&rec))
	return c
}

func ourImport(c *testCase) answer {
	_, err := carrier.Import(c.doc("carrier"))
	return answer{"ok": fmt.Sprint(err == nil)}
}

func generateRow(g *gen) *testCase {
	c := generateImport(g)
	c.texts["run_verdict"], c.texts["ref"] = pick(g, verdictList), g.text()
	return c
}

func ourRow(c *testCase) answer {
	citation, err := carrier.Cite(c.doc("carrier"))
	if err != nil {
		return refused
	}
	verdict, ok := truth.ParseVerdict(c.texts["run_verdict"])
	if !ok {
		return refused
	}
	row, err := carrier.BuildRow(citation, verdict, c.texts["ref"])
	if err != nil {
		return refused
	}
	return answer{"row": canonicalText(string(row.AppendJSON(nil)))}
}

// rowOf returns a good row of a good carrier.
func (g *gen) rowOf(rec *carrier.Record) (*node, truth.Verdict) {
	citation := rec.Citation()
	verdict := truth.Join(max(citation.Verdict, truth.Match), pick(g, truth.Verdicts()))
	row, err := carrier.BuildRow(citation, verdict, g.text())
	if err != nil {
		panic(err)
	}
	return parse(string(row.AppendJSON(nil))), verdict
}

func generateVerifyRow(g *gen) *testCase {
	c := newCase()
	rec := g.record()
	row, verdict := g.rowOf(&rec)
	c.docs["carrier"], c.docs["row"] = recordNode(&rec), row
	c.texts["run_verdict"] = verdict.String()
	switch g.IntN(3) {
	case 0:
		g.mutate(c.docs["row"])
	case 1:
		g.mutate(c.docs["carrier"])
	case 2:
		c.texts["run_verdict"] = pick(g, verdictList)
	}
	return c
}

func ourVerifyRow(c *testCase) answer {
	no := answer{"ok": "false"}
	citation, err := carrier.Cite(c.doc("carrier"))
	if err != nil {
		return no
	}
	verdict, ok := truth.ParseVerdict(c.texts["run_verdict"])
	row, err := carrier.ReadRow(c.doc("row"))
	if !ok || err != nil {
		return no
	}
	return answer{"ok": fmt.Sprint(row.Verify(citation, verdict) == nil)}
}

// generateBundle makes a set of carriers and rows, mostly a good one.
func generateBundle(g *gen) *testCase {
	events := arr()
	add := func(kind string, n *node) {
		events.items = append(events.items, obj().put("type", str(kind)).put("payload", n))
	}
	for range g.IntN(4) {
		rec := g.record()
		row, _ := g.rowOf(&rec)
		if !g.chance(10) {
			add("carrier", recordNode(&rec))
		}
		if !g.chance(6) {
			add("row", row)
		}
		if g.chance(15) {
			add("row", row.clone())
		}
		if g.chance(15) {
			add("carrier", recordNode(&rec))
		}
	}
	g.Shuffle(len(events.items), func(i, j int) { events.items[i], events.items[j] = events.items[j], events.items[i] })
	if len(events.items) > 0 && g.chance(3) {
		g.mutate(pick(g, events.items).get("payload"))
	}
	c := newCase()
	c.docs["events"] = events
	return c
}

func ourBundle(c *testCase) answer {
	p := carrier.NewProjector()
	for i, e := range c.docs["events"].items {
		payload := e.get("payload")
		switch {
		case payload == nil || e.get("type") == nil:
			return refused
		case e.get("type").text == "row":
			p.AddRow(int64(i), payload.String())
		default:
			p.AddCarrier(int64(i), payload.String())
		}
	}
	view, err := p.Project()
	if err != nil {
		return answer{"ok": "false"}
	}
	var b strings.Builder
	if _, err := view.WriteTo(&b); err != nil {
		return refused
	}
	r := view.Report()
	return answer{
		"ok": "true", "carriers": fmt.Sprint(r.Carriers), "rows": fmt.Sprint(r.Rows), "verified_rows": fmt.Sprint(r.Verified),
		"spans": canonicalText(parse(b.String()).get("spans").String()),
	}
}

func theirBundle(r reply) answer {
	if r["error"] != nil {
		return refused
	}
	if r["ok"] != true {
		return answer{"ok": "false"}
	}
	projection, _ := r["projection"].(map[string]any)
	a := pickTexts("ok", "carriers", "rows", "verified_rows")(r)
	a["spans"] = plain(projection["spans"])
	return a
}
