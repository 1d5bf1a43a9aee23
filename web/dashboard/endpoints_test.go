package dashboard_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// One endpoint too many is refused with what was typed, in both languages.
func TestEndpoints_Limit(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for range models.UsualEndpoints {
		s.Endpoint(t, "https://loja.example/hook")
	}
	c := s.Member(t)
	for lang, want := range map[string]string{
		"pt-BR": "já tem tantos endpoints quantos", "en": "already has as many endpoints as",
	} {
		c.Lang = lang
		a := c.Post("/app/webhooks", "url", "https://loja.example/one-more", "types", "checkout.paid")
		if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Text(), want) ||
			a.Find("#url").AttrOr("value", "") != "https://loja.example/one-more" {
			t.Errorf("%s: %d %q", lang, a.Status, a.Find("#errors").Text())
		}
	}
	if n := c.Get("/app/webhooks").Find("main a[href^='/app/webhooks/we_']").Length(); n != models.UsualEndpoints {
		t.Error("the list has " + strconv.Itoa(n))
	}
}

// A list of more endpoints than a page shows goes on, each endpoint on one page with its own counts.
func TestEndpoints_Pages(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	most := int64(25 + 2)
	s.SetLimits(t, models.Limits{WebhookEndpoints: &most})
	for range most {
		s.Endpoint(t, "https://loja.example/hook")
	}
	s.Checkout(t, payments.NewCheckout{})
	modelstest.Exec(t, s.DB, `UPDATE webhook_deliveries
		SET status = 'DELIVERED', attempts = 1, next_attempt_at = NULL, finished_at = created_at`)
	c := s.Member(t)
	seen := map[string]bool{}
	for path, rows := range map[string]int{"/app/webhooks": 25, "": 2} {
		if path == "" {
			path = c.Get("/app/webhooks").Find("main nav a[href*=cursor]").AttrOr("href", "no next page")
		}
		list := c.Get(path)
		endpoints := list.Find("main a[href^='/app/webhooks/we_']")
		if n := strings.Count(endpoints.Text(), "100,0%"); endpoints.Length() != rows || n != rows {
			t.Errorf("%s: %d endpoints, %d of them with their counts", path, endpoints.Length(), n)
		}
		for _, link := range endpoints.EachIter() {
			seen[link.AttrOr("href", "")] = true
		}
	}
	if len(seen) != int(most) {
		t.Errorf("%d endpoints are listed", len(seen))
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for url, want := range map[string]string{
		"": "Digite um endereço", "shop.example/hook": "Digite um endereço",
		"ftp://x": "começar com https:// ou http://", "https://u:p@shop.example": "Tire o usuário e a senha",
		"https://shop.example/#x": "depois do #", "https://shop.example:70000/": "a porta do endereço",
		"http://169.254.169.254/":                           "não é público",
		"https://shop.example/" + strings.Repeat("x", 2048): "até 2048 caracteres",
	} {
		a := c.Post("/app/webhooks", "url", url, "types", "checkout.paid")
		if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#errors").Text(), want) ||
			a.Find("#url").AttrOr("value", "-") != url {
			t.Errorf("%q: %d %q", url, a.Status, a.Find("#errors").Text())
		}
	}
	form := []string{"url", "https://shop.example/hook", "description", "Loja", "types", "checkout.paid", "key",
		c.Get("/app/webhooks/novo").Find("main input[name=key]").AttrOr("value", "")}
	a := c.Post("/app/webhooks", form...)
	secret := regexp.MustCompile(`whsec_[0-9A-Za-z]{32}`).FindString(a.Body)
	if a.Status != http.StatusOK || secret == "" {
		t.Fatalf("made: %d", a.Status)
	}
	if strings.Contains(a.Text(), "única vez") {
		t.Error("it is said to be shown once, which its page belies")
	}
	if again := c.Post("/app/webhooks", form...); again.Header.Get("Location") != "/app/webhooks" {
		t.Errorf("the answer reloaded: %d", again.Status)
	}
	list := c.Get("/app/webhooks")
	if list.Find("main a[href^='/app/webhooks/we_']").Length() != 1 {
		t.Error("reloading the answer made another")
	}
	id := regexp.MustCompile(`we_[0-9a-f]{20}`).FindString(list.Body)
	a = c.Get("/app/webhooks/" + id)
	if a.Status != http.StatusOK || strings.Contains(a.Body, secret) ||
		!strings.Contains(a.Text(), "whsec_…"+secret[len(secret)-4:]) {
		t.Errorf("its page: %d", a.Status)
	}
	for _, step := range []struct{ path, says string }{
		{"/desativar", "Endpoint desativado"}, {"/ativar", "Endpoint ativado"},
	} {
		if a := c.Post("/app/webhooks/" + id + step.path); a.Status != http.StatusSeeOther ||
			!strings.Contains(c.Get("/app/webhooks/"+id).Text(), step.says) {
			t.Errorf("%s: %d", step.path, a.Status)
		}
	}
	if a := c.Post("/app/webhooks/" + id + "/excluir"); a.Status != http.StatusSeeOther ||
		c.Get("/app/webhooks/"+id).Status != http.StatusNotFound {
		t.Errorf("deleted: %d", a.Status)
	}
}
