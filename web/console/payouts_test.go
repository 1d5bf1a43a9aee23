package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/web/webtest"
)

// sending gives a withdrawal that is PROCESSING a payout that has left for the bank.
func sending(t *testing.T, s *webtest.Site, id string, at time.Time) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO bank_accounts (id, name, profile, sandbox, pix_key, holder_name, holder_document, created_at)
			SELECT 'bnk_00000000000000000001', 'Conta', 'efi', true, 'k', 'H', '12345678909', $2
			WHERE $1 <> '' ON CONFLICT DO NOTHING`,
		`INSERT INTO payout_attempts (id, withdrawal_id, bank_account_id, amount, status, sending_at, next_look_at,
				created_at)
			SELECT replace($1, '_', '') || 'n1', w.id, 'bnk_00000000000000000001', w.amount - w.fee, 'SENDING',
				$2::timestamptz, $2, $2 FROM withdrawals w WHERE w.id = $1`,
	} {
		if _, err := s.DB.Pool.Exec(t.Context(), statement, id, at); err != nil {
			t.Fatal(err)
		}
	}
}

// While the bank pays, staff are offered nothing to do, and a form that they kept does nothing. After 15 minutes
// they are asked what became of it.
func TestOps_PayoutByBank(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.FundLive(t, 1000_00)
	s.Gateway.Service.Live = psp.None{} // only staff pay
	c, by := s.Console(t, models.StaffReviewer)
	w := s.Withdraw(t, 100_00)
	path := "/ops/saques/" + w.ID
	carryOut(t, c, path, "outcome", "APPROVE")
	if _, err := s.StartPayout(t.Context(), by, w.ID, s.Version(t, w.ID)); err != nil {
		t.Fatal(err)
	}
	kept := webtest.HiddenFields(c.Post(path, "version", "3", "outcome", "FAIL", "reasonCode", "OTHER", "reason",
		paymentstest.Reason))
	sending(t, s, w.ID, s.Clock.Now())
	page := c.Get(path)
	text := page.Find("main").Text()
	for _, want := range []string{"O banco paga este saque", "aguardando o banco",
		strings.ReplaceAll(w.ID, "_", "") + "n1"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if page.Find("form#decision, section[aria-labelledby=decision]").Length() != 0 ||
		page.Find("[name=outcome]").Length() != 0 {
		t.Error("there is something to decide")
	}
	if a := c.Post(path, append(kept, "do", "send")...); a.Status != http.StatusConflict {
		t.Errorf("the kept form is %d", a.Status)
	}
	s.Clock.Advance(payments.PayoutUnknownAfter)
	if text := c.Get("/ops/saques?tab=payout").Find("main").Text(); !strings.Contains(text, "não disse como") {
		t.Error("the queue does not tell")
	}
	page = c.Get(path)
	if !strings.Contains(page.Find("main").Text(), "só se você tem certeza") ||
		page.Find("[name=outcome]").Length() != 2 {
		t.Errorf("it is not asked: %s", page.Find("main").Text())
	}
	modelstest.Exec(t, s.DB, "UPDATE sessions SET proven_at = $1", s.Clock.Now())
	carryOut(t, c, path, "outcome", "COMPLETE", "proof", "E99999999202611251200000000000000")
	if text := c.Get(path).Find("main").Text(); !strings.Contains(text, "Pago em") {
		t.Error("the payout is not shown as paid")
	}
}
