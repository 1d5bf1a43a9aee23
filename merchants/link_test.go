package merchants_test

import (
	"encoding/json"
	"errors"
	"maps"
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// shelf is a product and a link that sells it, of which one unit is sold and one is held.
func shelf(t *testing.T) (*paymentstest.Gateway, *models.PaymentLink) {
	t.Helper()
	g := paymentstest.New(t)
	_, err := g.Merchants.CreateProduct(t.Context(), g.Owner, g.Test,
		merchants.ProductForm{Slug: "vaso", Name: "Vaso", Amount: 10_00, PaymentCycle: "ONE_TIME"})
	if err != nil {
		t.Fatal(err)
	}
	link, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, payments.NewPaymentLink{ProductSlug: "vaso",
		ExpiresIn: time.Hour, IdempotencyKey: "1", RequestHash: make([]byte, 32),
		LinkTerms: models.LinkTerms{Stock: new(5)}})
	if err != nil {
		t.Fatal(err)
	}
	for pay := range 2 {
		c, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{})
		if err == nil && pay == 1 {
			err = g.SimulatePayment(t.Context(), c.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return g, link
}

// A member's number of units is what new charges may have: what is sold and held is not among them. The audit log
// says what changed, and a form that changes nothing leaves no line.
func TestUpdatePaymentLink(t *testing.T) {
	t.Parallel()
	g, link := shelf(t)
	ends, url := g.Clock.Now().Add(time.Hour).Truncate(time.Second), "https://loja.example/ok"
	form := merchants.LinkForm{ExpiresIn: 30 * time.Minute, SuccessURL: &url, Left: new(7),
		LinkTerms: models.LinkTerms{BuyerData: models.BuyerDataOff, MaxQuantity: 1,
			OpenAmount: &models.Range{Min: 1_00, Max: 9_00}, EndsAt: &ends}}
	lines := func() int {
		return modelstest.One[int](t, g.DB, "SELECT count(*) FROM audit_log WHERE action = 'payment_link.updated'")
	}
	for range 2 {
		if err := g.Merchants.UpdatePaymentLink(t.Context(), g.Owner, g.Test, link.ID, form); err != nil {
			t.Fatal(err)
		}
	}
	now, err := g.PaymentLink(t.Context(), g.Test, link.ID)
	if err != nil {
		t.Fatal(err)
	}
	if *now.Left() != 7 || *now.Stock != 9 || now.Sold != 1 || now.Held != 1 || now.ExpiresInSeconds != 1800 ||
		*now.SuccessURL != url || *now.OpenAmount != (models.Range{Min: 1_00, Max: 9_00}) || !now.EndsAt.Equal(ends) ||
		now.BuyerData != models.BuyerDataOff || !now.UpdatedAt.Equal(g.Clock.Now()) {
		t.Errorf("changed to %+v", now)
	}
	var after map[string]string
	text := modelstest.One[string](t, g.DB, "SELECT after::text FROM audit_log WHERE action = 'payment_link.updated'")
	if err := json.Unmarshal([]byte(text), &after); err != nil || lines() != 1 || !maps.Equal(after, map[string]string{
		"expiresIn": "30m0s", "successUrl": url, "buyerData": "OFF", "openMin": "1.00", "openMax": "9.00",
		"stockLeft": "7", "ends": ends.UTC().Format(time.RFC3339)}) {
		t.Errorf("%d lines; the audit log has %s, %v", lines(), text, err)
	}

	form.KeepStock, form.Left = true, new(100)
	if err := g.Merchants.UpdatePaymentLink(t.Context(), g.Owner, g.Test, link.ID, form); err != nil || lines() != 1 {
		t.Errorf("kept the stock: %v, %d lines", err, lines())
	}
	form.KeepStock, form.Left = false, nil
	if err := g.Merchants.UpdatePaymentLink(t.Context(), g.Owner, g.Test, link.ID, form); err != nil {
		t.Fatal(err)
	}
	if now, err := g.PaymentLink(t.Context(), g.Test, link.ID); err != nil || now.Left() != nil {
		t.Errorf("without a limit: %+v, %v", now, err)
	}
	if err := g.Merchants.UpdatePaymentLink(t.Context(), g.Owner, g.Live, link.ID, form); !errors.Is(err,
		models.ErrNotFound) {
		t.Errorf("a link of the other environment: %v", err)
	}
}

// An archived product stands in no list, cannot be changed or chosen, and its links do not sell. Once it is back it is
// paused, until a member puts it up for sale.
func TestArchiveProduct(t *testing.T) {
	t.Parallel()
	g, link := shelf(t)
	listed := func(archived bool) int {
		found, err := models.Products(t.Context(), g.DB.Pool, g.Test, archived, nil, 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	use := func() error {
		_, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{})
		return err
	}
	archive := func(archived bool) {
		t.Helper()
		for range 2 {
			if err := g.Merchants.ArchiveProduct(t.Context(), g.Owner, g.Test, "vaso", archived); err != nil {
				t.Fatal(err)
			}
		}
	}
	change := merchants.ProductForm{Name: "Vaso", Amount: 12_00, PaymentCycle: "ONE_TIME", Active: true}
	update := func() error { return g.Merchants.UpdateProduct(t.Context(), g.Owner, g.Test, "vaso", change) }
	archive(true)
	if listed(false) != 0 || listed(true) != 1 || refusal.Of(use()).Code != refusal.PaymentLinkNotFound {
		t.Errorf("archived: %d and %d are listed, its link: %v", listed(false), listed(true), use())
	}
	if problems, _ := errors.AsType[merchants.Invalid](update()); problems["archived"] != merchants.Denied {
		t.Errorf("changed while archived: %v", update())
	}
	archive(false)
	if listed(false) != 1 || listed(true) != 0 || refusal.Of(use()).Code != refusal.PaymentLinkNotFound {
		t.Errorf("back: %d and %d are listed, its link: %v", listed(false), listed(true), use())
	}
	if err := update(); err != nil || use() != nil {
		t.Errorf("for sale: %v, %v", err, use())
	}
	lines := modelstest.One[string](t, g.DB, `SELECT string_agg(action || ' ' || (after->>'archived'), ', ' ORDER BY id)
		FROM audit_log WHERE action IN ('product.archived', 'product.restored')`)
	if lines != "product.archived true, product.restored false" {
		t.Errorf("the audit log has %s", lines)
	}
}
