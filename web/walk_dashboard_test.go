package web_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/internal/money"
	"garoupa/internal/requestlog"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web"
	"garoupa/web/webtest"
)

// walkDashboard sees the start page, charges, keys and calls of a shop that sells.
func walkDashboard(t *testing.T, w *walk) {
	var calls *requestlog.Log
	s := webtest.NewWithAPI(t, func(*web.Options) {}, func(o *api.Options) {
		calls = requestlog.Start(o.DB.Pool)
		o.Log = calls
	})
	s.LiftLimits(t)
	key := s.Key(t, s.Test, models.PermissionCheckoutCreate, models.PermissionCheckoutRead)
	for day := range 9 {
		paid := s.Checkout(t, payments.NewCheckout{Amount: 1249_90, Description: "Vaso Lua Nova, esmalte azul"})
		if err := s.SimulatePayment(t.Context(), paid.ID); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Duration(20+day) * time.Hour)
	}
	paid, cancelled, expired := s.Checkout(t, payments.NewCheckout{Amount: 89_00}), s.Checkout(t,
		payments.NewCheckout{}), s.Checkout(t, payments.NewCheckout{})
	pending := s.Checkout(t, payments.NewCheckout{Amount: 999_999_999_99,
		Metadata: []byte(`{"pedido":"4711","canal":"loja física da rua de cima"}`)})
	stray := s.Checkout(t, payments.NewCheckout{Amount: 80_57}) // the amount that is paid twice in test
	for _, err := range []error{
		s.SimulatePayment(t.Context(), paid.ID), s.CancelCheckout(t.Context(), s.Owner, s.Test, cancelled.ID),
		s.SimulateExpiry(t.Context(), expired.ID), s.SimulatePayment(t.Context(), stray.ID),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	_, made := s.Call(t, key, http.MethodPost, "/v1/checkouts",
		`{"amount": 4990, "description": "Vaso Lua Nova", "externalId": "pedido-1"}`)
	s.Call(t, key, http.MethodPost, "/v1/checkouts", `{"amount": -1}`)
	s.Call(t, key, http.MethodGet, "/v1/checkouts/chk_0", "")
	calls.Close()
	var keyID, call string
	keyID = modelstest.One[string](t, s.DB, "SELECT id FROM api_keys WHERE last4 = $1", key[len(key)-4:])
	call = modelstest.One[string](t, s.DB, "SELECT id FROM api_requests ORDER BY status LIMIT 1")

	page := w.enter(t, s)
	page.visits(map[string]string{
		"home": "/app", "home-today": "/app?period=today", "home-month": "/app?period=this_month",
		"analytics": "/app/analises", "analytics-year": "/app/analises?from=2025-06-01&until=2026-05-30",
		"home-year": "/app?from=2025-06-01&until=2026-05-30",
		"checkouts": "/app/cobrancas", "checkouts-none": "/app/cobrancas?status=CANCELLED&q=nobody",
		"checkout-new":  "/app/cobrancas/nova",
		"checkout-paid": "/app/cobrancas/" + paid.ID, "checkout-pending": "/app/cobrancas/" + pending.ID,
		"checkout-api":       "/app/cobrancas/" + made["id"].(string),
		"checkout-cancelled": "/app/cobrancas/" + cancelled.ID, "checkout-expired": "/app/cobrancas/" + expired.ID,
		"checkout-stray": "/app/cobrancas/" + stray.ID,
		"search":         "/app/busca?q=order-42", "search-none": "/app/busca?q=nobody", "requests": "/app/requisicoes",
		"requests-none": "/app/requisicoes?class=5xx", "request": "/app/requisicoes/" + call,
		"keys": "/app/chaves", "audit": "/app/auditoria", "audit-none": "/app/auditoria?subject=withdrawal",
	})
	page.refused("home-wrong", "/app?from=2026-03-02&until=2026-03-01", http.StatusUnprocessableEntity)
	walkPalette(page, s)
	page.visit("key-new", "/app/chaves/nova")
	page.fails("key-new-wrong")
	page.Type("#name", "Minha loja")
	page.Click("main form button.btn-primary")
	page.WaitVisible("#secret")
	page.look("key-created")
	page.visit("key-revoke", "/app/chaves/"+keyID+"/revogar")
	page.failsBy("key-revoke-wrong", "main form button")
	page.Goto(s.URL + "/app/cobrancas/nova")
	page.fails("checkout-new-wrong")
	walkRefund(t, page, s, paid.ID)
}

// walkPalette sees the palette with its first list, with what a word finds, and with nothing, and the sheet
// of keys.
func walkPalette(page *walker, s *webtest.Site) {
	page.visit("search-many", "/app/busca?q=pa")
	page.Goto(s.URL + "/app/chaves")
	page.Press("Control+k")
	page.WaitVisible("#option-0")
	page.look("palette")
	for _, one := range []struct{ name, text, until string }{
		{"palette-found", "pix", `document.querySelector("[role=option] mark")?.textContent == "Pix"`},
		{"palette-none", "nobody", `!document.querySelector("[role=option]")`},
	} {
		page.Goto(s.URL + "/app/chaves")
		page.Press("Control+k")
		page.WaitVisible("#option-0")
		page.Type("#palette-q", one.text)
		page.WaitTrue(one.until)
		page.look(one.name)
	}
	page.Goto(s.URL + "/app/chaves")
	page.Press("?")
	page.WaitVisible("#shortcuts")
	page.look("shortcuts")
}

// walkRefund sees how a part of a charge goes back to its buyer, and how a bank refuses another.
func walkRefund(t *testing.T, page *walker, s *webtest.Site, id string) {
	t.Helper()
	page.visits(map[string]string{"receipt": "/app/cobrancas/" + id + "/comprovante",
		"checkout-like": "/app/cobrancas/nova?like=" + id})
	page.Goto(s.URL + "/app/cobrancas/" + id + "/comprovante")
	page.Type("#email", "x")
	page.fails("receipt-wrong")
	page.visit("refund", "/app/cobrancas/"+id+"/devolver")
	page.Type("#amount", "1.000,00")
	page.Click("main form button.btn-primary")
	page.WaitVisible("#errors")
	page.look("refund-too-much")
	for i, amount := range []money.Cents{20_00, 10_67} {
		if _, _, err := s.RefundCheckout(t.Context(), s.Gateway.Test, payments.RefundRequest{By: s.Owner,
			AccountID: s.Account.ID, CheckoutID: id, Amount: amount, Reason: "Veio trocado",
			IdempotencyKey: strconv.Itoa(i), RequestHash: make([]byte, 32)}); err != nil {
			t.Fatal(err)
		}
	}
	page.visit("refund-under-way", "/app/cobrancas/"+id)
	s.Clock.Advance(2 * time.Second)
	if err := s.SimulateRefunds(t.Context()); err != nil {
		t.Fatal(err)
	}
	page.visit("refund-ended", "/app/cobrancas/"+id)
}

// walkEmpty sees the pages before there is anything, in test and then in live without
// access, and of a member who may look and no more.
func walkEmpty(t *testing.T, w *walk) {
	s := webtest.New(t)
	page := w.enter(t, s)
	page.visits(map[string]string{
		"home": "/app", "checkouts": "/app/cobrancas", "search": "/app/busca", "requests": "/app/requisicoes",
		"events": "/app/eventos",
		"keys":   "/app/chaves", "webhooks": "/app/webhooks", "webhook-new": "/app/webhooks/novo",
		"products": "/app/produtos", "links": "/app/links", "link-new": "/app/links/novo",
		"balance": "/app/saldo", "sales": "/app/saldo/vendas", "withdrawals": "/app/saques",
		"withdraw":     "/app/saques/novo",
		"destinations": "/app/saques/destinos", "audit": "/app/auditoria",
	})
	page.toLive()
	page.visits(map[string]string{
		"live-home": "/app", "live-checkouts": "/app/cobrancas", "live-keys": "/app/chaves", "live-links": "/app/links",
		"live-balance": "/app/saldo", "live-sales": "/app/saldo/vendas",
		"live-withdrawals": "/app/saques", "live-withdraw": "/app/saques/novo",
		"live-destinations": "/app/saques/destinos",
	})
	s.Approve(t)
	d, err := s.RequestDestination(t.Context(), s.Owner, s.Account.ID,
		payments.NewDestination{Rail: models.RailPix, Type: "EMAIL", Address: "ana@example.com",
			HolderName: "Ana Lima"})
	if err == nil {
		err = s.ApproveDestination(t.Context(), s.Staff(t), d.ID, d.Version)
	}
	if err != nil {
		t.Fatal(err)
	}
	page.visits(map[string]string{
		"approved-withdrawals": "/app/saques", "held-withdraw": "/app/saques/novo",
		"held-destinations": "/app/saques/destinos",
	})
	page.Goto(s.URL + "/app/saques/destinos/novo")
	page.WaitVisible("#code")
	page.look("second-factor-live")
	setsUp(s, page.Page)
	page.WaitVisible("#address")
	page.look("destination-replaces")
	s.GiveRole(t, models.RoleViewer)
	page.visits(map[string]string{"viewer-home": "/app", "viewer-keys": "/app/chaves",
		"viewer-products": "/app/produtos"})
	page.refused("forbidden", "/app/saldo", http.StatusForbidden)
}
