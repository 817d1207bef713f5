// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

func generateVerdict(g *gen) *testCase {
	c := newCase()
	c.docs["policy"], c.docs["args"], c.docs["evidence"] = g.policy(), g.arguments(), g.evidence()
	c.texts["tool_name"], c.texts["identity_state"] = pick(g, toolNames), pick(g, identities)
	if g.chance(2) {
		c.texts["tool_name"] = pick(g, toolNames[:8])
	}
	c.absent["args"] = g.chance(10)
	return c
}

// judge returns the policy and the decision of a case, nil where the policy is
// refused.
func judge(c *testCase) (*policy.Policy, *truth.Call, *truth.Decision) {
	p, err := policy.Read("policy", []byte(c.doc("policy")))
	if err != nil {
		return nil, nil, nil
	}
	call := &truth.Call{Tool: c.texts["tool_name"]}
	_ = call.Identity.UnmarshalText([]byte(c.texts["identity_state"])) // another word is invalid
	if !c.absent["args"] {
		var d canon.Doc
		if d.Parse(c.doc("args"), canon.Limits{}) == nil {
			call.Args = &d
		}
	}
	d := truth.Judge(p, call, evidenceOf(c.docs["evidence"]))
	return p, call, &d
}

func evidenceOf(n *node) *truth.Evidence {
	e := &truth.Evidence{}
	if list := n.get("tool_classes"); list != nil && list.kind == canon.KindArray {
		e.ClassesKnown = true
		for _, c := range list.items {
			e.Classes = append(e.Classes, c.text)
		}
	}
	for name, fact := range map[string]*truth.Fact{
		"approval_obtained": &e.Approval, "scope_satisfied": &e.Scope, "redaction_applied": &e.Redaction,
	} {
		if v := n.get(name); v != nil && v.kind == canon.KindBool {
			*fact = truth.FactOf(v.text == "true")
		}
	}
	return e
}

func ourVerdict(c *testCase) answer {
	p, _, d := judge(c)
	if p == nil {
		return refused
	}
	a := answer{"verdict": d.Verdict.String(), "declared_policy_digest": string(p.DeclaredDigest())}
	d.Axes(func(name, verdict string) { a["axis."+name] = verdict })
	return a
}

func theirVerdict(r reply) answer {
	axes, ok := r["axes"].(map[string]any)
	if !ok {
		return refused
	}
	a := answer{"verdict": plain(r["verdict"]), "declared_policy_digest": plain(r["declared_policy_digest"])}
	for name, verdict := range axes {
		a["axis."+name] = plain(verdict)
	}
	return a
}

func generateSequence(g *gen) *testCase {
	c := newCase()
	c.docs["policy"], c.docs["calls"] = g.sequencePolicy(), g.calls()
	c.texts["extent"] = pick(g, []string{"complete", "partial"})
	return c
}

// ourSequence answers without reasons, which the other program has in prose.
func ourSequence(c *testCase) answer {
	p, err := policy.Read("policy", []byte(c.doc("policy")))
	if err != nil {
		return refused
	}
	rules, err := sequence.Load("policy", p)
	if err != nil {
		return refused
	}
	var d canon.Doc
	if d.Parse(c.doc("calls"), canon.Limits{}) != nil {
		return refused
	}
	var calls []sequence.Call
	for _, n := range d.Root().All() {
		name, _ := n.Get("name")
		args, has := n.Get("args")
		calls = append(calls, sequence.Call{Name: name.Str(), Args: args, HasArgs: has && args.Kind() != canon.KindNull})
	}
	var extent sequence.Extent
	if extent.UnmarshalText([]byte(c.texts["extent"])) != nil {
		return refused
	}
	list := arr()
	for _, r := range rules.Evaluate(calls, extent) {
		text, err := marshal(r.Spanned)
		if err != nil {
			return refused
		}
		list.items = append(list.items, record(r.RuleID, r.Kind.String(), r.Outcome.String(), parse(string(text))))
	}
	return answer{"records": canonicalText(list.String())}
}

func record(id, kind, outcome string, spanned *node) *node {
	return obj().put("rule_id", str(id)).put("kind", str(kind)).put("outcome", str(outcome)).put("spanned", spanned)
}

func theirSequence(r reply) answer {
	records, ok := r["records"].([]any)
	if !ok {
		return refused
	}
	list := arr()
	for _, each := range records {
		n := parse(plain(each))
		list.items = append(list.items, record(n.get("rule_id").text, n.get("kind").text, n.get("outcome").text, n.get("spanned")))
	}
	return answer{"records": canonicalText(list.String())}
}
