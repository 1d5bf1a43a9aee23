package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/banktest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// atBanks is a site that charges live at the second of two bank accounts; the first is retiring.
func atBanks(t *testing.T) (s *webtest.Site, first, second string) {
	t.Helper()
	s = webtest.Serve(t, paymentstest.NewWith(t, nil), func(*web.Options) {}, func(*api.Options) {})
	s.Clock.Advance(time.Since(s.Clock.Now())) // certificates are valid now
	var ids [2]string
	for i := range ids {
		in := bankstest.Account(t, banktest.Serve(t, "generic"))
		in.Name = []string{"Conta antiga", "Conta nova"}[i]
		id, findings, err := s.Banks.AddHere(t.Context(), in)
		if err != nil {
			t.Fatalf("%v: %+v", err, findings)
		}
		ids[i] = id
	}
	return s, ids[0], ids[1]
}

// fails writes that a bank has not answered for some time, and how many calls it left unanswered.
func fails(t *testing.T, s *webtest.Site, bankAccountID string, ago time.Duration, calls int) {
	t.Helper()
	since := time.Now().Add(-ago)
	modelstest.Exec(t, s.DB, `INSERT INTO bank_states (bank_account_id, last_answer_at, last_failure_at, silent_since,
			last_failure) VALUES ($1, $2::timestamptz - interval '5 s', $2, $2, 'bank: list payments: unavailable')`,
		bankAccountID, since)
	modelstest.Exec(t, s.DB, `INSERT INTO bank_calls VALUES
		($1, date_trunc('hour', now()), 'list payments', 'unavailable', $2, $2, 1)`, bankAccountID, calls)
}

// The health of live follows from the calls of banks: a 503 of the API for another reason is no silence of
// the bank, and a silence shows without a call of the API. Of two banks, one row is red.
func TestHealth_FromBankCalls(t *testing.T) {
	t.Parallel()
	s, first, second := atBanks(t)
	c, _ := s.Console(t, models.StaffReviewer)
	part := func(id string) string {
		t.Helper()
		shown := c.Get("/ops/saude").Find("section[aria-labelledby=health-" + id + "]")
		return strings.Join(strings.Fields(shown.Text()), " ")
	}
	unanswered(t, s, models.Live, 0, 1)
	for _, id := range []string{"live", first, second} {
		if got := part(id); !strings.Contains(got, "Tudo certo") {
			t.Errorf("after 503s of the API %s says %q", id, got)
		}
	}
	if n := c.Get("/ops").Find("section[aria-labelledby=queue-institutions] li").Length(); n != 0 {
		t.Errorf("%d institutions wait", n)
	}
	modelstest.Exec(t, s.DB, "UPDATE bank_accounts SET status = 'RETIRING' WHERE id = $1", second)
	if got := part("live"); !strings.Contains(got, "Nenhuma conta em banco está em uso") {
		t.Errorf("without an active account live says %q", got)
	}
	modelstest.Exec(t, s.DB, "UPDATE bank_accounts SET status = 'ACTIVE' WHERE id = $1", second)
	fails(t, s, second, 20*time.Minute, 7)
	if got := part("live"); !strings.Contains(got, "Precisa de atenção") || !strings.Contains(got, "não respondidas7") {
		t.Errorf("of a silent bank live says %q", got)
	}
	if got := part(second); !strings.Contains(got, "Problema") ||
		!strings.Contains(got, "O banco não responde desde") ||
		!strings.Contains(got, "bank: list payments: unavailable") {
		t.Errorf("the silent bank says %q", got)
	}
	if got := part(first); !strings.Contains(got, "Tudo certo") {
		t.Errorf("the other bank says %q", got)
	}
	queue := c.Get("/ops").Find("section[aria-labelledby=queue-institutions] li")
	if text := queue.Text(); queue.Length() != 1 || !strings.Contains(text, "Conta nova") ||
		!strings.Contains(text, "7 chamadas sem resposta") {
		t.Errorf("waiting: %q", text)
	}
}

// The page of an account shows its calls and its days, and names what differs.
func TestOps_BankDays(t *testing.T) {
	t.Parallel()
	s, first, _ := atBanks(t)
	c, _ := s.Console(t, models.StaffReviewer)
	path := "/ops/bancos/" + first
	shows(t, c.Get(path), "section[aria-labelledby=card-watch]", "Nenhuma ainda")
	shows(t, c.Get(path), "section[aria-labelledby=card-calls]", "Nenhuma chamada em 24 horas.")
	shows(t, c.Get(path), "section[aria-labelledby=card-days]", "Nenhum dia foi comparado ainda.")
	modelstest.Exec(t, s.DB, `INSERT INTO bank_calls VALUES
		($1, date_trunc('hour', now()), 'put charge', 'ok', 8, 1600, 900),
		($1, date_trunc('hour', now()), 'put charge', 'protocol', 2, 400, 300),
		($1, now() - interval '3 days', 'put charge', 'ok', 5, 5, 1)`, first)
	now := time.Now()
	day := models.BankDay{BankAccountID: first, Day: time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC), ComparedAt: &now,
		BankDayCounts: models.BankDayCounts{BankPix: 3, BankPixSum: 130_00, BooksPix: 3, BooksPixSum: 35_00},
		Differing: []models.DifferingPix{{EndToEndID: "E1", Bank: 100_00}, {EndToEndID: "E2", Books: 5_00},
			{EndToEndID: "E3", Bank: 7_00, Books: 8_00}, {EndToEndID: "E4", Bank: 9_00, Books: 9_00, Returned: 1_00}}}
	if err := models.SaveBankDay(t.Context(), s.DB.Pool, &day); err != nil {
		t.Fatal(err)
	}
	day.Day, day.BooksPixSum, day.Differing = day.Day.AddDate(0, 0, 1), 130_00, nil
	if err := models.SaveBankDay(t.Context(), s.DB.Pool, &day); err != nil {
		t.Fatal(err)
	}
	page := c.Get(path)
	shows(t, page, "section[aria-labelledby=card-calls]", "Criar cobrança", "10 chamadas · média 200", "maior 900",
		"2 falharam: resposta que não confere")
	shows(t, page, "section[aria-labelledby=card-watch]", "não concordam em 1 dia",
		"recusou o que o contrato não inclui")
	shows(t, page, "section[aria-labelledby=card-days]", "3 de out. de 2026", "Confere", "3 Pix, R$",
		"2 de out. de 2026", "Diferença", "Só no banco: R$", "Só nos livros: R$", "No banco R$",
		"Devolvido no banco R$")
	if page.Find(`section[aria-labelledby=card-days] a[href="/ops/buscar?q=E2"]`).Length() != 1 ||
		page.Find(`section[aria-labelledby=card-days] a[href="/ops/buscar?q=E1"]`).Length() != 0 {
		t.Error("not exactly what the books have is a link")
	}
	if got := c.Get("/ops/saude").Find("section[aria-labelledby=health-" + first + "]").Text(); !strings.Contains(got,
		"Problema") {
		t.Errorf("the page of health says %q", got)
	}
}

// A retiring account with something open is not closed, and the form says why.
func TestOps_BankClose(t *testing.T) {
	t.Parallel()
	s, first, second := atBanks(t)
	c, _ := s.Console(t, models.StaffSupervisor)
	path := "/ops/bancos/" + first
	if n := c.Get("/ops/bancos/" + second).Find("form[action$='/encerrar']").Length(); n != 0 {
		t.Error("the active account can be closed")
	}
	modelstest.Exec(t, s.DB, `INSERT INTO bank_charges (txid, bank_account_id, project_id, checkout_id, generation,
			amount, expiration, status, next_check_at, created_at)
		VALUES (repeat('a', 26), $1, $2, 'chk_00000000000000000000', 0, 1, 600, 'REMOVING', now(), now())`, first,
		s.Live.ProjectID)
	form := hiddenOf(c, c.Get(path), path+"/encerrar")
	a := c.Post(path+"/encerrar", form...)
	if a.Status != http.StatusConflict {
		t.Errorf("with an open charge: %d", a.Status)
	}
	shows(t, a, "[role=alert]", "ainda tem cobrança aberta")
	modelstest.Exec(t, s.DB, "UPDATE bank_charges SET status = 'REMOVED', next_check_at = NULL")
	if a := c.Post(path+"/encerrar", form...); a.Header.Get("Location") != path {
		t.Errorf("closed: %d %s", a.Status, a.Find("main").Text())
	}
	shows(t, c.Get(path), "main", "Encerrada")
}
