package docs

import (
	"html"
	"regexp"
	"strings"
)

// tokens match what is highlighted in a sample: comments, strings and keywords.
var tokens = map[string]*regexp.Regexp{
	"curl": lexer(`#[^\n]*`, `'[^']*'|"(?:[^"\\]|\\.)*"`, `curl|echo|export|grep|head|sh`),
	"sh":   lexer(`#[^\n]*`, `'[^']*'|"(?:[^"\\]|\\.)*"`, `curl|echo|export`),
	"go": lexer(`//[^\n]*`, "\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`",
		`package|import|func|var|const|type|struct|return|if|defer|map|nil|true|false`),
	"node": lexer(`//[^\n]*`, "'(?:[^'\\\\\n]|\\\\.)*'|`[^`]*`",
		`import|from|const|async|await|function|return|if|for|of|new|throw|true|false|null`),
	"python": lexer(`#[^\n]*`, `f?"(?:[^"\\\n]|\\.)*"`,
		`import|from|def|class|return|if|not|in|with|as|True|False|None`),
	"php": lexer(`//[^\n]*`, `'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`,
		`function|return|if|exit|throw|new|echo|const|true|false|null`),
	"sql": lexer(`--[^\n]*`, `'[^']*'`,
		`INSERT|INTO|VALUES|ON|CONFLICT|DO|UPDATE|SET|WHERE|AND|OR`),
	"json": lexer(`\z.`, `"(?:[^"\\]|\\.)*"`, `true|false|null`),
}

// kinds name the groups of a lexer, as suffixes of classes.
var kinds = []string{"", "comment", "text", "word"}

func lexer(comment, text, words string) *regexp.Regexp {
	return regexp.MustCompile(`(` + comment + `)|(` + text + `)|\b(` + words + `)\b`)
}

// Highlight returns code as HTML, with spans of the classes tok-comment, tok-text
// and tok-word.
func Highlight(language, code string) string {
	lexer := tokens[language]
	if lexer == nil {
		return html.EscapeString(code)
	}
	var b strings.Builder
	at := 0
	for _, m := range lexer.FindAllStringSubmatchIndex(code, -1) {
		for group := 1; group < len(kinds); group++ {
			if m[2*group] >= 0 {
				b.WriteString(html.EscapeString(code[at:m[0]]))
				b.WriteString(`<span class="tok-` + kinds[group] + `">` +
					html.EscapeString(code[m[0]:m[1]]) + `</span>`)
				at = m[1]
			}
		}
	}
	b.WriteString(html.EscapeString(code[at:]))
	return b.String()
}
