// SPDX-License-Identifier: Apache-2.0

package recognize

// The functions here cut a value out of JSON text that has been parsed and is
// known to be valid, so that what a wrapper holds keeps every digit that was
// written. They find nothing in other text, and never fail.

// member returns the text of the member called name, which is written without
// escapes, or "".
func member(text, name string) string {
	i := skipSpace(text, 0)
	if i >= len(text) || text[i] != '{' {
		return ""
	}
	for i++; i < len(text); i++ {
		i = skipSpace(text, i)
		if i >= len(text) || text[i] != '"' {
			return ""
		}
		end := skipString(text, i)
		found := text[i+1:max(i+1, end-1)] == name
		i = skipSpace(text, end)
		if i >= len(text) || text[i] != ':' {
			return ""
		}
		i = skipSpace(text, i+1)
		end = skipValue(text, i)
		if found {
			return text[i:end]
		}
		i = skipSpace(text, end)
	}
	return ""
}

// element returns the text of the element at index, or "".
func element(text string, index int) string {
	i := skipSpace(text, 0)
	if i >= len(text) || text[i] != '[' {
		return ""
	}
	for i++; i < len(text) && text[i] != ']'; i++ {
		i = skipSpace(text, i)
		end := skipValue(text, i)
		if index == 0 {
			return text[i:end]
		}
		index--
		i = skipSpace(text, end)
	}
	return ""
}

func skipSpace(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index behind the string that begins at i.
func skipString(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// skipValue returns the index behind the value that begins at i.
func skipValue(text string, i int) int {
	depth := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			i = skipString(text, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			i++
			if depth == 0 {
				continue
			}
		}
		if depth == 0 && closes(text, i) {
			return i
		}
	}
	return len(text)
}

// closes reports whether the byte before i ends a string or a container.
func closes(text string, i int) bool {
	return i > 0 && i <= len(text) && (text[i-1] == '"' || text[i-1] == '}' || text[i-1] == ']')
}
