package docs

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"garoupa/views/i18n"
)

var (
	directive  = regexp.MustCompile(`(?m)^@([a-z]+)(?: ([A-Za-z]+))?$`)
	anchor     = regexp.MustCompile(`(?m)^(#+ .*?) \{#[^}]+\}$`)
	toGuide    = regexp.MustCompile(`\]\(/docs/([a-z-]+)(#[a-z-]+)?\)`) // or to the reference, as api
	toAnywhere = strings.NewReplacer("](/", "]({app_url}/")
)

// Markdown returns a guide as plain Markdown, or "" if no guide has the slug. fill returns what
// stands in the place of a directive. Links are absolute, those to guides lead to their Markdown.
func (a Addresses) Markdown(lang i18n.Lang, slug string, fill func(Block) string) (string, error) {
	guide, err := Read(lang, slug)
	if guide == nil || err != nil {
		return "", err
	}
	source, err := guides.ReadFile(string(lang) + "/" + slug + ".md")
	if err != nil {
		return "", fmt.Errorf("docs: %w", err)
	}
	text := anchor.ReplaceAllString(string(source), "$1")
	text = toAnywhere.Replace(toGuide.ReplaceAllStringFunc(text, func(link string) string {
		if slug := toGuide.FindStringSubmatch(link)[1]; slug != "api" {
			return "](/docs/" + slug + ".md)"
		}
		return link
	}))
	text = directive.ReplaceAllStringFunc(text, func(line string) string {
		m := directive.FindStringSubmatch(line)
		return fill(Block{Directive: m[1], Argument: m[2]})
	})
	return a.Filled(text), nil
}

// Plain returns HTML as text on one line.
func Plain(markup string) string {
	markup = strings.NewReplacer("<wbr>", "", "</td>", " ", "</th>", " ", "</li>", " ").Replace(markup)
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(markup, ""))), " ")
}

// Part is what stands below one heading of a guide, as text.
type Part struct{ Title, Fragment, Text string }

// Parts returns what stands before the first heading, and below each.
func (g *Guide) Parts() []Part {
	parts := []Part{{Title: g.Title, Text: Plain(g.Lead)}}
	for _, block := range g.Blocks {
		rest := block.HTML
		for {
			before, after, more := strings.Cut(rest, `<h2 id="`)
			last := &parts[len(parts)-1]
			last.Text = strings.TrimSpace(last.Text + " " + Plain(before) + " " + block.Code)
			if !more {
				break
			}
			id, named, _ := strings.Cut(after, `"`)
			title, text, _ := strings.Cut(strings.TrimPrefix(named, ">"), "</h2>")
			parts = append(parts, Part{Title: Plain(title), Fragment: "#" + id})
			rest = text
		}
	}
	return parts
}
