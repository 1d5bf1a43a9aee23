package web_test

import (
	"testing"

	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// Copying, choosing a language and the theme work; on a phone the menu folds away.
func TestDocs_Journey(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	page := browsertest.Open(t, s.URL+"/docs", browsertest.Options{})
	page.Click("#quickstart a[href*='code=python']")
	page.WaitVisible("#quickstart [aria-current=true][href*='code=python']")
	if got := page.URL(); got != s.URL+"/docs/quickstart?code=python#quickstart" {
		t.Errorf("choosing Python leads to %s", got)
	}
	if got := copies(page, "#quickstart [data-copy]"); got == "" ||
		got != browsertest.Eval[string](page, `document.querySelector("#quickstart pre").textContent`) {
		t.Errorf("copied %q", got)
	}
	page.Click("details summary")
	page.Click("details a[href='/docs/webhooks?code=python']")
	page.WaitText("h1", "Webhooks")
	page.WaitVisible("#receiver[data-sample=python]")
}

// A search shows what is found as one types, and without scripts after its button.
func TestDocs_Search(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	page := browsertest.Open(t, s.URL+"/docs/search?code=go", browsertest.Options{})
	page.Type("#q", "invalid_json")
	page.WaitVisible("#found a[href='/docs/errors?code=go#invalid_json']")
	if got := page.URL(); got != s.URL+"/docs/search?code=go&q=invalid_json" {
		t.Errorf("the address is %s", got)
	}
	plain := browsertest.Open(t, s.URL+"/docs", browsertest.Options{NoScript: true, Viewport: browsertest.Desktop})
	plain.Type("#search-side", "invalid_json")
	plain.Press("Enter")
	plain.WaitVisible("#found a[href='/docs/errors#invalid_json']")
}

// Without scripts there is everything but the buttons that need them.
func TestDocs_NoScript(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	page := browsertest.Open(t, s.URL+"/docs/api/checkouts",
		browsertest.Options{NoScript: true, Viewport: browsertest.Desktop})
	page.Click("#createCheckout-sample a[href*='code=go']")
	page.WaitVisible("#createCheckout-sample[data-sample=go]")
	page.Click("section[aria-labelledby=createCheckout] details summary")
	page.WaitVisible("section[aria-labelledby=createCheckout] details[open] dl")
	page.Keep("docs-noscript-desktop")
}
