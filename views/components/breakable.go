package components

import (
	"strings"

	"github.com/a-h/templ"
)

// Breakable writes an e-mail or an address of the web that may go on in the next line
// after its signs, and so not in the middle of a word.
func Breakable(text string) templ.Component {
	return templ.Raw(breaks.Replace(templ.EscapeString(text)))
}

// What is escaped contains none of these.
var breaks = strings.NewReplacer("//", "//<wbr>", "/", "/<wbr>", "@", "@<wbr>")
