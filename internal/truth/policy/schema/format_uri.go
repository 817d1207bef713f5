// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
)

// A uriSyntax is the grammar of RFC 3986 or, if wide, of RFC 3987.
type uriSyntax struct{ wide bool }

// uriReference reports whether s is a URI reference.
func uriReference(s string) bool { return uriSyntax{}.reference(s) }

const (
	unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	subDelims  = "!$&'()*+,;="
	pathChars  = unreserved + subDelims + ":@/"
)

// absolute reports whether s has a scheme.
func (u uriSyntax) absolute(s string) bool {
	_, hasScheme := scheme(s)
	return hasScheme && u.reference(s)
}

// reference reports whether s is one, with a scheme or without.
func (u uriSyntax) reference(s string) bool {
	rest, hasScheme := scheme(s)
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	if !u.made(fragment, pathChars+"?", false) || !u.made(query, pathChars+"?", true) {
		return false
	}
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		path := ""
		if i := strings.IndexByte(authority, '/'); i >= 0 {
			authority, path = authority[:i], authority[i:]
		}
		return u.authority(authority) && u.made(path, pathChars, false)
	}
	first, _, _ := strings.Cut(rest, "/")
	return u.made(rest, pathChars, false) && (hasScheme || !strings.Contains(first, ":"))
}

// scheme takes the scheme and its colon off s.
func scheme(s string) (rest string, ok bool) {
	i := strings.IndexAny(s, ":/?#")
	if i <= 0 || s[i] != ':' {
		return s, false
	}
	for j, c := range []byte(s[:i]) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (j == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return s, false
		}
	}
	return s[i+1:], true
}

// made reports whether s is made of chars, percent-encoded bytes and, in a wide
// syntax, what that adds: more in a query.
func (u uriSyntax) made(s, chars string, query bool) bool {
	for i, r := range s {
		switch {
		case r == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
		case r < 0x80 && strings.ContainsRune(chars, r):
		case u.wide && (wideChar(r) || query && privateChar(r)):
		default:
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// wideChar reports whether r is a ucschar of RFC 3987.
func wideChar(r rune) bool {
	switch {
	case r >= 0xA0 && r <= 0xD7FF, r >= 0xF900 && r <= 0xFDCF, r >= 0xFDF0 && r <= 0xFFEF:
		return true
	}
	return r >= 0x10000 && r < 0xF0000 && r&0xFFFF <= 0xFFFD && (r < 0xE0000 || r >= 0xE1000)
}

// privateChar reports whether r is an iprivate of RFC 3987.
func privateChar(r rune) bool {
	return r >= 0xE000 && r <= 0xF8FF || r >= 0xF0000 && r&0xFFFF <= 0xFFFD
}

func (u uriSyntax) authority(s string) bool {
	if i := strings.IndexByte(s, '@'); i >= 0 {
		if !u.made(s[:i], unreserved+subDelims+":", false) {
			return false
		}
		s = s[i+1:]
	}
	if !strings.HasPrefix(s, "[") {
		host, port, _ := strings.Cut(s, ":")
		return u.made(host, unreserved+subDelims, false) && leadingDigits(port) == len(port)
	}
	host, port, closed := strings.Cut(s[1:], "]")
	if port != "" && (port[0] != ':' || leadingDigits(port[1:]) != len(port)-1) {
		return false
	}
	return closed && (isIPv6(host) || futureIP(host))
}

// futureIP reports whether s is an address of a version yet to come.
func futureIP(s string) bool {
	version, address, ok := strings.Cut(s, ".")
	if !ok || len(version) < 2 || version[0]|0x20 != 'v' || address == "" {
		return false
	}
	for i := 1; i < len(version); i++ {
		if !isHex(version[i]) {
			return false
		}
	}
	return !strings.Contains(address, "%") && uriSyntax{}.made(address, unreserved+subDelims+":", false)
}

// isURITemplate reports whether s is a template of RFC 6570.
func isURITemplate(s string) bool {
	for s != "" {
		literal, rest, open := strings.Cut(s, "{")
		if !templateLiteral(literal) {
			return false
		}
		if !open {
			return true
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed || !templateExpression(expression) {
			return false
		}
		s = after
	}
	return true
}

func templateLiteral(s string) bool {
	for i, r := range s {
		switch {
		case r == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
		case r <= ' ', r == 0x7F, r < 0x80 && strings.ContainsRune("\"'<>\\^`{|}", r):
			return false
		case r >= 0x80 && !wideChar(r) && !privateChar(r):
			return false
		}
	}
	return true
}

func templateExpression(s string) bool {
	if s != "" && strings.IndexByte("+#./;?&=,!@|", s[0]) >= 0 {
		s = s[1:]
	}
	for variable := range strings.SplitSeq(s, ",") {
		if !templateVariable(variable) {
			return false
		}
	}
	return true
}

// templateVariable reports whether s is a name, which may explode or be cut to
// a length.
func templateVariable(s string) bool {
	name, length, cut := strings.Cut(s, ":")
	if cut {
		if n := leadingDigits(length); n == 0 || n > 4 || n != len(length) || length[0] == '0' {
			return false
		}
	} else {
		name = strings.TrimSuffix(name, "*")
	}
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || !(uriSyntax{}).made(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", false) {
			return false
		}
	}
	return true
}
