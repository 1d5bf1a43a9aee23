package webtest

import (
	"net/http"
	"testing"

	"garoupa/internal/auth/oidc/oidctest"
	"garoupa/web"
	"garoupa/web/page"
)

// NewWithSSO is NewWithPasskeys beside an OpenID Connect provider, whose answers arrive at the site.
func NewWithSSO(t *testing.T, changes ...func(*web.Options)) (*Site, *oidctest.Provider) {
	t.Helper()
	s := NewWithPasskeys(t, web.Limits{}, changes...)
	there := oidctest.Start(t, s.URL+page.SSOReturnPath)
	s.Merchants.SSO = there.Client()
	return s, there
}

// SSO logs a client in at the provider as the person with a subject, from a path of the site, and returns the site's
// answer to the return.
func (s *Site) SSO(t *testing.T, c *Client, at *oidctest.Browser, path, subject string) Answer {
	t.Helper()
	return c.Get(SSOReturn(at.LogIn(s.LeaveForSSO(t, c, path), subject).Encode()))
}

// LeaveForSSO returns the address at the provider to which a path of the site leads.
func (s *Site) LeaveForSSO(t *testing.T, c *Client, path string) string {
	t.Helper()
	left := c.Get(path)
	if left.Status != http.StatusSeeOther {
		t.Fatalf("%s: %d %s", path, left.Status, left.Find("main").Text())
	}
	return left.Header.Get("Location")
}

// SSOReturn returns the path to which the provider leads back with a query.
func SSOReturn(query string) string { return page.SSOReturnPath + "?" + query }
