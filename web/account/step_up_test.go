package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// Who would rather not prove who they are goes back to where they were.
func TestStepUp_Cancel(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	s.Clock.Advance(time.Hour)
	cancel := func(method, path, from string, form ...string) string {
		t.Helper()
		a := c.CameFrom(method, path, from, form...)
		if a.Find("input[name="+webtest.ProofField+"]").Length() != 1 ||
			a.Find("a[href^='/esqueci-senha']").Length() != 1 {
			t.Fatalf("%s %s: %d", method, path, a.Status)
		}
		return a.Find("main > p a").Last().AttrOr("href", "")
	}
	for from, want := range map[string]string{
		s.URL + "/app/chaves?cursor=x": "/app/chaves?cursor=x", "": "/app", "https://evil.example/app/chaves": "/app",
		s.URL + "/app/chaves/nova": "/app", "://": "/app",
	} {
		if got := cancel(http.MethodGet, "/app/chaves/nova", from); got != want {
			t.Errorf("from %q it leads to %q", from, got)
		}
	}
	if got := cancel(http.MethodPost, "/app/chaves", s.URL+"/app/chaves/nova", "name", "x", webtest.ProofField,
		"wrong horse battery", "garoupa_proof_back", "/app/chaves"); got != "/app/chaves" {
		t.Errorf("after a wrong password it leads to %q", got)
	}
	if got := cancel(http.MethodPost, "/app/chaves", "", "name", "x", "garoupa_proof_back",
		"//evil.example"); got != "/app" {
		t.Errorf("a form leads to %q", got)
	}
}

// Who gave their password a while ago gives it again before a key is made or ended,
// and loses nothing by it.
func TestStepUp(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	s.Clock.Advance(10 * time.Minute)
	if a := c.Get("/app/chaves/nova"); a.Find("input[name=permissions]").Length() == 0 {
		t.Errorf("ten minutes after the log-in: %d", a.Status)
	}
	s.Clock.Advance(time.Second)

	asked := c.Get("/app/chaves/nova?x=1")
	next := asked.Find("main input[name=next]").AttrOr("value", "")
	if asked.Status != http.StatusOK || asked.Find("input[name="+webtest.ProofField+"]").Length() != 1 ||
		asked.Find("input[name=permissions]").Length() != 0 || next != "/app/chaves/nova?x=1" {
		t.Fatalf("later: %d, on to %q", asked.Status, next)
	}
	if a := c.Post("/confirmar", webtest.ProofField, "wrong horse battery", "next",
		next); a.Status != http.StatusUnprocessableEntity ||
		a.Find("main input[name=next]").AttrOr("value", "") != next || strings.Contains(a.Body, "horse") {
		t.Errorf("a wrong password: %d", a.Status)
	}

	// The form was open for long: its fields come along.
	form := []string{"name", "Loja & <Cia>", "permissions", "CHECKOUT:READ", "permissions", "CHECKOUT:CREATE"}
	kept := c.Post("/app/chaves", form...)
	if kept.Status != http.StatusOK || kept.Find("form[action='/app/chaves'] input[type=hidden]").Length() != 3 ||
		s.KeyCount(t) != 0 {
		t.Fatalf("a form sent late: %d, %d keys", kept.Status, s.KeyCount(t))
	}
	if a := c.Post("/app/chaves", append(form, webtest.ProofField,
		"wrong horse battery")...); a.Status != http.StatusUnprocessableEntity || s.KeyCount(t) != 0 ||
		a.Find("input[name=name]").AttrOr("value", "") != "Loja & <Cia>" ||
		a.Find("input[name=permissions]").Length() != 2 {
		t.Errorf("with a wrong password: %d, %d keys", a.Status, s.KeyCount(t))
	}
	if a := c.Post("/app/chaves", append(form, webtest.ProofField,
		paymentstest.Password)...); a.Status != http.StatusOK ||
		!strings.Contains(a.Text(), "Loja & <Cia>") || s.KeyCount(t) != 1 {
		t.Errorf("with the password: %d, %d keys", a.Status, s.KeyCount(t))
	}
	if a := c.Get("/app/chaves/nova"); a.Find("input[name=permissions]").Length() == 0 {
		t.Errorf("right after: %d", a.Status)
	}

	s.Clock.Advance(time.Hour)
	if a := c.Post("/confirmar", webtest.ProofField, paymentstest.Password, "next",
		next); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != next {
		t.Errorf("proven: %d to %q", a.Status, a.Header.Get("Location"))
	}
	if a := c.Post("/confirmar", webtest.ProofField, paymentstest.Password, "next",
		"https://evil.example"); a.Header.Get("Location") != "/app" {
		t.Errorf("led to %q", a.Header.Get("Location"))
	}
	if a := s.Member(t).Get("/app/chaves/nova"); a.Find("input[name=permissions]").Length() == 0 {
		t.Error("a new log-in proves nothing")
	}
}

// Whatever a stolen session could be made worse by asks again who one is, and does nothing
// until then.
func TestStepUp_Routes(t *testing.T) {
	t.Parallel()
	s := webtest.NewWithPasskeys(t, web.Limits{})
	c := s.Member(t)
	s.Clock.Advance(10*time.Minute + time.Second)
	for _, route := range []string{
		"GET /2fa/ativar", "POST /2fa/ativar", "GET /2fa/passkey", "POST /2fa/passkey", "GET " + webtest.NewEmailPage,
		"POST " + webtest.NewEmailPage,
		"GET " + webtest.SecurityPage + "/senha", "POST " + webtest.SecurityPage + "/2fa/desativar",
		"POST " + webtest.SecurityPage + "/2fa/codigos",
		"POST " + webtest.SecurityPage + "/passkeys/x", "POST " + webtest.SecurityPage + "/passkeys/x/remover",
		"GET /app/chaves/nova", "POST /app/chaves", "GET /app/chaves/x/revogar", "POST /app/chaves/x/revogar",
		"GET /app/webhooks/x/segredo", "POST /app/webhooks/x/segredo/trocar", "POST /app/webhooks/x/segredo/encerrar",
		"GET /app/equipe/convidar", "POST /app/equipe/convites", "POST /app/equipe/convites/x/reenviar",
		"POST /app/equipe/convites/x/cancelar",
		"POST /app/equipe/x/papel", "POST /app/equipe/x/remover", "POST /app/equipe/x/transferir",
		"POST /app/saques", "GET /app/saques/novo/revisar", "POST /app/saques/destinos",
		"GET /app/saques/destinos/novo", "POST /app/saques/destinos/x/remover",
	} {
		method, path, _ := strings.Cut(route, " ")
		if a := c.Do(method, path, url.Values{}); a.Status != http.StatusOK ||
			a.Find("input[name="+webtest.ProofField+"]").Length() != 1 {
			t.Errorf("%s asks nobody who they are: %d to %q", route, a.Status, a.Header.Get("Location"))
		}
	}
}

// A proof of one browser is none of another, and guesses are counted together with
// those at log-in.
func TestStepUp_Limits(t *testing.T) {
	t.Parallel()
	rate, err := ratelimit.Parse("5/m")
	if err != nil {
		t.Fatal(err)
	}
	s := webtest.NewLimited(t, web.Limits{LogIn: ratelimit.New(rate)})
	c, other := s.Member(t), s.Member(t)
	s.Clock.Advance(time.Hour)
	if a := c.Post("/confirmar", webtest.ProofField, paymentstest.Password); a.Status != http.StatusSeeOther {
		t.Fatalf("proven: %d", a.Status)
	}
	if a := other.Get("/app/chaves/nova"); a.Find("input[name="+webtest.ProofField+"]").Length() != 1 {
		t.Error("one browser's proof let another in")
	}
	for i := range 5 {
		if a := other.Post("/confirmar", webtest.ProofField,
			"wrong horse battery"); (a.Status == http.StatusTooManyRequests) != (i == 4) {
			t.Errorf("guess %d: %d", i+1, a.Status)
		}
	}
	if a := other.Post("/app/chaves", "name", "x", "permissions", "CHECKOUT:READ", webtest.ProofField,
		paymentstest.Password); a.Status != http.StatusTooManyRequests || s.KeyCount(t) != 0 {
		t.Errorf("after all guesses: %d", a.Status)
	}
	if a := s.Client(t).Post("/entrar", "email", s.Email, "password",
		paymentstest.Password); a.Status != http.StatusTooManyRequests {
		t.Errorf("and at log-in: %d", a.Status)
	}
	for i := range 6 { // passkeys' answers are counted by themselves
		if a := other.Post("/confirmar", "garoupa_proof_key",
			"{}"); (a.Status == http.StatusTooManyRequests) != (i == 5) {
			t.Errorf("answer %d by a passkey: %d", i+1, a.Status)
		}
	}
	s.GiveRole(t, models.RoleViewer)
	if a := other.Get("/app/chaves/nova"); a.Status != http.StatusForbidden {
		t.Errorf("who may not make keys is asked for the password: %d", a.Status)
	}
}
