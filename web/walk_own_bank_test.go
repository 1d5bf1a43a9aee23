package web_test

import (
	"testing"

	"garoupa/api"
	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/pix/psp/bank/control"
	"garoupa/web"
	"garoupa/web/webtest"
)

// walkOwnBank sees the pages of a merchant's own bank account, from its proposal to its end.
func walkOwnBank(t *testing.T, w *walk) {
	h := bankstest.New(t)
	s := webtest.Serve(t, h.Gateway, func(o *web.Options) { o.Now, o.Banks = h.Bank.Clock.Now, h.Banks },
		func(*api.Options) {})
	s.Clock.Advance(h.Bank.Clock.Now().Sub(s.Clock.Now())) // of sessions and codes
	page := w.enterLive(t, s)
	page.visit("no-access", "/app/conta-bancaria")
	first := h.ProposeOwn(t, banktest.Serve(t, "generic"))
	page.visit("review", "/app/conta-bancaria")
	rui, _ := s.Console(t, models.StaffSupervisor)
	ops := w.openWith(t, s, "/ops", rui.Cookies()...)
	ops.visits(map[string]string{"ops-list": "/ops/bancos", "ops-review": "/ops/bancos/" + first})
	h.ApproveOwn(t, first)
	ops.visit("ops-waits", "/ops/bancos/"+first)
	page.visit("waits", "/app/conta-bancaria")
	page.Click("form[action$='/descartar'] button")
	page.WaitVisible("main a[href='/app/conta-bancaria/nova']")
	page.look("empty")
	page.visit("new", "/app/conta-bancaria/nova")
	page.Goto(s.URL + "/app/conta-bancaria/nova")
	page.fails("new-wrong")

	own := h.WithOwn(t)
	pay := func(r control.PayRequest, amount int64) {
		c := own.Charge(t, payments.NewCheckout{Amount: 49_90})
		r.Code, r.Amount = c.CopyPaste, amount
		own.Pay(t, r)
		own.Sweep(t)
	}
	pay(control.PayRequest{}, 0)
	if _, err := h.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(h.Bank.Clock.Now().Sub(s.Clock.Now())) // a day later
	page = w.enterLive(t, s)
	page.visits(map[string]string{"active": "/app/conta-bancaria", "balance": "/app/saldo",
		"pix-none": "/app/saldo/avulsos", "credentials": "/app/conta-bancaria/" + own.AccountID + "/credenciais"})
	page.Goto(s.URL + "/app/conta-bancaria/" + own.AccountID + "/credenciais")
	page.fails("credentials-wrong")
	page.Goto(s.URL + "/app/conta-bancaria")
	page.Click("form[action$='/verificar'] button")
	page.WaitVisible("#findings")
	page.look("checked")

	pay(control.PayRequest{}, 40_00)
	pay(control.PayRequest{NoTxID: true}, 12_34)
	open, err := models.Exceptions(t.Context(), h.DB.Pool, models.ExceptionFilter{Open: true, Limit: 9})
	if err != nil || len(open) != 2 {
		t.Fatalf("%d are open, %v", len(open), err)
	}
	page.visits(map[string]string{"pix": "/app/saldo/avulsos", "pix-decide": "/app/saldo/avulsos/" + open[0].PaymentID,
		"balance-open": "/app/saldo"})
	page.Goto(s.URL + "/app/saldo/avulsos/" + open[0].PaymentID)
	page.fails("pix-wrong")
	bia, _ := s.Console(t, models.StaffReviewer)
	w.openWith(t, s, "/ops", bia.Cookies()...).visit("ops-exception", "/ops/excecoes/"+open[0].PaymentID)
	page.Goto(s.URL + "/app/conta-bancaria")
	page.Click("form[action$='/aposentar'] button")
	page.WaitGone("form[action$='/aposentar']")
	page.look("retired")
}
