// Package components holds the parts of pages. Each file is one component: its props, in
// Go, are what a page must decide; its markup follows.
package components

import "strings"

// Initials returns one or two letters that represent a name in place of a picture.
func Initials(name string) string {
	words := strings.Fields(name)
	if len(words) == 0 {
		return "?"
	}
	letters := []rune(words[0])[:1]
	if len(words) > 1 {
		letters = append(letters, []rune(words[len(words)-1])[0])
	}
	return strings.ToUpper(string(letters))
}
