// Package docs holds the pages of the API's documentation, and those for developers of the
// product: all components, and the mails of the embedded mode.
package docs

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"garoupa/views/docs"
	"garoupa/views/layouts"
)

// GuideProps is one guide with what its directives show.
type GuideProps struct {
	Frame          layouts.DocsProps
	Guide          *docs.Guide
	Addresses      docs.Addresses
	Code           string                   // the chosen language of samples
	Requests       map[string][]docs.Sample // by operation
	Errors         []Code
	Permissions    []Permission
	Previous, Next *layouts.DocsLink
}

// Code is one code of the API's errors.
type Code struct {
	Code, Status, Type, Meaning string
}

// ID names the code within the guide to errors, which lists a code once for each status.
func (c Code) ID() string {
	if c.Code == "internal_error" && c.Status == "503" {
		return "internal_error-503"
	}
	return c.Code
}

// Permission is one permission of keys, and the calls that need it.
type Permission struct {
	Name  string
	Calls []string
}

// Address adds the chosen language of samples to an address of the
// documentation, so that following a link keeps it.
func Address(href, code string) string {
	if code == "" || code == docs.Languages[0].ID {
		return href
	}
	path, fragment, found := strings.Cut(href, "#")
	if found {
		fragment = "#" + fragment
	}
	return path + "?code=" + code + fragment
}

// prose is a block's HTML with its addresses filled in.
func (p GuideProps) prose(html string) string {
	html = p.Addresses.Filled(html)
	parts := strings.Split(html, `href="/docs`)
	for i := 1; i < len(parts); i++ {
		path, rest, _ := strings.Cut(parts[i], `"`)
		parts[i] = strings.TrimPrefix(Address("/docs"+path, p.Code), "/docs") + `"` + rest
	}
	return strings.Join(parts, `href="/docs`)
}

// exampleID matches what a reader must replace in a sample: ids and slugs that do not exist.
var exampleID = regexp.MustCompile(`\b(chk|plink|wdr|rfd|evt|we)_[0-9a-f]{16,}|vaso-lua-nova`)

// samples are those that a directive names.
func (p GuideProps) samples(b docs.Block) []docs.Sample {
	if b.Directive == "request" {
		return p.Requests[b.Argument]
	}
	return docs.Programs(b.Argument)
}

// codeTitle is what a block of fenced code is.
func codeTitle(language string) string {
	switch language {
	case "sh":
		return "Terminal"
	case "http":
		return "HTTP"
	case "sql":
		return "SQL"
	}
	return "JSON"
}

// docsText shows a text of the API's description; text between ` is code. It is not a
// templ, because that would put a space after the code.
func docsText(text string) templ.Component {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		part = html.EscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return templ.Raw(b.String())
}

// docsCode shows code, with its comments, texts and words set apart. Not a templ: in
// a pre every space counts.
func docsCode(id, label, language, code string) templ.Component {
	const class = "scrolls max-h-[36.5rem] overflow-auto px-4 py-3.5 font-mono text-[12.5px]/5 text-ink"
	return templ.Raw(fmt.Sprintf(`<pre id="%s" tabindex="0" aria-label="%s" class="%s">%s</pre>`,
		html.EscapeString(id), html.EscapeString(label), class, docs.Highlight(language, code)))
}
