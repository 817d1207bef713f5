// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

var errNoLoading = errors.New("nothing is ever loaded")

// A noLoader loads nothing.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNoLoading }

// newLibrary returns a compiler of the library for the dialects' own schemas,
// which it carries.
func newLibrary() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		return regex.Compile(pattern, regex.Properties{})
	})
	for _, f := range formats {
		c.RegisterFormat(libraryFormat(f.name, f.check))
	}
	return c
}

// own are the dialects' own schemas, each compiled when it is first asked for.
// Compiling one takes longer than all the schemas of most policies.
var own = map[draft]func() (*jsonschema.Schema, error){
	draft4:    compileOnce(draft4),
	draft6:    compileOnce(draft6),
	draft7:    compileOnce(draft7),
	draft2019: compileOnce(draft2019),
	draft2020: compileOnce(draft2020),
}

func compileOnce(d draft) func() (*jsonschema.Schema, error) {
	return sync.OnceValues(func() (*jsonschema.Schema, error) { return newLibrary().Compile(metaschemas[d]) })
}

var errFormat = errors.New("not of the format")

func libraryFormat(name string, check func(string) bool) *jsonschema.Format {
	return &jsonschema.Format{Name: name, Validate: func(v any) error {
		if s, ok := v.(string); ok && !check(s) {
			return errFormat
		}
		return nil
	}}
}

// approve checks a schema against its dialect's own.
func approve(n *tree.Node, d draft) *Fault {
	meta, err := own[d]()
	if err != nil {
		return &Fault{Unusable, "", n.Pos(), "the dialect's own schema cannot be compiled"}
	}
	var invalid *jsonschema.ValidationError
	if err := meta.Validate(asApproved(n, d)); !errors.As(err, &invalid) {
		return nil
	}
	location, want := deepest(invalid)
	found, _ := lookup(n, location)
	return &Fault{BreaksDialect, location, found.Pos(), want}
}

// counts are the keywords whose value is a whole number. In draft-04 a number
// with a point is none.
var counts = map[string]bool{
	"minLength": true, "maxLength": true, "minItems": true, "maxItems": true,
	"minProperties": true, "maxProperties": true,
}

// asApproved returns n as the library is to see it, so that it approves of what
// the system does that verdicts are compared with. Its older metaschemas are
// other editions: there equal values may stand in an enum, which may be empty,
// the $schema of a part may be any text, and 1.0 is no integer in draft-04.
func asApproved(n *tree.Node, d draft) any {
	switch n.Kind {
	case canon.KindArray:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = asApproved(item, d)
		}
		return list
	case canon.KindObject:
		object := make(map[string]any, len(n.Items))
		for i, key := range n.Keys {
			if value, ok := memberAsApproved(key, n.Items[i], d); ok {
				object[key] = value
			}
		}
		return object
	}
	return n.Any()
}

// memberAsApproved is asApproved for a member of an object, and false for one
// that is left out.
func memberAsApproved(key string, item *tree.Node, d draft) (any, bool) {
	switch {
	case key == "$schema" && d == draft4 && item.Kind == canon.KindString:
		return nil, false
	case key == "enum" && item.Kind == canon.KindArray && d <= draft7:
		list := distinct(item.Items)
		return list, len(list) > 0
	case d == draft4 && counts[key] && strings.ContainsAny(item.Str, ".e"):
		return json.Number("0.5"), true
	}
	return asApproved(item, d), true
}

// distinct returns each of items once, by the library's idea of equality: it is
// the library that would find two equal ones. They are values, so nothing in
// them is to be seen otherwise.
func distinct(items []*tree.Node) []any {
	seen := map[string]bool{}
	list := []any{}
	for _, item := range items {
		if form := string(appendForm(nil, item)); !seen[form] {
			seen[form] = true
			list = append(list, item.Any())
		}
	}
	return list
}

// appendForm appends a text that values share if and only if they are equal:
// members in the order of their names, numbers as exact fractions.
func appendForm(dst []byte, n *tree.Node) []byte {
	switch n.Kind {
	case canon.KindNumber:
		if exact, ok := new(big.Rat).SetString(n.Str); ok {
			return append(dst, exact.RatString()...)
		}
	case canon.KindArray:
		dst = append(dst, '[')
		for _, item := range n.Items {
			dst = append(appendForm(dst, item), ',')
		}
		return append(dst, ']')
	case canon.KindObject:
		dst = append(dst, '{')
		for _, i := range sortedMembers(n) {
			dst = append(canon.AppendString(dst, n.Keys[i]), ':')
			dst = append(appendForm(dst, n.Items[i]), ',')
		}
		return append(dst, '}')
	}
	return n.AppendJSON(dst)
}

// sortedMembers returns the indices of the members of n by name.
func sortedMembers(n *tree.Node) []int {
	order := make([]int, len(n.Keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(n.Keys[a], n.Keys[b]) })
	return order
}

// A breach is one place where a schema breaks its metaschema.
type breach struct {
	location string
	kind     jsonschema.ErrorKind
}

// deepest returns where a schema breaks its metaschema, and what is wrong with
// it: the deepest place, since the alternatives of a metaschema fail at every
// level above it as well, and there the first. That another type would do is
// said only where nothing else can be.
func deepest(e *jsonschema.ValidationError) (location, msg string) {
	breaches := leaves(e, nil)
	slices.SortFunc(breaches, func(a, b breach) int {
		return cmp.Or(
			cmp.Compare(strings.Count(b.location, "/"), strings.Count(a.location, "/")), cmp.Compare(a.location, b.location),
			cmp.Compare(rank(a.kind), rank(b.kind)), cmp.Compare(explainKind(a.kind), explainKind(b.kind)))
	})
	return breaches[0].location, explainKind(breaches[0].kind)
}

func leaves(e *jsonschema.ValidationError, found []breach) []breach {
	if len(e.Causes) == 0 {
		location := ""
		for _, name := range e.InstanceLocation {
			location += token(name)
		}
		return append(found, breach{location, e.ErrorKind})
	}
	for _, cause := range e.Causes {
		found = leaves(cause, found)
	}
	return found
}

func rank(k jsonschema.ErrorKind) int {
	if _, ok := k.(*kind.Type); ok {
		return 1
	}
	return 0
}

// explainKind says what a metaschema wants. Names of JSON Schema are fine to
// print; values are not, and the library's own messages have them.
func explainKind(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "got " + k.Got + ", want " + strings.Join(k.Want, " or ")
	case *kind.Enum:
		return "none of the words that are allowed here"
	case *kind.Format:
		return "not a " + k.Want
	case *kind.Pattern:
		return "not of the form that is wanted here"
	case *kind.MinItems:
		return "too few elements"
	case *kind.UniqueItems:
		return "two equal elements"
	case *kind.Minimum, *kind.ExclusiveMinimum:
		return "too small a number"
	case *kind.Required, *kind.Dependency, *kind.DependentRequired:
		return "another keyword is missing"
	}
	return "the dialect's own schema does not allow this"
}
