package docs_test

import (
	"encoding/json"
	"go/format"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"garoupa/api"
	"garoupa/models"
	"garoupa/views/docs"
	"garoupa/web/webtest"
)

// Everyone can read every page, in both languages, under the policy of all pages.
func TestDocs(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	visitor := s.Client(t)
	for _, path := range append(webtest.DocsPages(), "/docs", "/docs/") {
		titles := map[string]bool{}
		for _, lang := range []string{"pt-BR", "en"} {
			visitor.Lang = lang
			a := visitor.Get(path)
			if a.Status != http.StatusOK || a.Find("html").AttrOr("lang", "") != lang || a.Find("h1").Length() != 1 {
				t.Errorf("%s in %s: %d, %d h1", path, lang, a.Status, a.Find("h1").Length())
			}
			if policy := a.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") ||
				strings.Contains(policy, "unsafe") {
				t.Errorf("%s: the policy is %q", path, policy)
			}
			if a.Find("style, [style], script:not([src])").Length() > 0 {
				t.Errorf("%s: inline style or script", path)
			}
			for _, unfilled := range []string{"{base_url}", "{app_url}", "{checkout_host}", "%7B",
				"api.example", "%!"} {
				if strings.Contains(a.Body, unfilled) {
					t.Errorf("%s in %s holds %s", path, lang, unfilled)
				}
			}
			ids := map[string]bool{}
			a.Find("[id]").Each(func(_ int, element *goquery.Selection) {
				id := element.AttrOr("id", "")
				if ids[id] {
					t.Errorf("%s: id %q twice", path, id)
				}
				ids[id] = true
			})
			titles[a.Find("title").Text()] = true
		}
		if len(titles) != 2 && path != "/docs/webhooks" {
			t.Errorf("%s: one title in both languages: %v", path, titles)
		}
	}
	for _, path := range []string{"/docs/nope", "/docs/api/nope", "/docs/quickstart/x", "/docs/..%2f", "/docs/pt-BR"} {
		if a := visitor.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}

// Every link leads somewhere, and those within keep the language of the samples.
func TestDocs_Links(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	member := s.Member(t)
	seen := map[string]webtest.Answer{}
	read := func(path string) webtest.Answer {
		if _, again := seen[path]; !again {
			seen[path] = member.Get(path)
		}
		return seen[path]
	}
	for _, path := range webtest.DocsPages() {
		read(path + "?code=node").Find("a[href]").Each(func(_ int, link *goquery.Selection) {
			href := link.AttrOr("href", "")
			address, err := url.Parse(href)
			if err != nil {
				t.Errorf("%s links to %q: %v", path, href, err)
				return
			}
			target, fragment := path+"?code=node", address.Fragment
			if address.Path != "" || address.Host != "" {
				address.Fragment, address.Scheme, address.Host = "", "", ""
				target = address.String()
			}
			a := read(target)
			if a.Status != http.StatusOK || fragment != "" && a.Find("[id='"+fragment+"']").Length() != 1 {
				t.Errorf("%s links to %s: %d", path, href, a.Status)
			}
			if strings.HasPrefix(address.Path, "/docs") && address.Query().Get("code") == "" {
				t.Errorf("%s links to %s and forgets the language", path, href)
			}
		})
	}
}

// Samples are in the language that the address asks for, the first otherwise.
func TestDocs_Samples(t *testing.T) {
	t.Parallel()
	visitor := webtest.New(t).Client(t)
	for asked, want := range map[string]string{"": "curl", "?code=go": "go", "?code=php": "php",
		"?code=<script>": "curl"} {
		a := visitor.Get("/docs/api/checkouts" + asked)
		samples := a.Find("[data-sample]")
		if samples.Length() != 3 {
			t.Errorf("%s: %d samples", asked, samples.Length())
		}
		samples.Each(func(_ int, sample *goquery.Selection) {
			if got := sample.AttrOr("data-sample", ""); got != want {
				t.Errorf("%s: a sample in %s", asked, got)
			}
			if current := sample.Find("[aria-current=true]"); current.Length() != 1 ||
				sample.Find("a").Length() != len(docs.Languages) {
				t.Errorf("%s: %d chosen of %d", asked, current.Length(), sample.Find("a").Length())
			}
		})
		if next := a.Find("form[action='/preferencias'] input[name=next]").AttrOr("value", ""); !strings.HasPrefix(next,
			"/docs/api/checkouts") {
			t.Errorf("changing the language leads to %q", next)
		}
	}
}

// Samples in Go are formatted as Go is, and parse.
func TestDocs_GoSamples(t *testing.T) {
	t.Parallel()
	visitor := webtest.New(t).Client(t)
	samples := 0
	for _, path := range webtest.DocsPages() {
		visitor.Get(path + "?code=go").Find("[data-sample=go] pre").Each(func(_ int, pre *goquery.Selection) {
			samples++
			code := pre.Text()
			formatted, err := format.Source([]byte(code))
			if err != nil || strings.TrimSpace(string(formatted)) != code {
				t.Errorf("%s: %v in\n%s", path, err, code)
			}
		})
	}
	if samples < 18 {
		t.Errorf("%d samples", samples)
	}
}

// The reference is the whole description: each operation, parameter, member, status
// and code.
func TestDocs_Reference(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	visitor := s.Client(t)
	visitor.Lang = "en"
	var shown strings.Builder
	for _, path := range webtest.DocsPages() {
		if strings.HasPrefix(path, "/docs/api/") {
			shown.WriteString(visitor.Get(path).Find("main").Text())
		}
	}
	described := api.Document("", "", "")
	for _, schema := range described.Components.Schemas {
		for _, member := range schema.Value.Properties {
			if schema.Name != "Error" && !strings.Contains(shown.String(), member.Name) {
				t.Errorf("the member %s of %s is not shown", member.Name, schema.Name)
			}
		}
	}
	for _, item := range described.Paths {
		if !strings.Contains(shown.String(), item.Name) {
			t.Errorf("the path %s is not shown", item.Name)
		}
	}
	for _, code := range api.ErrorCodes() {
		if code.Status != http.StatusMethodNotAllowed && !strings.Contains(shown.String(), code.Code) {
			t.Errorf("the code %s is not shown", code.Code)
		}
	}
}

// Tables of guides are those of the program.
func TestDocs_Registries(t *testing.T) {
	t.Parallel()
	visitor := webtest.New(t).Client(t)
	var codes, want []string
	visitor.Get("/docs/errors").Find("dl dt code").Each(func(_ int,
		code *goquery.Selection) {
		codes = append(codes, code.Text())
	})
	for _, code := range api.ErrorCodes() {
		want = append(want, code.Code)
	}
	for _, code := range want {
		if !slices.Contains(codes, code) {
			t.Errorf("the guide to errors leaves out %s", code)
		}
	}
	permissions := visitor.Get("/docs/authentication").Find("dl")
	names := permissions.Find("code").Map(func(_ int, name *goquery.Selection) string { return name.Text() })
	var all []string
	for _, permission := range models.Permissions {
		all = append(all, string(permission))
	}
	if diff := cmp.Diff(all, names); diff != "" {
		t.Errorf("permissions (-program +guide)\n%s", diff)
	}
	if permissions.Find("dd").FilterFunction(func(_ int,
		s *goquery.Selection) bool {
		return s.Find("li").Length() == 0
	}).Length() > 0 {
		t.Error("a permission is for nothing")
	}
}

// Portuguese pages say what the description says in Portuguese.
func TestDocs_Translated(t *testing.T) {
	t.Parallel()
	visitor := webtest.New(t).Client(t)
	var shown strings.Builder
	for _, path := range webtest.DocsPages() {
		main := visitor.Get(path).Find("main")
		main.Find("pre").Remove()
		shown.WriteString(strings.Join(strings.Fields(main.Text()), " ") + "\n")
	}
	raw, err := json.Marshal(api.Document("", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	texts := 0
	eachText(document, func(text string) {
		texts++
		for line := range strings.SplitSeq(text, "\n") {
			plain := strings.ReplaceAll(line, "`", "")
			if len(plain) > 12 && strings.Contains(plain, " ") && strings.Contains(shown.String(), plain) {
				t.Errorf("in English on a Portuguese page: %q", plain)
			}
		}
	})
	if texts < 300 {
		t.Errorf("%d texts in the description", texts)
	}
}

// eachText visits the descriptions and summaries in a document.
func eachText(v any, visit func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if text, ok := member.(string); ok && (name == "description" || name == "summary") {
				visit(text)
			}
			eachText(member, visit)
		}
	case []any:
		for _, item := range v {
			eachText(item, visit)
		}
	}
}
