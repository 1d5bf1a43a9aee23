package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/ratelimit"
	"garoupa/web"
)

const proof = "garoupa_proof"

// Who gave their password a while ago gives it again before a key is made or ended,
// and loses nothing by it.
func TestStepUp(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	s.Clock.Advance(10 * time.Minute)
	if a := c.get("/app/chaves/nova"); a.Find("input[name=permissions]").Length() == 0 {
		t.Errorf("ten minutes after the log-in: %d", a.status)
	}
	s.Clock.Advance(time.Second)

	asked := c.get("/app/chaves/nova?x=1")
	next := asked.Find("main input[name=next]").AttrOr("value", "")
	if asked.status != http.StatusOK || asked.Find("input[name="+proof+"]").Length() != 1 || asked.Find("input[name=permissions]").Length() != 0 || next != "/app/chaves/nova?x=1" {
		t.Fatalf("later: %d, on to %q", asked.status, next)
	}
	if a := c.post("/confirmar", proof, "wrong horse battery", "next", next); a.status != http.StatusUnprocessableEntity ||
		a.Find("main input[name=next]").AttrOr("value", "") != next || strings.Contains(a.body, "horse") {
		t.Errorf("a wrong password: %d", a.status)
	}

	// The form was open for long: its fields come along.
	form := []string{"name", "Loja & <Cia>", "permissions", "CHECKOUT:READ", "permissions", "CHECKOUT:CREATE"}
	kept := c.post("/app/chaves", form...)
	if kept.status != http.StatusOK || kept.Find("form[action='/app/chaves'] input[type=hidden]").Length() != 3 || s.keys(t) != 0 {
		t.Fatalf("a form sent late: %d, %d keys", kept.status, s.keys(t))
	}
	if a := c.post("/app/chaves", append(form, proof, "wrong horse battery")...); a.status != http.StatusUnprocessableEntity || s.keys(t) != 0 ||
		a.Find("input[name=name]").AttrOr("value", "") != "Loja & <Cia>" || a.Find("input[name=permissions]").Length() != 2 {
		t.Errorf("with a wrong password: %d, %d keys", a.status, s.keys(t))
	}
	if a := c.post("/app/chaves", append(form, proof, paymentstest.Password)...); a.status != http.StatusOK || !strings.Contains(a.Text(), "Loja & <Cia>") || s.keys(t) != 1 {
		t.Errorf("with the password: %d, %d keys", a.status, s.keys(t))
	}
	if a := c.get("/app/chaves/nova"); a.Find("input[name=permissions]").Length() == 0 {
		t.Errorf("right after: %d", a.status)
	}

	s.Clock.Advance(time.Hour)
	if a := c.post("/confirmar", proof, paymentstest.Password, "next", next); a.status != http.StatusSeeOther || a.header.Get("Location") != next {
		t.Errorf("proven: %d to %q", a.status, a.header.Get("Location"))
	}
	if a := c.post("/confirmar", proof, paymentstest.Password, "next", "https://evil.example"); a.header.Get("Location") != "/app" {
		t.Errorf("led to %q", a.header.Get("Location"))
	}
	if a := s.member(t).get("/app/chaves/nova"); a.Find("input[name=permissions]").Length() == 0 {
		t.Error("a new log-in proves nothing")
	}
}

// Whatever a stolen session could be made worse by asks again who one is, and does nothing
// until then.
func TestStepUp_Routes(t *testing.T) {
	t.Parallel()
	s := newPasskeySite(t, web.Limits{})
	c := s.member(t)
	s.Clock.Advance(10*time.Minute + time.Second)
	for _, route := range []string{
		"GET /2fa/ativar", "POST /2fa/ativar", "GET /2fa/passkey", "POST /2fa/passkey", "GET " + newEmailPage, "POST " + newEmailPage,
		"GET " + securityPage + "/senha", "POST " + securityPage + "/2fa/desativar", "POST " + securityPage + "/2fa/codigos",
		"POST " + securityPage + "/passkeys/x", "POST " + securityPage + "/passkeys/x/remover",
		"GET /app/chaves/nova", "POST /app/chaves", "GET /app/chaves/x/revogar", "POST /app/chaves/x/revogar",
		"GET /app/webhooks/x/segredo", "POST /app/webhooks/x/segredo/trocar", "POST /app/webhooks/x/segredo/encerrar",
		"GET /app/equipe/convidar", "POST /app/equipe/convites", "POST /app/equipe/convites/x/reenviar", "POST /app/equipe/convites/x/cancelar",
		"POST /app/equipe/x/papel", "POST /app/equipe/x/remover", "POST /app/equipe/x/transferir",
		"POST /app/saques", "GET /app/saques/novo/revisar", "POST /app/saques/destinos", "GET /app/saques/destinos/novo", "POST /app/saques/destinos/x/remover",
	} {
		method, path, _ := strings.Cut(route, " ")
		if a := c.do(method, path, url.Values{}); a.status != http.StatusOK || a.Find("input[name="+proof+"]").Length() != 1 {
			t.Errorf("%s asks nobody who they are: %d to %q", route, a.status, a.header.Get("Location"))
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
	s := newLimitedSite(t, web.Limits{LogIn: ratelimit.New(rate)})
	c, other := s.member(t), s.member(t)
	s.Clock.Advance(time.Hour)
	if a := c.post("/confirmar", proof, paymentstest.Password); a.status != http.StatusSeeOther {
		t.Fatalf("proven: %d", a.status)
	}
	if a := other.get("/app/chaves/nova"); a.Find("input[name="+proof+"]").Length() != 1 {
		t.Error("one browser's proof let another in")
	}
	for i := range 5 {
		if a := other.post("/confirmar", proof, "wrong horse battery"); (a.status == http.StatusTooManyRequests) != (i == 4) {
			t.Errorf("guess %d: %d", i+1, a.status)
		}
	}
	if a := other.post("/app/chaves", "name", "x", "permissions", "CHECKOUT:READ", proof, paymentstest.Password); a.status != http.StatusTooManyRequests || s.keys(t) != 0 {
		t.Errorf("after all guesses: %d", a.status)
	}
	if a := s.client(t).post("/entrar", "email", s.Email, "password", paymentstest.Password); a.status != http.StatusTooManyRequests {
		t.Errorf("and at log-in: %d", a.status)
	}
	for i := range 6 { // passkeys' answers are counted by themselves
		if a := other.post("/confirmar", "garoupa_proof_key", "{}"); (a.status == http.StatusTooManyRequests) != (i == 5) {
			t.Errorf("answer %d by a passkey: %d", i+1, a.status)
		}
	}
	s.GiveRole(t, models.RoleViewer)
	if a := other.get("/app/chaves/nova"); a.status != http.StatusForbidden {
		t.Errorf("who may not make keys is asked for the password: %d", a.status)
	}
}

// keys is how many API keys there are.
func (s *site) keys(t *testing.T) (n int) {
	t.Helper()
	if err := s.DB.Raw("SELECT count(*) FROM api_keys").Row().Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
