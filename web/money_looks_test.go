package web_test

import (
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/browsertest"
)

// treasury is a live account with money, destinations of both rails, and withdrawals
// in every state that a page shows otherwise.
func treasury(t *testing.T) (s *site, withdrawals map[string]string) {
	t.Helper()
	s = newSite(t)
	s.GoLive(t)
	s.Sell(t, "5.4321")
	s.Destination(t, models.RailPix)
	s.Destination(t, models.RailUSDT)
	s.Fund(t, true, 12_345_67)
	s.Fund(t, true, 850_00)
	by := s.Staff(t)
	withdrawals = map[string]string{}
	ask := func(name string, rail models.Rail) *models.Withdrawal {
		s.Clock.Advance(time.Minute)
		in := paymentstest.Withdrawal(rail, 250_00)
		in.By = s.Member()
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
	try(s.StartPayout(t.Context(), by, done.ID))
	try(s.CompleteWithdrawal(t.Context(), by, done.ID, payments.Proof{EndToEndID: "E1234567820260301120000000000001"}))
	refused := ask("rejected", models.RailPix)
	try(s.RejectWithdrawal(t.Context(), by, refused.ID, refused.Version, "DATA_MISMATCH", "O nome do titular é outro na chave."))
	sent := ask("sent", models.RailUSDT)
	try(s.ApproveWithdrawal(t.Context(), by, sent.ID, sent.Version))
	try(s.StartPayout(t.Context(), by, sent.ID))
	ask("review", models.RailPix)
	if _, err := s.BlockAmount(t.Context(), by, s.Account.ID, true, 100_00, "Contestação do pagamento E1234567820260301120000000000009, em análise."); err != nil {
		t.Fatal(err)
	}
	return s, withdrawals
}

// The pages of money, for every eye.
func TestMoney_BrowserLooks(t *testing.T) {
	t.Parallel()
	s, withdrawals := treasury(t)
	paths := map[string]string{
		"balance": "/app/saldo", "balance-none": "/app/saldo?kind=refunds&from=2026-03-01", "withdrawals": "/app/saques", "withdrawals-none": "/app/saques?status=ended&cursor=x",
		"withdraw": "/app/saques/novo?rail=BRL_PIX", "review": "/app/saques/novo/revisar?rail=BRL_PIX&amount=1.000,00", "review-usdt": "/app/saques/novo/revisar?rail=USDT_WALLET&amount=500",
		"destinations": "/app/saques/destinos", "destination-pix": "/app/saques/destinos/novo", "destination-usdt": "/app/saques/destinos/novo?rail=USDT_WALLET",
		"requested": withdrawals["review"] + "/pedido", "home-money": "/app",
	}
	for name, path := range withdrawals {
		paths["withdrawal-"+name] = path
	}
	for name, look := range looks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := logInLive(t, s, look)
			for picture, path := range paths {
				page.Goto(s.url + path)
				see(page, picture+"-"+name)
			}
			page.AllowConsole("422")
			page.Goto(s.url + "/app/saques/novo?rail=BRL_PIX&amount=999999")
			page.Click("main form button.btn-primary")
			page.WaitFocused("#errors")
			see(page, "withdraw-wrong-"+name)
			page.Goto(s.url + "/app/saques/destinos/novo?rail=USDT_WALLET")
			page.Type("#address", "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU8")
			page.Click("main form button.btn-primary")
			page.WaitFocused("#errors")
			see(page, "destination-wrong-"+name)
		})
	}
}

// The same pages in test, before approval, and before there is anything.
func TestMoney_BrowserEmpty(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	page := logIn(t, s, browsertest.Options{})
	for picture, path := range map[string]string{"balance-test": "/app/saldo", "withdrawals-test": "/app/saques", "withdraw-test": "/app/saques/novo", "destinations-test": "/app/saques/destinos"} {
		page.Goto(s.url + path)
		see(page, picture+"-phone")
	}
	page.Click("Produção")
	for picture, path := range map[string]string{"balance-access": "/app/saldo", "withdrawals-access": "/app/saques", "withdraw-access": "/app/saques/novo", "destinations-empty": "/app/saques/destinos"} {
		page.Goto(s.url + path)
		see(page, picture+"-phone")
	}
	s.Approve(t)
	d, err := s.RequestDestination(t.Context(), s.Member(), s.Account.ID, payments.NewDestination{Rail: models.RailPix, Type: "EMAIL", Address: "ana@example.com", HolderName: "Ana Lima"})
	if err == nil {
		err = s.ApproveDestination(t.Context(), s.Staff(t), d.ID, d.Version)
	}
	if err != nil {
		t.Fatal(err)
	}
	for picture, path := range map[string]string{"withdrawals-empty": "/app/saques", "withdraw-held": "/app/saques/novo", "destinations-held": "/app/saques/destinos", "destination-replaces": "/app/saques/destinos/novo"} {
		page.Goto(s.url + path)
		see(page, picture+"-phone")
	}
}

// logInLive opens the dashboard as the owner, in live.
func logInLive(t *testing.T, s *site, look browsertest.Options) *browsertest.Page {
	t.Helper()
	page := logIn(t, s, look)
	page.Click("button[value=live]")
	page.WaitTrue(`document.querySelector("button[value=live]").getAttribute("aria-pressed") == "true"`)
	return page
}
