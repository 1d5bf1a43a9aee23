package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web/webtest"
)

// A charge made by hand follows the rules of the API, loses nothing that was typed,
// and is made once.
func TestNewCheckout(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	if c.Get("/app/cobrancas/nova").Find("form[action='/app/cobrancas'][data-guard]").Length() != 1 {
		t.Error("what is typed can be lost without a question")
	}
	a := c.Get("/app/cobrancas/nova")
	key, order := a.Find("input[name=key]").AttrOr("value", ""), a.Find("#externalId").AttrOr("value", "")
	if key == "" || order == "" {
		t.Fatalf("no key or no order: %q, %q", key, order)
	}
	form := []string{
		"key", key, "amount", "R$ 1.234,5", "description", " Vaso\r\nazul ", "externalId", order, "expiry", "other",
		"minutes", "90",
		"customer_name", "Carla", "customer_email", "carla@example.com", "customer_phone", "(11) 98765-4321",
		"metadata_key_0", "cor", "metadata_value_0", "azul", "metadata_key_1", "", "metadata_value_1", "",
	}
	var place string
	for range 2 {
		a := c.Post("/app/cobrancas", form...)
		if a.Status != http.StatusSeeOther || place != "" && place != a.Header.Get("Location") {
			t.Fatalf("%d to %s, before to %s", a.Status, a.Header.Get("Location"), place)
		}
		place = a.Header.Get("Location")
	}
	got, err := s.Service.Checkout(t.Context(), s.Test, strings.TrimPrefix(place, "/app/cobrancas/"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Amount != 1234_50 || got.Description != "Vaso\nazul" || got.ExternalID != order ||
		got.ExpiresAt.Sub(got.CreatedAt) != 90*time.Minute ||
		*got.CustomerName != "Carla" || string(got.Metadata) != `{"cor": "azul"}` {
		t.Errorf("made %+v", got)
	}
	if page := c.Get(place); !strings.Contains(page.Text(), "Cobrança criada") ||
		strings.Contains(webtest.WithoutRandom(page.Body), "98765") {
		t.Error("the page does not say so, or shows the phone")
	}
	form[3] = "20"
	if a := c.Post("/app/cobrancas", form...); a.Status != http.StatusUnprocessableEntity ||
		a.Find("input[name=key]").AttrOr("value", key) == key {
		t.Errorf("the same form with another amount: %d", a.Status)
	}
}

func TestNewCheckout_Wrong(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	fine := map[string]string{"amount": "10", "description": "Vaso", "externalId": "1", "expiry": "1800"}
	for name, change := range map[string]map[string]string{
		"amount": {"amount": "0"}, "amount ": {"amount": "1,000,0"}, "amount  ": {"amount": "1000000,01"},
		"description": {"description": " "},
		"externalId":  {"externalId": "a\u200fb"}, "expiry": {"expiry": "1"},
		"minutes":       {"expiry": "other", "minutes": "1441"},
		"minutes ":      {"expiry": "other", "minutes": "99999999999999999999"},
		"customer_name": {"customer_email": "a@b.co"}, "customer_email": {"customer_name": "Carla"},
		"customer_email ":   {"customer_name": "C", "customer_email": "x"},
		"customer_document": {"customer_name": "C", "customer_document": "12"},
		"customer_phone":    {"customer_name": "C", "customer_phone": "call me"},
		"metadata_key_1": {"metadata_key_0": "a", "metadata_value_0": "1", "metadata_key_1": "",
			"metadata_value_1": "2"},
		"metadata_key_1 ": {"metadata_key_0": "a", "metadata_value_0": "1", "metadata_key_1": "a",
			"metadata_value_1": "2"},
	} {
		typed := map[string]string{}
		var pairs []string
		for _, fields := range []map[string]string{fine, change} {
			for field, value := range fields {
				typed[field] = value
			}
		}
		for field, value := range typed {
			pairs = append(pairs, field, value)
		}
		a := c.Post("/app/cobrancas", pairs...)
		field := strings.TrimSpace(name)
		if a.Status != http.StatusUnprocessableEntity || a.Find("#errors li").Length() != 1 ||
			a.Find("#"+field+"-error").Length() != 1 {
			t.Errorf("%s: %d, %q", field, a.Status, a.Find("#errors").Text())
		}
		for field, value := range typed {
			if field != "expiry" && a.Find("#"+field).AttrOr("value", a.Find("#"+field).Text()) != value {
				t.Errorf("%s: lost %s", name, field)
			}
		}
	}
	for description, want := range map[string]string{
		" ": "Descreva a cobrança: quem paga vê este texto", strings.Repeat("a", 501): "até 500 caracteres",
	} {
		a := c.Post("/app/cobrancas", "amount", "10", "description", description, "externalId", "1", "expiry", "1800")
		if says := a.Find("#description-error").Text(); !strings.Contains(says, want) ||
			strings.Contains(says, "500") != (description != " ") {
			t.Errorf("of a description of %d characters it says %q", len(description), says)
		}
	}
	a := c.Post("/app/cobrancas", "amount", "x", "metadata_more", "1", "metadata_key_0", "cor", "metadata_value_0",
		"azul", "metadata_key_1", "", "metadata_key_2", "")
	if a.Status != http.StatusOK || a.Find("[id^=metadata_key_]").Length() != 6 || a.Find("#errors").Length() != 0 ||
		a.Find("#amount").AttrOr("value", "") != "x" {
		t.Errorf("more rows: %d, %d", a.Status, a.Find("[id^=metadata_key_]").Length())
	}
	if a := c.Post("/app/cobrancas", "amount", "10,37", "description", "x", "externalId", "1", "expiry",
		"1800"); a.Status != http.StatusServiceUnavailable || a.Find("#amount").AttrOr("value", "") != "10,37" {
		t.Errorf("the bank is down: %d", a.Status)
	}
	if made := modelstest.One[int](t, s.DB, "SELECT count(*) FROM checkouts"); made != 0 {
		t.Errorf("%d made", made)
	}
	s.GiveRole(t, models.RoleViewer)
	if get, post := c.Get("/app/cobrancas/nova"), c.Post("/app/cobrancas", "amount",
		"10"); get.Status != http.StatusForbidden || post.Status != http.StatusForbidden {
		t.Errorf("a viewer: %d, %d", get.Status, post.Status)
	}
}
