// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// wantRecords says what files of evidence are made of.
const wantRecords = "carriers, rows or events, one JSON object a line"

// A record is one line of a file of evidence.
type record struct {
	line int
	text string

	// err says why the text is not JSON; there is no node then.
	err error

	// node is the parsed text, valid until the next record.
	node canon.Node

	// kind is what the node looks like by its members; 0 when it is nothing of
	// the kind. That it is a good one, only a decoder says.
	kind carrier.RecordKind
}

// kindMembers tell the kinds of records apart, each by any of its members.
var kindMembers = []struct {
	kind    carrier.RecordKind
	members []string
}{
	{carrier.KindEvent, []string{"specversion"}},
	{carrier.KindRow, []string{"recipe", "evidence_ref", "coherence_binding"}},
	{carrier.KindCarrier, []string{"args_digest", "observed_input_digest", "decision_identity", "decision_verdict"}},
}

func looksLike(n canon.Node) carrier.RecordKind {
	for _, k := range kindMembers {
		for _, m := range k.members {
			if _, ok := n.Get(m); ok {
				return k.kind
			}
		}
	}
	if schema, ok := n.Get("schema"); ok && schema.Str() == carrier.SchemaCarrier {
		return carrier.KindCarrier
	}
	return 0
}

// readRecords calls visit for each record of a file, in the memory of one. A
// file whose first line is the beginning of a JSON text holds one document,
// written over several lines. A file that begins with anything but a record,
// or what may be a damaged one, is refused with a contentError: it is something
// else. What comes later is for visit to judge.
func readRecords(in *input, visit func(*record) error) error {
	lines := newLineReader(in, carrier.MaxTextBytes)
	var doc canon.Doc
	first := true
	for {
		text, err := lines.next()
		switch {
		case errors.Is(err, io.EOF) && first:
			return &contentError{in.name, 0, "empty", wantRecords}
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read %s: %w", in.name, plainPathError(err))
		case strings.TrimSpace(text) == "":
			continue
		}
		r := parseRecord(&doc, lines.n, text)
		if first {
			if r, err = firstRecord(in.name, lines, &doc, r); err != nil {
				return err
			}
			first = false
		}
		if err := visit(&r); err != nil {
			return err
		}
	}
}

func parseRecord(doc *canon.Doc, line int, text string) record {
	r := record{line: line, text: text}
	if r.err = doc.Parse(text, canon.Limits{Bytes: carrier.MaxTextBytes}); r.err == nil {
		r.node = doc.Root()
		r.kind = looksLike(r.node)
	}
	return r
}

// firstRecord decides whether a file holds records at all.
func firstRecord(file string, lines *lineReader, doc *canon.Doc, r record) (record, error) {
	if te, ok := errors.AsType[*canon.TextError](r.err); ok && te.Truncated {
		rest, err := lines.rest(carrier.MaxTextBytes)
		if err != nil {
			return r, fmt.Errorf("read %s: %w", file, plainPathError(err))
		}
		whole := strings.TrimSuffix(r.text+"\n"+rest, "\n")
		if r = parseRecord(doc, r.line, whole); r.err != nil {
			r.line += lineOf(whole, r.err)
		}
	}
	switch {
	case r.err != nil && !strings.HasPrefix(strings.TrimLeft(r.text, " \t"), "{"):
		return r, &contentError{file, r.line, describeText(r.text, r.err), wantRecords}
	case r.err == nil && r.kind == 0:
		return r, &contentError{file, r.line, describe(r.node), wantRecords}
	}
	return r, nil
}

// lineOf counts the lines of text before the fault.
func lineOf(text string, err error) int {
	te, ok := errors.AsType[*canon.TextError](err)
	if !ok || te.Fault == canon.FaultSize {
		return 0
	}
	return strings.Count(text[:min(te.Offset, len(text))], "\n")
}
