// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"net/netip"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
)

// formats are the formats that drafts 04 to 07 know. Those drafts assert them;
// later ones only annotate.
var formats = []struct {
	name   string
	drafts draftSet
	check  func(string) bool
}{
	{"date", upTo7, isDate},
	{"time", upTo7, isTime},
	{"date-time", upTo7, isDateTime},
	{"email", upTo7, isEmail},
	{"idn-email", upTo7, isIDNEmail},
	{"hostname", upTo7, isHostname},
	{"idn-hostname", only7, isIDNHostname},
	{"ipv4", upTo7, isIPv4},
	{"ipv6", upTo7, isIPv6},
	{"uri", upTo7, uriSyntax{}.absolute},
	{"uri-reference", only6 | only7, uriSyntax{}.reference},
	{"iri", only7, uriSyntax{wide: true}.absolute},
	{"iri-reference", only7, uriSyntax{wide: true}.reference},
	{"uri-template", only6 | only7, isURITemplate},
	{"json-pointer", only6 | only7, isPointer},
	{"relative-json-pointer", only7, isRelativePointer},
	{"regex", upTo7, isRegex},
}

// formatOf returns the check of a format, nil where the draft knows none of
// that name.
func formatOf(name string, d draft) func(string) bool {
	for _, f := range formats {
		if f.name == name && f.drafts.has(d) {
			return f.check
		}
	}
	return nil
}

func isRegex(s string) bool {
	_, err := regex.Compile(s, regex.Properties{})
	return err == nil
}

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

// isPointer reports whether s is a JSON pointer (RFC 6901).
func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	_, ok := unescape(s)
	return ok
}

// isRelativePointer reports whether s is a count of levels and then a pointer,
// or # for the name.
func isRelativePointer(s string) bool {
	n := leadingDigits(s)
	if n == 0 || n > 1 && s[0] == '0' {
		return false
	}
	return s[n:] == "#" || isPointer(s[n:])
}

// leadingDigits returns how many digits s begins with.
func leadingDigits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

// digits returns the value of a string of n digits.
func digits(s string, n int) (value int, ok bool) {
	if len(s) != n || leadingDigits(s) != n {
		return 0, false
	}
	for _, c := range []byte(s) {
		value = value*10 + int(c-'0')
	}
	return value, true
}
