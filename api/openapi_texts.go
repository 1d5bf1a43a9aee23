package api

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"garoupa/internal/input"
)

// This file writes the rules of texts as regular expressions of ECMA-262, from the functions that
// decide. They are the same with and without its Unicode mode, because tools use both: no \p, and
// characters beyond the basic plane are not told apart. Of these the service refuses a few that are
// never seen, such as U+E0001 (docs/rules.md, "Texts").

// patterns are those of texts.
type patterns struct {
	plain, printable, storable string
	line, lines, document      string // after Trim
	key                        string // an Idempotency-Key that is not blank
	email, address             string
}

// texts returns the patterns. They take some milliseconds, so they are made when the description is.
var texts = sync.OnceValue(func() patterns {
	control, refusedInLines := input.IsControl, func(r rune) bool { return r != '\n' && input.IsControl(r) }
	word := not(func(r rune) bool { return control(r) || unicode.IsSpace(r) })
	return patterns{
		plain: "^" + not(control) + "*$", printable: "^" + not(input.Unprintable) + "*$",
		storable: "^" + not(func(r rune) bool { return r == 0 }) + "*$",
		line:     trimmed(control), lines: trimmed(refusedInLines), document: trimmedOfThree(control, word),
		key:     fmt.Sprintf("^%[1]s*%[2]s%[1]s*$", not(control), word),
		email:   fmt.Sprintf(`^%[1]s+(\.%[1]s+)*@%[1]s+(\.%[1]s+)*$`, not(specialInEmail)),
		address: addresses(),
	}
})

// phonePattern neither begins nor ends with a space, which would be cut off and not count.
const phonePattern = `^([0-9][0-9 +()-]*[0-9+()-]|[+()-][0-9 +()-]*[0-9]|[+()-][0-9 +()-]*[0-9][0-9 +()-]*[+()-])$`

// not returns the part of a regular expression that matches one character without a property.
func not(property func(rune) bool) string {
	var b strings.Builder
	b.WriteString("[^")
	for r := rune(0); r <= 0xffff; r++ {
		if !utf8.ValidRune(r) || !property(r) {
			continue
		}
		first := r
		for r < 0xffff && utf8.ValidRune(r+1) && property(r+1) {
			r++
		}
		fmt.Fprintf(&b, `\u%04X`, first)
		if r > first {
			fmt.Fprintf(&b, `-\u%04X`, r)
		}
	}
	b.WriteString("]")
	return b.String()
}

// trimmed matches a text that is not empty after Trim, without the refused characters.
func trimmed(refused func(rune) bool) string {
	return fmt.Sprintf("^%[1]s*%[2]s%[1]s*$", not(refused),
		not(func(r rune) bool { return refused(r) || !input.Shows(r) }))
}

// trimmedOfThree matches a text of at least three characters after Trim. word matches a character
// that Trim keeps at an end.
func trimmedOfThree(refused func(rune) bool, word string) string {
	return fmt.Sprintf("^%[4]s*(%[2]s%[1]s+%[3]s|%[3]s%[1]s+%[2]s|%[3]s%[1]s*%[2]s%[1]s*%[3]s)%[4]s*$", not(refused),
		not(func(r rune) bool { return refused(r) || !input.Shows(r) }), word,
		not(func(r rune) bool { return refused(r) || !unicode.IsSpace(r) }))
}

// specialInEmail reports whether r separates the atoms of an address (RFC 5322, 3.2.3).
func specialInEmail(r rune) bool {
	return input.Unprintable(r) || strings.ContainsRune(` ()<>[]:;@\,."`, r)
}

// addresses matches "", or an absolute http or https URI with a host's name and without a user.
func addresses() string {
	host := not(func(r rune) bool {
		return input.Unprintable(r) || r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
			!strings.ContainsRune("-._~!$&'()*+,;=", r)
	})
	part := func(ends string) string {
		return not(func(r rune) bool { return input.Unprintable(r) || strings.ContainsRune(ends, r) })
	}
	return fmt.Sprintf(`^([Hh][Tt][Tt][Pp][Ss]?://%[1]s+(:[0-9]*)?(/(%[2]s|%[5]s)*)?(\?%[3]s*)?(#(%[4]s|%[5]s)*)?)?$`,
		host, part("%?#"), part("#"), part("%"), "%[0-9A-Fa-f][0-9A-Fa-f]")
}
