// Package components holds the parts that pages are built of. One file is one
// component: its props, in Go, say what a page must decide; its markup follows.
package components

import "strings"

// Initials are one or two letters that stand for a name where a picture would.
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
