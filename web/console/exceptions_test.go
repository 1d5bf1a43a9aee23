package console_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
	"garoupa/web/webtest"
)

// nobodys returns the page of a Pix of 10.00 that names no charge.
func nobodys(t *testing.T, s *webtest.Site) (path, paymentID string) {
	t.Helper()
	n := simulator.Pay("desconhecido0000000000000000", 10_00, s.Clock.Now())
	if err := s.ConfirmPayment(t.Context(), models.Live, n); err != nil {
		t.Fatal(err)
	}
	id := modelstest.One[string](t, s.DB, "SELECT id FROM payments WHERE end_to_end_id = $1", n.EndToEndID)
	return "/ops/excecoes/" + id, id
}

// Staff give a Pix that names no charge to an account, by its id or by that of a charge of it.
func TestOps_ExceptionAssigned(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 100_00)
	c, _ := s.Console(t, models.StaffReviewer)
	checkout := s.Fund(t, models.Live, 50_00)
	intest := s.Fund(t, models.Test, 50_00)
	path, _ := nobodys(t, s)
	for _, wrong := range []string{"", "acc_0", "chk_00000000000000000000", "quem?"} {
		a := c.Post(path, "version", "0", "outcome", "ASSIGN", "for", wrong, "reason", paymentstest.Reason)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#for-error").Length() != 1 {
			t.Errorf("%q: %d", wrong, a.Status)
		}
	}
	if _, done := carryOut(t, c, path, "outcome", "ASSIGN", "for", intest.ID, "reason",
		paymentstest.Reason); done.Status != http.StatusUnprocessableEntity || done.Find("#for-error").Length() != 1 {
		t.Errorf("a charge of test: %d", done.Status)
	}
	shown, done := carryOut(t, c, path, "outcome", "ASSIGN", "for", " "+checkout.ID+" ", "reason", paymentstest.Reason)
	if text := shown.Find("main").Text(); !strings.Contains(text, s.Account.Name) ||
		!strings.Contains(text, checkout.ID) || done.Header.Get("Location") != path {
		t.Errorf("the preview is %s, then %d", text, done.Status)
	}
	if a := c.Get(path); !strings.Contains(a.Find("main").Text(), s.Account.Name) ||
		a.Find("[name=for]").Length() != 0 {
		t.Errorf("afterwards: %s", a.Find("main").Text())
	}
	other, _ := nobodys(t, s)
	carryOut(t, c, other, "outcome", "ASSIGN", "for", s.Account.ID, "reason", paymentstest.Reason)
	if b, err := s.Books(t.Context(), s.Account.ID, models.Live); err != nil || b.Available != 170_00 {
		t.Errorf("the books have %+v, %v", b, err)
	}
}

// Money that a bank received is given back by the bank: until it answers there is nothing to decide, and a form
// that was kept does nothing. Its refusal is shown.
func TestOps_ExceptionGivenBack(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 100_00)
	c, _ := s.Console(t, models.StaffReviewer)
	path, id := nobodys(t, s)
	modelstest.Exec(t, s.DB, `INSERT INTO bank_accounts (id, name, profile, sandbox, pix_key, holder_name,
			holder_document, created_at)
		VALUES ('bnk_00000000000000000001', 'Conta', 'efi', true, 'k', 'H', '12345678909', now())`)
	modelstest.Exec(t, s.DB, "ALTER TABLE payments DISABLE TRIGGER payments_final")
	modelstest.Exec(t, s.DB, "UPDATE payments SET bank_account_id = 'bnk_00000000000000000001' WHERE id = $1", id)
	if a := c.Post(path, "version", "0", "outcome", "REFUNDED", "reason", paymentstest.Reason); a.Status !=
		http.StatusUnprocessableEntity || a.Find("#proof-error").Length() != 1 {
		t.Errorf("by hand, without its id: %d", a.Status)
	}
	kept, done := carryOut(t, c, path, "outcome", "GIVE_BACK", "reason", paymentstest.Reason)
	if done.Header.Get("Location") != path {
		t.Fatalf("asking: %d", done.Status)
	}
	a := c.Get(path)
	if !strings.Contains(a.Find("main").Text(), "Devolução solicitada ao banco") ||
		a.Find("[name=outcome]").Length() != 0 {
		t.Errorf("while the bank is asked: %s", a.Find("main").Text())
	}
	again := append(webtest.HiddenFields(kept), "do", "send")
	if a := c.Post(path, again...); a.Status != http.StatusConflict {
		t.Errorf("the form again: %d", a.Status)
	}
	modelstest.Exec(t, s.DB, `UPDATE payment_exceptions SET return_status = 'FAILED', return_next_try_at = NULL,
		return_failure = 'Conta do pagador encerrada.', return_ended_at = now() WHERE payment_id = $1`, id)
	if text := c.Get(path).Find("main").Text(); !strings.Contains(text, "O banco não devolveu") ||
		!strings.Contains(text, "Conta do pagador encerrada.") {
		t.Errorf("after a refusal: %s", text)
	}
	if a := c.Post(path, again...); a.Status != http.StatusConflict {
		t.Errorf("the form after the refusal: %d", a.Status)
	}
	modelstest.Exec(t, s.DB, "UPDATE bank_accounts SET status = 'CLOSED'")
	_, done = carryOut(t, c, path, "outcome", "GIVE_BACK", "reason", paymentstest.Reason)
	if done.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(done.Find("#outcome-error").Text(), "o banco não é mais consultado") {
		t.Errorf("at a closed account: %d %q", done.Status, done.Find("#errors").Text())
	}
}
