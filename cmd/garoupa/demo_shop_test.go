package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"garoupa/internal/taxid"
	"garoupa/models"
	"garoupa/payments"
)

// The demo shop sells the same for a seed and a day, in the past, and to no real person.
func TestDemoShop(t *testing.T) {
	t.Parallel()
	today := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	now := today.Add(15 * time.Hour)
	sell := func() []payments.PastSale {
		s := demoShop{Rand: rand.New(rand.NewPCG(shopSeed, 0)), links: map[string]*models.PaymentLink{
			"caneca-mare": {ID: "lnk_1", ExpiresInSeconds: 3600}}}
		return s.sales(today, now)
	}
	sales := sell()
	if diff := cmp.Diff(sales, sell(), cmpopts.IgnoreUnexported(payments.NewCheckout{})); diff != "" {
		t.Error(diff)
	}
	if len(sales) < 600 || len(sales) > 1500 {
		t.Errorf("%d sales", len(sales))
	}
	last := today.AddDate(0, 0, 1-shopDays)
	for _, sale := range sales {
		end := sale.CreatedAt.Add(sale.ExpiresIn)
		if sale.CreatedAt.Before(last) || sale.CreatedAt.After(now) {
			t.Errorf("a sale at %s after one at %s", sale.CreatedAt, last)
		}
		last = sale.CreatedAt
		if p := sale.PaidAt; !p.IsZero() && (p.Before(last) || p.After(end)) {
			t.Errorf("created %s, paid %s", last, p)
		}
		if a := sale.Amount % 100; a%10 != 0 || sale.Amount == 0 && sale.Link == nil {
			t.Errorf("an amount of %s", sale.Amount.Decimal())
		}
		document := *sale.Customer.Document
		if _, ok := taxid.ParseCPF(document); !ok || document[0] != document[1] || document[3] != document[5] ||
			!strings.HasSuffix(*sale.Customer.Email, "@example.com") ||
			!payments.ValidCustomerEmail(*sale.Customer.Email) {
			t.Errorf("a buyer with %s, %s", document, *sale.Customer.Email)
		}
	}
}
