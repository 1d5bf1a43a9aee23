package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/web/webtest"
)

// walkCustomers sees the list of customers, a search, and customers who bought much, by link, and nothing yet.
func walkCustomers(t *testing.T, w *walk) {
	s := webtest.New(t)
	page := w.enter(t, s)
	page.visit("empty", "/app/clientes")
	charge := func(name, email, document string, paid bool) *models.Checkout {
		t.Helper()
		s.Clock.Advance(time.Minute)
		c := s.Checkout(t, payments.NewCheckout{Amount: 1249_90, ExpiresIn: 24 * time.Hour,
			Description: "Vaso Lua Nova, esmalte azul, 32 cm",
			Customer:    payments.Customer{Name: &name, Email: &email, Document: &document}})
		if paid {
			if err := s.SimulatePayment(t.Context(), c.ID); err != nil {
				t.Fatal(err)
			}
		}
		return c
	}
	long := charge(strings.Repeat("Maria Aparecida ", 12),
		strings.Repeat("m", 60)+"@exemplo-de-dominio-comprido.com.br", "45.723.174/0001-10", false)
	for i := range 30 {
		charge(fmt.Sprintf("Pessoa %d da Silva", i), fmt.Sprintf("pessoa%d@example.com", i), "PASS-"+fmt.Sprint(1000+i),
			i%3 > 0)
	}
	sold := s.Sale(t, nil)
	bought := strings.TrimPrefix(sold.Buy(t, s.Client(t), "name", "Carla Menezes", "email", "carla@example.com"),
		"/pay/")
	if err := s.SimulatePayment(t.Context(), bought); err != nil {
		t.Fatal(err)
	}
	var last *models.Checkout
	for i := range 28 {
		last = charge("Ana Souza", "ana@example.com", "529.982.247-25", i > 2 && i < 27)
	}
	refunded(t, s, charge("Ana Souza", "ana@example.com", "529.982.247-25", true).ID)
	page.visits(map[string]string{
		"list": "/app/clientes", "found": "/app/clientes?q=pessoa+1", "none": "/app/clientes?q=ninguem",
		"one": "/app/clientes/" + models.CustomerID(last.ID), "by-link": "/app/clientes/" + models.CustomerID(bought),
		"long":     "/app/clientes/" + models.CustomerID(long.ID),
		"again":    "/app/cobrancas/nova?customer=" + models.CustomerID(last.ID),
		"again-as": "/app/cobrancas/nova?like=" + last.ID,
	})
	page.Goto(s.URL + "/app/clientes")
	page.Click("a[rel=next]")
	page.WaitVisible("a[rel=prev]")
	page.look("list-next")
}

// refunded gives a part of a charge back.
func refunded(t *testing.T, s *webtest.Site, id string) {
	t.Helper()
	if _, _, err := s.RefundCheckout(t.Context(), s.Gateway.Test, payments.RefundRequest{By: s.Owner,
		AccountID: s.Account.ID, CheckoutID: id, Amount: 20_00, Reason: "Veio trocado", IdempotencyKey: "1",
		RequestHash: make([]byte, 32)}); err != nil {
		t.Fatal(err)
	}
}
