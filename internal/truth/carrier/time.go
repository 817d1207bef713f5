// SPDX-License-Identifier: Apache-2.0

package carrier

import "time"

// isRFC3339 reports whether s is a date-time of RFC 3339: any offset, any
// number of digits of a second, leap seconds included, and the letters T and Z
// in either case. It allocates nothing.
func isRFC3339(s string) bool {
	const form = "0000-00-00T00:00:00"
	if len(s) < len(form)+1 || !hasForm(s[:len(form)], form) {
		return false
	}
	year, month, day := number(s[0:4]), number(s[5:7]), number(s[8:10])
	hour, minute, second := number(s[11:13]), number(s[14:16]), number(s[17:19])
	if hour > 23 || minute > 59 || second > 60 {
		return false
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if month == 0 || day == 0 || int(date.Month()) != month || date.Day() != day {
		return false
	}
	rest, ok := afterFraction(s[len(form):])
	return ok && isOffset(rest)
}

// hasForm reports whether s has a digit where form has 0, and form's
// punctuation, whose letters may be of either case.
func hasForm(s, form string) bool {
	if len(s) != len(form) {
		return false
	}
	for i := range len(form) {
		switch {
		case form[i] == '0':
			if s[i]-'0' > 9 {
				return false
			}
		case form[i] == 'T':
			if s[i]|0x20 != 't' {
				return false
			}
		case s[i] != form[i]:
			return false
		}
	}
	return true
}

// afterFraction returns what follows an optional fraction of a second.
func afterFraction(s string) (rest string, ok bool) {
	if s[0] != '.' {
		return s, true
	}
	i := 1
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	return s[i:], i > 1
}

func isOffset(s string) bool {
	if s == "Z" || s == "z" {
		return true
	}
	return (hasForm(s, "+00:00") || hasForm(s, "-00:00")) && number(s[1:3]) <= 23 && number(s[4:6]) <= 59
}

// number returns the value of digits that were checked.
func number(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}
