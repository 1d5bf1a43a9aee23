package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/web/webtest"
)

// opsRoutes are the methods and paths of the console, with ids of nothing.
func opsRoutes(s *webtest.Site) map[string][]string {
	routes := map[string][]string{}
	for _, r := range s.App.GetRoutes(true) {
		if path := r.Path; strings.HasPrefix(path, "/ops") && r.Method != http.MethodHead {
			path = strings.NewReplacer(":id", "x", ":switch", "SUSPENDED", ":block", "x").Replace(path)
			routes[path] = append(routes[path], r.Method)
		}
	}
	return routes
}

// A person who is not of staff finds nothing in the console: not its pages, not that they
// are there.
func TestOps_NobodyElse(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	stranger, member := s.Client(t), s.Member(t)
	nothing := strings.ReplaceAll(stranger.Get("/nada").Find("main").Text(), "\n", "")
	routes := opsRoutes(s)
	if len(routes) < 8 {
		t.Fatalf("%d routes", len(routes))
	}
	routes["/ops/"], routes["/ops/nada"], routes["/ops/contas/x/y/z"] = []string{"GET"}, []string{"GET",
		"POST"}, []string{"PUT"}
	for path, methods := range routes {
		for _, method := range append(methods, "DELETE") {
			for who, c := range map[string]*webtest.Client{"a stranger": stranger, "a merchant": member} {
				a := c.Do(method, path, url.Values{"version": {"1"}})
				text := strings.ReplaceAll(a.Find("main").Text(), "\n", "")
				if a.Status != http.StatusNotFound || a.Header.Get("Location") != "" || a.Header.Get("Allow") != "" ||
					strings.Contains(strings.ToLower(a.Body), "opera") {
					t.Errorf("%s %s as %s: %d", method, path, who, a.Status)
				}
				if method == http.MethodGet && text[:20] != nothing[:20] {
					t.Errorf("%s as %s shows %q", path, who, text)
				}
			}
		}
	}
	cross, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/ops/acessos/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	cross.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := http.DefaultClient.Do(cross)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("a form of another site: %d", response.StatusCode)
	}
}

// Staff get every page of the console, with their own frame; reviewers not those of
// supervisors. A session of yesterday has to be begun again.
func TestOps_Staff(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	reviewer, _ := s.Console(t, models.StaffReviewer)
	supervisor, _ := s.Console(t, models.StaffSupervisor)
	for path, methods := range opsRoutes(s) {
		if strings.HasPrefix(path, "/ops/seguranca/") {
			continue // it would end the sessions that ask: TestOps_Security
		}
		if path == "/ops/pulso/events" {
			continue // a stream, which does not end: TestDoors
		}
		supervises := strings.HasPrefix(path, "/ops/auditoria") || strings.HasPrefix(path, "/ops/operadores") ||
			strings.HasPrefix(path, "/ops/motivos") || strings.HasSuffix(path, "/encerrar") ||
			strings.HasSuffix(path, "/limites") || strings.HasPrefix(path, "/ops/bancos/") && path != "/ops/bancos/x"
		for _, method := range methods {
			for c, forbidden := range map[*webtest.Client]bool{reviewer: supervises, supervisor: false} {
				a := c.Do(method, path, url.Values{})
				switch {
				case forbidden && a.Status != http.StatusForbidden, !forbidden && a.Status == http.StatusForbidden:
					t.Errorf("%s %s: %d", method, path, a.Status)
				case !forbidden && method == http.MethodGet && !strings.Contains(path, "/x") &&
					a.Status != http.StatusOK:
					t.Errorf("%s: %d", path, a.Status)
				case a.Status >= 500:
					t.Errorf("%s %s: %d", method, path, a.Status)
				}
			}
		}
	}
	forged, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/ops/contas/"+s.Account.ID+"/notas",
		strings.NewReader("note=x"))
	if err != nil {
		t.Fatal(err)
	}
	forged.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	forged.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := supervisor.HTTP.Do(forged)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("another site's form in the browser of staff: %d", response.StatusCode)
	}
	unproven := s.Client(t)
	unproven.Post("/entrar", "email", "reviewer@staff.example", "password", paymentstest.Password)
	if a := unproven.Get("/ops"); a.Status != http.StatusNotFound {
		t.Errorf("without a code: %d %s", a.Status, a.Header.Get("Location"))
	}
	a := reviewer.Get("/ops")
	if !strings.Contains(a.Find("header").Text(), "Operações") || a.Find("aside").Length() != 0 ||
		a.Find(`a[href="/ops/auditoria"]`).Length() != 0 {
		t.Error("the console looks like the dashboard, or leads where a reviewer may not go")
	}
	if a := reviewer.Get("/app"); a.Header.Get("Location") != "/ops" {
		t.Errorf("staff without an account at /app: %d %s", a.Status, a.Header.Get("Location"))
	}
	s.Clock.Advance(12*time.Hour + time.Second)
	if a := reviewer.Get("/ops/acessos"); a.Header.Get("Location") != "/entrar?next=%2Fops%2Facessos" {
		t.Errorf("after half a day: %d %s", a.Status, a.Header.Get("Location"))
	}
	if a := reviewer.Post("/ops/acessos/x", "version", "1", "reason",
		"O CNPJ não confere"); a.Status != http.StatusUnauthorized ||
		a.Find("input[name=reason]").AttrOr("value", "") != "O CNPJ não confere" {
		t.Errorf("a decision after half a day: %d %s", a.Status, a.Find("main").Text())
	}
}

// Staff who are members of no account change their password, codes and sessions in the
// console, and mails about them lead there.
func TestOps_Security(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffReviewer)
	if a := c.Get("/app/configuracoes/seguranca"); a.Header.Get("Location") != "/ops/seguranca" {
		t.Errorf("where a mail leads: %d to %q", a.Status, a.Header.Get("Location"))
	}
	page := c.Get("/ops/seguranca")
	if page.Status != http.StatusOK || page.Find("header a[href='/ops/seguranca']").Length() != 1 ||
		page.Find("aside").Length() != 0 || strings.Contains(page.Body, "/app/") {
		t.Fatalf("the page: %d", page.Status)
	}
	wrong := c.Post("/ops/seguranca/senha", "current", "wrong", "password", webtest.NewPassword)
	if wrong.Status != http.StatusUnprocessableEntity || wrong.Find("#current-error").Length() != 1 ||
		wrong.Find("form[action='/ops/seguranca/senha']").Length() != 1 {
		t.Errorf("a wrong password: %d", wrong.Status)
	}
	for path, pairs := range map[string][]string{
		"/ops/seguranca/senha":            {"current", paymentstest.Password, "password", webtest.NewPassword},
		"/ops/seguranca/sessoes/encerrar": nil,
	} {
		if a := c.Post(path, pairs...); a.Status != http.StatusSeeOther ||
			a.Header.Get("Location") != "/ops/seguranca" {
			t.Errorf("%s: %d to %q", path, a.Status, a.Header.Get("Location"))
		}
	}
	if a := c.Post("/ops/seguranca/2fa/codigos"); a.Status != http.StatusOK ||
		a.Find("#recovery-codes").Length() != 1 || a.Find("a[href='/ops/seguranca']").Length() == 0 {
		t.Errorf("new codes: %d", a.Status)
	}
	if a := c.Post("/ops/seguranca/2fa/desativar"); a.Status != http.StatusSeeOther ||
		c.Get("/ops/seguranca").Header.Get("Location") != "/2fa/ativar?next=%2Fops%2Fseguranca" {
		t.Errorf("without codes the console stays open: %d", a.Status)
	}
}

// requestAccess asks for production access, by the pages, and returns the path of the request
// in the console.
func requestAccess(t *testing.T, s *webtest.Site, merchant *webtest.Client) string {
	t.Helper()
	merchant.Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	request, err := models.LatestAccessRequest(t.Context(), s.DB, s.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	return "/ops/acessos/" + request.ID
}

// A request waits in the queue and in the list, and its page shows all that was said.
func TestOps_AccessWaits(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffReviewer)
	path := requestAccess(t, s, s.Member(t))
	s.Clock.Advance(5 * time.Hour)
	if a := c.Get("/ops"); a.Find(`main a[href="`+path+`"]`).Length() != 1 ||
		!strings.Contains(a.Find("main").Text(), "há 5 h") || strings.Contains(a.Find("main").Text(), "acima de") {
		t.Errorf("the queue: %s", a.Find("main").Text())
	}
	if a := c.Get("/ops/acessos"); a.Find(`main a[href="`+path+`"]`).Length() != 1 {
		t.Errorf("the list: %s", a.Find("main").Text())
	}
	page := c.Get(path)
	for _, want := range []string{"Aurora Cerâmica Ltda", "12.ABC.345/01DE-35", "(11) 91234-5678",
		"Ana Lima (ana@example.com)", s.Account.ID, "Nenhuma outra conta usa este CNPJ"} {
		if !strings.Contains(page.Find("main").Text(), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
}

// A request is looked at, what the merchant will read is shown first, and then it is
// decided; who comes second learns who was first.
func TestOps_Access(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffReviewer)
	other, _ := s.Console(t, models.StaffSupervisor)
	merchant := s.Member(t)
	path := requestAccess(t, s, merchant)
	version := c.Get(path).Find("input[name=version]").AttrOr("value", "")
	for name, form := range map[string][]string{
		"#outcome-error": {"version", version}, "#reasonCode-error": {"version", version, "outcome", "REJECTED",
			"reason", "Falta o site da loja."},
		"#reason-error": {"version", version, "outcome", "RETURNED", "reasonCode", "INCOMPLETE", "reason", "curto"},
	} {
		if a := c.Post(path, form...); a.Status != http.StatusUnprocessableEntity || a.Find(name).Length() != 1 {
			t.Errorf("%s: %d %s", name, a.Status, a.Find("#errors").Text())
		}
	}
	a := c.Post(path, "version", version, "outcome", "RETURNED", "reasonCode", "INCOMPLETE", "reason",
		"  Qual é o <b>site</b> da loja?\r\nObrigado. ")
	text := a.Find("main").Text()
	if a.Status != http.StatusOK || !strings.Contains(text, "Precisamos de mais uma resposta") ||
		!strings.Contains(text, "Qual é o <b>site</b> da loja?\nObrigado.") ||
		!strings.Contains(text, "Falta uma resposta na sua solicitação: Ateliê Aurora") {
		t.Fatalf("the preview: %d %s", a.Status, text)
	}
	if s.ProductionAccess(t) != models.AccessPendingReview {
		t.Fatal("looking decided")
	}
	sent := webtest.HiddenFields(a)
	if a := c.Post(path,
		append(sent, "do", "edit")...); a.Find("#reason").Text() != "Qual é o <b>site</b> da loja?\nObrigado." ||
		a.Find("input[value=RETURNED][checked]").Length() != 1 {
		t.Error("going back loses what was typed")
	}
	if a := c.Post(path, append(sent, "do", "send")...); a.Header.Get("Location") != path {
		t.Fatalf("deciding: %d %s", a.Status, a.Find("main").Text())
	}
	if text := merchant.Get("/app/producao").Find("main").Text(); !strings.Contains(text,
		"Qual é o <b>site</b> da loja?") {
		t.Errorf("the merchant reads %s", text)
	}

	for _, do := range []string{"", "send"} { // who looked before it was decided
		a := other.Post(path, "version", version, "outcome", "APPROVED", "do", do)
		if text := a.Find("[role=alert]").Text(); a.Status != http.StatusConflict ||
			!strings.Contains(text, "Alterado por Eva Reis") {
			t.Errorf("second: %d %s", a.Status, text)
		}
	}
	if s.ProductionAccess(t) != models.AccessRejected {
		t.Errorf("it is %s", s.ProductionAccess(t))
	}
	if a := c.Get(path); a.Find("main form").Length() != 0 ||
		!strings.Contains(a.Find("main").Text(), "Falta uma resposta") {
		t.Error("a request that was decided can be decided again")
	}
}

// Staff do not decide about accounts of their own, whatever they send.
func TestOps_OwnAccount(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, by := s.Console(t, models.StaffSupervisor)
	s.Member(t).Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	s.Fund(t, models.Test, 10_00)
	request, err := models.LatestAccessRequest(t.Context(), s.DB, s.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, s.DB, "INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'VIEWER')", s.Account.ID,
		by.UserID)
	for path, form := range map[string][]string{
		"/ops/acessos/" + request.ID: {"version", "1", "outcome", "APPROVED", "do", "send"},
		"/ops/contas/" + s.Account.ID + "/travas/SUSPENDED": {"turn", "on", "reason", "Motivo qualquer.", "confirm",
			s.Account.ID[len(s.Account.ID)-4:]},
		"/ops/contas/" + s.Account.ID + "/bloqueios": {"version", "0", "outcome", "TEST", "amount", "0,01", "reason",
			"Motivo qualquer.", "do", "send"},
	} {
		if a := c.Post(path, form...); a.Status != http.StatusForbidden {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	for _, path := range []string{"/ops/acessos/" + request.ID, "/ops/contas/" + s.Account.ID} {
		if a := c.Get(path); a.Status != http.StatusOK ||
			!strings.Contains(a.Find("main").Text(), "Esta conta é sua") || a.Find("main form").Length() != 0 {
			t.Errorf("%s: %d, %d forms", path, a.Status, a.Find("main form").Length())
		}
	}
}

// Whatever staff have in hand leads to the thing.
func TestOps_Find(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c, _ := s.Console(t, models.StaffReviewer)
	checkout := s.Checkout(t, payments.NewCheckout{Amount: 100_00})
	if err := s.SimulatePayment(t.Context(), checkout.ID); err != nil {
		t.Fatal(err)
	}
	s.Member(t).Post("/app/producao/pedido", webtest.AccessAnswers("send")...)
	request, err := models.LatestAccessRequest(t.Context(), s.DB, s.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	one := func(sql string) (value string) {
		t.Helper()
		if err := s.DB.Pool.QueryRow(t.Context(), sql).Scan(&value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	account, charge := "/ops/contas/"+s.Account.ID, "/ops/cobrancas/"+checkout.ID
	for text, want := range map[string]string{
		s.Account.ID: account, " " + s.Owner.UserID + " ": account, s.Test.ProjectID: account, checkout.ID: charge,
		checkout.TxID:                        charge,
		one("SELECT id FROM events LIMIT 1"): charge, one("SELECT id FROM payments"): charge,
		one("SELECT end_to_end_id FROM payments"): charge,
		request.ID: "/ops/acessos/" + request.ID, "Aurora": account, "ANA@example.com": account,
		"12.ABC.345/01DE-35": "/ops/acessos/" + request.ID,
		one("SELECT request_id FROM audit_log WHERE action = 'access.requested'"): account,
	} {
		if a := c.Get("/ops/buscar?q=" + url.QueryEscape(text)); a.Header.Get("Location") != want {
			t.Errorf("%q leads to %d %q, want %q", text, a.Status, a.Header.Get("Location"), want)
		}
	}
	for _, text := range []string{"", "chk_ffffffffffffffffffff", "nada assim", "\x00\xff", "%",
		strings.Repeat("é", 400), "a'b\"c"} {
		if a := c.Get("/ops/buscar?q=" + url.QueryEscape(text)); a.Status != http.StatusOK ||
			!strings.Contains(a.Find("main").Text(), "Nada encontrado") {
			t.Errorf("%q: %d", text, a.Status)
		}
	}
}
