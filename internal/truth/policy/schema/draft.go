// SPDX-License-Identifier: Apache-2.0

package schema

import "strings"

// A draft is one dialect of JSON Schema. The zero draft is none.
type draft uint8

const (
	draft4 draft = iota + 1
	draft6
	draft7
	draft2019
	draft2020
)

// metaschemas are the addresses of the dialects' own schemas.
var metaschemas = map[draft]string{
	draft4:    "http://json-schema.org/draft-04/schema",
	draft6:    "http://json-schema.org/draft-06/schema",
	draft7:    "http://json-schema.org/draft-07/schema",
	draft2019: "https://json-schema.org/draft/2019-09/schema",
	draft2020: "https://json-schema.org/draft/2020-12/schema",
}

// parseDraft returns the dialect that a $schema names. An empty one is the
// default, and so is the address that stands for the latest.
func parseDraft(uri string) (draft, bool) {
	uri = strings.TrimRight(uri, "#")
	if uri == "" {
		return draft2020, true
	}
	path, ok := strings.CutPrefix(uri, "https://")
	if !ok {
		path, ok = strings.CutPrefix(uri, "http://")
	}
	if !ok {
		return 0, false
	}
	if path == "json-schema.org/schema" {
		return draft2020, true
	}
	for d, address := range metaschemas {
		if _, known, _ := strings.Cut(address, "://"); path == known {
			return d, true
		}
	}
	return 0, false
}

// A draftSet is some of the drafts.
type draftSet uint8

func (s draftSet) has(d draft) bool { return s&(1<<d) != 0 }

const (
	only4     draftSet = 1 << draft4
	only6     draftSet = 1 << draft6
	only7     draftSet = 1 << draft7
	only2019  draftSet = 1 << draft2019
	only2020  draftSet = 1 << draft2020
	allDrafts          = upTo2019 | only2020
	upTo2019           = upTo7 | only2019
	upTo7              = only4 | only6 | only7
	from2019           = only2019 | only2020
	from7              = only7 | from2019
	from6              = only6 | from7
)

// A form says where in a keyword's value schemas are.
type form uint8

const (
	formOne   form = iota + 1 // the value is a schema
	formMany                  // its elements are
	formNamed                 // its members are
)

// places are the keywords under which schemas lie, for finding what has an
// identifier, an anchor or a reference. Draft-04 knows fewer, but the system
// whose verdicts these are compared with looks at all of them.
var places = []struct {
	keyword string
	form    form
	drafts  draftSet
}{
	{"$defs", formNamed, only4 | from2019},
	{"definitions", formNamed, allDrafts},
	{"properties", formNamed, allDrafts},
	{"patternProperties", formNamed, allDrafts},
	{"dependencies", formNamed, upTo2019},
	{"dependentSchemas", formNamed, only4 | from2019},
	{"additionalProperties", formOne, allDrafts},
	{"additionalItems", formOne, upTo2019},
	{"items", formOne, allDrafts},
	{"items", formMany, upTo2019},
	{"prefixItems", formMany, only4 | only2020},
	{"contains", formOne, allDrafts},
	{"propertyNames", formOne, allDrafts},
	{"not", formOne, allDrafts},
	{"if", formOne, only4 | from7},
	{"then", formOne, only4 | from7},
	{"else", formOne, only4 | from7},
	{"allOf", formMany, allDrafts},
	{"anyOf", formMany, allDrafts},
	{"oneOf", formMany, allDrafts},
	{"unevaluatedProperties", formOne, only4 | from2019},
	{"unevaluatedItems", formOne, only4 | from2019},
	{"contentSchema", formOne, only4 | from2019},
}

// referring are the keywords that refer.
var referring = []struct {
	keyword string
	drafts  draftSet
}{{"$ref", allDrafts}, {"$dynamicRef", only2020}, {"$recursiveRef", only2019}}
