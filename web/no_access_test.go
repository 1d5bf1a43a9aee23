package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"garoupa/models"
	"garoupa/payments"
)

// A mail leads to a page of live, and whoever opens it may look at test: the page says so
// and leads there in one step. What is nowhere, or another account's, is just not there.
func TestNotFound_OtherEnvironment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.GoLive(t)
	c := s.member(t)
	c.lang = "en"
	sold := s.Fund(t, true, 100_00)
	s.Destination(t, models.RailPix)
	for _, path := range []string{"/app/cobrancas/" + sold.ID, "/app/saques/" + s.Withdraw(t, 50_00).ID} {
		a := c.get(path)
		form := a.Find("main form[action='/app/ambiente']")
		if a.status != http.StatusNotFound || form.Find("button").Text() != "View in Live" || !strings.Contains(a.Find("main").Text(), "It is in Live") {
			t.Fatalf("%s: %d %s", path, a.status, a.Find("main").Text())
		}
		var fields []string
		form.Find("input").Each(func(_ int, input *goquery.Selection) {
			fields = append(fields, input.AttrOr("name", ""), input.AttrOr("value", ""))
		})
		if a := c.post("/app/ambiente", fields...); a.header.Get("Location") != path || c.get(path).status != http.StatusOK {
			t.Errorf("%s: the button leads to %s", path, a.header.Get("Location"))
		}
		c.post("/app/ambiente", "env", "test", "next", path)
	}
	test := s.Checkout(t, payments.NewCheckout{})
	c.post("/app/ambiente", "env", "live")
	if a := c.get("/app/cobrancas/" + test.ID); a.Find("main form button").Text() != "View in Test" {
		t.Errorf("a test charge from live: %s", a.Find("main").Text())
	}
	if a := c.post("/app/ambiente", "env", "live", "there", "on", "next", "//evil.example"); a.header.Get("Location") != "/app" {
		t.Errorf("led to %s", a.header.Get("Location"))
	}
	for _, nowhere := range []string{"/app/cobrancas/chk_00000000000000000000", "/app/saques/" + test.ID, "/app/nada"} {
		if a := c.get(nowhere); a.status != http.StatusNotFound || a.Find("main form").Length() != 0 {
			t.Errorf("%s: %d %s", nowhere, a.status, a.Find("main").Text())
		}
	}
}
