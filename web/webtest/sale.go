package webtest

import (
	"net/http"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
)

// Sale is a product with a link that sells it, in test unless said otherwise.
type Sale struct {
	*Site
	Scope   models.Scope
	Product merchants.ProductForm
	Link    string // its id
}

// Sale makes a product, changed if change is not nil, and a link in test.
func (s *Site) Sale(t *testing.T, change func(*merchants.ProductForm)) *Sale {
	t.Helper()
	return s.SaleIn(t, s.Test, change, payments.NewPaymentLink{})
}

// SaleIn is Sale in a scope, with a link like in.
func (s *Site) SaleIn(t *testing.T, scope models.Scope, change func(*merchants.ProductForm),
	in payments.NewPaymentLink) *Sale {
	t.Helper()
	out := &Sale{Site: s, Scope: scope, Product: merchants.ProductForm{
		Slug: "vaso", Name: "Vaso Lua Nova", Description: "Cerâmica azul.", Amount: 1249_90, PaymentCycle: "ONE_TIME",
		Active: true,
	}}
	if change != nil {
		change(&out.Product)
	}
	if _, err := s.Merchants.CreateProduct(t.Context(), s.Owner, scope, out.Product); err != nil {
		t.Fatal(err)
	}
	in.ProductSlug, in.ExpiresIn = out.Product.Slug, 30*time.Minute
	in.IdempotencyKey, in.RequestHash = out.Product.Slug, make([]byte, 32)
	link, _, err := s.CreatePaymentLink(t.Context(), scope, s.Account, in)
	if err != nil {
		t.Fatal(err)
	}
	out.Link = link.ID
	return out
}

// Path returns the path of the link's page.
func (s *Sale) Path() string { return "/l/" + s.Link }

// Update changes the product.
func (s *Sale) Update(t *testing.T, change func(*merchants.ProductForm)) {
	t.Helper()
	change(&s.Product)
	if err := s.Merchants.UpdateProduct(t.Context(), s.Owner, s.Scope, s.Product.Slug, s.Product); err != nil {
		t.Fatal(err)
	}
}

// CheckoutIDs returns the ids of all checkouts, newest first.
func (s *Site) CheckoutIDs(t *testing.T) (ids []string) {
	t.Helper()
	err := s.DB.Model(&models.Checkout{}).Order("created_at DESC, id").Pluck("id", &ids).Error
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// Buy opens the page and presses the button, and returns where that leads.
func (s *Sale) Buy(t *testing.T, buyer *Client, pairs ...string) string {
	t.Helper()
	token := buyer.Get(s.Path()).Find("input[name=token]").AttrOr("value", "")
	a := buyer.Post(s.Path(), append([]string{"token", token}, pairs...)...)
	if a.Status != http.StatusSeeOther {
		t.Fatalf("the button answers %d: %s", a.Status, a.Find("[role=alert]").Text())
	}
	return a.Header.Get("Location")
}
