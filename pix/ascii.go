package pix

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ASCII returns text in the form that a code carries: letters lose their accents, any white
// space becomes single spaces, other characters that are not printable ASCII are left out,
// and the result is cut to limit characters. It returns "" if nothing remains, for example
// of a name in another script; Encode refuses such a name.
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

// fold removes accents in place: no character becomes longer.
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
