package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/internal/auth/vault"
	"garoupa/models"
	"garoupa/payments"
)

// After two changes of the secret key, a charge is still found by its customer's document, which still opens.
func TestRotateKey_Documents(t *testing.T) {
	t.Parallel()
	keys := []string{strings.Repeat("1a", 32), strings.Repeat("2b", 32), strings.Repeat("3c", 32)}
	s := newShop(t, 1, func(http.ResponseWriter, *http.Request, parcel, int) {}, "GAROUPA_SECRET_KEY="+keys[0])
	document := "529.982.247-25"
	charge, _, err := s.payments.CreateCheckout(t.Context(), s.scope, s.account, payments.NewCheckout{Amount: 1_00,
		Description: "x", ExternalID: "x", Metadata: []byte("{}"), ExpiresIn: time.Hour,
		Customer: payments.Customer{Document: &document}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		s.with("GAROUPA_SECRET_KEY="+keys[i+1], "GAROUPA_SECRET_KEY_PREVIOUS="+keys[i]).run("rotate-key")
	}
	last, err := decodeSecretKey(keys[2])
	if err != nil {
		t.Fatal(err)
	}
	v, err := vault.New(last)
	if err == nil {
		v, err = checkKey(t.Context(), s.db.DB, v)
	}
	if err != nil {
		t.Fatal(err)
	}
	page, err := payments.New(payments.Options{DB: s.db.DB, Vault: v}).SearchCheckouts(t.Context(), s.scope,
		models.CheckoutSearch{Text: document, Limit: 10})
	if err != nil || len(page.Rows) != 1 || page.Rows[0].ID != charge.ID || page.Rows[0].CustomerDocument == nil ||
		*page.Rows[0].CustomerDocument != document {
		t.Errorf("a search by the document of %s: %+v, %v", charge.ID, page, err)
	}
}
