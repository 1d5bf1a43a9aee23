package web_test

import (
	"testing"

	"garoupa/web/browsertest"
)

// Every kind of page of the documentation, on a phone and on a desk, in both
// languages and themes: readable by all, nothing cut off, no error on the console.
func TestDocs_Browser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	paths := map[string]string{
		"quickstart": "/docs", "webhooks": "/docs/webhooks?code=go", "errors": "/docs/errors", "authentication": "/docs/authentication",
		"test-mode": "/docs/test-mode", "reference": "/docs/api", "checkouts": "/docs/api/checkouts?code=php", "events": "/docs/api/events",
	}
	for name, look := range map[string]browsertest.Options{
		"phone-light-pt":   {},
		"phone-dark-en":    {Dark: true, Lang: "en-US"},
		"desktop-light-en": {Viewport: browsertest.Desktop, Lang: "en-US"},
		"desktop-dark-pt":  {Viewport: browsertest.Desktop, Dark: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Open(t, s.url+"/docs", look)
			for pageName, path := range paths {
				page.Goto(s.url + path)
				page.NoSidewaysScroll()
				page.Axe()
				page.Screenshot("docs-" + pageName + "-" + name)
			}
		})
	}
}
