package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// The owner, who has a second factor, requires one of all members. A member without one is led to set one
// up before anything else below /app, and reaches other accounts nevertheless.
func TestTeam_SecondFactor(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	owner := s.Member(t)
	const form = "/app/equipe/segunda-etapa"
	if a := owner.Get("/app/equipe"); a.Find(`form[action="`+form+`"]`).Length() != 0 ||
		!strings.Contains(a.Text(), "Ative primeiro a sua") {
		t.Error("an owner without a second factor may require one")
	}
	if a := owner.Post(form, "required", "on"); a.Header.Get("Location") != "/2fa/ativar?next=/app/equipe" {
		t.Errorf("an owner without a second factor: %d to %q", a.Status, a.Header.Get("Location"))
	}
	m, err := s.Merchants.SignUp(t.Context(), merchants.NewMerchant{Name: "Bia", Business: "Outra",
		Email: "bia@example.com", Password: paymentstest.Password, Verified: true}, "")
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, s.DB, "INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'VIEWER')", s.Account.ID,
		m.UserID)
	bia := s.Client(t)
	bia.Post("/entrar", "email", "bia@example.com", "password", paymentstest.Password)
	bia.Post("/app/contas", "account", s.Account.ID)

	s.Enroll(t, owner, "/2fa/ativar")
	if a := owner.Post(form, "required", "on"); a.Header.Get("Location") != "/app/equipe" {
		t.Fatalf("require: %d to %q", a.Status, a.Header.Get("Location"))
	}
	owner.Post(form, "required", "on")
	if a := owner.Get("/app/equipe"); !strings.Contains(a.Text(), "Exigida de toda a equipe") ||
		!strings.Contains(a.Text(), "1 pessoa ainda não tem") {
		t.Errorf("the page says %s", a.Find("main").Text())
	}
	for _, path := range []string{"/app", "/app/cobrancas?x=1", webtest.SecurityPage} {
		to := webtest.URL(t, bia.Get(path).Header.Get("Location"))
		if to.Path != "/2fa/ativar" || to.Query().Get("need") != "account" || to.Query().Get("next") != path {
			t.Errorf("%s leads a member without a second factor to %s", path, to)
		}
	}
	if a := bia.Post("/app/produtos", "name", "Vaso"); a.Status != http.StatusForbidden ||
		a.Find("main input[name=name][value=Vaso]").Length() != 1 {
		t.Errorf("a form: %d", a.Status)
	}
	if a := bia.Get("/2fa/ativar?need=account&next=/app"); !strings.Contains(a.Text(), "O dono da conta exige") {
		t.Error("the page does not say why")
	}
	if a := bia.Get("/app/contas"); a.Status != http.StatusOK {
		t.Errorf("the way to the other account: %d", a.Status)
	}
	bia.Post("/app/contas", "account", m.AccountID)
	if a := bia.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("the other account: %d", a.Status)
	}
	bia.Post("/app/contas", "account", s.Account.ID)
	s.Enroll(t, bia, "/2fa/ativar?need=account&next=/app")
	if a := bia.Get("/app"); a.Status != http.StatusOK {
		t.Errorf("with a generator: %d", a.Status)
	}
	modelstest.Exec(t, s.DB, "UPDATE sessions SET second_factor = false WHERE user_id = $1", m.UserID)
	if a := bia.Get("/app"); a.Find("input[name="+webtest.ProofField+"]").Length() != 1 {
		t.Errorf("a session of before the generator: %d", a.Status)
	}

	owner.Post(form)
	lines := modelstest.One[string](t, s.DB, `SELECT string_agg(action || ' ' || object_id, ', ' ORDER BY id)
		FROM audit_log WHERE action LIKE 'account.second%'`)
	if want := "account.second_factor_required " + s.Account.ID + ", account.second_factor_optional " +
		s.Account.ID; lines != want {
		t.Errorf("the audit log has %s", lines)
	}
}
