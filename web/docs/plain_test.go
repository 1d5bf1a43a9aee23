package docs_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"garoupa/api"
	"garoupa/views/docs"
	"garoupa/views/i18n"
	"garoupa/web/webtest"
)

var markdownLink = regexp.MustCompile(`\]\(([^)]+)\)`)

// Each guide is served as Markdown in both languages, with its samples and tables, and the list for
// programs leads to all of them and to the description.
func TestDocs_Markdown(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	visitor := s.Client(t)
	for _, lang := range []i18n.Lang{i18n.Portuguese, i18n.English} {
		visitor.Lang = string(lang)
		list := visitor.Get("/llms.txt")
		if list.Status != http.StatusOK || !strings.HasPrefix(list.Header.Get("Content-Type"), "text/plain") ||
			!strings.Contains(list.Body, "(http://localhost/v1/openapi.json)") {
			t.Errorf("llms.txt in %s is %d %s %.300s", lang, list.Status, list.Header.Get("Content-Type"), list.Body)
		}
		for _, group := range docs.Groups {
			for _, slug := range group.Slugs {
				path := "/docs/" + slug + ".md"
				if !strings.Contains(list.Body, "(http://localhost"+path+"?lang="+string(lang)+")") {
					t.Errorf("llms.txt in %s does not name %s", lang, path)
				}
				a := visitor.Get(path)
				guide, err := docs.Read(lang, slug)
				if err != nil || a.Status != http.StatusOK ||
					a.Header.Get("Content-Type") != "text/markdown; charset=utf-8" ||
					!strings.HasPrefix(a.Body, "# "+guide.Title+"\n") {
					t.Errorf("%s in %s: %d %.200s, %v", path, lang, a.Status, a.Body, err)
				}
				for _, left := range []string{"\n@", " {#", "{app_url}", "{base_url}", "api.example", "](/"} {
					if strings.Contains(a.Body, left) {
						t.Errorf("%s in %s holds %q", path, lang, left)
					}
				}
				for _, m := range markdownLink.FindAllStringSubmatch(a.Body, -1) {
					target, ours := strings.CutPrefix(m[1], "http://localhost/docs/")
					if ours && visitor.Get("/docs/"+target).Status != http.StatusOK {
						t.Errorf("%s leads to %s", path, m[1])
					}
				}
			}
		}
	}
	if a := visitor.Get("/docs/quickstart.md?code=php"); !strings.Contains(a.Body, "```php\n<?php") {
		t.Errorf("the quickstart in PHP is %s", a.Body)
	}
	if a := visitor.Get("/docs/errors.md"); !strings.Contains(a.Body,
		"| 429 | `rate_limit_exceeded` | `rate_limit_error` | ") {
		t.Errorf("the errors are %s", a.Body)
	}
	if a := visitor.Get("/docs/authentication.md"); !strings.Contains(a.Body, "- `BALANCE:READ`: GET /v1/balance\n") {
		t.Errorf("the permissions are %s", a.Body)
	}
	if a := visitor.Get("/docs/nope.md"); a.Status != http.StatusNotFound {
		t.Errorf("a guide that does not exist is %d", a.Status)
	}
}

// Each code of an error has an address of its own, to which every mention in the reference leads.
func TestDocs_ErrorAnchors(t *testing.T) {
	t.Parallel()
	visitor := webtest.New(t).Client(t)
	guide, reference := visitor.Get("/docs/errors"), visitor.Get("/docs/api/checkouts")
	for _, code := range api.ErrorCodes() {
		if guide.Find("#"+code.Code+" code").First().Text() != code.Code {
			t.Errorf("the guide has no address for %s", code.Code)
		}
	}
	if reference.Find("dl a[href='/docs/errors#idempotency_conflict']").Length() == 0 {
		t.Error("the reference does not lead to the guide")
	}
}

// Samples with ids of the documentation say that these must be replaced; the others do not.
func TestDocs_OwnIDs(t *testing.T) {
	t.Parallel()
	visitor := webtest.New(t).Client(t)
	visitor.Lang = "en"
	page := visitor.Get("/docs/api/checkouts")
	for id, want := range map[string]bool{"createCheckout": false, "listCheckouts": false, "readCheckout": true} {
		if got := strings.Contains(page.Find("#"+id+"-sample").Text(), "put in your own"); got != want {
			t.Errorf("%s says that ids must be replaced: %v", id, got)
		}
	}
}

// A search finds parts of guides, codes and operations in the reader's language, whatever their accents
// and case, and keeps the language of samples.
func TestDocs_Search(t *testing.T) {
	t.Parallel()
	visitor := webtest.New(t).Client(t)
	for _, tc := range []struct{ lang, asked, want string }{
		{"pt-BR", "DEVOLUCOES", "/docs/refunds"},
		{"pt-BR", "vencida paga", "/docs/checkouts#late"},
		{"en", "idempotency_conflict", "/docs/errors#idempotency_conflict"},
		{"en", "treat expired final", "/docs/checkouts#late"},
		{"en", "/v1/refunds", "/docs/api/refunds#createRefund"},
		{"en", "checkout.refunded", "/docs/api/events#onCheckoutRefunded"},
		{"en", "svc_live_", "/docs/going-live#key"},
	} {
		visitor.Lang = tc.lang
		a := visitor.Get("/docs/search?q=" + strings.ReplaceAll(tc.asked, " ", "+"))
		hits := a.Find("main li a").Map(func(_ int, link *goquery.Selection) string { return link.AttrOr("href", "") })
		if a.Status != http.StatusOK || !slices.Contains(hits, tc.want) || len(hits) > 20 {
			t.Errorf("%s finds %v, want %s", tc.asked, hits, tc.want)
		}
		if got := a.Find("main input[name=q]").AttrOr("value", ""); got != tc.asked {
			t.Errorf("%s is shown as %q", tc.asked, got)
		}
	}
	first := visitor.Get("/docs/search?q=invalid_json&code=go").Find("main li a").First()
	if got := first.AttrOr("href", ""); got != "/docs/errors?code=go#invalid_json" {
		t.Errorf("the first result is %s", got)
	}
	for asked, says := range map[string]string{"": "", "%20%E2%80%8B": "", "boleto": "“boleto”",
		"%3Cscript%3E": "<script>", strings.Repeat("%C3%A3", 300): strings.Repeat("ã", 100)} {
		a := visitor.Get("/docs/search?q=" + asked)
		if a.Status != http.StatusOK || a.Find("main li a").Length() > 0 ||
			!strings.Contains(a.Find("main").Text(), says) {
			t.Errorf("%.40s: %d %.300s", asked, a.Status, a.Find("main").Text())
		}
	}
}
