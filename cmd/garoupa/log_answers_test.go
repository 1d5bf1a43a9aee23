package main

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"garoupa/models/modelstest"
)

// The log at its most talkative has no answer of a request for production access: neither as a draft, nor refused,
// sent, looked at or searched for.
func TestAccessAnswers_NotLogged(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "GAROUPA_LOG_LEVEL=debug", "GAROUPA_DEMO=true")
	server := p.serve()
	made := p.demo()
	db, _ := p.open()
	modelstest.Exec(t, db.DB, "UPDATE users SET email_verified_at = now()")
	modelstest.Exec(t, db.DB, "UPDATE accounts SET production_access = 'NOT_REQUESTED'")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	ask := func(method, path string, form url.Values, want int) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		if form != nil {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			request.Header.Set("Sec-Fetch-Site", "same-origin")
		}
		response, err := browser.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if response.Body.Close(); response.StatusCode != want {
			t.Fatalf("%s %s: %d", method, path, response.StatusCode)
		}
	}
	ask(http.MethodPost, "/entrar", url.Values{"email": {made.Owner.Email}, "password": {made.Owner.Password}}, 303)
	answers := url.Values{"legalName": {"Quixaba Vasos Ltda"}, "document": {"52998224725"}, "sells": {"Vasos"},
		"monthlyVolume": {"20.000,00"}, "contactName": {"Josefa Quixaba"}, "contactEmail": {"josefa@quixaba.example"},
		"contactPhone": {"(11) 98765-4321"}, "do": {"save"}}
	ask(http.MethodPost, "/app/producao/pedido", answers, 303)
	answers.Set("do", "send")
	answers.Set("contactPhone", "98765-4321 Quixaba")
	ask(http.MethodPost, "/app/producao/pedido", answers, 422)
	answers.Set("contactPhone", "(11) 98765-4321")
	ask(http.MethodPost, "/app/producao/pedido", answers, 303)
	ask(http.MethodGet, "/app/configuracoes/empresa", nil, 200)
	ask(http.MethodGet, "/ops/buscar?q=52998224725", nil, 404)
	p.stop(server, syscall.SIGTERM)
	log := server.log.String()
	if !strings.Contains(log, "/app/producao/pedido") {
		t.Error("the log has no line of a request, and proves nothing")
	}
	for _, personal := range []string{"Quixaba", "quixaba.example", "52998224725", "529.982.247-25", "98765"} {
		if strings.Contains(log, personal) {
			t.Errorf("the log has %q", personal)
		}
	}
}
