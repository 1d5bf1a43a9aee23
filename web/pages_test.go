package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/ratelimit"
	"garoupa/web"
)

func mustURL(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	name, email, document, phone := "Carla Menezes", "carla@example.com", "52998224725", "+55 11 98765-4321"
	c := s.Checkout(t, payments.NewCheckout{
		Amount: 1234_56, Description: "<b>Café</b>",
		Customer: payments.Customer{Name: &name, Email: &email, Document: &document, Phone: &phone},
	})
	visitor := s.client(t)
	for lang, want := range map[string]string{"pt-BR,pt;q=0.9": "R$\u00a01.234,56", "en-US,en": "R$1,234.56", "ja": "R$\u00a01.234,56"} {
		visitor.lang = lang
		a := visitor.get("/pay/" + c.ID)
		if a.status != http.StatusOK || !strings.Contains(a.Find("h1").Text(), want) || a.Find("#code").AttrOr("value", "") != c.CopyPaste {
			t.Errorf("%s: %d %q", lang, a.status, a.Find("h1").Text())
		}
		if !strings.Contains(a.Text(), "<b>Café</b>") {
			t.Errorf("%s: the description was not escaped", lang)
		}
		for _, private := range []string{"Carla", "carla@", document, "98765"} {
			if strings.Contains(withoutChance(a.body), private) {
				t.Errorf("%s: the page tells who pays: %s", lang, private)
			}
		}
		for header, value := range map[string]string{"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
			if a.header.Get(header) != value {
				t.Errorf("%s is %q", header, a.header.Get(header))
			}
		}
		if policy := a.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is %q", policy)
		}
	}
	visitor.lang = "pt-BR"
	if a := visitor.get("/pay/" + c.ID + "?lang=en"); a.Find("html").AttrOr("lang", "") != "en" {
		t.Error("?lang=en is not English")
	}
}

// Whatever is not a checkout's address gets the same page, which says nothing.
func TestPay_NotFound(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.Checkout(t, payments.NewCheckout{})
	for _, path := range []string{"/pay/chk_00000000000000000000", "/pay/chk_0", "/pay/x", "/pay/" + strings.ToUpper(c.ID), "/pay/%00%ff", "/pay/" + c.ID + "%20", "/pay/chk_0/events", "/pay/chk_0/qr.png", "/qr/chk_0.png"} {
		if a := s.client(t).get(path); a.status != http.StatusNotFound || !strings.Contains(a.Text(), "Não encontramos esta cobrança") {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for _, path := range []string{"/c/" + c.ID, "/c/", "/nope", "/qr/" + c.ID, "/static/nope.css", "/pay"} {
		if a := s.client(t).get(path); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

// Simulation is for test: a live checkout has neither the panel nor the addresses.
func TestPay_Simulate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	visitor := s.client(t)
	for act, want := range map[string]models.CheckoutStatus{"simulate": models.CheckoutPaid, "expire": models.CheckoutExpired} {
		c := s.Checkout(t, payments.NewCheckout{})
		for range 2 { // a double click does no harm
			if a := visitor.post("/pay/" + c.ID + "/" + act); a.status != http.StatusSeeOther || a.header.Get("Location") != "/pay/"+c.ID {
				t.Errorf("%s: %d to %s", act, a.status, a.header.Get("Location"))
			}
		}
		if got, err := s.Service.Checkout(t.Context(), s.Test, c.ID); err != nil || got.Status != want {
			t.Errorf("%s: %s, %v", act, got.Status, err)
		}
	}
	c := s.Checkout(t, payments.NewCheckout{})
	s.DB.Exec("UPDATE checkouts SET livemode = true WHERE id = ?", c.ID)
	if a := visitor.get("/pay/" + c.ID); a.status != http.StatusOK || a.Find("form").Length() != 0 {
		t.Errorf("a live checkout: %d, %d forms", a.status, a.Find("form").Length())
	}
	for _, act := range []string{"simulate", "expire"} {
		if a := visitor.post("/pay/" + c.ID + "/" + act); a.status != http.StatusNotFound {
			t.Errorf("%s of a live checkout: %d", act, a.status)
		}
	}
}

// What a page shows once, it shows once; what another environment has, it does not.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	a := c.post("/app/chaves", "name", "", "permissions", "CHECKOUT:READ")
	if a.status != http.StatusUnprocessableEntity || a.Find("input[value='CHECKOUT:READ'][checked]").Length() != 1 || a.Find("input[value='CHECKOUT:CREATE'][checked]").Length() != 0 {
		t.Errorf("a key without a name: %d", a.status)
	}
	form := []string{"name", "Loja", "permissions", "CHECKOUT:READ", "permissions", "CHECKOUT:CREATE", "key", a.Find("main input[name=key]").AttrOr("value", "")}
	a = c.post("/app/chaves", form...)
	secret := regexp.MustCompile(`svc_test_[0-9A-Za-z]{32}`).FindString(a.body)
	if a.status != http.StatusOK || secret == "" {
		t.Fatalf("made: %d", a.status)
	}
	if again := c.post("/app/chaves", form...); again.status != http.StatusSeeOther || s.keys(t) != 1 {
		t.Errorf("the answer reloaded: %d, %d keys", again.status, s.keys(t))
	}
	a = c.get("/app/chaves")
	if !strings.Contains(a.Find("[role=alert], [role=status]").Text(), "já tinha sido criada") {
		t.Error("it is not told that the key is there already")
	}
	if strings.Contains(a.body, secret) || !strings.Contains(a.Text(), "svc_test_…"+secret[len(secret)-4:]) || !strings.Contains(a.Text(), "Ana Lima") {
		t.Error("the list shows the secret, or not the key")
	}
	id := regexp.MustCompile(`key_[0-9a-f]{20}`).FindString(a.body)
	if a := c.post("/app/chaves/"+id+"/revogar", "confirm", "nope"); a.status != http.StatusUnprocessableEntity {
		t.Errorf("revoked without its last four: %d", a.status)
	}

	c.post("/app/ambiente", "env", "live", "next", "/app/chaves")
	if a := c.get("/app/chaves"); strings.Contains(a.body, id) {
		t.Error("a test key shows in live")
	}
	if a := c.post("/app/chaves/"+id+"/revogar", "confirm", secret[len(secret)-4:]); a.status != http.StatusNotFound {
		t.Errorf("a test key revoked from live: %d", a.status)
	}
	if a := c.post("/app/chaves", "name", "Loja", "permissions", "CHECKOUT:READ"); a.status != http.StatusSeeOther {
		t.Errorf("a live key before approval: %d", a.status)
	}
	c.post("/app/ambiente", "env", "test", "next", "/app/chaves")
	if a := c.post("/app/chaves/"+id+"/revogar", "confirm", secret[len(secret)-4:]); a.status != http.StatusSeeOther {
		t.Errorf("revoked: %d", a.status)
	}
	if a := c.get("/app/chaves"); !strings.Contains(a.Text(), "Chave revogada") {
		t.Error("the list does not say so")
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	for url, want := range map[string]string{
		"": "Digite um endereço", "shop.example/hook": "Digite um endereço", "ftp://x": "começar com https:// ou http://", "https://u:p@shop.example": "Tire o usuário e a senha",
		"https://shop.example/#x": "depois do #", "https://shop.example:70000/": "a porta do endereço", "http://169.254.169.254/": "não é público",
		"https://shop.example/" + strings.Repeat("x", 2048): "até 2048 caracteres",
	} {
		a := c.post("/app/webhooks", "url", url, "types", "checkout.paid")
		if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#errors").Text(), want) || a.Find("#url").AttrOr("value", "-") != url {
			t.Errorf("%q: %d %q", url, a.status, a.Find("#errors").Text())
		}
	}
	form := []string{"url", "https://shop.example/hook", "description", "Loja", "types", "checkout.paid", "key", c.get("/app/webhooks/novo").Find("main input[name=key]").AttrOr("value", "")}
	a := c.post("/app/webhooks", form...)
	secret := regexp.MustCompile(`whsec_[0-9A-Za-z]{32}`).FindString(a.body)
	if a.status != http.StatusOK || secret == "" {
		t.Fatalf("made: %d", a.status)
	}
	if strings.Contains(a.Text(), "única vez") {
		t.Error("it is said to be shown once, which its page belies")
	}
	if again := c.post("/app/webhooks", form...); again.header.Get("Location") != "/app/webhooks" {
		t.Errorf("the answer reloaded: %d", again.status)
	}
	list := c.get("/app/webhooks")
	if list.Find("main a[href^='/app/webhooks/we_']").Length() != 1 {
		t.Error("reloading the answer made another")
	}
	id := regexp.MustCompile(`we_[0-9a-f]{20}`).FindString(list.body)
	a = c.get("/app/webhooks/" + id)
	if a.status != http.StatusOK || strings.Contains(a.body, secret) || !strings.Contains(a.Text(), "whsec_…"+secret[len(secret)-4:]) {
		t.Errorf("its page: %d", a.status)
	}
	for _, step := range []struct{ path, says string }{
		{"/desativar", "Endpoint desativado"}, {"/ativar", "Endpoint ativado"},
	} {
		if a := c.post("/app/webhooks/" + id + step.path); a.status != http.StatusSeeOther || !strings.Contains(c.get("/app/webhooks/"+id).Text(), step.says) {
			t.Errorf("%s: %d", step.path, a.status)
		}
	}
	if a := c.post("/app/webhooks/" + id + "/excluir"); a.status != http.StatusSeeOther || c.get("/app/webhooks/"+id).status != http.StatusNotFound {
		t.Errorf("deleted: %d", a.status)
	}
}

func TestCheckouts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	var ids []string
	for i := range 30 {
		s.Clock.Advance(time.Second)
		ids = append(ids, s.Checkout(t, payments.NewCheckout{ExternalID: "order-" + string(rune('a'+i%26))}).ID)
	}
	first := c.get("/app/cobrancas")
	next := first.Find("a[rel=next]").AttrOr("href", "")
	second := c.get(next)
	for i, id := range ids {
		inFirst, inSecond := strings.Contains(first.body, id), strings.Contains(second.body, id)
		if inFirst == inSecond || inFirst != (i >= 5) {
			t.Errorf("checkout %d: on page one %v, two %v", i, inFirst, inSecond)
		}
	}
	if a := c.get("/app/cobrancas?q=order-a"); strings.Count(a.body, "/app/cobrancas/chk_") == 0 || strings.Contains(a.body, ids[1]) {
		t.Error("search by order")
	}
	if a := c.get("/app/cobrancas?q=" + ids[3]); a.status != http.StatusSeeOther || a.header.Get("Location") != "/app/cobrancas/"+ids[3] {
		t.Errorf("search by id: %d", a.status)
	}
	for _, odd := range []string{"?cursor=nonsense", "?status=NOPE", "?q=%00%ff", "?q=chk_%00", "?cursor=%00"} {
		if a := c.get("/app/cobrancas" + odd); a.status != http.StatusOK {
			t.Errorf("%s: %d", odd, a.status)
		}
	}
	if a := c.post("/app/cobrancas/" + ids[0] + "/cancelar"); a.status != http.StatusSeeOther || !strings.Contains(c.get("/app/cobrancas/"+ids[0]).Text(), "Cobrança cancelada") {
		t.Errorf("cancelled: %d", a.status)
	}
	if a := c.post("/app/cobrancas/" + ids[0] + "/simular"); a.status != http.StatusSeeOther || !strings.Contains(c.get("/app/cobrancas/"+ids[0]).Text(), "não está mais pendente") {
		t.Errorf("paid after that: %d", a.status)
	}
	c.post("/app/ambiente", "env", "live")
	for _, act := range []string{"", "/cancelar", "/simular", "/expirar"} {
		method := http.MethodPost
		if act == "" {
			method = http.MethodGet
		}
		if a := c.do(method, "/app/cobrancas/"+ids[1]+act, url.Values{}); a.status != http.StatusNotFound {
			t.Errorf("%s%s from live: %d", ids[1], act, a.status)
		}
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(t)
	c.post("/preferencias", "lang", "en", "next", "/entrar")
	c.post("/preferencias", "theme", "dark", "next", "/entrar")
	a := c.get("/entrar")
	if a.Find("html").AttrOr("lang", "") != "en" || a.Find("html").AttrOr("data-theme", "") != "dark" {
		t.Error("the choices were not kept")
	}
	if a := c.post("/preferencias", "theme", "", "next", "https://evil.example"); a.header.Get("Location") != "/app" {
		t.Errorf("leads to %s", a.header.Get("Location"))
	}
	if _, set := c.get("/entrar").Find("html").Attr("data-theme"); set {
		t.Error("the system's theme was not restored")
	}
}

// Too many requests of one address are told to wait; others are not.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, web.Limits{
		Pages: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Minute, Burst: 3}),
	})
	c := s.Checkout(t, payments.NewCheckout{})
	visitor := s.client(t)
	for i := range 5 {
		a := visitor.get("/pay/" + c.ID)
		if want := map[bool]int{true: 200, false: 429}[i < 3]; a.status != want || (want == 429) != (a.header.Get("Retry-After") != "") {
			t.Errorf("request %d: %d, Retry-After %q", i+1, a.status, a.header.Get("Retry-After"))
		}
	}
	if a := visitor.get("/qr/" + c.ID + ".png"); a.status != http.StatusTooManyRequests {
		t.Errorf("another public page of the same address: %d", a.status)
	}
	s.Clock.Advance(time.Minute)
	if a := visitor.get("/pay/" + c.ID); a.status != http.StatusOK {
		t.Errorf("a minute later: %d", a.status)
	}
}

// Guessing a password is slow, and the guesser is told for how long to wait.
func TestLimits_LogIn(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, web.Limits{LogIn: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Minute, Burst: 2})})
	visitor := s.client(t)
	for range 2 {
		visitor.post("/entrar", "email", s.Email, "password", "a wrong guess")
	}
	a := visitor.post("/entrar", "email", strings.ToUpper(s.Email), "password", paymentstest.Password)
	if a.status != http.StatusTooManyRequests || !strings.Contains(a.Text(), "Espere 1 min") || a.header.Get("Retry-After") != "60" {
		t.Errorf("the third try: %d, Retry-After %s", a.status, a.header.Get("Retry-After"))
	}
	if a := visitor.post("/entrar", "email", "someone@example.com", "password", "a wrong guess"); a.status != http.StatusUnprocessableEntity {
		t.Errorf("another e-mail: %d", a.status)
	}
	s.Clock.Advance(time.Minute)
	if a := visitor.post("/entrar", "email", s.Email, "password", paymentstest.Password); a.status != http.StatusSeeOther {
		t.Errorf("a minute later: %d", a.status)
	}
}
