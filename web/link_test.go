package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
)

// sale is a product with a link that sells it, in test unless said otherwise.
type sale struct {
	*site
	scope   models.Scope
	product merchants.ProductForm
	link    string // its id
}

func (s *site) sale(t *testing.T, change func(*merchants.ProductForm)) *sale {
	t.Helper()
	return s.saleIn(t, s.Test, change, payments.NewPaymentLink{})
}

func (s *site) saleIn(t *testing.T, scope models.Scope, change func(*merchants.ProductForm), in payments.NewPaymentLink) *sale {
	t.Helper()
	out := &sale{site: s, scope: scope, product: merchants.ProductForm{
		Slug: "vaso", Name: "Vaso Lua Nova", Description: "Cerâmica azul.", Amount: 1249_90, PaymentCycle: "ONE_TIME", Active: true,
	}}
	if change != nil {
		change(&out.product)
	}
	if _, err := s.Merchants.CreateProduct(t.Context(), s.Owner, scope, out.product); err != nil {
		t.Fatal(err)
	}
	in.ProductSlug, in.ExpiresIn, in.IdempotencyKey, in.RequestHash = out.product.Slug, 30*time.Minute, out.product.Slug, make([]byte, 32)
	link, _, err := s.CreatePaymentLink(t.Context(), scope, s.Account, in)
	if err != nil {
		t.Fatal(err)
	}
	out.link = link.ID
	return out
}

func (s *sale) path() string { return "/l/" + s.link }

// update changes the product.
func (s *sale) update(t *testing.T, change func(*merchants.ProductForm)) {
	t.Helper()
	change(&s.product)
	if err := s.Merchants.UpdateProduct(t.Context(), s.Owner, s.scope, s.product.Slug, s.product); err != nil {
		t.Fatal(err)
	}
}

// checkouts are the ids of all that were made, newest first.
func (s *site) checkouts(t *testing.T) (ids []string) {
	t.Helper()
	if err := s.DB.Raw("SELECT id FROM checkouts ORDER BY created_at DESC, id").Scan(&ids).Error; err != nil {
		t.Fatal(err)
	}
	return ids
}

// buy opens the page and presses the button, and returns where that leads.
func (s *sale) buy(t *testing.T, buyer *client, pairs ...string) string {
	t.Helper()
	token := buyer.get(s.path()).Find("input[name=token]").AttrOr("value", "")
	a := buyer.post(s.path(), append([]string{"token", token}, pairs...)...)
	if a.status != http.StatusSeeOther {
		t.Fatalf("the button answers %d: %s", a.status, a.Find("[role=alert]").Text())
	}
	return a.header.Get("Location")
}

// Opening a link creates nothing, however often and by whomever.
func TestLink_Open(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, func(p *merchants.ProductForm) {
		p.Name, p.Description = `Café <b>"1 & 2"</b>`, "<script>alert(1)</script>\nDuas linhas"
	})
	buyer := s.client(t)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
		a := buyer.do(method, s.path(), nil)
		if a.status != http.StatusOK || a.header.Get("Set-Cookie") != "" || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, cookie %q, %s", method, a.status, a.header.Get("Set-Cookie"), a.header.Get("Cache-Control"))
		}
	}
	if made := s.checkouts(t); len(made) != 0 {
		t.Errorf("opening made %v", made)
	}
	a := buyer.get(s.path())
	if a.Find("h1").Text() != s.product.Name || !strings.Contains(a.Text(), s.product.Description) || a.Find("script, main b, img").Length() != 0 {
		t.Error("the product's texts are not shown as they are")
	}
	if !strings.Contains(a.Text(), "R$\u00a01.249,90") || !strings.Contains(a.Text(), "Ateliê Aurora") || !strings.Contains(a.Text(), "Modo de teste") {
		t.Error("no price, no merchant, or no word that it is a test")
	}
	for property, want := range map[string]string{
		"og:title": s.product.Name + " · R$\u00a01.249,90", "og:description": s.product.Description, "og:image": "",
	} {
		if got := a.Find(`meta[property="`+property+`"]`).AttrOr("content", ""); got != want {
			t.Errorf("%s is %q", property, got)
		}
	}
	buyer.lang = "en-US"
	if a := buyer.get(s.path()); a.Find("html").AttrOr("lang", "") != "en" || !strings.Contains(a.Text(), "R$1,249.90") {
		t.Error("no English")
	}
}

// A browser gets its open checkout again, from the button, the address bar or a
// second press; another browser gets one of its own.
func TestLink_Use(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	buyer := s.client(t)
	first := s.buy(t, buyer, "name", " Carla  Menezes ", "email", "carla@example.com ")
	cookie := mustURL(t, s.url+s.path())
	if kept := buyer.http.Jar.Cookies(cookie); len(kept) != 1 || len(buyer.http.Jar.Cookies(mustURL(t, s.url+"/pay/x"))) != 0 {
		t.Errorf("the browser keeps %v", kept)
	}
	if again := s.buy(t, buyer); again != first {
		t.Errorf("the second press leads to %s, not %s", again, first)
	}
	if other := s.buy(t, s.client(t)); other == first {
		t.Error("two browsers share a checkout")
	}
	id := strings.TrimPrefix(first, "/pay/")
	c, err := s.Service.Checkout(t.Context(), s.Test, id)
	if err != nil {
		t.Fatal(err)
	}
	if c.Amount != 1249_90 || c.Description != "Vaso Lua Nova" || c.ExternalID != s.link || *c.CustomerName != "Carla Menezes" || *c.CustomerEmail != "carla@example.com" ||
		string(c.Metadata) != `{"productId": "vaso", "paymentLinkId": "`+s.link+`"}` || c.ExpiresAt.Sub(c.CreatedAt) != 30*time.Minute {
		t.Errorf("made %+v, metadata %s", c, c.Metadata)
	}
	if a := buyer.get(first); strings.Contains(a.body, "carla") || strings.Contains(a.body, "Carla") {
		t.Error("the page of the checkout tells who pays")
	}
	if made := s.checkouts(t); len(made) != 2 {
		t.Errorf("%d checkouts", len(made))
	}
}

func TestLink_Cookie(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	a := s.client(t).post(s.path(), "token", "a")
	cookie := a.header.Get("Set-Cookie")
	for _, want := range []string{"garoupa_checkout=chk_", "path=" + s.path(), "HttpOnly", "SameSite=Lax", "max-age=1800"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	if strings.Contains(strings.ToLower(cookie), "secure") {
		t.Error("a browser on http would not keep the cookie")
	}
}

// A form sent twice, at once or after a lost answer, makes one checkout, though the
// browser keeps no cookie; forms without a token, or of others, share nothing.
func TestLink_DoubleSubmit(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	send := func(token string) string {
		return s.client(t).post(s.path(), "token", token).header.Get("Location")
	}
	var wg sync.WaitGroup
	places := make([]string, 6)
	for i := range places {
		wg.Go(func() { places[i] = send("one form") })
	}
	wg.Wait()
	for _, place := range places {
		if place == "" || place != places[0] {
			t.Errorf("one form led to %v", places)
		}
	}
	if made := s.checkouts(t); len(made) != 1 {
		t.Errorf("%d checkouts of one form", len(made))
	}
	seen := map[string]bool{places[0]: true}
	for _, token := range []string{"", "", "another", strings.Repeat("x", 5000), "\xff"} {
		place := send(token)
		if seen[place] {
			t.Errorf("%.10q leads to a checkout of another form", token)
		}
		seen[place] = true
	}
}

// What is open is used again only while it is what the link would make now.
func TestLink_StaleCheckout(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]func(*testing.T, *sale, string){
		"paid": func(t *testing.T, s *sale, id string) {
			if err := s.SimulatePayment(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		},
		"expired":   func(t *testing.T, s *sale, id string) { s.Clock.Advance(30 * time.Minute) },
		"cancelled": func(t *testing.T, s *sale, id string) { s.CancelCheckout(t.Context(), s.Test, id) },
		"of another price": func(t *testing.T, s *sale, _ string) {
			s.update(t, func(p *merchants.ProductForm) { p.Amount = 999_00 })
		},
		"of another link": func(t *testing.T, s *sale, id string) {
			other := s.site.sale(t, func(p *merchants.ProductForm) { p.Slug = "outro" })
			s.DB.Exec("UPDATE checkouts SET payment_link_id = ? WHERE id = ?", other.link, id)
		},
		"of the API": func(t *testing.T, s *sale, id string) {
			s.DB.Exec("UPDATE checkouts SET payment_link_id = NULL WHERE id = ?", id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t).sale(t, nil)
			buyer := s.client(t)
			first := buyer.post(s.path(), "token", "same form").header.Get("Location")
			over(t, s, strings.TrimPrefix(first, "/pay/"))
			second := buyer.post(s.path(), "token", "same form").header.Get("Location")
			if second == first || !strings.HasPrefix(second, "/pay/chk_") {
				t.Fatalf("led to %q after %q", second, first)
			}
			if made, err := s.Service.Checkout(t.Context(), s.Test, strings.TrimPrefix(second, "/pay/")); err != nil || made.Amount != s.product.Amount {
				t.Errorf("a checkout of %v, %v", made, err)
			}
			if third := buyer.post(s.path(), "token", "same form").header.Get("Location"); third != second {
				t.Errorf("the new one is not used again: %q, then %q", second, third)
			}
		})
	}
}

// What the browser sends as its checkout is never trusted.
func TestLink_ForgedCookie(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	for _, value := range []string{"chk_0", "x", "chk_%00", "../../app", strings.Repeat("a", 3000)} {
		buyer := s.client(t)
		buyer.http.Jar.SetCookies(mustURL(t, s.url), []*http.Cookie{{Name: "garoupa_checkout", Value: value, Path: s.path()}})
		if place := s.buy(t, buyer); !strings.HasPrefix(place, "/pay/chk_") {
			t.Errorf("%.20q leads to %q", value, place)
		}
	}
}

// The language that the address asks for goes along to the checkout.
func TestLink_Language(t *testing.T) {
	t.Parallel()
	s := newSite(t).sale(t, nil)
	buyer := s.client(t)
	action := buyer.get(s.path()+"?lang=en").Find("main form").AttrOr("action", "")
	if action != s.path()+"?lang=en" {
		t.Fatalf("the form posts to %s", action)
	}
	if place := buyer.post(action, "token", "t").header.Get("Location"); !strings.HasSuffix(place, "?lang=en") {
		t.Errorf("leads to %s", place)
	}
	odd := "?lang=" + url.QueryEscape(`"><script>`)
	if action := buyer.get(s.path()+odd).Find("main form").AttrOr("action", ""); action != s.path() {
		t.Errorf("an odd language: the form posts to %s", action)
	}
}
