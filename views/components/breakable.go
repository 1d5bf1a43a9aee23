package components

import (
	"regexp"
	"strings"

	"github.com/a-h/templ"
)

// Breakable writes an email or web address with line breaks allowed after its punctuation,
// and so not in the middle of a word. Numbers and abbreviations stay whole.
func Breakable(text string) templ.Component {
	return templ.Raw(dots.ReplaceAllString(breaks.Replace(templ.EscapeString(text)), "$1<wbr>$2"))
}

// Escaped HTML contains none of these.
var breaks = strings.NewReplacer("//", "//<wbr>", "/", "/<wbr>", "@", "@<wbr>")

// dots separate the words of a name. Browsers break after hyphens by themselves.
var dots = regexp.MustCompile(`(\pL\pL\.)(\pL)`)
