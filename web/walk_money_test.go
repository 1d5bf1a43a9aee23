package web_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// walkMoney sees the balance, withdrawals and destinations of a live account.
func walkMoney(t *testing.T, w *walk) {
	s, withdrawals := treasury(t)
	if err := s.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertAccountFee(tx, models.AccountFee{
			AccountID: s.Account.ID, Fee: &money.Fee{BasisPoints: 149, Fixed: 10},
			WithdrawalFee: &money.Fee{Fixed: 1_50}, WrittenAt: s.Clock.Now(),
			ValidFrom: s.Clock.Now().Add(30 * 24 * time.Hour),
		})
	}); err != nil {
		t.Fatal(err)
	}
	sellLive(t, s)
	paths := map[string]string{
		"sales": "/app/saldo/vendas", "sales-none": "/app/saldo/vendas?from=2026-01-01&until=2026-01-31",
		"balance": "/app/saldo", "balance-none": "/app/saldo?kind=refunds&from=2026-03-01",
		"withdrawals": "/app/saques", "withdrawals-none": "/app/saques?status=ended&cursor=" +
			s.Cursor(payments.ListWithdrawals, &models.Position{}),
		"withdraw": "/app/saques/novo?rail=BRL_PIX", "review": "/app/saques/novo/revisar?rail=BRL_PIX&amount=1.000,00",
		"review-usdt":  "/app/saques/novo/revisar?rail=USDT_WALLET&amount=500",
		"destinations": "/app/saques/destinos", "destination-pix": "/app/saques/destinos/novo",
		"destination-usdt": "/app/saques/destinos/novo?rail=USDT_WALLET",
		"requested":        withdrawals["review"] + "/pedido", "home": "/app",
	}
	for name, path := range withdrawals {
		paths["withdrawal-"+name] = path
	}
	page := w.enterLive(t, s)
	page.visits(paths)
	page.Goto(s.URL + "/app/saldo/vendas")
	page.Click("details[data-sale] summary")
	page.WaitVisible("details[data-sale][open] a")
	page.look("sales-open")
	page.Goto(s.URL + "/app/saldo/vendas?from=2026-03-02&until=2026-03-01")
	page.look("sales-wrong")
	page.Goto(s.URL + withdrawals["review"])
	page.Click("button[commandfor=cancel]")
	page.WaitVisible("dialog#cancel[open]")
	page.look("cancel")
	page.Goto(s.URL + "/app/saques/novo?rail=BRL_PIX&amount=999999")
	page.fails("withdraw-wrong")
	page.Goto(s.URL + "/app/saques/destinos/novo?rail=USDT_WALLET")
	page.Type("#address", "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU8")
	page.fails("destination-wrong")
	page.Goto(s.URL + "/app/saldo")
	browsertest.Eval[bool](page.Page,
		`!!Object.assign(document.getElementById("from"), { value: "2026-03-02" }) &&
			!!Object.assign(document.getElementById("until"), { value: "2026-03-01" })`)
	browsertest.Eval[bool](page.Page, `document.getElementById("from").form.requestSubmit() ?? true`)
	page.WaitFocused("#errors")
	page.look("balance-wrong")
}

// sellLive makes live sales whose money is not free yet. A part of one of them goes back to its buyer.
func sellLive(t *testing.T, s *webtest.Site) {
	t.Helper()
	s.SetFee(t, money.Fee{BasisPoints: 149, Fixed: 10})
	name := strings.Repeat("Maria Aparecida dos Santos ", 4)
	for i, amount := range []money.Cents{987_654_32, 89_90, 5} {
		charge, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account, paymentstest.Filled(payments.NewCheckout{
			Amount: amount, Customer: payments.Customer{Name: &name}}))
		if err == nil {
			err = s.ConfirmPayment(t.Context(), models.Live, simulator.Pay(charge.TxID, int64(amount), s.Clock.Now()))
		}
		if err == nil && i == 2 { // and some are free tomorrow, others in the next days
			_, err = s.DB.Pool.Exec(t.Context(), `UPDATE checkouts SET settles_at = paid_at
				+ CASE amount WHEN 5 THEN interval '1 day' ELSE interval '9 days' END WHERE livemode AND
				settlement_status = 'PENDING' AND status = 'PAID' AND amount <> 98765432`)
		}
		if err == nil && i == 1 {
			_, err = s.RefundPayment(t.Context(), s.Staff(t), payments.NewRefund{Amount: 20_00,
				Reason: paymentstest.Reason,
				PaymentID: modelstest.One[string](t, s.DB, "SELECT id FROM payments WHERE checkout_id = $1",
					charge.ID)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// treasury is a live account with money, destinations of both rails, and withdrawals
// in every state that a page shows otherwise.
func treasury(t *testing.T) (s *webtest.Site, withdrawals map[string]string) {
	t.Helper()
	s = webtest.New(t)
	s.GoLive(t)
	s.Sell(t, "5.4321")
	s.Destination(t, models.RailPix)
	s.Destination(t, models.RailUSDT)
	s.Fund(t, models.Live, 12_345_67)
	s.Fund(t, models.Live, 850_00)
	by := s.Staff(t)
	withdrawals = map[string]string{}
	ask := func(name string, rail models.Rail) *models.Withdrawal {
		s.Clock.Advance(time.Minute)
		in := paymentstest.Withdrawal(rail, 250_00)
		in.By = s.Owner
		w, _, err := s.RequestWithdrawal(t.Context(), s.Account, in)
		if err != nil {
			t.Fatal(err)
		}
		withdrawals[name] = "/app/saques/" + w.ID
		return w
	}
	try := func(_ *models.Withdrawal, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	done := ask("completed", models.RailPix)
	try(s.ApproveWithdrawal(t.Context(), by, done.ID, done.Version))
	try(s.StartPayout(t.Context(), by, done.ID, s.Version(t, done.ID)))
	try(s.CompleteWithdrawal(t.Context(), by, done.ID, s.Version(t, done.ID), payments.Proof{
		EndToEndID: "E1234567820260301120000000000001",
	}))
	taken := ask("cancelled", models.RailPix)
	try(s.CancelWithdrawal(t.Context(), s.Owner, s.Account.ID, taken.ID))
	refused := ask("rejected", models.RailPix)
	try(s.RejectWithdrawal(t.Context(), by, refused.ID, refused.Version, "DATA_MISMATCH",
		"O nome do titular é outro na chave."))
	sent := ask("sent", models.RailUSDT)
	try(s.ApproveWithdrawal(t.Context(), by, sent.ID, sent.Version))
	try(s.StartPayout(t.Context(), by, sent.ID, s.Version(t, sent.ID)))
	ask("review", models.RailPix)
	if _, err := s.BlockAmount(t.Context(), by, payments.NewBlock{
		AccountID: s.Account.ID, Environment: models.Live, Amount: 100_00,
		Reason: "Contestação do pagamento E1234567820260301120000000000009, em análise.",
	}); err != nil {
		t.Fatal(err)
	}
	return s, withdrawals
}
