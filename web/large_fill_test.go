//go:build large

package web_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
)

const (
	// modelCharges happen by the program's own operations. All that a shop has are copies of them.
	modelCharges = 10_000
	largeDays    = 365
	largeSpan    = largeDays * 24 * time.Hour
	// between is the time between two charges of the model.
	between    = largeSpan / modelCharges
	largeLinks = 20
)

// writeModel writes the sales that are copied.
func writeModel(t *testing.T, s *largeShop) {
	t.Helper()
	var links []*models.PaymentLink
	for i := range largeLinks {
		sale := s.Sale(t, func(p *merchants.ProductForm) {
			p.Slug, p.Amount = fmt.Sprintf("item-%d", i), money.Cents(1000+500*i)
		})
		link, err := models.PaymentLinkByID(t.Context(), s.DB.Pool, s.Test, sale.Link)
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, link)
	}
	for day := range slices.Chunk(modelSales(s, links), modelCharges/largeDays) {
		if err := s.WriteHistory(t.Context(), s.Test, s.Account, day); err != nil {
			t.Fatal(err)
		}
		if err := s.SnapshotLedger(t.Context()); err != nil { // so that the next day reads few lines
			t.Fatal(err)
		}
	}
}

// modelSales returns a year of sales: every second by a link, four in five paid, one in a hundred of these refunded.
func modelSales(s *largeShop, links []*models.PaymentLink) []payments.PastSale {
	random := rand.New(rand.NewPCG(18, 8))
	first, last := "Ana Bruno Carla Davi Elisa Fábio Gabi Hugo Iara João", "Menezes Souza Lima Prado Rocha Alves Dias"
	now := s.Clock.Now()
	began := now.Add(-largeSpan - 2*between) // the last copies are paid by now
	sales := make([]payments.PastSale, modelCharges)
	for i := range sales {
		at := began.Add(time.Duration(i) * between)
		sale := payments.PastSale{CreatedAt: at}
		sale.ExpiresIn, sale.Metadata = time.Hour, []byte("{}")
		name := pick(random, first) + " " + pick(random, last)
		email := fmt.Sprintf("%d@example.com", random.IntN(modelCharges/3))
		sale.Customer.Name, sale.Customer.Email = &name, &email
		if i%2 == 0 {
			sale.Link = links[random.IntN(len(links))]
		} else {
			sale.Amount, sale.ExternalID = money.Cents(500+100*random.IntN(500)), fmt.Sprintf("pedido-%d", i)
			sale.Description = "Vaso Lua Nova"
		}
		switch n := random.IntN(100); {
		case n < 80:
			sale.PaidAt = at.Add(time.Duration(20+random.IntN(600)) * time.Second)
			if refund := at.Add(30 * time.Hour); n == 0 && refund.Before(now.Add(-2*between)) {
				sale.RefundedAt, sale.RefundedBy, sale.Reason = refund, s.Owner, "Desistiu"
			}
		case n < 82:
			sale.CancelledAt = at.Add(time.Minute)
		}
		sales[i] = sale
	}
	return sales
}

func pick(random *rand.Rand, words string) string {
	all := strings.Fields(words)
	return all[random.IntN(len(all))]
}

// fillShop writes the sales of a shop in a year, as many copies of the model as asked, and what the program's jobs
// would have written by now. Copies differ in their ids, times and buyers.
func fillShop(t *testing.T, s *largeShop, copies int) {
	t.Helper()
	modelstest.Exec(t, s.DB, "UPDATE accounts SET created_at = $1", opened(s))
	f := &filler{t: t, site: s, copies: copies, began: time.Now()}
	f.log("the model is being written")
	writeModel(t, s)
	endpoint, _ := s.Endpoint(t, "https://example.com/hook")
	f.endpoint = endpoint.ID
	f.connect()
	f.exec("BEGIN")
	f.model()
	restore := f.empty()
	f.copy()
	f.records()
	f.year()
	restore()
	f.exec("COMMIT")
	f.exec("VACUUM (ANALYZE)")
	f.log("vacuumed")
	f.figures()
	f.work()
}

// opened returns when the shop began.
func opened(s *largeShop) time.Time { return s.Clock.Now().Add(-largeSpan - 24*time.Hour) }
