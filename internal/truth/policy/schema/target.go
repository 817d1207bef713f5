// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"net/url"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A target is what a reference means: a schema of the document or, if address
// is set, a part of the dialect's own schema.
type target struct {
	place
	in      *resource
	address string
}

// find returns what a reference means, or why it means nothing.
func (a *atlas) find(r reference) (target, *Fault) {
	fail := func(reason Reason, msg string) (target, *Fault) {
		n, _ := r.at.schema.Get(r.keyword)
		return target{}, &Fault{reason, r.at.location + token(r.keyword), n.Pos(), msg}
	}
	ref, err := parseAddress(r.to)
	if err != nil {
		return fail(NoTarget, "a reference that is no URI")
	}
	fragment := ref.Fragment
	address := *resolve(r.in.address, ref)
	address.Fragment, address.RawFragment = "", ""
	res := a.byAddress[address.String()]
	if res == nil {
		if a.ownMetaschema(address.String()) {
			full := url.URL{Fragment: fragment}
			return target{address: address.String() + strings.TrimSuffix(full.String(), "#")}, nil
		}
		return fail(RemoteReference, "a reference to outside of the document, which is never fetched")
	}
	found, ok := a.inside(res, fragment)
	if !ok || found.schema.Kind != canon.KindObject && found.schema.Kind != canon.KindBool {
		return fail(NoTarget, "a reference to nothing, or to what is no schema")
	}
	return found, nil
}

// inside returns what a fragment means in a resource.
func (a *atlas) inside(res *resource, fragment string) (target, bool) {
	if fragment != "" && fragment[0] != '/' {
		at, ok := res.anchors[fragment]
		return target{place: at, in: res}, ok
	}
	found, ok := lookup(res.schema, fragment)
	if !ok {
		return target{}, false
	}
	at := place{found, res.location + fragment}
	return target{place: at, in: a.resourceAt(at.location)}, true
}

// ownMetaschema reports whether address is that of the schema of the document's
// dialect, or of one of its vocabularies.
func (a *atlas) ownMetaschema(address string) bool {
	d := a.root.draft
	own := metaschemas[d]
	if address == own {
		return true
	}
	vocabulary, ok := strings.CutPrefix(address, strings.TrimSuffix(own, "schema")+"meta/")
	return ok && d >= draft2019 && vocabularies[d][vocabulary]
}

// vocabularies are the parts that the later dialects' schemas are made of.
var vocabularies = map[draft]map[string]bool{
	draft2019: {"core": true, "applicator": true, "validation": true, "meta-data": true, "format": true, "content": true},
	draft2020: {
		"core": true, "applicator": true, "unevaluated": true, "validation": true,
		"meta-data": true, "format-annotation": true, "content": true,
	},
}
