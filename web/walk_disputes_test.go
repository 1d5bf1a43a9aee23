package web_test

import (
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// walkDisputes sees contested payments in every state, as members and staff do.
func walkDisputes(t *testing.T, w *walk) {
	s := webtest.New(t)
	s.GoLive(t)
	page := w.enterLive(t, s)
	page.visit("none", "/app/disputas")
	open, defended := s.Contested(t, "MED-1"), s.Contested(t, "MED-2")
	accepted, won := s.Contested(t, "MED-3"), s.Contested(t, "MED-4")
	must := func(_ *models.Dispute, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	file := payments.NewDisputeFile{Name: "Nota fiscal " + strings.Repeat("longa ", 20) + ".pdf",
		Content: []byte("%PDF-1.7\n")}
	for _, d := range []*models.Dispute{open, defended} {
		must(s.AddDisputeFile(t.Context(), s.Owner, s.Account.ID, d.ID, file))
	}
	must(s.AnswerDispute(t.Context(), s.Owner, s.Account.ID, defended.ID, payments.DisputeAnswer{
		Text: "O vaso foi entregue em 3 de maio.\n\nO rastreio é AB123456789BR, e o comprador assinou."}))
	must(s.AnswerDispute(t.Context(), s.Owner, s.Account.ID, accepted.ID, payments.DisputeAnswer{Agrees: true}))
	must(s.CloseDispute(t.Context(), s.Staff(t), won.ID, paymentstest.Reason))
	paths := map[string]string{"list": "/app/disputas", "charge": "/app/cobrancas/" + *open.CheckoutID,
		"balance": "/app/saldo", "answer": "/app/disputas/" + open.ID + "/responder"}
	for name, d := range map[string]*models.Dispute{"open": open, "defended": defended, "accepted": accepted,
		"won": won} {
		paths[name] = "/app/disputas/" + d.ID
	}
	page.visits(paths)
	page.Goto(s.URL + "/app/disputas/" + open.ID + "/responder")
	page.failsBy("answer-wrong", "form[action$='/responder'] button.btn-primary")

	rui, _ := s.Console(t, models.StaffReviewer)
	ops := w.openWith(t, s, "/ops", rui.Cookies()...)
	ops.visits(map[string]string{
		"ops-list": "/ops/disputas", "ops-all": "/ops/disputas?tab=all", "ops-open": "/ops/disputas/" + open.ID,
		"ops-defended": "/ops/disputas/" + defended.ID, "ops-accepted": "/ops/disputas/" + accepted.ID,
		"ops-won": "/ops/disputas/" + won.ID, "ops-new": "/ops/disputas/nova?payment=" + open.PaymentID,
		"ops-charge": "/ops/cobrancas/" + *open.CheckoutID,
	})
	ops.Goto(s.URL + "/ops/disputas/nova")
	ops.fails("ops-new-wrong")
}
