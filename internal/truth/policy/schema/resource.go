// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"net/url"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// base is where a schema without an identifier stands. Nothing else does.
const base = "json-schema:///"

// A resource is a schema with its own address, and what lies in it down to the
// next resource.
type resource struct {
	address  *url.URL
	schema   *tree.Node
	location string
	draft    draft
	anchors  map[string]place
	dynamic  map[string]place // the anchors that are $dynamicAnchor
}

// A place is a schema of the document and where it is.
type place struct {
	schema   *tree.Node
	location string
}

// A reference is a keyword that refers, as found in the document.
type reference struct {
	keyword string
	to      string
	in      *resource
	at      place
}

// An atlas knows the resources, anchors and references of one document.
type atlas struct {
	root      *resource
	byAddress map[string]*resource
	byPlace   map[string]*resource // by location of their roots
	drafts    map[string]draft     // by location, where $schema changes it
	visited   map[string]bool      // locations where schemas are known to be
	refs      []reference
	tracking  bool // somewhere it is asked what was evaluated
	fault     *Fault
}

// survey looks through a document for all that can be referred to.
func survey(doc *tree.Node, d draft) *atlas {
	a := &atlas{
		byAddress: map[string]*resource{}, byPlace: map[string]*resource{},
		drafts: map[string]draft{}, visited: map[string]bool{},
	}
	address, _ := url.Parse(base)
	a.root = a.open(address, place{doc, ""}, d)
	a.schema(place{doc, ""}, a.root, d)
	return a
}

// open makes a resource known. Of several with one address the last is meant,
// unless one of them is the document.
func (a *atlas) open(address *url.URL, at place, d draft) *resource {
	r := &resource{address, at.schema, at.location, d, map[string]place{}, map[string]place{}}
	if known := a.byAddress[address.String()]; known == nil || known != a.root {
		a.byAddress[address.String()] = r
	}
	a.byPlace[at.location] = r
	return r
}

// schema surveys the schema at a place in res.
func (a *atlas) schema(at place, res *resource, d draft) {
	a.visited[at.location] = true
	if at.schema.Kind != canon.KindObject {
		return
	}
	if own, ok := at.schema.Get("$schema"); ok && at.location != "" && own.Kind == canon.KindString {
		if changed, known := parseDraft(own.Str); known && changed != d {
			d = changed
			a.drafts[at.location] = d
		}
	}
	res = a.identify(at, res, d)
	a.anchors(at, res, d)
	for _, r := range referring {
		if to, ok := at.schema.Get(r.keyword); ok && to.Kind == canon.KindString && r.drafts.has(d) && r.keyword != "$recursiveRef" {
			a.refs = append(a.refs, reference{r.keyword, to.Str, res, at})
		}
	}
	for _, p := range places {
		if p.drafts.has(d) {
			if value, ok := at.schema.Get(p.keyword); ok {
				a.tracking = a.tracking || strings.HasPrefix(p.keyword, "unevaluated")
				a.below(place{value, at.location + token(p.keyword)}, p.form, res, d)
			}
		}
	}
}

// below surveys the schemas in the value of a keyword.
func (a *atlas) below(at place, f form, res *resource, d draft) {
	switch n := at.schema; {
	case f == formOne && n.Kind == canon.KindObject:
		a.schema(at, res, d)
	case f == formMany && n.Kind == canon.KindArray:
		for i, item := range n.Items {
			a.schema(place{item, at.location + index(i)}, res, d)
		}
	case f == formNamed && n.Kind == canon.KindObject:
		for i, item := range n.Items {
			if item.Kind != canon.KindArray { // of names, in dependencies
				a.schema(place{item, at.location + token(n.Keys[i])}, res, d)
			}
		}
	}
}

// identify opens a resource if the schema has an identifier.
func (a *atlas) identify(at place, res *resource, d draft) *resource {
	id := identifier(at.schema, d)
	if id == "" || d <= draft7 && strings.HasPrefix(id, "#") {
		return res
	}
	address, err := parseAddress(id)
	if err != nil {
		a.fail(at, idKeyword(d), "an identifier that is no URI")
		return res
	}
	address = resolve(res.address, address)
	address.Fragment, address.RawFragment = "", ""
	if at.location == "" {
		a.byAddress = map[string]*resource{}
		a.root = nil
	}
	opened := a.open(address, at, d)
	if at.location == "" {
		a.root = opened
	}
	return opened
}

func (a *atlas) fail(at place, keyword, msg string) {
	if a.fault == nil {
		n, _ := at.schema.Get(keyword)
		a.fault = &Fault{BadIdentifier, at.location + token(keyword), n.Pos(), msg}
	}
}

func idKeyword(d draft) string {
	if d == draft4 {
		return "id"
	}
	return "$id"
}

// identifier returns the identifier of a schema, which up to draft-07 does not
// count beside a $ref.
func identifier(n *tree.Node, d draft) string {
	if _, refers := n.Get("$ref"); refers && d <= draft7 {
		return ""
	}
	id, ok := n.Get(idKeyword(d))
	if !ok || id.Kind != canon.KindString {
		return ""
	}
	return id.Str
}

// anchors notes the anchors of the schema at a place in res.
func (a *atlas) anchors(at place, res *resource, d draft) {
	if d <= draft7 {
		if id := identifier(at.schema, d); len(id) > 1 && id[0] == '#' {
			res.anchors[id[1:]] = at
		}
		return
	}
	if name, ok := at.schema.Get("$anchor"); ok {
		res.anchors[name.Str] = at
	}
	if name, ok := at.schema.Get("$dynamicAnchor"); ok && d >= draft2020 {
		res.anchors[name.Str] = at
		res.dynamic[name.Str] = at
	}
}

// resourceAt returns the resource in which a location lies.
func (a *atlas) resourceAt(location string) *resource {
	for {
		if r, ok := a.byPlace[location]; ok {
			return r
		}
		location = location[:max(0, strings.LastIndexByte(location, '/'))]
	}
}

// parseAddress parses a URI reference, strictly enough that what is none in
// RFC 3986 is none here.
func parseAddress(s string) (*url.URL, error) {
	if !uriReference(s) {
		return nil, url.InvalidHostError(s)
	}
	return url.Parse(s)
}

// resolve resolves ref against an address.
func resolve(address, ref *url.URL) *url.URL {
	resolved := address.ResolveReference(ref)
	if address.Opaque != "" && !ref.IsAbs() {
		resolved.Opaque = address.Opaque
	}
	return resolved
}
