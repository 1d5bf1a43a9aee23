package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// Lists go on for pages, and odd addresses do no harm.
func TestSales_Lists(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for i := range 27 {
		s.Clock.Advance(time.Second)
		s.Sale(t, func(p *merchants.ProductForm) { p.Slug = "p-" + string(rune('a'+i%26)) + string(rune('a'+i/26)) })
	}
	for path, row := range map[string]string{"/app/produtos": `href="/app/produtos/p-`,
		"/app/links": `href="/app/links/plink_`} {
		first := c.Get(path)
		second := c.Get(first.Find("a[rel=next]").AttrOr("href", ""))
		if strings.Count(first.Body, row) != 25 || strings.Count(second.Body, row) != 2 ||
			second.Find("a[rel=prev]").AttrOr("href", "") != path || second.Find("a[rel=next]").Length() != 0 {
			t.Errorf("%s: %d rows, then %d", path, strings.Count(first.Body, row), strings.Count(second.Body, row))
		}
		for _, odd := range []string{"?cursor=x", "?cursor=%00",
			"?cursor=" + strings.TrimPrefix(c.Get("/app/cobrancas").Find("a[rel=next]").AttrOr("href", ""), "?")} {
			if a := c.Get(path + odd); a.Status != http.StatusOK || strings.Count(a.Body, row) != 25 {
				t.Errorf("%s%s: %d", path, odd, a.Status)
			}
		}
	}
	for _, path := range []string{"/app/produtos/nope", "/app/produtos/%00", "/app/produtos/%ff",
		"/app/links/plink_0000000000000000", "/app/links/x", "/app/links/%00", "/app/links/x/qr.svg",
		"/app/links/x/qr.png"} {
		if a := c.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	if a := c.Get("/app/links/novo?product=%00%ff"); a.Status != http.StatusOK {
		t.Errorf("an odd product: %d", a.Status)
	}
}

// Nothing of test shows in live, or the other way round. Live links wait for access.
func TestSales_Environments(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c := s.Member(t)
	c.Post("/app/ambiente", "env", "live")
	for _, path := range []string{"/app/produtos", "/app/links"} {
		if a := c.Get(path); a.Status != http.StatusOK || strings.Contains(a.Body, s.Link) ||
			strings.Contains(a.Find("main").Text(), "Vaso") {
			t.Errorf("%s shows test in live", path)
		}
	}
	if !strings.Contains(c.Get("/app/links").Text(), "dependem do acesso à produção") {
		t.Error("the list does not say what live links wait for")
	}
	for _, path := range []string{"/app/produtos/vaso", "/app/links/" + s.Link, "/app/links/" + s.Link + "/qr.svg",
		"/app/links/" + s.Link + "/qr.png"} {
		if a := c.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s from live: %d", path, a.Status)
		}
	}
	for _, path := range []string{"/app/produtos/vaso", "/app/links/" + s.Link + "/desativar",
		"/app/links/" + s.Link + "/ativar"} {
		if a := c.Post(path, "name", "x", "amount", "1", "paymentCycle", "ONE_TIME"); a.Status != http.StatusNotFound {
			t.Errorf("%s from live: %d", path, a.Status)
		}
	}
	if a := c.Get("/app/links/novo"); a.Status != http.StatusSeeOther {
		t.Errorf("the form in live: %d", a.Status)
	}
	form := []string{"key", "k", "productId", "vaso", "expiresInSeconds", "1800", "returnUrl", "http://loja.example"}
	if a := c.Post("/app/links", form...); a.Header.Get("Location") != "/app/links" {
		t.Errorf("a link in live before approval: %d", a.Status)
	}
	s.Approve(t)
	if a := c.Post("/app/produtos", "name", "Vaso", "amount", "10", "paymentCycle",
		"ONE_TIME"); a.Header.Get("Location") != "/app/produtos/vaso" {
		t.Errorf("the same slug in live: %d", a.Status)
	}
	if a := c.Post("/app/links", form...); !strings.Contains(a.Find("#returnUrl-error").Text(), "https://") {
		t.Errorf("an http address in live: %d", a.Status)
	}
	form[7] = "https://loja.example"
	for column, says := range map[string]string{"suspended": "conta está suspensa",
		"live_blocked": "estão bloqueadas"} {
		modelstest.Exec(t, s.DB, "UPDATE accounts SET suspended = false, live_blocked = false")
		modelstest.Exec(t, s.DB, "UPDATE accounts SET "+column+" = true")
		if a := c.Post("/app/links", form...); a.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(a.Find("#errors").Text(), says) {
			t.Errorf("%s: %d %q", column, a.Status, a.Find("#errors").Text())
		}
	}
	modelstest.Exec(t, s.DB, "UPDATE accounts SET suspended = false, live_blocked = false")
	if a := c.Post("/app/links", form...); a.Status != http.StatusSeeOther || a.Header.Get("Location") == "/app/links" {
		t.Errorf("a live link: %d", a.Status)
	}
}

// Those who may not change products and links see them all the same.
func TestSales_Roles(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	c := s.Member(t)
	link := "/app/links/" + s.Link
	for role, may := range map[models.Role]bool{
		models.RoleOwner: true, models.RoleAdmin: true, models.RoleDeveloper: true, models.RoleFinance: false,
		models.RoleViewer: false,
	} {
		s.GiveRole(t, role)
		for _, path := range []string{"/app/produtos", "/app/produtos/vaso", "/app/links", link} {
			a := c.Get(path)
			if a.Status != http.StatusOK || !strings.Contains(a.Text(), "Vaso Lua Nova") {
				t.Errorf("%s gets %d for %s", role, a.Status, path)
			}
			offers := a.Find(`main form[method=post], main a[href$="/novo"], main a[href*="product="],
				main [commandfor]`).Length() > 0
			if offers != may {
				t.Errorf("%s is offered changes on %s: %v", role, path, offers)
			}
		}
		for _, path := range []string{"/app/produtos/novo", "/app/links/novo"} {
			if a := c.Get(path); (a.Status == http.StatusForbidden) == may {
				t.Errorf("%s gets %d for %s", role, a.Status, path)
			}
		}
		for _, path := range []string{"/app/produtos", "/app/produtos/vaso", "/app/links", link + "/ativar",
			link + "/desativar"} {
			if a := c.Post(path); (a.Status == http.StatusForbidden) == may {
				t.Errorf("%s gets %d for changing %s", role, a.Status, path)
			}
		}
	}
}
