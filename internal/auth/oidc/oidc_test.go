package oidc_test

import (
	"errors"
	"net/url"
	"testing"
	"time"

	"garoupa/internal/auth/oidc"
	"garoupa/internal/auth/oidc/oidctest"
)

const redirect = "http://localhost/entrar/sso/retorno"

var ana = oidctest.Person{Subject: "ana", Email: "ana@example.com", Verified: true}

// asked returns a question and the address that goes with it.
func asked(t *testing.T, p *oidc.Provider, fresh bool) (oidc.Question, string) {
	t.Helper()
	q, address, err := p.Ask(t.Context(), fresh)
	if err != nil {
		t.Fatal(err)
	}
	return q, address
}

// A person who logs in at the provider is known by the subject, and by a verified address alone.
func TestAnswer(t *testing.T) {
	t.Parallel()
	there := oidctest.Start(t, redirect)
	p := there.Client()
	for _, test := range []struct {
		who  oidctest.Person
		acr  string
		want oidc.Identity
	}{
		{ana, "", oidc.Identity{Subject: "ana", Email: "ana@example.com"}},
		{oidctest.Person{Subject: "bia", Email: "bia@example.com"}, "", oidc.Identity{Subject: "bia"}},
		{oidctest.Person{Subject: "caio", Email: "c@example.com", Verified: true, Methods: "pwd otp"}, "",
			oidc.Identity{Subject: "caio", Email: "c@example.com", Strong: true}},
		{ana, oidctest.StrongACR, oidc.Identity{Subject: "ana", Email: "ana@example.com", Strong: true}},
		{ana, "urn:example:weak", oidc.Identity{Subject: "ana", Email: "ana@example.com"}},
	} {
		there.Set(t, test.who)
		q, address := asked(t, p, false)
		back := there.Browser(t).LogInWith(address, test.who.Subject, test.acr)
		got, err := p.Answer(t.Context(), q, back.Get("code"))
		if test.want.Issuer = there.Issuer; err != nil || got != test.want || back.Get("state") != q.State {
			t.Errorf("%+v: %+v, %v, want %+v", test.who, got, err, test.want)
		}
	}
}

// A code proves nothing twice, for another question, with another nonce, or for another client.
func TestAnswer_Refused(t *testing.T) {
	t.Parallel()
	there := oidctest.Start(t, redirect)
	there.Set(t, ana)
	p := there.Client()
	refused := func(name string, p *oidc.Provider, q oidc.Question, code string) {
		t.Helper()
		if who, err := p.Answer(t.Context(), q, code); !errors.Is(err, oidc.ErrRefused) {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
	q, address := asked(t, p, false)
	code := there.Browser(t).LogIn(address, "ana").Get("code")
	other, _ := asked(t, p, false)
	refused("another browser's verifier", p, other, code)

	code = there.Browser(t).LogIn(address, "ana").Get("code")
	if _, err := p.Answer(t.Context(), q, code); err != nil {
		t.Fatal(err)
	}
	refused("a used code", p, q, code)
	refused("an invented code", p, q, "invented")

	changed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := changed.Query()
	query.Set("nonce", other.Nonce)
	changed.RawQuery = query.Encode()
	refused("another nonce", p, q, there.Browser(t).LogIn(changed.String(), "ana").Get("code"))

	late := there.Client()
	late.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	refused("an expired token", late, q, there.Browser(t).LogIn(address, "ana").Get("code"))
}

// A fresh proof takes another log-in, though the browser has a session at the provider.
func TestAnswer_Fresh(t *testing.T) {
	t.Parallel()
	there := oidctest.Start(t, redirect)
	there.Set(t, ana)
	p := there.Client()
	browser := there.Browser(t)
	_, address := asked(t, p, false)
	browser.LogIn(address, "ana")

	q, address := asked(t, p, true)
	if _, err := p.Answer(t.Context(), q, browser.LogIn(address, "ana").Get("code")); err != nil {
		t.Errorf("logged in again: %v", err)
	}
	q, address = asked(t, p, false)
	q.Since = time.Now().Add(time.Hour) // as if the provider had not asked the person again
	if _, err := p.Answer(t.Context(), q, browser.LogIn(address, "ana").Get("code")); !errors.Is(err, oidc.ErrRefused) {
		t.Errorf("an old log-in: %v", err)
	}
}

// A provider that is down is asked again at the next log-in.
func TestAsk_Down(t *testing.T) {
	t.Parallel()
	there := oidctest.Start(t, redirect)
	there.Set(t, ana)
	there.Break(t, true)
	p := there.Client()
	if _, _, err := p.Ask(t.Context(), false); !errors.Is(err, oidc.ErrUnavailable) {
		t.Errorf("while it is down: %v", err)
	}
	there.Break(t, false)
	q, address := asked(t, p, false)
	code := there.Browser(t).LogIn(address, "ana").Get("code")
	there.Break(t, true)
	if _, err := p.Answer(t.Context(), q, code); !errors.Is(err, oidc.ErrUnavailable) {
		t.Errorf("down at the return: %v", err)
	}
	there.Break(t, false)
	if _, err := p.Answer(t.Context(), q, code); err != nil {
		t.Errorf("up again: %v", err)
	}
}
