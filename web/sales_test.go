package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
)

// Lists go on for pages, and odd addresses do no harm.
func TestSales_Lists(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.member(t)
	for i := range 27 {
		s.Clock.Advance(time.Second)
		s.sale(t, func(p *merchants.ProductForm) { p.Slug = "p-" + string(rune('a'+i%26)) + string(rune('a'+i/26)) })
	}
	for path, row := range map[string]string{"/app/produtos": `href="/app/produtos/p-`, "/app/links": `href="/app/links/plink_`} {
		first := c.get(path)
		second := c.get(first.Find("a[rel=next]").AttrOr("href", ""))
		if strings.Count(first.body, row) != 25 || strings.Count(second.body, row) != 2 || second.Find("a[rel=prev]").AttrOr("href", "") != path || second.Find("a[rel=next]").Length() != 0 {
			t.Errorf("%s: %d rows, then %d", path, strings.Count(first.body, row), strings.Count(second.body, row))
		}
		for _, odd := range []string{"?cursor=x", "?cursor=%00", "?cursor=" + strings.TrimPrefix(c.get("/app/cobrancas").Find("a[rel=next]").AttrOr("href", ""), "?")} {
			if a := c.get(path + odd); a.status != http.StatusOK || strings.Count(a.body, row) != 25 {
				t.Errorf("%s%s: %d", path, odd, a.status)
			}
		}
	}
	for _, path := range []string{"/app/produtos/nope", "/app/produtos/%00", "/app/produtos/%ff", "/app/links/plink_0000000000000000", "/app/links/x", "/app/links/%00", "/app/links/x/qr.svg", "/app/links/x/qr.png"} {
		if a := c.get(path); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	if a := c.get("/app/links/novo?produto=%00%ff"); a.status != http.StatusOK {
		t.Errorf("an odd product: %d", a.status)
	}
}

// Nothing of test shows in live, or the other way round. Live links wait for access.
func TestSales_Environments(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	c := s.member(t)
	c.post("/app/ambiente", "env", "live")
	for _, path := range []string{"/app/produtos", "/app/links"} {
		if a := c.get(path); a.status != http.StatusOK || strings.Contains(a.body, s.link) || strings.Contains(a.Find("main").Text(), "Vaso") {
			t.Errorf("%s shows test in live", path)
		}
	}
	if !strings.Contains(c.get("/app/links").Text(), "dependem do acesso à produção") {
		t.Error("the list does not say what live links wait for")
	}
	for _, path := range []string{"/app/produtos/vaso", "/app/links/" + s.link, "/app/links/" + s.link + "/qr.svg", "/app/links/" + s.link + "/qr.png"} {
		if a := c.get(path); a.status != http.StatusNotFound {
			t.Errorf("%s from live: %d", path, a.status)
		}
	}
	for _, path := range []string{"/app/produtos/vaso", "/app/links/" + s.link + "/desativar", "/app/links/" + s.link + "/ativar"} {
		if a := c.post(path, "name", "x", "amount", "1", "paymentCycle", "ONE_TIME"); a.status != http.StatusNotFound {
			t.Errorf("%s from live: %d", path, a.status)
		}
	}
	if a := c.get("/app/links/novo"); a.status != http.StatusSeeOther {
		t.Errorf("the form in live: %d", a.status)
	}
	form := []string{"key", "k", "productId", "vaso", "expiresInSeconds", "1800", "returnUrl", "http://loja.example"}
	if a := c.post("/app/links", form...); a.header.Get("Location") != "/app/links" {
		t.Errorf("a link in live before approval: %d", a.status)
	}
	s.Approve(t)
	if a := c.post("/app/produtos", "name", "Vaso", "amount", "10", "paymentCycle", "ONE_TIME"); a.header.Get("Location") != "/app/produtos/vaso" {
		t.Errorf("the same slug in live: %d", a.status)
	}
	if a := c.post("/app/links", form...); !strings.Contains(a.Find("#returnUrl-error").Text(), "https://") {
		t.Errorf("an http address in live: %d", a.status)
	}
	form[7] = "https://loja.example"
	for column, says := range map[string]string{"suspended": "conta está suspensa", "live_blocked": "estão bloqueadas"} {
		s.DB.Exec("UPDATE accounts SET suspended = false, live_blocked = false")
		s.DB.Exec("UPDATE accounts SET " + column + " = true")
		if a := c.post("/app/links", form...); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.Find("#errors").Text(), says) {
			t.Errorf("%s: %d %q", column, a.status, a.Find("#errors").Text())
		}
	}
	s.DB.Exec("UPDATE accounts SET suspended = false, live_blocked = false")
	if a := c.post("/app/links", form...); a.status != http.StatusSeeOther || a.header.Get("Location") == "/app/links" {
		t.Errorf("a live link: %d", a.status)
	}
}

// Those who may not change products and links see them all the same.
func TestSales_Roles(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	c := s.member(t)
	link := "/app/links/" + s.link
	for role, may := range map[models.Role]bool{
		models.RoleOwner: true, models.RoleAdmin: true, models.RoleDeveloper: true, models.RoleFinance: false, models.RoleViewer: false,
	} {
		s.GiveRole(t, role)
		for _, path := range []string{"/app/produtos", "/app/produtos/vaso", "/app/links", link} {
			a := c.get(path)
			if a.status != http.StatusOK || !strings.Contains(a.Text(), "Vaso Lua Nova") {
				t.Errorf("%s gets %d for %s", role, a.status, path)
			}
			offers := a.Find(`main form, main a[href$="/novo"], main a[href*="produto="], main [commandfor]`).Length() > 0
			if offers != may {
				t.Errorf("%s is offered changes on %s: %v", role, path, offers)
			}
		}
		for _, path := range []string{"/app/produtos/novo", "/app/links/novo"} {
			if a := c.get(path); (a.status == http.StatusForbidden) == may {
				t.Errorf("%s gets %d for %s", role, a.status, path)
			}
		}
		for _, path := range []string{"/app/produtos", "/app/produtos/vaso", "/app/links", link + "/ativar", link + "/desativar"} {
			if a := c.post(path); (a.status == http.StatusForbidden) == may {
				t.Errorf("%s gets %d for changing %s", role, a.status, path)
			}
		}
	}
}
