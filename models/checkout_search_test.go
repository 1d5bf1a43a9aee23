package models_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// found returns the ids that a search finds, newest first.
func found(t *testing.T, g *paymentstest.Gateway, scope models.Scope, s models.CheckoutSearch) (ids []string) {
	t.Helper()
	s.Limit = max(s.Limit, 100)
	list, err := models.SearchCheckouts(t.Context(), g.DB.Pool, scope, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// Every text that identifies a charge finds it, and only within its scope.
func TestSearchCheckouts(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	name, email := "Carla Ções", "Carla.M@Example.com"
	wanted := g.Checkout(t, payments.NewCheckout{Amount: 123_45, ExternalID: "order-7",
		Customer: payments.Customer{Name: &name, Email: &email}})
	g.Clock.Advance(time.Minute)
	other := g.Checkout(t, payments.NewCheckout{ExternalID: "order-8", Description: "Vaso Lua Nova, 100% azul"})
	paid := simulator.Pay(wanted.TxID, int64(wanted.Amount), g.Clock.Now())
	if err := g.ConfirmPayment(t.Context(), models.Test, paid); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{wanted.ID, wanted.TxID, paid.EndToEndID, "order-7", "carla çõe", "CARLA ÇÕES",
		"ções", "coes", "coes CARLA", "ORDER carla",
		"carla.m@", "CARLA.M@EXAMPLE.COM"} {
		if got := found(t, g, g.Test, models.CheckoutSearch{Text: text}); !slices.Equal(got, []string{wanted.ID}) {
			t.Errorf("%q finds %v", text, got)
		}
		if got := found(t, g, g.Live, models.CheckoutSearch{Text: text}); len(got) > 0 {
			t.Errorf("searching %q in live found %v", text, got)
		}
	}
	for _, text := range []string{"carla xyz", "ca", "arla", "%", "car_a", "carla%", "rder", "order-9",
		"x@", wanted.ID[:10],
		"plink_0000000000000000"} {
		if got := found(t, g, g.Test, models.CheckoutSearch{Text: text}); len(got) > 0 {
			t.Errorf("%q finds %v", text, got)
		}
	}
	for _, text := range []string{"Vaso", "LUA NOVA", "a nov", "100%"} { // parts of the description
		if got := found(t, g, g.Test, models.CheckoutSearch{Text: text}); !slices.Equal(got, []string{other.ID}) {
			t.Errorf("%q finds %v", text, got)
		}
		if got := found(t, g, g.Test, models.CheckoutSearch{Text: text, Status: models.CheckoutPaid}); len(got) > 0 {
			t.Errorf("searching %q among paid ones found %v", text, got)
		}
	}
	for want, search := range map[string]models.CheckoutSearch{
		wanted.ID: {Text: "123,45", Amount: 123_45},
		wanted.ID + "  ": {Text: "123,45", Amount: 123_45, Status: models.CheckoutPaid,
			Until: other.CreatedAt},
		"  ":                       {Text: "123,45", Amount: 123_45, Status: models.CheckoutPending},
		"   ":                      {Text: "123,45", Amount: 123_45, From: other.CreatedAt},
		other.ID + " " + wanted.ID: {},
		other.ID:                   {From: other.CreatedAt},
		wanted.ID + " ":            {Until: other.CreatedAt},
		other.ID + " ":             {Status: models.CheckoutPending},
		"":                         {Status: models.CheckoutExpired, Text: "order-7"},
		" ":                        {After: &models.Position{CreatedAt: wanted.CreatedAt, ID: wanted.ID}},
	} {
		if got := found(t, g, g.Test, search); strings.Join(got, " ") != strings.TrimSpace(want) {
			t.Errorf("searching %+v found %v, want %s", search, got, want)
		}
	}
}

// A prefix that very many names have finds all of them in order, as does one that few names
// have.
func TestSearchCheckouts_CommonName(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	fill(t, g, g.Test, 2500)
	modelstest.Exec(t, g.DB, `UPDATE checkouts SET customer_name = CASE WHEN right(id, 1) = '0' THEN 'Mário'
		ELSE 'Maria' END || id`)
	for _, text := range []string{"maria", "mário"} {
		var all []string
		search := models.CheckoutSearch{Text: text, Limit: 500}
		for {
			page, err := models.SearchCheckouts(t.Context(), g.DB.Pool, g.Test, search)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range page {
				all = append(all, c.ID)
			}
			if len(page) < search.Limit {
				break
			}
			last := page[len(page)-1]
			search.After = &models.Position{CreatedAt: last.CreatedAt, ID: last.ID}
		}
		want := modelstest.Column[string](t, g.DB, `SELECT id FROM checkouts WHERE lower(customer_name) LIKE $1
			ORDER BY created_at DESC, id DESC`,
			text+"%")
		if len(want) == 0 || !slices.Equal(all, want) {
			t.Errorf("%s: found %d, want %d", text, len(all), len(want))
		}
	}
}

// CheckoutCounts stops counting at the cap.
func TestCheckoutCounts(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	fill(t, g, g.Test, 1500)
	for name, c := range map[string]struct {
		from, until   time.Time
		pending, paid int
	}{
		"all":    {pending: models.CountedCheckouts, paid: 15},
		"until":  {until: g.Clock.Now().Add(100 * time.Millisecond), pending: 297, paid: 2},
		"from":   {from: g.Clock.Now().Add(500 * time.Millisecond)},
		"period": {from: g.Clock.Now(), until: g.Clock.Now().Add(time.Millisecond), pending: 2},
	} {
		counts, err := models.CheckoutCounts(t.Context(), g.DB.Pool, g.Test, c.from, c.until)
		if err != nil {
			t.Fatal(err)
		}
		if name == "from" {
			c.pending, c.paid = counts[models.CheckoutPending], counts[models.CheckoutPaid]
			if c.pending+c.paid != 1 {
				t.Errorf("from: %v", counts)
			}
		}
		if fmt.Sprint(counts) != fmt.Sprint(map[models.CheckoutStatus]int{
			models.CheckoutPending: c.pending, models.CheckoutPaid: c.paid, models.CheckoutExpired: 0,
			models.CheckoutCancelled: 0}) {
			t.Errorf("%s: %v", name, counts)
		}
	}
}
