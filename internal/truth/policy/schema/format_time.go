// SPDX-License-Identifier: Apache-2.0

package schema

import "strings"

// isDate reports whether s is a full-date of RFC 3339 that the calendar has.
func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	year, ok1 := digits(s[:4], 4)
	month, ok2 := digits(s[5:7], 2)
	day, ok3 := digits(s[8:], 2)
	return ok1 && ok2 && ok3 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// isTime reports whether s is a full-time of RFC 3339. A leap second is one at
// the end of a day in UTC.
func isTime(s string) bool {
	if len(s) < 9 || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, ok1 := digits(s[:2], 2)
	minute, ok2 := digits(s[3:5], 2)
	second, ok3 := digits(s[6:8], 2)
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 60 {
		return false
	}
	s = s[8:]
	if s[0] == '.' {
		n := leadingDigits(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	offset, ok := zone(s)
	const day = 24 * 60
	utc := (hour*60 + minute - offset + 2*day) % day
	return ok && (second < 60 || utc == day-1)
}

// zone returns the offset from UTC in minutes.
func zone(s string) (minutes int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	hour, ok1 := digits(s[1:3], 2)
	minute, ok2 := digits(s[4:], 2)
	minutes = hour*60 + minute
	if s[0] == '-' {
		minutes = -minutes
	}
	return minutes, ok1 && ok2 && hour <= 23 && minute <= 59
}

// isDateTime reports whether s is a date-time of RFC 3339.
func isDateTime(s string) bool {
	i := strings.IndexAny(s, "Tt")
	return i == 10 && isDate(s[:i]) && isTime(s[i+1:])
}
