package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// shows reports whether a page says all of it; amounts have their space.
func shows(t *testing.T, a webtest.Answer, where string, wants ...string) {
	t.Helper()
	text := strings.Join(strings.Fields(strings.ReplaceAll(a.Find(where).Text(), "\u00a0", " ")), " ")
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not show %q: %s", where, want, text)
		}
	}
}

// proposesFee proposes a fee for an account of the console, once and not twice, and
// returns the path of the proposal.
func proposesFee(t *testing.T, c *webtest.Client, account string) (path string) {
	t.Helper()
	form := account + "/tarifa"
	stale := c.Get(form)
	shown, done := carryOut(t, c, form, "outcome", "OWN", "percent", "1,49", "fixed", "0,10",
		"withdrawal", "DEFAULT", "reason", webtest.TermsReason)
	shows(t, shown, "main", "Outra pessoa, com papel de supervisão, precisa aprovar", "de 0,99% para 1,49% + R$ 0,10",
		"R$ 98,41", "R$ 99,01", "As tarifas da sua conta mudam: Ateliê Aurora")
	if strings.Contains(shown.Find("main").Text(), "Saques solicitados") {
		t.Error("the preview names the fee that does not change")
	}
	path = done.Header.Get("Location")
	if !strings.HasPrefix(path, "/ops/tarifas/fpr_") {
		t.Fatalf("proposed: %d %s", done.Status, path)
	}
	again := c.Post(form, append(webtest.HiddenFields(stale), "outcome", "OWN", "percent", "2",
		"withdrawal", "DEFAULT", "reason", webtest.TermsReason, "do", "send")...)
	if again.Status != http.StatusConflict {
		t.Errorf("another form of before: %d", again.Status)
	}
	shows(t, again, "[role=alert]", "Eva Reis")
	if a := c.Get(form); a.Header.Get("Location") != path {
		t.Errorf("while one waits, the form leads to %d %s", a.Status, a.Header.Get("Location"))
	}
	return path
}

// A fee is proposed by one and approved by another, each looking at what it does, and then
// the merchant sees it beside the balance.
func TestOps_Fee(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	eva, _ := s.Console(t, models.StaffReviewer)
	rui, _ := s.Console(t, models.StaffSupervisor)
	account := "/ops/contas/" + s.Account.ID
	shows(t, eva.Get(account), "section[aria-labelledby=card-terms]", "0,99% · da instalação",
		"de R$ 0,01 a R$ 1.000.000,00", "Sempre seguiu a instalação.", "Propor outra tarifa")
	path := proposesFee(t, eva, account)
	shows(t, eva.Get(account), "section[aria-labelledby=card-terms]", "0,99% · da instalação",
		"Aguarda aprovação: 1,49% + R$ 0,10")
	if page := eva.Get(path); page.Find("input[value=APPROVE]").Length() != 0 ||
		page.Find("input[value=WITHDRAW]").Length() != 1 {
		t.Error("the person who proposed may approve, or may not withdraw")
	}
	if a := eva.Post(path, "version", "1", "outcome", "APPROVE", "do", "send"); a.Status != http.StatusForbidden {
		t.Errorf("the person who proposed approves: %d", a.Status)
	}
	if rui.Get("/ops").Find(`main a[href="`+path+`"]`).Length() != 1 ||
		rui.Get("/ops/tarifas").Find(`main a[href="`+path+`"]`).Length() != 1 {
		t.Error("the proposal is in no queue")
	}

	before := s.Checkout(t, payments.NewCheckout{Amount: 100_00})
	s.Clock.Advance(time.Minute)
	shown, done := carryOut(t, rui, path, "outcome", "APPROVE")
	shows(t, shown, "main", "pagam 1,49% + R$ 0,10", "Cobranças criadas antes ficam com a tarifa de antes: 0,99%",
		webtest.TermsReason)
	if done.Header.Get("Location") != path {
		t.Fatalf("approving: %d %s", done.Status, done.Find("main").Text())
	}
	shows(t, rui.Post(path, "version", "1", "outcome", "REJECT", "reason", "Outro motivo qualquer.", "do", "send"),
		"[role=alert]", "Eva Reis")
	s.Clock.Advance(time.Minute)
	after := s.Checkout(t, payments.NewCheckout{Amount: 100_00})
	for c, want := range map[*models.Checkout]money.Cents{before: 99, after: 159} {
		if err := s.SimulatePayment(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
		var fee money.Cents
		if err := s.DB.Pool.QueryRow(t.Context(), "SELECT fee FROM payments WHERE checkout_id = $1",
			c.ID).Scan(&fee); err != nil ||
			fee != want {
			t.Errorf("the fee is %d, %v; want %d", fee, err, want)
		}
	}
	shows(t, rui.Get(account), "section[aria-labelledby=card-terms]", "1,49% + R$ 0,10",
		"Eva Reis propôs, Eva Reis aprovou", webtest.TermsReason)
	m := s.Member(t)
	shows(t, m.Get("/app/saldo"), "#terms", "1,49% + R$ 0,10", "De uma venda de R$ 100,00 você recebe R$ 98,41.")
	shows(t, m.Get("/app/auditoria"), "main", "Tarifa alterada", "0,99%", "1,49% + R$ 0,10")
	if strings.Contains(m.Get("/app/auditoria").Body, "Tarifa proposta") {
		t.Error("the merchant reads of a proposal")
	}
}

// A fee from a later day on is announced to the merchant, and a new one puts an end to it.
func TestOps_FeeLater(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	eva, _ := s.Console(t, models.StaffReviewer)
	rui, _ := s.Console(t, models.StaffSupervisor)
	form := "/ops/contas/" + s.Account.ID + "/tarifa"
	_, done := carryOut(t, eva, form, "outcome", "OWN", "percent", "2", "withdrawal", "OWN", "withdrawalPercent", "0",
		"withdrawalFixed", "1,50", "starts", "2026-03-10", "reason", webtest.TermsReason)
	carryOut(t, rui, done.Header.Get("Location"), "outcome", "APPROVE")
	m := s.Member(t)
	shows(t, m.Get("/app/saldo"), "#terms", "0,99%", "A tarifa por pagamento muda em", "para 2,00%.",
		"Tarifa de saquezero", "A tarifa de saque muda em", "para R$ 1,50.")
	s.Clock.Advance(time.Minute)
	shown, done := carryOut(t, eva, form, "outcome", "DEFAULT", "withdrawal", "DEFAULT", "reason", webtest.TermsReason)
	shows(t, shown, "main", "A mudança marcada para")
	carryOut(t, rui, done.Header.Get("Location"), "outcome", "APPROVE")
	s.Clock.Advance(30 * 24 * time.Hour)
	if fee, err := models.FeeAt(t.Context(), s.DB.Pool, s.Account.ID, s.Clock.Now()); err != nil ||
		fee != (money.Fee{BasisPoints: 99}) {
		t.Errorf("at last the fee is %s, %v", fee, err)
	}
}

// A fee of withdrawals is proposed by one and approved by another in the same form, which
// holds what the account has, so that changing one fee keeps the other. It applies to what is
// requested from then on.
func TestOps_WithdrawalFee(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Service.Withdrawals.Fee = money.Fee{Fixed: 50}
	s.GoLive(t)
	s.Destination(t, models.RailPix)
	s.Fund(t, models.Live, 1_000_00)
	eva, _ := s.Console(t, models.StaffReviewer)
	rui, _ := s.Console(t, models.StaffSupervisor)
	m := s.Member(t)
	s.ToLive(t, m)
	account := "/ops/contas/" + s.Account.ID
	form := account + "/tarifa"
	holds := func(wants ...string) {
		t.Helper()
		page := eva.Get(form)
		for i := 0; i < len(wants); i += 2 {
			typed := page.Find("#"+wants[i]).AttrOr("value", "")
			value := page.Find("[name="+wants[i]+"]:checked").AttrOr("value", typed)
			if value != wants[i+1] {
				t.Errorf("the form's %s is %q, want %q", wants[i], value, wants[i+1])
			}
		}
	}
	approve := func(fields ...string) (shown webtest.Answer) {
		t.Helper()
		s.Clock.Advance(time.Minute)
		_, done := carryOut(t, eva, form, append(fields, "reason", webtest.TermsReason)...)
		shows(t, rui.Get("/ops/tarifas"), "main", "por saque · Eva Reis")
		shown, _ = carryOut(t, rui, done.Header.Get("Location"), "outcome", "APPROVE")
		return shown
	}
	shows(t, rui.Get(account), "section[aria-labelledby=card-terms]", "Tarifa de saqueR$ 0,50 · da instalação")
	shows(t, m.Get("/app/saldo"), "#terms", "Tarifa de saqueR$ 0,50")
	before := s.Withdraw(t, 100_00)
	review := m.Get("/app/saques/novo/revisar?rail=BRL_PIX&amount=100")
	holds("outcome", "DEFAULT", "withdrawal", "DEFAULT", "percent", "", "withdrawalPercent", "")
	shown := approve("outcome", "DEFAULT", "withdrawal", "OWN", "withdrawalPercent", "1,25", "withdrawalFixed", "0,75")
	shows(t, shown, "main", "pagam 1,25% + R$ 0,75.", "Saques solicitados antes ficam com a tarifa de antes: R$ 0,50.",
		"A tarifa de saque passa de R$ 0,50 para 1,25% + R$ 0,75.", "Tarifa de saqueR$ 0,50R$ 2,00")
	if strings.Contains(shown.Find("main").Text(), "A tarifa por pagamento passa") {
		t.Error("the notice names the fee that does not change")
	}
	again := m.Post("/app/saques", append(webtest.HiddenFields(review), "do", "send")...)
	if again.Status != http.StatusConflict {
		t.Errorf("the withdrawal that was reviewed with the fee of before: %d", again.Status)
	}
	shows(t, again, "main", "Algo mudou", "−R$ 2,00")
	done := m.Post("/app/saques", webtest.HiddenFields(again)...)
	if done.Status != http.StatusSeeOther {
		t.Errorf("reviewed again: %d %s", done.Status, done.Find("main").Text())
	}
	for w, want := range map[string]money.Cents{before.ID: 50, s.Withdraw(t, 100_00).ID: 2_00,
		strings.Split(done.Header.Get("Location"), "/")[3]: 2_00} {
		read, err := s.Service.Withdrawal(t.Context(), s.Account.ID, models.Live, w)
		if err != nil || read.Fee != want {
			t.Errorf("the fee is %+v, %v; want %s", read, err, want.Decimal())
		}
	}

	holds("outcome", "DEFAULT", "withdrawal", "OWN", "withdrawalPercent", "1,25", "withdrawalFixed", "0,75")
	approve("outcome", "OWN", "percent", "2",
		"withdrawal", "OWN", "withdrawalPercent", "1,25", "withdrawalFixed", "0,75")
	holds("outcome", "OWN", "percent", "2,00", "fixed", "", "withdrawal", "OWN", "withdrawalPercent", "1,25")
	shows(t, rui.Get(account), "section[aria-labelledby=card-terms]", "Tarifa por pagamento2,00%",
		"Tarifa de saque1,25% + R$ 0,75", "Tarifa por pagamento: a da instalação · Tarifa de saque: 1,25% + R$ 0,75",
		"Tarifa por pagamento: 2,00% · Tarifa de saque: 1,25% + R$ 0,75")
	shows(t, m.Get("/app/auditoria"), "main", "Tarifa de saque", "1,25% + R$ 0,75")
}

// What is wrong with the forms about terms stands beside the fields, and nothing typed is
// lost.
func TestOps_TermsWrong(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	rui, _ := s.Console(t, models.StaffSupervisor)
	account := "/ops/contas/" + s.Account.ID
	for path, cases := range map[string]map[string][]string{
		account + "/tarifa": {
			"outcome": {"percent", "1"}, "percent": {"outcome", "OWN", "percent", "100,01"},
			"fixed":             {"outcome", "OWN", "percent", "1", "fixed", "x"},
			"withdrawal":        {"outcome", "OWN", "percent", "1,23", "withdrawalPercent", "4,56"},
			"withdrawalPercent": {"outcome", "DEFAULT", "withdrawal", "OWN", "withdrawalFixed", "7,89"},
			"withdrawalFixed":   {"withdrawal", "OWN", "withdrawalPercent", "1", "withdrawalFixed", "-1"},
			"starts":            {"outcome", "DEFAULT", "starts", "2026-03-01"},
			"reason":            {"outcome", "DEFAULT", "reason", "curto"},
		},
		account + "/limites": {
			"min": {"min", "0"}, "max": {"min", "10", "max", "9"}, "delay": {"delay", "2161"},
			"hold": {"hold", "-1"}, "endpoints": {"endpoints", "65"},
			"starts": {"starts", "2026-13-01"}, "reason": {"reason", "curto"},
		},
	} {
		for field, form := range cases {
			if field != "reason" {
				form = append(form, "reason", webtest.TermsReason)
			}
			a := rui.Post(path, append(form, "version", "0")...)
			if a.Status != http.StatusUnprocessableEntity || a.Find("#"+field+"-error").Length() != 1 {
				t.Errorf("%s, %s: %d %s", path, field, a.Status, a.Find("#errors").Text())
			}
			for i := 0; i < len(form); i += 2 {
				if !strings.Contains(a.Body, form[i+1]) {
					t.Errorf("%s, %s: %q is lost", path, field, form[i+1])
				}
			}
		}
	}
}

// A supervisor sets limits; the second of two forms learns who was first, and the dashboard
// and the API obey.
func TestOps_Limits(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	eva, _ := s.Console(t, models.StaffReviewer)
	rui, _ := s.Console(t, models.StaffSupervisor)
	form := "/ops/contas/" + s.Account.ID + "/limites"
	if a := eva.Get(form); a.Status != http.StatusForbidden {
		t.Errorf("a reviewer sees the form: %d", a.Status)
	}
	if eva.Get("/ops/contas/"+s.Account.ID).Find(`a[href="`+form+`"]`).Length() != 0 {
		t.Error("a reviewer is led to the form")
	}
	stale := rui.Get(form)
	shown, done := carryOut(t, rui, form, "min", "10", "max", "5.000.000,00", "delay", "1,5", "hold", "",
		"endpoints", "20", "reason", webtest.TermsReason)
	shows(t, shown, "main", "de R$ 10,00 a R$ 5.000.000,00", "90 minutos depois do pagamento", "(igual)",
		"até 20 por projeto", "Os limites da sua conta mudam: Ateliê Aurora")
	if done.Header.Get("Location") != "/ops/contas/"+s.Account.ID {
		t.Fatalf("setting: %d %s", done.Status, done.Find("main").Text())
	}
	second := rui.Post(form, append(webtest.HiddenFields(stale), "min", "1", "reason", webtest.TermsReason,
		"do", "send")...)
	if second.Status != http.StatusConflict || second.Find("#min").AttrOr("value", "") != "1" {
		t.Errorf("the second form: %d", second.Status)
	}
	shows(t, second, "[role=alert]", "Eva Reis")
	shows(t, rui.Get("/ops/contas/"+s.Account.ID), "section[aria-labelledby=card-terms]",
		"de R$ 10,00 a R$ 5.000.000,00", "Eva Reis")

	m := s.Member(t)
	shows(t, m.Get("/app/auditoria"), "main", "Endpoints de webhook por projeto")
	shows(t, m.Get("/app/saldo"), "#terms", "de R$ 10,00 a R$ 5.000.000,00", "90 minutos depois do pagamento")
	page := m.Get("/app/cobrancas/nova")
	typed := append(webtest.HiddenFields(page), "amount", "9,99", "description", "Vaso", "externalId", "1",
		"expiry", "1800")
	if a := m.Post("/app/cobrancas", typed...); a.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Find("#amount-error").Text(), "10,00") {
		t.Errorf("a charge below the least: %d %s", a.Status, a.Find("#errors").Text())
	}
}

// No one of staff decides about the terms of an account that they are a member of, and a
// proposal of a person who left the staff can only be refused.
func TestOps_TermsOwn(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	rui, by := s.Console(t, models.StaffSupervisor)
	eva := s.AddStaff(t, "eva@staff.example", models.StaffReviewer)
	id, err := s.Merchants.ProposeFee(t.Context(), eva, s.Account.ID,
		merchants.NewFeeProposal{Fee: &money.Fee{}, Reason: webtest.TermsReason})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Merchants.SetStaffRole(t.Context(), by, eva.UserID, models.StaffReviewer, ""); err != nil {
		t.Fatal(err)
	}
	path := "/ops/tarifas/" + id
	page := rui.Get(path)
	shows(t, page, "main", "Quem propôs não pode mais propor")
	if a := rui.Post(path, "version", "1", "outcome", "APPROVE", "do",
		"send"); page.Find("input[value=APPROVE]").Length() != 0 || a.Status != http.StatusConflict {
		t.Errorf("it can be approved: %d", a.Status)
	}
	modelstest.Exec(t, s.DB, `INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'VIEWER')`, s.Account.ID,
		by.UserID)
	for path, form := range map[string][]string{
		path: {"version", "1", "outcome", "REJECT", "reason", webtest.TermsReason},
		"/ops/contas/" + s.Account.ID + "/tarifa": {"version", "1", "outcome", "DEFAULT", "withdrawal", "DEFAULT",
			"reason", webtest.TermsReason},
		"/ops/contas/" + s.Account.ID + "/limites": {"version", "0", "reason", webtest.TermsReason},
	} {
		if a := rui.Post(path, append(form, "do", "send")...); a.Status != http.StatusForbidden {
			t.Errorf("a member decides at %s: %d", path, a.Status)
		}
	}
}
