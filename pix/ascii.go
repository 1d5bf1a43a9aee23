package pix

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ASCII returns text as a code carries it: letters lose their accents, white space
// of any kind becomes single spaces, whatever is then not printable ASCII is left
// out, and the result is cut to limit characters. It is "" if nothing remains, as of
// a name in another script; Encode refuses such a name.
func ASCII(text string, limit int) string {
	if !plain(text) {
		text = fold(text)
	}
	if len(text) > limit {
		text = strings.TrimSuffix(text[:limit], " ")
	}
	return text
}

// plain reports whether text is printable ASCII without a leading, trailing or
// doubled space.
func plain(text string) bool {
	previous := byte(' ')
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && previous == ' ' {
			return false
		}
		previous = c
	}
	return text == "" || previous != ' '
}

// fold writes over what it has read: no character takes more room than it did.
func fold(text string) string {
	b := norm.NFD.AppendString(make([]byte, 0, 2*len(text)), text)
	kept, space := b[:0], false
	for len(b) > 0 {
		r, width := utf8.DecodeRune(b)
		b = b[width:]
		switch {
		case unicode.IsSpace(r):
			space = len(kept) > 0
		case r > ' ' && r <= '~':
			if space {
				kept = append(kept, ' ')
			}
			kept, space = append(kept, byte(r)), false
		}
	}
	return string(kept)
}
