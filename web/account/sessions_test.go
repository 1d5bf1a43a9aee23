package account_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// Logging in again ends the browser's former session, and no other.
func TestLogIn_Again(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	other, c := s.Member(t), s.Member(t)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	former := s.Client(t)
	former.HTTP.Jar.SetCookies(base, c.Cookies())
	if a := former.Get("/app"); a.Status != http.StatusOK {
		t.Fatalf("the session's cookie: %d", a.Status)
	}
	if a := c.Post("/entrar", "email", s.Email, "password", "wrong"); a.Status != http.StatusUnprocessableEntity {
		t.Fatalf("a wrong password: %d", a.Status)
	}
	if a := c.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("a wrong password ended the session: %d", a.Status)
	}
	c.Post("/entrar", "email", s.Email, "password", paymentstest.Password)
	if a := c.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("logged in again: %d", a.Status)
	}
	if a := former.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("the former session: %d", a.Status)
	}
	if a := other.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("another browser's session: %d", a.Status)
	}
}

// Ending sessions takes a fresh proof of identity.
func TestEndSessions_Proof(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, other := s.Member(t), s.Member(t)
	s.Clock.Advance(time.Hour)
	id := modelstest.One[string](t, s.DB, "SELECT id FROM sessions ORDER BY created_at DESC, id LIMIT 1")
	for _, path := range []string{"/sessoes/encerrar", "/sessoes/" + id + "/encerrar"} {
		a := c.Post(webtest.SecurityPage + path)
		if a.Status != http.StatusOK || a.Find("input[name="+webtest.ProofField+"]").Length() != 1 {
			t.Errorf("%s asks for no proof: %d", path, a.Status)
		}
		if a := other.Get("/app"); a.Status != http.StatusOK {
			t.Fatalf("%s ended a session without a proof", path)
		}
	}
	a := c.Post(webtest.SecurityPage+"/sessoes/encerrar", webtest.ProofField, paymentstest.Password)
	if a.Status != http.StatusSeeOther {
		t.Errorf("with the proof: %d", a.Status)
	}
	if a := other.Get("/app"); a.Status != http.StatusSeeOther {
		t.Errorf("the other session goes on: %d", a.Status)
	}
}
