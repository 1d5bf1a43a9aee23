package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/simulator"
	"garoupa/web/webtest"
)

// A member who handles money gives a part back. What is wrong stays in the form, with the reason.
func TestRefund(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	sold := s.Checkout(t, payments.NewCheckout{Amount: 100_00})
	path := "/app/cobrancas/" + sold.ID + "/devolver"
	if a := c.Get(path); a.Status != http.StatusSeeOther {
		t.Errorf("before it is paid the form is %d", a.Status)
	}
	if err := s.SimulatePayment(t.Context(), sold.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.ConfirmPayment(t.Context(), models.Test, simulator.Pay(sold.TxID, 100_00, s.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, s.DB, `INSERT INTO refunds (id, payment_id, account_id, livemode, amount, reason, created_by,
		created_at) SELECT 'rfd_00000000000000000000', id, $1, false, 4000, 'x', $2, now() FROM payments
		WHERE NOT settles`, s.Account.ID, s.Owner.UserID) // of the duplicate
	form := c.Get(path)
	key := form.Find("input[name=key]").AttrOr("value", "")
	if form.Find("#amount").AttrOr("value", "") != "100,00" || key == "" {
		t.Errorf("the form has the amount %q", form.Find("#amount").AttrOr("value", ""))
	}
	for typed, want := range map[string]string{"": "maior que zero", "abc": "maior que zero", "0": "maior que zero",
		"100,01": "R$ 100,01 é mais do que ainda pode ser devolvido"} {
		a := c.Post(path, "key", key, "amount", typed, "reason", "Veio trocado")
		says := strings.ReplaceAll(a.Find("#errors").Text(), "\u00a0", " ")
		if a.Status != http.StatusUnprocessableEntity || !strings.Contains(says, want) ||
			a.Find("#reason").AttrOr("value", "") != "Veio trocado" {
			t.Errorf("%q answers %d %s", typed, a.Status, says)
		}
	}
	if a := c.Post(path, "key", key, "amount", "30,00"); a.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", a.Status, a.Text())
	}
	if n := modelstest.One[int](t, s.DB, `SELECT count(*) FROM refunds WHERE amount = 3000 AND origin = 'MEMBER'
			AND reason = 'Devolução'`); n != 1 {
		t.Errorf("%d refunds", n)
	}
	if a := c.Get("/app/cobrancas/" + sold.ID); !strings.Contains(a.Text(), "Devolução solicitada ao banco") {
		t.Errorf("the page does not tell of the refund: %s", a.Text())
	}
	for role, want := range map[models.Role]int{models.RoleAdmin: 200, models.RoleFinance: 200,
		models.RoleDeveloper: 403, models.RoleViewer: 403} {
		s.GiveRole(t, role)
		if a := c.Get(path); a.Status != want {
			t.Errorf("%s gets %d", role, a.Status)
		}
		if a := c.Post(path, "key", "other", "amount", "1,00"); (a.Status == 403) != (want == 403) {
			t.Errorf("%s gets %d for a refund", role, a.Status)
		}
	}
	s.GiveRole(t, models.RoleOwner)
	if a := c.Get("/app/cobrancas/chk_00000000000000000000/devolver"); a.Status != http.StatusNotFound {
		t.Errorf("an unknown charge is %d", a.Status)
	}
}

// Members who handle money let a key refund, and stop it. Developers do not.
func TestKeyRefunds(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	s.Key(t, s.Test, models.PermissionCheckoutRead)
	id := modelstest.One[string](t, s.DB, "SELECT id FROM api_keys")
	for _, step := range []struct {
		role   models.Role
		do     string
		status int
		may    bool
	}{
		{models.RoleDeveloper, "devolver", 403, false}, {models.RoleFinance, "devolver", 303, true},
		{models.RoleViewer, "nao-devolver", 403, true}, {models.RoleAdmin, "nao-devolver", 303, false},
	} {
		s.GiveRole(t, step.role)
		if a := c.Post("/app/chaves/" + id + "/" + step.do); a.Status != step.status {
			t.Errorf("%s %s: %d", step.role, step.do, a.Status)
		}
		if may := modelstest.One[bool](t, s.DB, "SELECT refunds FROM api_keys"); may != step.may {
			t.Errorf("after %s by %s the key may refund: %t", step.do, step.role, may)
		}
	}
	const lines = "SELECT count(*) FROM audit_log WHERE action = 'api_key.refunds_changed'"
	if n := modelstest.One[int](t, s.DB, lines); n != 2 {
		t.Errorf("%d lines in the log", n)
	}
	if a := c.Post("/app/chaves/key_00000000000000000000/devolver"); a.Status != http.StatusNotFound {
		t.Errorf("an unknown key: %d", a.Status)
	}
}
