package server_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/static"
)

// Every answer of every surface, found or not, tells browsers not to guess its type, not to show
// it in frames of other sites, and not to pass its address on; and to keep it only if it is
// public. Only an installation whose addresses are all https insists on https.
func TestHygiene(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	id := g.Checkout(t, payments.NewCheckout{}).ID
	key := g.Key(t, g.Test, models.Permissions...)
	const kept, checked = "public, max-age=31536000, immutable", "public, no-cache"
	mixed := hosts{together.base, together.checkout, "http://one.example"}
	for _, at := range []hosts{together, mixed} {
		app := newSite(t, g, at)
		for path, want := range map[string]struct {
			status int
			cache  string
		}{
			"/v1/health": {200, "no-store"}, "/v1/checkouts": {200, "no-store"},
			"/v1/checkouts/" + id: {200, "no-store"},
			"/v1/nothing":         {404, "no-store"}, "/v1/openapi.json": {200, checked},
			"/livez": {200, "no-store"}, "/readyz": {200, "no-store"},
			"/entrar": {200, "no-store"}, "/app": {303, "no-store"}, "/ops": {404, "no-store"},
			"/pay/" + id: {200, "no-store"}, "/pay/nothing": {404, "no-store"}, "/l/nothing": {404, "no-store"},
			"/docs": {200, "no-store"}, "/ajuda": {200, "no-store"}, "/nothing": {404, "no-store"},
			"/%ff": {404, "no-store"}, "/static/nothing": {404, "no-store"}, static.URL("app.css"): {200, kept},
		} {
			response, _ := get(t, app, at.base, path, "Authorization", "Bearer "+key)
			h := response.Header
			if response.StatusCode != want.status || h.Get("Cache-Control") != want.cache {
				t.Errorf("%s: %d, Cache-Control %q; want %d, %q", path, response.StatusCode, h.Get("Cache-Control"),
					want.status, want.cache)
			}
			checkHygiene(t, path, h)
			if strict := h.Get("Strict-Transport-Security"); (strict != "") != (at == together) {
				t.Errorf("%s at %v: Strict-Transport-Security %q", path, at, strict)
			}
		}
	}
}

func checkHygiene(t *testing.T, what string, h http.Header) {
	t.Helper()
	policy := h.Get("Content-Security-Policy")
	if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" ||
		!strings.HasPrefix(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("%s: %v", what, h)
	}
}

// An answer that a handler allowed browsers to keep is not kept if it fails after all.
func TestHygiene_Failures(t *testing.T) {
	t.Parallel()
	app := newSite(t, paymentstest.New(t), together)
	app.Get("/fails", func(c *fiber.Ctx) error {
		c.Set("Cache-Control", "public, max-age=60")
		c.Set("Content-Security-Policy", "default-src *")
		return errors.New("test: it fails")
	})
	response, _ := get(t, app, together.base, "/fails")
	if response.StatusCode != http.StatusInternalServerError || response.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d, %v", response.StatusCode, response.Header)
	}
	checkHygiene(t, "/fails", response.Header)
}

// At the log-out a browser forgets what it kept of the person, and keeps the language.
func TestHygiene_LogOut(t *testing.T) {
	t.Parallel()
	app := newSite(t, paymentstest.New(t), together)
	response := submit(t, app, together.app+"/sair", nil)
	if got := response.Header.Get("Clear-Site-Data"); response.StatusCode != http.StatusSeeOther ||
		got != `"cache", "storage"` {
		t.Errorf("%d, Clear-Site-Data %q", response.StatusCode, got)
	}
}

// The cookies of the session and of a message are hidden from scripts. If pages are served over https, they are sent
// only over https, and no other host can plant one.
func TestSessionCookie(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for _, at := range []hosts{together, apart} {
		secure, prefix, app := strings.HasPrefix(at.app, "https://"), "", newSite(t, g, at)
		if secure {
			prefix = "__Host-"
		}
		loggedIn := submit(t, app, at.app+"/entrar",
			url.Values{"email": {g.Email}, "password": {paymentstest.Password}})
		told, _ := get(t, app, at.app, "/app")
		for _, cookie := range []*http.Cookie{cookieOf(t, loggedIn, prefix+"garoupa_session"),
			cookieOf(t, told, prefix+"garoupa_flash")} {
			if cookie.Secure != secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode ||
				cookie.Path != "/" || cookie.Domain != "" {
				t.Errorf("%s: %s", at.app, cookie)
			}
		}
	}
}

// A session is read from the cookie with the prefix alone, though the other one is genuine, and
// choices that are no secrets also from cookies of before.
func TestSessionCookie_Planted(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	bare := hosts{together.base, together.checkout, "http://one.example"}
	secure := newSite(t, g, together)
	for at, status := range map[hosts]int{together: http.StatusOK, bare: http.StatusSeeOther} {
		response := submit(t, newSite(t, g, at), at.app+"/entrar",
			url.Values{"email": {g.Email}, "password": {paymentstest.Password}})
		session := response.Cookies()[0]
		if at == together && !cookieOf(t, response, "__Host-garoupa_browser").Secure {
			t.Error("the cookie of the browser is sent without TLS")
		}
		response, body := get(t, secure, together.app, "/app", "Cookie", session.Name+"="+session.Value+
			"; lang=en; theme=dark")
		if response.StatusCode != status || status == http.StatusOK && (!strings.Contains(body, `lang="en"`) ||
			!strings.Contains(body, `data-theme="dark"`)) {
			t.Errorf("%s: %d, want %d", session.Name, response.StatusCode, status)
		}
	}
	response := submit(t, secure, together.app+"/preferencias", url.Values{"lang": {"en"}, "theme": {"dark"}})
	for _, name := range []string{"__Host-lang", "__Host-theme"} {
		if c := cookieOf(t, response, name); !c.Secure || c.Path != "/" {
			t.Errorf("%s", c)
		}
	}
}

// submit sends a form of a page.
func submit(t *testing.T, app *fiber.App, address string, form url.Values) *http.Response {
	t.Helper()
	response, _ := send(t, app, httptest.NewRequest(http.MethodPost, address, strings.NewReader(form.Encode())),
		"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin")
	return response
}

func cookieOf(t *testing.T, response *http.Response, name string) *http.Cookie {
	t.Helper()
	for _, c := range response.Cookies() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("%d without the cookie %s: %v", response.StatusCode, name, response.Cookies())
	return nil
}
