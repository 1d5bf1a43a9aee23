package pages

import "strings"

// sentences splits a text where a line break is better than elsewhere.
func sentences(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, ". ", ".\n"), "? ", "?\n"), "\n")
}
