package account_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/auth/passkey/passkeytest"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// After the password of a person with a passkey the page asks for the passkey, or for a recovery
// code, and so does every proof of identity. The password is enough for neither.
func TestPasskey_AfterPassword(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	owner, device := s.Member(t), passkeytest.New(t, s.URL)
	before := s.Member(t)
	recovery := addPasskey(owner, device, "iPhone", "/app")

	if a := before.Get("/app/chaves/nova"); a.Find("input[name=garoupa_proof_key]").Length() != 1 {
		t.Errorf("a session of before the passkey, which proved the password a moment ago: %d", a.Status)
	}
	c := s.Client(t)
	if a := c.Post("/entrar", "email", s.Email, "password", paymentstest.Password, "next",
		"/app/chaves"); a.Header.Get("Location") != "/2fa?next=%2Fapp%2Fchaves" {
		t.Fatalf("the password: %d to %q", a.Status, a.Header.Get("Location"))
	}
	leads(c, "/app", "/entrar?next=%2Fapp")
	a := c.Get("/2fa?next=%2Fapp%2Fchaves")
	if a.Find("[data-passkey=get]").Length() != 1 || a.Find("#code").Length() != 0 {
		t.Errorf("the second step: %d", a.Status)
	}
	a = c.Get(a.Find(`main p a[href^="/2fa"]`).AttrOr("href", ""))
	if a.Find("#code").Length() != 1 || a.Find("input[name=recovery]").Length() != 1 {
		t.Errorf("the way by a recovery code: %d", a.Status)
	}
	if a := c.Post("/2fa", "recovery", "1", "code", "ffff-fffff", "next", "/app/chaves"); a.Find(
		"input[name=recovery]").Length() != 1 || a.Status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong code: %d", a.Status)
	}
	if a := c.Post("/2fa", "recovery", "1", "code", recovery[0], "next",
		"/app/chaves"); a.Header.Get("Location") != "/app/chaves" {
		t.Errorf("a recovery code: %d to %q", a.Status, a.Header.Get("Location"))
	}

	s.Clock.Advance(time.Hour)
	asked := c.Post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ")
	if asked.Find("[type=password]").Length() != 0 || asked.Find("[data-passkey=get]").Length() != 1 ||
		asked.Find("input[name=garoupa_proof_recovery]").Length() != 1 {
		t.Errorf("the proof: %d", asked.Status)
	}
	wrong := c.Post("/app/chaves", append(webtest.HiddenFields(asked), "garoupa_proof", paymentstest.Password)...)
	if wrong.Status != http.StatusUnprocessableEntity || wrong.Find("details[open] [aria-invalid]").Length() != 1 {
		t.Errorf("the password as a proof: %d", wrong.Status)
	}
	right := c.Post("/app/chaves", append(webtest.HiddenFields(asked), "garoupa_proof_recovery", recovery[1])...)
	if right.Status != http.StatusOK || !strings.Contains(right.Body, "svc_test_") {
		t.Errorf("a recovery code as a proof: %d", right.Status)
	}
	page := c.Get(webtest.SecurityPage)
	if !strings.Contains(page.Find("section[aria-labelledby=passkeys-title]").Text(), "8 códigos") {
		t.Errorf("the recovery codes that are left: %s", page.Find("section[aria-labelledby=passkeys-title]").Text())
	}
	if a := c.Post(webtest.SecurityPage + "/2fa/codigos"); a.Find("#recovery-codes").Length() != 1 {
		t.Errorf("new recovery codes: %d", a.Status)
	}
}
