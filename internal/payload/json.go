package payload

import (
	"strconv"
	"time"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string, with the same bytes as encoding/json
// without HTML escaping: invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= ' ' && b != '"' && b != '\\' && b < utf8.RuneSelf {
			i++
			continue
		}
		if b < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, b)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(append(dst, s[start:i]...), `\ufffd`...)
			start = i + size
		} else if r == '\u2028' || r == '\u2029' { // JavaScript treats these as line ends, JSON does not
			dst = append(append(dst, s[start:i]...), `\u202`...)
			dst = append(dst, hex[r&0xf])
			start = i + size
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, b byte) []byte {
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&0xf])
}

// AppendTime appends t as a JSON string in the form that every answer uses: RFC 3339 in
// UTC with milliseconds, "2026-11-20T12:00:00.000Z" (docs/rules.md, "Fields").
func AppendTime(dst []byte, t time.Time) []byte {
	dst = append(dst, '"')
	dst = t.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	return append(dst, '"')
}

// member appends a member's name, preceded by a comma unless it follows "{".
func member(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

func stringMember(dst []byte, name, value string) []byte {
	return AppendString(member(dst, name), value)
}

func nullableMember(dst []byte, name string, value *string) []byte {
	if value == nil {
		return append(member(dst, name), "null"...)
	}
	return stringMember(dst, name, *value)
}

func boolMember(dst []byte, name string, value bool) []byte {
	return strconv.AppendBool(member(dst, name), value)
}

func timeMember(dst []byte, name string, value time.Time) []byte {
	return AppendTime(member(dst, name), value)
}

func nullableTimeMember(dst []byte, name string, value *time.Time) []byte {
	if value == nil {
		return append(member(dst, name), "null"...)
	}
	return timeMember(dst, name, *value)
}
