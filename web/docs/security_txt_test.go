package docs_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/web"
	"garoupa/web/webtest"
)

// security.txt has what RFC 9116 requires, and exists only where there is a contact.
func TestSecurityText(t *testing.T) {
	t.Parallel()
	s := webtest.NewWith(t, func(o *web.Options) {
		o.SecurityContact = "mailto:seguranca@example.com"
		o.CheckoutURL = "https://pay.example"
	})
	for range 2 { // the time goes on, and so does the expiry
		s.Clock.Advance(24 * time.Hour)
		a := s.Client(t).Get("/.well-known/security.txt")
		want := "Contact: mailto:seguranca@example.com\nExpires: " +
			s.Clock.Now().Add(90*24*time.Hour).UTC().Format(time.RFC3339) + "\n" +
			"Canonical: http://localhost/.well-known/security.txt\n" +
			"Canonical: https://pay.example/.well-known/security.txt\nPreferred-Languages: pt-BR, en\n"
		if a.Status != http.StatusOK || a.Body != want || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%d %v\n%s\nwant\n%s", a.Status, a.Header, a.Body, want)
		}
		if strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("a public file is %q", a.Header.Get("Cache-Control"))
		}
	}
	if a := webtest.New(t).Client(t).Get("/.well-known/security.txt"); a.Status != http.StatusNotFound {
		t.Errorf("without a contact: %d", a.Status)
	}
}
