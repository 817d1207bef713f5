// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// A draft is a dialect of JSON Schema, by its age. The zero draft is unknown.
type draft uint8

const (
	draft4 draft = iota + 1
	draft6
	draft7
	draft2019
	draft2020
)

// dialects tell the draft by what its address has.
var dialects = []struct {
	part  string
	draft draft
}{
	{"json-schema.org/draft-04/schema", draft4}, {"json-schema.org/draft-06/schema", draft6},
	{"json-schema.org/draft-07/schema", draft7}, {"json-schema.org/draft/2019-09/schema", draft2019},
	{"json-schema.org/draft/2020-12/schema", draft2020},
}

// draftOf returns the dialect of a schema that lies in one of the dialect
// outer: its own, if it names one.
func draftOf(n *tree.Node, outer draft) draft {
	uri, ok := n.Get("$schema")
	if !ok || uri.Kind != canon.KindString || uri.Str == "" {
		return outer
	}
	for _, d := range dialects {
		if strings.Contains(uri.Str, d.part) {
			return d.draft
		}
	}
	return outer
}

func (d draft) String() string {
	return [...]string{"this dialect", "draft-04", "draft-06", "draft-07", "2019-09", "2020-12"}[d]
}

// A span says in which drafts a keyword is known.
type span struct{ first, last draft }

func (s span) has(d draft) bool { return s.first <= d && d <= s.last }

// The spans that occur.
var (
	always    = span{draft4, draft2020}
	from6     = span{draft6, draft2020}
	from7     = span{draft7, draft2020}
	from2019  = span{draft2019, draft2020}
	only2019  = span{draft2019, draft2019}
	only2020  = span{draft2020, draft2020}
	upTo2019  = span{draft4, draft2019}
	upToDraft = span{draft4, draft4}
)

// A form says where in a keyword's value schemas are.
type form uint8

const (
	formNone  form = iota // there are none
	formOne               // the value is one
	formMany              // its elements are
	formNamed             // its members are
	formItems             // the value is one, or its elements are
	formMixed             // its members are, or are lists of names
)

// A keyword is one word of JSON Schema.
type keyword struct {
	drafts span
	form   form
	kind   canon.Kind // of the values that it constrains; KindNone: all, or none
	notes  bool       // it constrains nothing and is not meant to
}

// keywords are all that there are.
var keywords = map[string]keyword{
	"$schema": {always, formNone, 0, true}, "id": {upToDraft, formNone, 0, true}, "$id": {from6, formNone, 0, true},
	"$comment": {from7, formNone, 0, true}, "$anchor": {from2019, formNone, 0, true}, "$vocabulary": {from2019, formNone, 0, true},
	"$recursiveAnchor": {only2019, formNone, 0, true}, "$dynamicAnchor": {only2020, formNone, 0, true},
	"title": {always, formNone, 0, true}, "description": {always, formNone, 0, true}, "default": {always, formNone, 0, true},
	"examples": {from6, formNone, 0, true}, "readOnly": {from7, formNone, 0, true}, "writeOnly": {from7, formNone, 0, true},
	"deprecated": {from2019, formNone, 0, true}, "contentSchema": {from2019, formNone, 0, true},
	"definitions": {always, formNamed, 0, true}, "$defs": {from2019, formNamed, 0, true},

	"$ref": {drafts: always}, "$recursiveRef": {drafts: only2019}, "$dynamicRef": {drafts: only2020},
	"type": {drafts: always}, "enum": {drafts: always}, "const": {drafts: from6},
	"allOf": {always, formMany, 0, false}, "anyOf": {always, formMany, 0, false}, "oneOf": {always, formMany, 0, false},
	"not": {always, formOne, 0, false}, "if": {from7, formOne, 0, false}, "then": {from7, formOne, 0, false}, "else": {from7, formOne, 0, false},

	"multipleOf": number(always), "minimum": number(always), "maximum": number(always),
	"exclusiveMinimum": number(always), "exclusiveMaximum": number(always),

	"minLength": text(always), "maxLength": text(always), "pattern": text(always), "format": text(always),
	"contentEncoding": text(from6), "contentMediaType": text(from6),

	"items": array(always, formItems), "additionalItems": array(upTo2019, formOne), "prefixItems": array(only2020, formMany),
	"contains": array(from6, formOne), "minContains": array(from2019, formNone), "maxContains": array(from2019, formNone),
	"minItems": array(always, formNone), "maxItems": array(always, formNone), "uniqueItems": array(always, formNone),
	"unevaluatedItems": array(from2019, formOne),

	"properties": object(always, formNamed), "patternProperties": object(always, formNamed),
	"additionalProperties": object(always, formOne), "propertyNames": object(from6, formOne),
	"required": object(always, formNone), "minProperties": object(always, formNone), "maxProperties": object(always, formNone),
	"dependencies": object(upTo2019, formMixed), "dependentRequired": object(from2019, formNone),
	"dependentSchemas": object(from2019, formNamed), "unevaluatedProperties": object(from2019, formOne),
}

func number(s span) keyword         { return keyword{s, formNone, canon.KindNumber, false} }
func text(s span) keyword           { return keyword{s, formNone, canon.KindString, false} }
func array(s span, f form) keyword  { return keyword{s, f, canon.KindArray, false} }
func object(s span, f form) keyword { return keyword{s, f, canon.KindObject, false} }

// schemasIn calls visit for each schema in the value of a keyword.
func schemasIn(value *tree.Node, f form, path tree.Path, visit func(*tree.Node, tree.Path)) {
	switch {
	case f == formOne, f == formItems && value.Kind != canon.KindArray:
		visit(value, path)
	case (f == formMany || f == formItems) && value.Kind == canon.KindArray:
		for i, item := range value.Items {
			visit(item, path.Index(i))
		}
	case (f == formNamed || f == formMixed) && value.Kind == canon.KindObject:
		for i, item := range value.Items {
			if f == formMixed && item.Kind == canon.KindArray {
				continue
			}
			visit(item, path.Key(value.Keys[i]))
		}
	}
}
