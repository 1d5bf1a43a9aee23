package pages_test

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"

	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

var languages = []i18n.Lang{i18n.Portuguese, i18n.English}

// groups are those of the catalogs.
func groups(t *testing.T) map[string]any {
	t.Helper()
	raw, err := os.ReadFile("../i18n/pt-BR.json")
	if err != nil {
		t.Fatal(err)
	}
	var catalog map[string]any
	if err := json.Unmarshal(raw, &catalog); err != nil {
		t.Fatal(err)
	}
	return catalog
}

// missing finds a key shown in place of its text: a group of the catalogs, a point and a
// name. It is not a regular expression, because one with this many words is slow in Go.
func missing(html string, groups map[string]any) string {
	letter := func(b byte) bool {
		return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
	}
	for i := 1; i < len(html)-1; i++ {
		if html[i] != '.' || !letter(html[i+1]) {
			continue
		}
		start, end := i, i+1
		for start > 0 && letter(html[start-1]) {
			start--
		}
		for end < len(html) && letter(html[end]) {
			end++
		}
		if _, ok := groups[html[start:i]]; ok && (html[i+1] < '0' || html[i+1] > '9') {
			return html[start:end]
		}
	}
	return ""
}

// Every page speaks the language it is asked for, without a gap.
func TestLanguages(t *testing.T) {
	t.Parallel()
	groups := groups(t)
	for _, p := range everyPage() {
		for _, lang := range languages {
			t.Run(p.name+" "+string(lang), func(t *testing.T) {
				t.Parallel()
				doc := render(t, lang, p.component)
				if got := doc.Find("html").AttrOr("lang", ""); got != string(lang) {
					t.Errorf("lang = %q", got)
				}
				doc.Find("pre, link, script").Remove() // code and addresses have no language
				html, _ := doc.Html()
				for _, eventType := range eventTypes {
					html = strings.ReplaceAll(html, eventType, "")
				}
				if found := missing(html, groups); found != "" {
					t.Errorf("no text for %q", found)
				}
				if i := strings.Index(html, "%!"); i >= 0 {
					t.Errorf("badly formatted: %q", html[i:min(i+40, len(html))])
				}
			})
		}
	}
}

// Pages run under a policy that forbids inline script and style, and load nothing
// from elsewhere.
func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, p := range everyPage() {
		doc := render(t, i18n.Portuguese, p.component)
		doc.Find("*").Each(func(_ int, s *goquery.Selection) {
			for _, attribute := range s.Nodes[0].Attr {
				if attribute.Key == "style" || strings.HasPrefix(attribute.Key, "on") {
					t.Errorf("%s: %s has %s", p.name, goquery.NodeName(s), attribute.Key)
				}
			}
		})
		if doc.Find("style").Length() > 0 || doc.Find("script:not([src])").Length() > 0 ||
			doc.Find("script").Text() != "" {
			t.Errorf("%s: inline script or style", p.name)
		}
		doc.Find("script, link:not([rel=canonical]), img").Each(func(_ int, s *goquery.Selection) {
			address := s.AttrOr("src", s.AttrOr("href", ""))
			if !strings.HasPrefix(address, "/static/") && !strings.HasPrefix(address, "/marca/") &&
				!strings.HasPrefix(address, "/fotos/") && address != layouts.ManifestPath {
				t.Errorf("%s: loads %q", p.name, address)
			}
		})
		doc.Find("form").Each(func(_ int, s *goquery.Selection) {
			if action := s.AttrOr("action", ""); !strings.HasPrefix(action, "/") || strings.HasPrefix(action, "//") {
				t.Errorf("%s: a form posts to %q", p.name, action)
			}
		})
	}
}

// Structure that assistive technology relies on.
func TestStructure(t *testing.T) {
	t.Parallel()
	for _, p := range everyPage() {
		doc := render(t, i18n.Portuguese, p.component)
		if n := doc.Find("h1").Length(); n != 1 {
			t.Errorf("%s: %d h1", p.name, n)
		}
		if n := doc.Find("main#main").Length(); n != 1 || doc.Find(`a.skip[href="#main"]`).Length() != 1 {
			t.Errorf("%s: %d main, or no way to skip to it", p.name, n)
		}
		if strings.TrimSpace(doc.Find("title").Text()) == "" ||
			doc.Find(`meta[name=robots][content="noindex,nofollow"]`).Length() != 1 {
			t.Errorf("%s: no title, or open to search engines", p.name)
		}
		ids := map[string]bool{}
		doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
			id := s.AttrOr("id", "")
			if ids[id] {
				t.Errorf("%s: id %q twice", p.name, id)
			}
			ids[id] = true
		})
		for _, attribute := range []string{"for", "aria-controls", "aria-labelledby", "aria-describedby", "commandfor",
			"popovertarget", "data-copy", "data-reveal", "data-toggle"} {
			doc.Find("[" + attribute + "]").Each(func(_ int, s *goquery.Selection) {
				for id := range strings.FieldsSeq(s.AttrOr(attribute, "")) {
					if !ids[id] {
						t.Errorf("%s: %s names no element: %q", p.name, attribute, id)
					}
				}
			})
		}
		checkNames(t, p.name, doc)
	}
}

// checkNames finds controls that have no name.
func checkNames(t *testing.T, name string, doc *goquery.Document) {
	t.Helper()
	doc.Find("button:not([aria-hidden=true]), a").Each(func(_ int, s *goquery.Selection) {
		if strings.TrimSpace(s.Text()) == "" && s.AttrOr("aria-label", "") == "" {
			html, _ := goquery.OuterHtml(s)
			t.Errorf("%s: no name: %s", name, html)
		}
	})
	doc.Find("input:not([type=hidden], [hidden]), select, textarea").Each(func(_ int, s *goquery.Selection) {
		id := s.AttrOr("id", "-")
		if s.ParentsFiltered("label").Length() == 0 && doc.Find(`label[for="`+id+`"]`).Length() != 1 {
			t.Errorf("%s: no label for %q", name, s.AttrOr("name", id))
		}
	})
	doc.Find("svg:not([role=img])").Each(func(_ int, s *goquery.Selection) {
		if s.AttrOr("aria-hidden", "") != "true" {
			t.Errorf("%s: an icon is not hidden", name)
		}
	})
}

// Changing the language, the theme or the environment comes back to the page.
func TestPreferencesReturn(t *testing.T) {
	t.Parallel()
	for _, p := range append(keyPages(), webhookPages()...) {
		doc := render(t, i18n.English, p.component)
		forms := doc.Find(`form[action="/preferencias"], form[action="/app/ambiente"]`)
		if forms.Length() != 8 { // language, theme and rows in two menus, the environment, and the palette
			t.Errorf("%s: %d forms", p.name, forms.Length())
		}
		forms.Each(func(_ int, s *goquery.Selection) {
			next, err := url.Parse(s.Find("input[name=next]").AttrOr("value", ""))
			if err != nil || next.String() != "/app?x=1" {
				t.Errorf("%s: returns to %q", p.name, next)
			}
		})
	}
}

// render renders a component that is a whole document.
func render(t *testing.T, lang i18n.Lang, component templ.Component) *goquery.Document {
	t.Helper()
	var html strings.Builder
	if err := component.Render(i18n.With(context.Background(), lang), &html); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(html.String()))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// text is what a selection says, spaces as one.
func text(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }
