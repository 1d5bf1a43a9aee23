package hosted_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models/modelstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

// Opening a link creates nothing, any number of times and by any visitor.
func TestLink_Open(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, func(p *merchants.ProductForm) {
		p.Name, p.Description = `Café <b>"1 & 2"</b>`, "<script>alert(1)</script>\nDuas linhas"
	})
	buyer := s.Client(t)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
		a := buyer.Do(method, s.Path(), nil)
		if a.Status != http.StatusOK || a.Header.Get("Set-Cookie") != "" ||
			a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, cookie %q, %s", method, a.Status, a.Header.Get("Set-Cookie"),
				a.Header.Get("Cache-Control"))
		}
	}
	if made := s.CheckoutIDs(t); len(made) != 0 {
		t.Errorf("opening made %v", made)
	}
	a := buyer.Get(s.Path())
	if a.Find("h1").Text() != s.Product.Name || !strings.Contains(a.Text(), s.Product.Description) ||
		a.Find("script, main b, img").Length() != 0 {
		t.Error("the product's texts are not shown as they are")
	}
	if !strings.Contains(a.Text(), "R$\u00a01.249,90") || !strings.Contains(a.Text(), "Ateliê Aurora") ||
		!strings.Contains(a.Text(), "Modo de teste") {
		t.Error("no price, no merchant, or no word that it is a test")
	}
	for property, want := range map[string]string{
		"og:title": s.Product.Name + " · R$\u00a01.249,90", "og:description": s.Product.Description, "og:image": "",
	} {
		if got := a.Find(`meta[property="`+property+`"]`).AttrOr("content", ""); got != want {
			t.Errorf("%s is %q", property, got)
		}
	}
	buyer.Lang = "en-US"
	if a := buyer.Get(s.Path()); a.Find("html").AttrOr("lang", "") != "en" ||
		!strings.Contains(a.Text(), "R$1,249.90") {
		t.Error("no English")
	}
}

// A browser gets its open checkout again, from the button, the address bar or a
// second press; another browser gets one of its own.
func TestLink_Use(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	buyer := s.Client(t)
	first := s.Buy(t, buyer, "name", " Carla  Menezes ", "email", "carla@example.com ")
	cookie := webtest.URL(t, s.URL+s.Path())
	if kept := buyer.HTTP.Jar.Cookies(cookie); len(kept) != 1 ||
		len(buyer.HTTP.Jar.Cookies(webtest.URL(t, s.URL+"/pay/x"))) != 0 {
		t.Errorf("the browser keeps %v", kept)
	}
	if again := s.Buy(t, buyer); again != first {
		t.Errorf("the second press leads to %s, not %s", again, first)
	}
	if other := s.Buy(t, s.Client(t)); other == first {
		t.Error("two browsers share a checkout")
	}
	id := strings.TrimPrefix(first, "/pay/")
	c, err := s.Service.Checkout(t.Context(), s.Test, id)
	if err != nil {
		t.Fatal(err)
	}
	if c.Amount != 1249_90 || c.Description != "Vaso Lua Nova" || c.ExternalID != s.Link ||
		*c.CustomerName != "Carla Menezes" || *c.CustomerEmail != "carla@example.com" ||
		string(c.Metadata) != `{"productId": "vaso", "paymentLinkId": "`+s.Link+`"}` ||
		c.ExpiresAt.Sub(c.CreatedAt) != 30*time.Minute {
		t.Errorf("made %+v, metadata %s", c, c.Metadata)
	}
	if a := buyer.Get(first); strings.Contains(a.Body, "carla") || strings.Contains(a.Body, "Carla") {
		t.Error("the page of the checkout tells who pays")
	}
	if made := s.CheckoutIDs(t); len(made) != 2 {
		t.Errorf("%d checkouts", len(made))
	}
}

// Over https the cookie's name makes browsers take it over TLS alone.
func TestLink_CookieSecure(t *testing.T) {
	t.Parallel()
	s := webtest.NewWith(t, func(o *web.Options) { o.CheckoutURL = "https://pay.example" }).Sale(t, nil)
	cookie := s.Client(t).Post(s.Path(), "token", "a").Header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "__Secure-garoupa_checkout=chk_") || !strings.Contains(cookie, "; secure") {
		t.Errorf("the cookie is %q", cookie)
	}
}

func TestLink_Cookie(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	a := s.Client(t).Post(s.Path(), "token", "a")
	cookie := a.Header.Get("Set-Cookie")
	for _, want := range []string{"garoupa_checkout=chk_", "path=" + s.Path(), "HttpOnly", "SameSite=Lax",
		"max-age=1800"} {
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
	s := webtest.New(t).Sale(t, nil)
	send := func(token string) string {
		return s.Client(t).Post(s.Path(), "token", token).Header.Get("Location")
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
	if made := s.CheckoutIDs(t); len(made) != 1 {
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
	for name, over := range map[string]func(*testing.T, *webtest.Sale, string){
		"paid": func(t *testing.T, s *webtest.Sale, id string) {
			if err := s.SimulatePayment(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		},
		"expired": func(t *testing.T, s *webtest.Sale, id string) { s.Clock.Advance(30 * time.Minute) },
		"cancelled": func(t *testing.T, s *webtest.Sale,
			id string) {
			s.CancelCheckout(t.Context(), s.Owner, s.Test, id)
		},
		"of another price": func(t *testing.T, s *webtest.Sale, _ string) {
			s.Update(t, func(p *merchants.ProductForm) { p.Amount = 999_00 })
		},
		"of another name": func(t *testing.T, s *webtest.Sale, _ string) {
			s.Update(t, func(p *merchants.ProductForm) { p.Name = "Vaso Lua Cheia" })
		},
		"of another link": func(t *testing.T, s *webtest.Sale, id string) {
			other := s.Site.Sale(t, func(p *merchants.ProductForm) { p.Slug = "outro" })
			modelstest.Exec(t, s.DB, "UPDATE checkouts SET payment_link_id = $1 WHERE id = $2", other.Link, id)
		},
		"of the API": func(t *testing.T, s *webtest.Sale, id string) {
			modelstest.Exec(t, s.DB, "UPDATE checkouts SET payment_link_id = NULL WHERE id = $1", id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t).Sale(t, nil)
			buyer := s.Client(t)
			first := buyer.Post(s.Path(), "token", "same form").Header.Get("Location")
			over(t, s, strings.TrimPrefix(first, "/pay/"))
			form := "same form"
			if name == "of another link" || name == "of the API" {
				form = "another form" // what a form of this link made is never one of these
			}
			second := buyer.Post(s.Path(), "token", form).Header.Get("Location")
			if second == first || !strings.HasPrefix(second, "/pay/chk_") {
				t.Fatalf("led to %q after %q", second, first)
			}
			if made, err := s.Service.Checkout(t.Context(), s.Test, strings.TrimPrefix(second, "/pay/")); err != nil ||
				made.Amount != s.Product.Amount || made.Description != s.Product.Name {
				t.Errorf("a checkout of %v, %v", made, err)
			}
			for _, again := range []*webtest.Client{buyer, s.Client(t)} { // the other one has no cookie
				if third := again.Post(s.Path(), "token", form).Header.Get("Location"); third != second {
					t.Errorf("the new one is not used again: %q, then %q", second, third)
				}
			}
		})
	}
}

// What the browser sends as its checkout is never trusted.
func TestLink_ForgedCookie(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	for _, value := range []string{"chk_0", "x", "chk_%00", "../../app", strings.Repeat("a", 3000)} {
		buyer := s.Client(t)
		buyer.HTTP.Jar.SetCookies(webtest.URL(t, s.URL),
			[]*http.Cookie{{Name: "garoupa_checkout", Value: value, Path: s.Path()}})
		if place := s.Buy(t, buyer); !strings.HasPrefix(place, "/pay/chk_") {
			t.Errorf("%.20q leads to %q", value, place)
		}
	}
}

// The language that the address asks for goes along to the checkout.
func TestLink_Language(t *testing.T) {
	t.Parallel()
	s := webtest.New(t).Sale(t, nil)
	buyer := s.Client(t)
	action := buyer.Get(s.Path()+"?lang=en").Find("main form").AttrOr("action", "")
	if action != s.Path()+"?lang=en" {
		t.Fatalf("the form posts to %s", action)
	}
	if place := buyer.Post(action, "token", "t").Header.Get("Location"); !strings.HasSuffix(place, "?lang=en") {
		t.Errorf("leads to %s", place)
	}
	odd := "?lang=" + url.QueryEscape(`"><script>`)
	if action := buyer.Get(s.Path()+odd).Find("main form").AttrOr("action", ""); action != s.Path() {
		t.Errorf("an odd language: the form posts to %s", action)
	}
}
