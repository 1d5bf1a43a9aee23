package docs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/views/docs"
	"garoupa/views/i18n"
)

// Every guide exists in both languages, with the same parts under the same
// addresses, and the same code.
func TestGuides(t *testing.T) {
	t.Parallel()
	for _, group := range docs.Groups {
		for _, slug := range group.Slugs {
			portuguese, english := outline(t, i18n.Portuguese, slug), outline(t, i18n.English, slug)
			if diff := cmp.Diff(portuguese, english); diff != "" {
				t.Errorf("%s (-pt-BR +en)\n%s", slug, diff)
			}
			if len(portuguese) < 3 {
				t.Errorf("%s has %d parts", slug, len(portuguese))
			}
		}
	}
	if guide, err := docs.Read(i18n.English, "../en/errors"); guide != nil || err != nil {
		t.Errorf("a guide by its path: %v, %v", guide, err)
	}
}

// What guides call the parts of a page is what the page calls them.
func TestGuides_Buttons(t *testing.T) {
	t.Parallel()
	for slug, keys := range map[string][]string{
		"quickstart": {"nav.keys", "nav.checkouts", "pay.simulate"},
		"test-mode":  {"pay.simulate", "pay.expire"},
		"audit":      {"nav.keys", "keys.allow_audit"},
		"refunds":    {"nav.keys", "keys.allow_refunds"},
		"webhooks": {"events.undelivered", "delivery.resend", "replay.title", "secret.retire",
			"nav.keys", "keys.allow_events"},
	} {
		for _, lang := range []i18n.Lang{i18n.Portuguese, i18n.English} {
			g, err := docs.Read(lang, slug)
			if err != nil || g == nil {
				t.Fatalf("%s in %s: %v", slug, lang, err)
			}
			var html strings.Builder
			for _, b := range g.Blocks {
				html.WriteString(b.HTML)
			}
			for _, key := range keys {
				if button := "<strong>" + i18n.In(lang, key) + "</strong>"; !strings.Contains(html.String(), button) {
					t.Errorf("%s in %s does not say %s", slug, lang, button)
				}
			}
		}
	}
}

// outline is what a guide is made of, without its words.
func outline(t *testing.T, lang i18n.Lang, slug string) (parts []string) {
	t.Helper()
	g, err := docs.Read(lang, slug)
	if err != nil || g == nil {
		t.Fatalf("%s in %s: %v", slug, lang, err)
	}
	if g.Title == "" || strings.ContainsAny(g.Title, "#<") || !strings.HasPrefix(g.Lead, "<p>") {
		t.Errorf("%s in %s is called %q and begins %q", slug, lang, g.Title, g.Lead)
	}
	for _, h := range g.Headings {
		parts = append(parts, "#"+h.ID)
		if h.Text == "" || strings.ContainsAny(h.Text, "<&") {
			t.Errorf("%s in %s: the heading %q", slug, lang, h.Text)
		}
	}
	for _, b := range g.Blocks {
		switch {
		case b.Code != "":
			parts = append(parts, b.Language+" "+strings.NewReplacer("COLE_A_SUA_CHAVE_AQUI", "", "PASTE_YOUR_KEY_HERE",
				"").Replace(b.Code))
		case b.Directive != "":
			parts = append(parts, "@"+b.Directive+" "+b.Argument)
		}
		if strings.Contains(b.HTML, "\n@") || strings.Contains(b.HTML, "<pre>") || strings.Count(b.HTML, "<h2>") > 0 {
			t.Errorf("%s in %s holds a part that was not read, or a heading without an address: %s", slug, lang, b.HTML)
		}
	}
	return parts
}

// Every program is written in every language that it can be, and says how to run it.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"quickstart": 5, "receiver": 4, "nothing": 0} {
		samples := docs.Programs(name)
		if len(samples) != want {
			t.Errorf("%s: %d languages", name, len(samples))
		}
		for _, s := range samples {
			if len(s.Code) < 200 || !strings.Contains(s.Run, s.File) {
				t.Errorf("%s in %s: %d bytes, run by %q", name, s.Language.Name, len(s.Code), s.Run)
			}
			if strings.Contains(s.Code, "svc_") || strings.Contains(s.Code, "whsec_") {
				t.Errorf("%s in %s holds a secret", name, s.Language.Name)
			}
		}
	}
}

func TestChosen(t *testing.T) {
	t.Parallel()
	samples := docs.Programs("receiver")
	for asked, want := range map[string]string{"python": "python", "curl": "go", "": "go"} {
		if got := docs.Chosen(samples, asked).Language.ID; got != want {
			t.Errorf("%q shows %s", asked, got)
		}
	}
	if got := docs.Chosen(nil, "go"); got != (docs.Sample{}) {
		t.Errorf("of none: %v", got)
	}
}

// Texts of a request stay what they are in every language's notation.
func TestRequest_Quoting(t *testing.T) {
	t.Parallel()
	r := docs.Request{Method: "POST", URL: "https://x.example/v1/y",
		Body: []byte(`{"a":"d'água \\ \"z\"","b":{"c":true,"d":null},"e":1.50}`)}
	for i, want := range [][]string{
		{`d'\''água`, `"d": null`},
		{"`{", `"a": "d'água \\ \"z\""`},
		{`a: 'd\'água \\ "z"',`, "c: true,", "e: 1.50,"},
		{`"a": "d'água \\ \"z\"",`, `"c": True,`, `"d": None,`},
		{`'a' => 'd\'água \\ "z"',`, `'c' => true,`},
	} {
		sample := r.Samples()[i]
		for _, part := range want {
			if !strings.Contains(sample.Code, part) {
				t.Errorf("%s has no %s:\n%s", sample.Language.Name, part, sample.Code)
			}
		}
	}
}

// Colors add no character and let none through that HTML would read.
func TestHighlight(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ language, code, want string }{
		{"go", `return "<b>" // it's`,
			`<span class="tok-word">return</span> <span class="tok-text">&#34;&lt;b&gt;&#34;</span> ` +
				`<span class="tok-comment">// it&#39;s</span>`},
		{"json", `{"a": null}`, `{<span class="tok-text">&#34;a&#34;</span>: <span class="tok-word">null</span>}`},
		{"curl", "a # <x>", `a <span class="tok-comment"># &lt;x&gt;</span>`},
		{"http", "A: <b>", "A: &lt;b&gt;"},
	} {
		if got := docs.Highlight(tc.language, tc.code); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.code, got, tc.want)
		}
	}
}

func TestAddresses_Filled(t *testing.T) {
	t.Parallel()
	a := docs.Addresses{Base: "https://api.x", Checkout: "https://pay.x", App: "https://app.x"}
	got := a.Filled("{base_url} %7Bbase_url%7D {checkout_host} {app_url} https://api.example/v1 {CHECKOUT_ID}")
	if want := "https://api.x https://api.x https://pay.x https://app.x https://api.x/v1 {CHECKOUT_ID}"; got != want {
		t.Errorf("got %s", got)
	}
}
