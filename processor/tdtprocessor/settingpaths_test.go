// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"reflect"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
)

// settingPaths returns the path of every setting, as its mapstructure tags name
// it: a part of a list is written `list[].field`, and what the three facts share
// `facts.*.field`.
func settingPaths() []string {
	var paths []string
	addPaths(&paths, "", reflect.TypeFor[Config]())
	slices.Sort(paths)
	return slices.Compact(paths)
}

func addPaths(paths *[]string, prefix string, t reflect.Type) {
	for field := range t.Fields() {
		tag := field.Tag.Get("mapstructure")
		if tag == "" {
			continue
		}
		path, of := strings.TrimPrefix(prefix+"."+tag, "."), field.Type
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch {
		case of == reflect.TypeFor[FactConfig]():
			*paths = append(*paths, path)
			addPaths(paths, prefix+".*", of)
		case of.Kind() == reflect.Struct && of != reflect.TypeFor[component.ID]():
			addPaths(paths, path, of)
		case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
			addPaths(paths, path+"[]", of.Elem())
		default:
			*paths = append(*paths, path)
		}
	}
}
