package components

import (
	"regexp"
	"strings"

	"github.com/a-h/templ"
)

// Breakable writes an e-mail or an address of the web that may go on in the next line
// after its signs, and so not in the middle of a word. Numbers and short forms stay whole.
func Breakable(text string) templ.Component {
	return templ.Raw(dots.ReplaceAllString(breaks.Replace(templ.EscapeString(text)), "$1<wbr>$2"))
}

// What is escaped contains none of these.
var breaks = strings.NewReplacer("//", "//<wbr>", "/", "/<wbr>", "@", "@<wbr>")

// dots stand between the words of a name. After a hyphen browsers break by themselves.
var dots = regexp.MustCompile(`(\pL\pL\.)(\pL)`)
