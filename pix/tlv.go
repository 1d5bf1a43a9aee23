package pix

import "unicode/utf8"

// fields holds the values of one level of a code by tag; "" is an absent field.
type fields [100]string

// read fills f with the fields of text, which must be valid UTF-8, and returns the last
// field's tag. parent is the path of the template that contains text, with a trailing dot, or
// "". A repeated tag is an error, because two readers could take different ones.
func (f *fields) read(text, parent string) (last int, err error) {
	for text != "" {
		tag, ok := twoDigits(text)
		if !ok {
			return 0, violation(parent+"?", "a tag of two digits is expected")
		}
		path := func() string { return parent + text[:2] }
		length, ok := twoDigits(text[2:])
		if !ok || length == 0 {
			return 0, violation(path(), "has no length from 01 to 99")
		}
		end, ok := runes(text[4:], length)
		if !ok {
			return 0, violation(path(), "is shorter than its length says")
		}
		if f[tag] != "" {
			return 0, violation(path(), "appears twice")
		}
		f[tag], last = text[4:4+end], tag
		text = text[4+end:]
	}
	return last, nil
}

func twoDigits(s string) (n int, ok bool) {
	if len(s) < 2 || !digits(s[:2]) {
		return 0, false
	}
	return int(s[0]-'0')*10 + int(s[1]-'0'), true
}

// runes returns the number of bytes that the first n characters of s take. Lengths are in
// characters, because published codes have accents and count “BRASÍLIA” as eight.
func runes(s string, n int) (bytes int, ok bool) {
	for range n {
		if bytes == len(s) {
			return 0, false
		}
		_, width := utf8.DecodeRuneInString(s[bytes:])
		bytes += width
	}
	return bytes, true
}
