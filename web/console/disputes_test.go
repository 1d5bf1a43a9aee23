package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// A reviewer records a dispute of which the bank told by its portal.
func TestDisputes_Open(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	paid := s.Fund(t, models.Live, 100_00)
	rui, _ := s.Console(t, models.StaffReviewer)
	payment := modelstest.One[string](t, s.DB, "SELECT id FROM payments")
	open := `a[href="/ops/disputas/nova?payment=` + payment + `"]`
	if a := rui.Get("/ops/cobrancas/" + paid.ID); a.Find(open).Length() != 1 {
		t.Errorf("the charge leads to no form: %s", a.Text())
	}
	day := s.Clock.Now().Add(48 * time.Hour).Format(time.DateOnly)
	form := []string{"payment", payment, "ref", "MED-1", "amount", "60,00", "cause", "Golpe", "answerBy", day}
	for i, wrong := range map[int]string{1: "pay_x", 3: " ", 5: "100,01", 7: "", 9: "ontem"} {
		sent := append([]string(nil), form...)
		sent[i] = wrong
		if a := rui.Post("/ops/disputas/nova", sent...); a.Status != 422 || a.Find("#errors li").Length() != 1 ||
			a.Find("#"+form[i-1]+"-error").Length() != 1 {
			t.Errorf("%s %q is %d %s", form[i-1], wrong, a.Status, a.Find("#errors").Text())
		}
	}
	address := ""
	for range 2 {
		a := rui.Post("/ops/disputas/nova", form...)
		if address = a.Header.Get("Location"); a.Status != http.StatusSeeOther || address == "" {
			t.Fatalf("the form is %d %s", a.Status, a.Text())
		}
	}
	form[3] = "MED-2"
	second := rui.Post("/ops/disputas/nova", form...)
	if to := second.Find("#errors a").AttrOr("href", ""); second.Status != 422 || to != "#payment" ||
		!strings.Contains(second.Find("#payment-error").Text(), "já há uma contestação aberta") {
		t.Errorf("a second dispute is %d and leads to %q", second.Status, to)
	}
	for _, list := range []string{"/ops/disputas", "/ops/disputas?tab=all", "/ops"} {
		if a := rui.Get(list); a.Find(`a[href="`+address+`"]`).Length() == 0 {
			t.Errorf("%s has not the dispute: %s", list, a.Text())
		}
	}
}

// A reviewer brings the answer to a dispute to the bank, and closes it.
func TestDisputes_Close(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	s.Fund(t, models.Live, 100_00)
	rui, by := s.Console(t, models.StaffReviewer)
	d, err := s.OpenDispute(t.Context(), by, payments.NewDispute{BankRef: "MED-1", Cause: "Golpe", Amount: 60_00,
		PaymentID: modelstest.One[string](t, s.DB, "SELECT id FROM payments"), AnswerBy: s.Clock.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	id, address := d.ID, "/ops/disputas/"+d.ID
	if a := rui.Post(address, "outcome", "SENT", "do", "send"); a.Status == http.StatusSeeOther {
		t.Errorf("an answer that is not there was sent: %d", a.Status)
	}
	if _, err := s.AddDisputeFile(t.Context(), s.Owner, s.Account.ID, id,
		payments.NewDisputeFile{Name: "nota.pdf", Content: []byte("%PDF-1.7")}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AnswerDispute(t.Context(), s.Owner, s.Account.ID, id,
		payments.DisputeAnswer{Text: "Foi entregue."}); err != nil {
		t.Fatal(err)
	}
	a := rui.Get(address)
	if !strings.Contains(a.Text(), "Foi entregue.") {
		t.Errorf("the page is %s", a.Text())
	}
	file := rui.Get(a.Find(`a[href*="/arquivos/"]`).AttrOr("href", ""))
	if file.Body != "%PDF-1.7" || !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the file is %d %v", file.Status, file.Header)
	}
	if a := rui.Post(address, "outcome", "SENT"); a.Status != 200 || !strings.Contains(a.Text(), "avisos de prazo") {
		t.Errorf("the preview is %d %s", a.Status, a.Text())
	}
	if a := rui.Post(address, "outcome", "SENT", "do", "send"); a.Status != http.StatusSeeOther {
		t.Errorf("the tick is %d %s", a.Status, a.Text())
	}
	if a := rui.Post("/ops/cobrancas/"+*d.CheckoutID, "version", "0", "outcome", "REFUND", "amount",
		"1,00", "reason", "O produto veio quebrado.", "do",
		"send"); a.Status != 409 || !strings.Contains(a.Text(), "contestou este Pix") {
		t.Errorf("the refund is %d %s", a.Status, a.Text())
	}
	if a := rui.Post(address, "outcome", "CLOSE", "do", "send"); a.Status != 422 {
		t.Errorf("closed without a reason: %d", a.Status)
	}
	if a := rui.Post(address, "outcome", "CLOSE", "reason", "O banco rejeitou a contestação.", "do",
		"send"); a.Status != http.StatusSeeOther {
		t.Errorf("the close is %d %s", a.Status, a.Text())
	}
	if a := rui.Get("/ops/buscar?q=" + id); a.Header.Get("Location") != address &&
		a.Find(`a[href="`+address+`"]`).Length() == 0 {
		t.Errorf("the search is %d %s", a.Status, a.Text())
	}
	const done = "SELECT status || ' ' || (defense_sent_at IS NOT NULL) || ' ' || released FROM disputes"
	if got := modelstest.One[string](t, s.DB, done); got != "WON true 6000" {
		t.Errorf("the dispute is %s", got)
	}
	member := s.Member(t)
	if a := member.Get(address); a.Status != http.StatusNotFound {
		t.Errorf("a member gets %d", a.Status)
	}
}

// Disputes wait by their deadline, or by their amount, and the next one is in the same order.
func TestDisputes_Order(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	rui, by := s.Console(t, models.StaffReviewer)
	opened := map[string]string{}
	for _, d := range []struct {
		ref    string
		amount money.Cents
		within time.Duration
	}{{"MED-1", 20_00, 2 * time.Hour}, {"MED-2", 50_00, 3 * time.Hour}, {"MED-3", 30_00, time.Hour}} {
		s.Clock.Advance(time.Second)
		s.Fund(t, models.Live, 100_00)
		made, err := s.OpenDispute(t.Context(), by, payments.NewDispute{BankRef: d.ref, Cause: "Golpe",
			Amount: d.amount, AnswerBy: s.Clock.Now().Add(d.within),
			PaymentID: modelstest.One[string](t, s.DB, "SELECT id FROM payments ORDER BY recorded_at DESC LIMIT 1")})
		if err != nil {
			t.Fatal(err)
		}
		opened[d.ref] = "/ops/disputas/" + made.ID
	}
	for query, want := range map[string][]string{
		"": {"MED-3", "MED-1", "MED-2"}, "?tab=open&order=amount": {"MED-2", "MED-3", "MED-1"},
	} {
		rows := rui.Get("/ops/disputas" + query).Find("main li[data-key] a")
		for i, ref := range want {
			href := rows.Eq(i).AttrOr("href", "")
			if path, _, _ := strings.Cut(href, "?"); path != opened[ref] {
				t.Errorf("%q: row %d is %s, want %s", query, i, href, ref)
			}
			next := rui.Get(href).Find("a[data-hot=n]").AttrOr("href", "")
			if path, _, _ := strings.Cut(next, "?"); path != opened[want[(i+1)%3]] {
				t.Errorf("%q: after %s comes %s", query, ref, next)
			}
		}
	}
}
