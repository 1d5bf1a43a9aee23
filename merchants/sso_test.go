package merchants_test

import (
	"errors"
	"testing"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/auth/oidc"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

const issuer = "https://login.example"

// Log-ins of one person at the same moment, the first ones, all succeed and leave one link. Two identities with one
// email at the same moment leave one, too.
func TestLogInWithIdentity_AtOnce(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var logIns errgroup.Group
	for range 8 {
		logIns.Go(func() error {
			_, err := g.Merchants.LogInWithIdentity(t.Context(),
				oidc.Identity{Issuer: issuer, Subject: "ana", Email: g.Email}, merchants.Browser{})
			return err
		})
	}
	if err := logIns.Wait(); err != nil {
		t.Error(err)
	}
	other := paymentstest.New(t)
	refused := make(chan error, 2)
	var both errgroup.Group
	for _, subject := range []string{"ana", "another"} {
		both.Go(func() error {
			_, err := other.Merchants.LogInWithIdentity(t.Context(),
				oidc.Identity{Issuer: issuer, Subject: subject, Email: other.Email}, merchants.Browser{})
			refused <- err
			return nil
		})
	}
	_ = both.Wait()
	if a, b := <-refused, <-refused; (a == nil) == (b == nil) || !errors.Is(errors.Join(a, b), merchants.ErrNoPerson) {
		t.Errorf("two identities: %v, %v", a, b)
	}
	for _, g := range []*paymentstest.Gateway{g, other} {
		if n := modelstest.One[int](t, g.DB, "SELECT count(*)::int FROM person_identities"); n != 1 {
			t.Errorf("%d links", n)
		}
		mails := "SELECT count(*)::int FROM mails WHERE kind = 'identity_linked'"
		if n := modelstest.One[int](t, g.DB, mails); n != 1 {
			t.Errorf("%d mails", n)
		}
	}
}

// The same subject of another issuer is another person.
func TestLogInWithIdentity_Issuers(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	who := oidc.Identity{Issuer: issuer, Subject: "ana", Email: g.Email}
	if _, err := g.Merchants.LogInWithIdentity(t.Context(), who, merchants.Browser{}); err != nil {
		t.Fatal(err)
	}
	who.Issuer, who.Email = "https://another.example", ""
	if _, err := g.Merchants.LogInWithIdentity(t.Context(), who, merchants.Browser{}); !errors.Is(err,
		merchants.ErrUnproven) {
		t.Errorf("another issuer: %v", err)
	}
	who.Subject = "a\x00b"
	if _, err := g.Merchants.LogInWithIdentity(t.Context(), who, merchants.Browser{}); !errors.Is(err,
		merchants.ErrNoPerson) {
		t.Errorf("a subject that no database holds: %v", err)
	}
}

// Where people log in at the provider alone, the operations refuse passwords and passkeys, too. A passkey is a second
// factor for a session of its owner that began at the provider.
func TestSSOOnly(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	before, err := h.logIn(t, "browser", h.sign(t, h.device, "browser"))
	if err != nil {
		t.Fatal(err)
	}
	h.Merchants.SSOOnly = true
	if _, err := h.Merchants.LogIn(t.Context(), h.Email, paymentstest.Password, merchants.Browser{}); !errors.Is(err,
		merchants.ErrPasswordsOff) {
		t.Errorf("a password: %v", err)
	}
	if _, err := h.logIn(t, "browser", h.sign(t, h.device, "browser")); !errors.Is(err, merchants.ErrPasswordsOff) {
		t.Errorf("a passkey: %v", err)
	}
	if _, err := h.Merchants.Visitor(t.Context(), before); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("a session by a passkey: %v", err)
	}
	add := func(token string) (string, error) {
		return h.Merchants.AddPasskeyFactor(t.Context(), token, "browser", h.sign(t, h.device, "browser"),
			merchants.Browser{})
	}
	_, err = h.Merchants.SignUp(t.Context(), merchants.NewMerchant{Name: "Bruno", Business: "Café",
		Email: "bruno@example.com", Password: paymentstest.Password, Verified: true}, "")
	if err != nil {
		t.Fatal(err)
	}
	sessions := map[string]string{"no session": "", "a session by a passkey": before}
	if sessions["another's session"], err = h.Merchants.LogInWithIdentity(t.Context(),
		oidc.Identity{Issuer: issuer, Subject: "bruno", Email: "bruno@example.com"}, merchants.Browser{}); err != nil {
		t.Fatal(err)
	}
	for name, token := range sessions {
		if _, err := add(token); !errors.Is(err, merchants.ErrCredentials) {
			t.Errorf("a passkey with %s: %v", name, err)
		}
	}
	own, err := h.Merchants.LogInWithIdentity(t.Context(),
		oidc.Identity{Issuer: issuer, Subject: "ana", Email: h.Email}, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := add(own)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := h.Merchants.Visitor(t.Context(), token); err != nil || !v.SecondFactor || !v.ByProvider {
		t.Errorf("with a passkey: %+v, %v", v, err)
	}
}

// A proof at the provider is no weaker than the person's second factor here: a person with a passkey needs a second
// factor there, too.
func TestProveWithIdentity_Passkey(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	who := oidc.Identity{Issuer: issuer, Subject: "ana", Email: h.Email}
	token, err := h.Merchants.LogInWithIdentity(t.Context(), who, merchants.Browser{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := h.Merchants.Visitor(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Merchants.ProveWithIdentity(t.Context(), v, who, merchants.Browser{}); !errors.Is(err,
		merchants.ErrCredentials) {
		t.Errorf("a proof without a second factor: %v", err)
	}
	who.Strong = true
	if err := h.Merchants.ProveWithIdentity(t.Context(), v, who, merchants.Browser{}); err != nil {
		t.Errorf("a proof with a second factor: %v", err)
	}
	if v, err = h.Merchants.Visitor(t.Context(), v.NewToken); err != nil || !v.SecondFactor {
		t.Errorf("the session after it: %+v, %v", v, err)
	}
}
