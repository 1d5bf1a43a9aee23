package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// shown is the text of a page's main part, on one line.
func shown(a webtest.Answer) string { return strings.Join(strings.Fields(a.Find("main").Text()), " ") }

// Supervisors give roles and take them, and end sessions; the last one stays.
func TestOps_Operators(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, by := s.Console(t, models.StaffSupervisor)
	reviewer, other := s.Console(t, models.StaffReviewer)
	page := c.Get("/ops/operadores")
	for _, want := range []string{"Supervisão", "Analista", "reviewer@staff.example", "1 sessão aberta", "Você"} {
		if !strings.Contains(shown(page), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	own, theirs := "/ops/operadores/"+by.UserID, "/ops/operadores/"+other.UserID
	for name, form := range map[string][]string{"demoted": {"version", "SUPERVISOR", "role", "REVIEWER"},
		"removed": {"version", "SUPERVISOR", "role", "REMOVE"}} {
		if a := c.Post(own, form...); a.Status != http.StatusConflict ||
			!strings.Contains(a.Find("[role=alert]").Text(), "pelo menos uma pessoa na supervisão") {
			t.Errorf("the last supervisor is %s: %d", name, a.Status)
		}
	}
	if a := c.Post(theirs + "/sessoes"); a.Status != http.StatusSeeOther ||
		reviewer.Get("/ops").Status != http.StatusNotFound {
		t.Errorf("their sessions go on: %d", a.Status)
	}
	if a := c.Post(theirs, "version", "REVIEWER", "role", "SUPERVISOR"); a.Status != http.StatusSeeOther {
		t.Errorf("promoting: %d", a.Status)
	}
	if a := c.Post(theirs, "version", "REVIEWER", "role", "REMOVE"); a.Status != http.StatusConflict ||
		!strings.Contains(a.Find("[role=alert]").Text(), "Eva Reis agora") {
		t.Errorf("a form of before: %d", a.Status)
	}
	for _, form := range [][]string{{"version", "SUPERVISOR"}, {"version", "SUPERVISOR", "role", "OWNER"}} {
		if a := c.Post(theirs, form...); a.Status != http.StatusSeeOther {
			t.Errorf("%v: %d", form, a.Status)
		}
	}
	if a := c.Post(theirs, "version", "SUPERVISOR", "role", "REMOVE"); a.Status != http.StatusSeeOther ||
		strings.Contains(shown(c.Get("/ops/operadores")), "reviewer@staff.example") {
		t.Errorf("removing: %d", a.Status)
	}
	trail := shown(c.Get("/ops/auditoria?subject=staff&object=" + other.UserID))
	for _, want := range []string{"Pessoa da equipe removida", "Papel de pessoa da equipe alterado",
		"Sessões de pessoa da equipe encerradas"} {
		if !strings.Contains(trail, want) {
			t.Errorf("the trail lacks %q: %s", want, trail)
		}
	}
	s.Clock.Advance(11 * time.Minute)
	for _, path := range []string{own, own + "/sessoes"} {
		if a := c.Post(path, "version", "SUPERVISOR", "role", "REVIEWER"); a.Status != http.StatusOK ||
			a.Find("input[name=garoupa_proof]").Length() == 0 {
			t.Errorf("later %s does it without asking who one is: %d", path, a.Status)
		}
	}
}

// A charge of any merchant is found by its amount and time, and what its buyer told is
// shown once, and written down.
func TestOps_LookUp(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffSupervisor)
	checkout := s.Checkout(t, payments.NewCheckout{Amount: 123_45})
	s.Checkout(t, payments.NewCheckout{Amount: 99_99})
	short := s.Checkout(t, payments.NewCheckout{Amount: 88_47}) // is paid a cent too little
	if err := s.SimulatePayment(t.Context(), short.ID); err != nil {
		t.Fatal(err)
	}
	day, at := "2026-03-01", s.Clock.Now().Add(-3*time.Hour).Format("15:04")
	find := func(pairs ...string) webtest.Answer {
		query := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			query.Set(pairs[i], pairs[i+1])
		}
		return c.Get("/ops/cobrancas?" + query.Encode())
	}
	charge := "/ops/cobrancas/" + checkout.ID
	for _, form := range [][]string{{"amount", "123,45", "from", day}, {"amount", "123,45", "from", day, "at", at},
		{"amount", "123,45", "from", "2026-02-20", "until", day}} {
		if a := find(form...); a.Status != http.StatusOK || a.Find(`main a[href="`+charge+`"]`).Length() != 1 ||
			a.Find("main ul a").Length() != 1 {
			t.Errorf("%v: %d %s", form, a.Status, shown(a))
		}
	}
	if a := find("amount", "88,46", "from", day); a.Find(`main ul a[href="/ops/cobrancas/`+short.ID+
		`"]`).Length() != 1 {
		t.Errorf("a payment of another amount than its charge's: %d %s", a.Status, shown(a))
	}
	before, after := s.Clock.Now().Add(-3*time.Hour-16*time.Minute).Format("15:04"), s.Clock.Now().Add(-3*time.Hour+
		16*time.Minute).Format("15:04")
	for _, form := range [][]string{
		{"amount", "123,46", "from", day}, {"amount", "123,45", "from", "2026-02-20"},
		{"amount", "88,46", "from", "2026-02-20"},
		{"amount", "123,45", "from", day, "at", before}, {"amount", "123,45", "from", day, "at", after},
	} {
		if a := find(form...); a.Status != http.StatusOK || !strings.Contains(shown(a), "Nada encontrado") {
			t.Errorf("%v: %d %s", form, a.Status, shown(a))
		}
	}
	for field, form := range map[string][]string{
		"#amount-error": {"amount", "x", "from", day}, "#from-error": {"amount", "1,00"},
		"#at-error":    {"amount", "1,00", "from", day, "at", "25:00"},
		"#until-error": {"amount", "1,00", "from", "2026-01-01", "until", "2026-03-01"},
	} {
		if a := find(form...); a.Status != http.StatusUnprocessableEntity || a.Find(field).Length() != 1 {
			t.Errorf("%s: %d", field, a.Status)
		}
	}
}

// The buyer of a checkout is masked, until staff ask to see them; the merchant learns of it.
func TestOps_Buyer(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffSupervisor)
	checkout := s.Checkout(t, payments.NewCheckout{Amount: 123_45,
		Customer: payments.Customer{Name: new("Bia Melo"), Email: new("bia@example.com"),
			Document: new("52998224725")}})
	charge := "/ops/cobrancas/" + checkout.ID
	a := c.Get(charge)
	if text := shown(a); strings.Contains(text, "Bia Melo") || strings.Contains(text, "bia@") ||
		strings.Contains(text, "52998224725") {
		t.Errorf("the buyer is not masked: %s", text)
	}
	reveal, _ := a.Find(`form[action$="/pagador"]`).Attr("action")
	if a := c.Get(reveal); a.Status != http.StatusMethodNotAllowed && a.Status != http.StatusNotFound {
		t.Errorf("a link shows the buyer: %d", a.Status)
	}
	if text := shown(c.Post(reveal)); !strings.Contains(text, "Bia Melo") ||
		!strings.Contains(text, "bia@example.com") || !strings.Contains(text, "52998224725") {
		t.Errorf("the buyer is not shown: %s", text)
	}
	if strings.Contains(shown(c.Get(charge)), "Bia Melo") {
		t.Error("the buyer stays shown")
	}
	if text := shown(c.Get("/ops/auditoria?object=" + checkout.ID)); !strings.Contains(text,
		"Dados do pagador vistos") || strings.Contains(text, "Bia Melo") {
		t.Errorf("the log says %s", text)
	}
	if text := shown(s.Member(t).Get("/app/auditoria")); !strings.Contains(text, "Dados do pagador vistos") {
		t.Error("the merchant does not learn of it")
	}
}

// deliverFour pays four checkouts and lets their events fail twice, be delivered once, a day
// ago, and wait once.
func deliverFour(t *testing.T, s *webtest.Site) {
	t.Helper()
	for range 4 {
		checkout := s.Checkout(t, payments.NewCheckout{Amount: 10_00})
		if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
			t.Fatal(err)
		}
	}
	modelstest.Exec(t, s.DB, `UPDATE webhook_deliveries
		SET status = CASE WHEN id IN (SELECT id FROM webhook_deliveries ORDER BY id LIMIT 2) THEN 'FAILED'
			ELSE 'DELIVERED' END,
		attempts = 1, finished_at = created_at, next_attempt_at = NULL`)
	for _, sql := range []string{ // one has yet to be tried, and one is of the day before
		"UPDATE webhook_deliveries SET status = 'PENDING', attempts = 0, finished_at = NULL, next_attempt_at = " +
			"created_at + interval '1 hour' WHERE id = (SELECT max(id) FROM webhook_deliveries)",
		"UPDATE webhook_deliveries SET created_at = created_at - interval '25 hours' WHERE id = (SELECT min(id) FROM " +
			"webhook_deliveries WHERE status = 'DELIVERED')",
	} {
		modelstest.Exec(t, s.DB, sql)
	}
}

// Endpoints of all merchants stand with how much of what they were sent failed, and what
// failed is sent again from there.
func TestOps_Webhooks(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, by := s.Console(t, models.StaffSupervisor)
	endpoint, _ := s.Endpoint(t, "https://loja.example/hook?token=secreto")
	deliverFour(t, s)
	path := "/ops/webhooks/" + endpoint.ID
	if a := c.Get("/ops/webhooks"); a.Find(`main a[href="`+path+`"]`).Length() != 0 {
		t.Error("it does not fail, and is among those that do")
	}
	modelstest.Exec(t, s.DB, "UPDATE webhook_endpoints SET failing_since = $1, troubled_at = $2, failed_events = 2",
		s.Clock.Now(), s.Clock.Now())
	for _, list := range []string{"/ops/webhooks", "/ops/webhooks?tab=all"} {
		a := c.Get(list)
		if text := shown(a); a.Find(`main a[href="`+path+`"]`).Length() != 1 ||
			!strings.Contains(text, "loja.example") || strings.Contains(a.Body, "secreto") ||
			!strings.Contains(text, "% de falhas (2 de 6") {
			t.Errorf("%s: %s", list, text)
		}
	}
	if a := c.Get("/ops"); a.Find(`main a[href="`+path+`"]`).Length() != 1 {
		t.Error("the queue does not show what fails")
	}
	page := c.Get(path)
	if !strings.Contains(shown(page), "2") || page.Find(`form[action="`+path+`/repetir"]`).Length() != 1 ||
		strings.Contains(page.Body, "secreto") {
		t.Fatalf("the endpoint: %s", shown(page))
	}
	form := webtest.HiddenFields(page)
	if a := c.Post(path+"/repetir", form...); a.Header.Get("Location") != path {
		t.Errorf("replaying: %d", a.Status)
	}
	if n := modelstest.One[int](t, s.DB, "SELECT count(*) FROM webhook_deliveries WHERE status = 'PENDING'"); n != 3 {
		t.Errorf("%d are pending", n)
	}
	if text := shown(c.Get("/ops/auditoria?object=" + endpoint.ID)); !strings.Contains(text,
		"Eventos reenviados ao endpoint") || !strings.Contains(text, "Eva Reis") {
		t.Errorf("the log says %s", text)
	}
	modelstest.Exec(t, s.DB, "INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'VIEWER')", s.Account.ID,
		by.UserID)
	if a := c.Post(path+"/repetir", form...); a.Status != http.StatusForbidden {
		t.Errorf("a member of the account: %d", a.Status)
	}
	if err := s.Merchants.DeleteEndpoint(t.Context(), s.Owner, s.Test, endpoint.ID); err != nil {
		t.Fatal(err)
	}
	if a := c.Get("/ops/webhooks?tab=all"); a.Find(`main a[href="`+path+`"]`).Length() != 0 ||
		c.Get(path).Status != http.StatusNotFound {
		t.Error("a deleted endpoint is shown")
	}
}

// Staff note about an account for each other, and see what makes them look twice.
func TestOps_NotesAndRisks(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffSupervisor)
	path := "/ops/contas/" + s.Account.ID
	if a := c.Post(path+"/notas", "note", " "); a.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Find("#note-error").Text(), "Escreva a anotação, de até 2.000 caracteres") {
		t.Errorf("an empty note: %d", a.Status)
	}
	if a := c.Post(path+"/notas", "note",
		"Liguei: <b>é a Ana</b>.\r\nVolta amanhã."); a.Header.Get("Location") != path {
		t.Errorf("a note: %d", a.Status)
	}
	if text := c.Get(path).Find("section[aria-labelledby=card-notes]").Text(); !strings.Contains(text,
		"Liguei: <b>é a Ana</b>.\nVolta amanhã.") || !strings.Contains(text, "Eva Reis") {
		t.Errorf("the note reads %q", text)
	}
	merchant := s.Member(t)
	if text := merchant.Get("/app/auditoria").Body; strings.Contains(text, "Anotação") ||
		strings.Contains(text, "Liguei") {
		t.Error("the merchant learns of the note")
	}
	if _, err := s.DB.Pool.Exec(t.Context(), "DELETE FROM account_notes"); err == nil {
		t.Error("a note can be deleted")
	}

	sun := s.AskForAccess(t, "Padaria Sol", "padaria@example.com", "52998224725")
	s.AskForAccess(t, "Padaria Lua", "lua@example.com", "52998224725")
	if strings.Contains(c.Get("/ops/contas/"+sun.AccountID).Body, "Liguei") {
		t.Error("the note stands with another account, too")
	}
	risks(t, s, c, sun.AccountID)
}

// risks gives an account with another's destination more volume than it declared last, and
// looks at what the list says of both. The other shares a document besides.
func risks(t *testing.T, s *webtest.Site, c *webtest.Client, other string) {
	t.Helper()
	s.GoLive(t)
	s.Fund(t, models.Live, 1_000_00)
	for i, declared := range []int{9_000_00, 500_00} { // the last one counts
		modelstest.Exec(t, s.DB, `INSERT INTO access_requests
			SELECT (jsonb_populate_record(r, jsonb_build_object('id', $1::text, 'account_id', $2::text,
				'status', 'WITHDRAWN', 'document', $1, 'contact_name', $1, 'contact_email', $1,
				'document_digest', '\x' || repeat('11', 32), 'monthly_volume', $3::int,
				'submitted_at', now() + $4::int * interval '1 day'))).*
			FROM access_requests r LIMIT 1`,
			models.NewAccessRequestID(), s.Account.ID, declared, i)
	}
	if _, err := s.RequestDestination(t.Context(), s.Owner, s.Account.ID,
		payments.NewDestination{Rail: models.RailPix, Type: "EMAIL", Address: "a@example.com",
			HolderName: "Ateliê Aurora Ltda"}); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, s.DB, `INSERT INTO destinations
		SELECT (jsonb_populate_record(d, jsonb_build_object('id', $1::text,
		'account_id', $2::text))).* FROM destinations d LIMIT 1`,
		models.NewDestinationID(), other)
	list := c.Get("/ops/contas")
	for id, want := range map[string][]string{
		s.Account.ID: {"Volume acima dos R$\u00a0500,00 declarados", "Conta nova já com volume",
			"Destino em 1 outra conta", "em 30 dias"},
		other: {"Documento em 1 outra conta", "Destino em 1 outra conta"},
	} {
		text := list.Find(`main li:has(a[href="/ops/contas/` + id + `"])`).Text()
		for _, flag := range []string{"Volume acima", "Conta nova", "Documento em", "Destino em", "em 30 dias"} {
			i := slices.IndexFunc(want, func(w string) bool { return strings.Contains(w, flag) })
			if i >= 0 && !strings.Contains(text, want[i]) ||
				i < 0 && flag != "em 30 dias" && strings.Contains(text, flag) {
				t.Errorf("%s: of %q the list says %s", id, flag, text)
			}
		}
	}
	if text := shown(c.Get("/ops/buscar?q=a")); strings.Count(text, "Em análise") != 2 ||
		strings.Count(text, "Aprovado") != 1 {
		t.Errorf("a search does not tell how accounts stand: %s", text)
	}
}

// A withdrawal shows how its amount came out of the balance, and how its destination was
// used; a destination stands beside the one that it replaces.
func TestOps_Compare(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	s.Destination(t, models.RailPix)
	s.Fund(t, models.Live, 1_000_00)
	c, _ := s.Console(t, models.StaffSupervisor) // after the day that money takes: a session does not last
	before, err := s.Books(t.Context(), s.Account.ID, models.Live)
	if err != nil {
		t.Fatal(err)
	}
	w := s.Withdraw(t, 100_00)
	s.Withdraw(t, 50_00)
	text := strings.Join(strings.Fields(c.Get("/ops/saques/"+
		w.ID).Find("section[aria-labelledby=card-balance]").Text()), " ")
	for _, want := range []string{
		"Disponível antes da solicitação" + before.Available.Decimal(), "Disponível logo depois" +
			(before.Available - 100_00).Decimal(), "Disponível agora" + (before.Available - 150_00).Decimal(),
	} {
		plain := strings.NewReplacer("R$", "", "\u00a0", "", " ", "", ".", "", ",", ".").Replace
		if !strings.Contains(plain(text), plain(strings.ReplaceAll(want, ".", ","))) {
			t.Errorf("the math is %q, without %q", text, want)
		}
	}
	page := shown(c.Get("/ops/saques/" + w.ID))
	for _, want := range []string{"Idade do destino", "Nenhum saque concluído para este destino"} {
		if !strings.Contains(page, want) {
			t.Errorf("the withdrawal does not show %q", want)
		}
	}
	s.Clock.Advance(time.Hour)
	second, err := s.RequestDestination(t.Context(), s.Owner, s.Account.ID,
		payments.NewDestination{Rail: models.RailPix, Type: "EMAIL", Address: "novo@example.com",
			HolderName: "Ateliê Aurora Ltda"})
	if err != nil {
		t.Fatal(err)
	}
	diff := strings.Join(strings.Fields(c.Get("/ops/destinos/"+second.ID).Find("section table").Text()), " ")
	if !strings.Contains(diff, "novo@example.com") || !strings.Contains(diff, "Anterior") {
		t.Errorf("the destination is compared as %q", diff)
	}
}
