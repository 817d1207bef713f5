package recognize

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestProbe(t *testing.T) {
	r := newRecognizer(t, Options{})
	for _, c := range readTruth(t) {
		obs := map[string]*Observation{}
		names := map[string]string{}
		known := map[string]bool{}
		for _, p := range readCapture(t, filepath.Join(captures, c.File)) {
			o, _ := r.Inspect(p.rs, p.ss, p.span)
			if o != nil {
				obs[p.id()] = o
			}
			names[p.id()] = p.span.Name()
		}
		for _, e := range c.Executions {
			if e.Span == nil {
				continue
			}
			for _, d := range e.Duplicates {
				known[d.id()] = true
				if obs[d.id()] == nil {
					fmt.Println(c.File, e.Order, "DUP not seen", d.Name)
				}
			}
			known[e.Span.id()] = true
			o := obs[e.Span.id()]
			if o == nil {
				fmt.Println(c.File, e.Order, "MISSED", e.Span.Name)
				continue
			}
			cands := append([]Observation{*o}, o.Others...)
			var best *Observation
			for i := range cands {
				if cands[i].CallID != "" && e.CallID != nil && *e.CallID == cands[i].CallID {
					best = &cands[i]
				}
			}
			if best == nil {
				best = &cands[0]
			}
			want := e.Tool
			if e.NameOnSpan != nil {
				var s *string
				json.Unmarshal(e.NameOnSpan, &s)
				if s != nil {
					want = *s
				} else {
					want = "<null>"
				}
			}
			if best.Tool != want && best.Tool != e.Tool {
				fmt.Println(c.File, e.Order, o.Dialect, "NAME", best.Tool, "want", want, e.Tool)
			}
			if e.CallID != nil && best.CallID != *e.CallID {
				fmt.Println(c.File, e.Order, o.Dialect, "ID", best.CallID, "want", *e.CallID)
			}
			if best.Conflict != 0 {
				fmt.Println(c.File, e.Order, o.Dialect, "CONFLICT", best.Conflict.Names())
			}
			var doc canon.Doc
			doc.Parse(string(e.Args), canon.Limits{})
			wantArgs := string(doc.Root().AppendJCS(nil))
			got := ""
			if best.Args.Captured() {
				got = string(best.Args.Doc.Root().AppendJCS(nil))
			}
			switch e.Recorded {
			case "json":
				if got != wantArgs {
					fmt.Println(c.File, e.Order, o.Dialect, "ARGS", got, best.Args.Why, best.Args.From, "want", wantArgs)
				}
			default:
				if got != "" && got != wantArgs {
					fmt.Println(c.File, e.Order, o.Dialect, "WRONG", e.Recorded, got, "want", wantArgs)
				} else if e.Recorded != "absent" {
					fmt.Println(c.File, e.Order, o.Dialect, "note", e.Recorded, got, best.Args.Why)
				}
			}
			if e.Outcome == "error" && best.Result.String() == "ok" || e.Outcome == "ok" && best.Result.String() == "error" {
				fmt.Println(c.File, e.Order, o.Dialect, "RESULT", best.Result, e.Outcome)
			}
		}
		for _, l := range c.Lookalikes {
			if l.Kind == "never" && obs[l.id()] != nil {
				fmt.Println(c.File, "NEVER", obs[l.id()].Dialect, l.Name)
			}
			if l.Kind == "attempt" {
				known[l.id()] = true
				if obs[l.id()] == nil {
					fmt.Println(c.File, "attempt not seen", l.Name)
				}
			}
		}
		for id, o := range obs {
			if !known[id] {
				fmt.Println(c.File, "EXTRA", o.Dialect, names[id])
			}
		}
	}
}
