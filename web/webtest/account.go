package webtest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/auth/passkey"
	"garoupa/internal/auth/totp"
	"garoupa/merchants"
	"garoupa/payments/paymentstest"
	"garoupa/web"
)

// Bruno is a person with a business, to be signed up beside the owner.
var Bruno = merchants.NewMerchant{Name: "Bruno Reis", Business: "Café", Email: "bruno@example.com",
	Password: paymentstest.Password, Language: "en", Verified: true}

// NewWithPasskeys is NewLimited at an address that browsers make passkeys for.
func NewWithPasskeys(t *testing.T, limits web.Limits, changes ...func(*web.Options)) *Site {
	t.Helper()
	s := NewWith(t, func(o *web.Options) {
		o.Limits = limits
		for _, change := range changes {
			change(o)
		}
	})
	s.URL = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	s.Merchants.Passkeys = passkey.NewSite("Garoupa", s.URL)
	return s
}

// NewPassword is a good password that is not paymentstest.Password.
const NewPassword = "another horse battery"

// Enroll makes a client's log-in ask for codes, by the page, and returns the secret and
// the recovery codes.
func (s *Site) Enroll(t *testing.T, c *Client, path string) (secret string, recovery []string) {
	t.Helper()
	form := c.Get(path)
	secret = strings.ReplaceAll(form.Find("#totp-secret").Text(), " ", "")
	if form.Status != http.StatusOK || len(secret) != 32 || form.Find("svg[role=img]").Length() != 1 {
		t.Fatalf("the form: %d, %q", form.Status, secret)
	}
	next := form.Find("main input[name=next]").AttrOr("value", "")
	if a := c.Post("/2fa/ativar", "code", "000000", "next", next); a.Status != http.StatusUnprocessableEntity ||
		strings.ReplaceAll(a.Find("#totp-secret").Text(), " ", "") != secret {
		t.Errorf("a wrong code: %d", a.Status)
	}
	done := c.Post("/2fa/ativar", "code", s.Code(secret), "next", next)
	recovery = strings.Split(done.Find("#recovery-codes").Text(), "\n")
	if done.Status != http.StatusOK || len(recovery) != 10 ||
		done.Find("main a.btn-primary").AttrOr("href", "") != next {
		t.Fatalf("enrolled: %d, %q", done.Status, recovery)
	}
	s.Clock.Advance(time.Minute) // that code is used up
	return secret, recovery
}

// Code returns the code that an authenticator shows now.
func (s *Site) Code(secret string) string { return totp.Code(secret, totp.Step(s.Clock.Now())) }

// ToLive shows live to a client of the owner's, and gives the owner a code generator, which live
// money needs, unless the owner has one.
func (s *Site) ToLive(t *testing.T, c *Client) {
	t.Helper()
	if form := c.Get("/2fa/ativar"); form.Status == http.StatusOK {
		s.generator = strings.ReplaceAll(form.Find("#totp-secret").Text(), " ", "")
		if a := c.Post("/2fa/ativar", "code", s.Code(s.generator)); a.Status != http.StatusOK {
			t.Fatalf("a code generator: %d", a.Status)
		}
	}
	c.Post("/app/ambiente", "env", "live")
}

// OwnerCode returns what the owner's code generator shows, after ToLive.
func (s *Site) OwnerCode() string { return s.Code(s.generator) }

// ProofField is the field in which a page asks for the password once more.
const ProofField = "garoupa_proof"

// KeyCount counts the API keys.
func (s *Site) KeyCount(t *testing.T) (n int64) {
	t.Helper()
	if err := s.DB.Table("api_keys").Count(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}
