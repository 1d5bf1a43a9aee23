package dashboard

import (
	"slices"
	"strings"
	"unicode"
)

// mark is a part of a text; Hit marks what a search found in it.
type mark struct {
	Text string
	Hit  bool
}

var accents = map[rune]rune{
	'á': 'a', 'à': 'a', 'â': 'a', 'ã': 'a', 'ä': 'a', 'é': 'e', 'è': 'e', 'ê': 'e', 'ë': 'e', 'í': 'i', 'ì': 'i',
	'î': 'i', 'ï': 'i', 'ó': 'o', 'ò': 'o', 'ô': 'o', 'õ': 'o', 'ö': 'o', 'ú': 'u', 'ù': 'u', 'û': 'u', 'ü': 'u',
	'ç': 'c', 'ñ': 'n',
}

// folded returns the letters of a text as the database's function of this name does, one for each.
func folded(text string) []rune {
	letters := []rune(text)
	for i, letter := range letters {
		letters[i] = unicode.ToLower(letter)
		if plain, ok := accents[letters[i]]; ok {
			letters[i] = plain
		}
	}
	return letters
}

// begins reports whether a word begins at a letter.
func begins(letters []rune, at int) bool {
	return at == 0 || !unicode.IsLetter(letters[at-1]) && !unicode.IsDigit(letters[at-1])
}

// Finds reports whether each word of the query begins a word of the text. Case and accents do not matter.
func Finds(text, query string) bool {
	letters, terms := folded(text), strings.Fields(query)
	for _, term := range terms {
		wanted, found := folded(term), false
		for at := range letters {
			found = found || begins(letters, at) && hasAt(letters, wanted, at)
		}
		if !found {
			return false
		}
	}
	return len(terms) > 0
}

func hasAt(letters, wanted []rune, at int) bool {
	return len(letters)-at >= len(wanted) && slices.Equal(letters[at:at+len(wanted)], wanted)
}

// marks parts a text at what a query found in it: the whole query anywhere, and each of its words where one begins.
func marks(text, query string) (parts []mark) {
	letters := folded(text)
	hit := make([]bool, len(letters))
	for i, term := range append([]string{strings.TrimSpace(query)}, strings.Fields(query)...) {
		wanted := folded(term)
		if len(wanted) < 2 {
			continue
		}
		for at := range letters {
			if hasAt(letters, wanted, at) && (i == 0 && len(wanted) > 2 || begins(letters, at)) {
				for k := range wanted {
					hit[at+k] = true
				}
			}
		}
	}
	original := []rune(text)
	for from := 0; from < len(original); {
		until := from
		for until < len(original) && hit[until] == hit[from] {
			until++
		}
		parts, from = append(parts, mark{string(original[from:until]), hit[from]}), until
	}
	return parts
}
