package models_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// seller returns a link to a new product.
func seller(t *testing.T, g *paymentstest.Gateway, slug string, price money.Cents) *models.PaymentLink {
	t.Helper()
	if _, err := g.Merchants.CreateProduct(t.Context(), g.Owner, g.Test, merchants.ProductForm{Slug: slug,
		Name: "A " + slug, Amount: price, PaymentCycle: "ONE_TIME", Active: true}); err != nil {
		t.Fatal(err)
	}
	return linkTo(t, g, slug, slug)
}

// dayAfter returns when the day of Brasília after the clock's begins.
func dayAfter(g *paymentstest.Gateway) time.Time {
	return g.Clock.Now().Add(-3 * time.Hour).Truncate(24 * time.Hour).Add(27 * time.Hour)
}

func linkTo(t *testing.T, g *paymentstest.Gateway, slug, key string) *models.PaymentLink {
	t.Helper()
	link, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, payments.NewPaymentLink{ProductSlug: slug,
		ExpiresIn: 24 * time.Hour, IdempotencyKey: key, RequestHash: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	return link
}

func use(t *testing.T, g *paymentstest.Gateway, link *models.PaymentLink) *models.Checkout {
	t.Helper()
	g.VisitPaymentLink(link.ID)
	c, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pay(t *testing.T, g *paymentstest.Gateway, c *models.Checkout) {
	t.Helper()
	err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, int64(c.Amount), g.Clock.Now()))
	if err != nil {
		t.Fatal(err)
	}
}

// checkByLink compares the figures of each link, and of all, from since on with those by link id.
func checkByLink(t *testing.T, g *paymentstest.Gateway, when string, since time.Time,
	byLink map[string]models.LinkFigures) {
	t.Helper()
	until := dayAfter(g)
	all, err := models.FiguresByLink(t.Context(), g.DB.Pool, g.Test, since, until, 10)
	got, want := map[string]models.LinkFigures{}, models.LinksFigures{Count: len(byLink)}
	for _, f := range all.Most {
		got[f.ID] = f
	}
	for id, f := range byLink {
		want.Paid, want.Volume = want.Paid+f.Paid, want.Volume+f.Volume
		f.ID, f.Name = "", ""
		one, err := models.FiguresOfLink(t.Context(), g.DB.Pool, g.Test, id, since, until)
		if err != nil || one != f {
			t.Errorf("%s: the link has %+v, %v; want %+v", when, one, err, f)
		}
		none, err := models.FiguresOfLink(t.Context(), g.DB.Pool, g.Live, id, since, until)
		if err != nil || none != (models.LinkFigures{}) {
			t.Errorf("%s: the link has %+v, %v in live", when, none, err)
		}
		ever, err := models.PaymentLinkCounts(t.Context(), g.DB.Pool, g.Test, id)
		if counts := (models.LinkCounts{Uses: f.Created, Paid: f.Converted}); err != nil || ever[id] != counts {
			t.Errorf("%s: ever %+v, %v; want %+v", when, ever, err, counts)
		}
	}
	if diff := cmp.Diff(byLink, got); err != nil || diff != "" {
		t.Errorf("%s: %v (-want +got)\n%s", when, err, diff)
	}
	all.Most = nil
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("%s: together (-want +got)\n%s", when, diff)
	}
	none, err := models.FiguresByLink(t.Context(), g.DB.Pool, g.Live, since, until, 10)
	if err != nil || none.Count != 0 {
		t.Errorf("%s: live has %+v, %v", when, none, err)
	}
}

// checkByProduct compares the product that sold the most with the sum of its two links.
func checkByProduct(t *testing.T, g *paymentstest.Gateway, when string, since time.Time, a, b,
	other models.LinkFigures) {
	t.Helper()
	until := dayAfter(g)
	products, err := models.FiguresByProduct(t.Context(), g.DB.Pool, g.Test, since, until, 1)
	sum := models.LinkFigures{ID: "vase", Name: "A vase", Visits: a.Visits + b.Visits, Created: a.Created + b.Created,
		Pending: a.Pending + b.Pending, Converted: a.Converted + b.Converted, Paid: a.Paid + b.Paid,
		Volume: a.Volume + b.Volume}
	want := models.LinksFigures{Most: []models.LinkFigures{sum}, Count: 2, Paid: sum.Paid + other.Paid,
		Volume: sum.Volume + other.Volume}
	if diff := cmp.Diff(want, products); err != nil || diff != "" {
		t.Errorf("%s: the products, %v (-want +got)\n%s", when, err, diff)
	}
}

// Links and products have the same figures before, during and after the roll-up, and after a late payment. Charges
// without a link are in none.
func TestLinksFigures(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	since := dayAfter(g).Add(-24 * time.Hour)
	vase, cup := seller(t, g, "vase", 50_00), seller(t, g, "cup", 20_00)
	fair := linkTo(t, g, "vase", "fair")
	pay(t, g, g.Checkout(t, payments.NewCheckout{Amount: 10_00})) // of no link
	late := use(t, g, vase)
	pay(t, g, use(t, g, vase))
	g.Clock.Advance(16 * time.Hour)
	pay(t, g, use(t, g, cup))
	pay(t, g, use(t, g, fair))
	if err := g.SaveVisits(t.Context()); err != nil {
		t.Fatal(err)
	}
	byLink := map[string]models.LinkFigures{
		vase.ID: {ID: vase.ID, Name: "A vase", Visits: 2, Created: 2, Pending: 1, Converted: 1, Paid: 1, Volume: 50_00},
		fair.ID: {ID: fair.ID, Name: "A vase", Visits: 1, Created: 1, Converted: 1, Paid: 1, Volume: 50_00},
		cup.ID:  {ID: cup.ID, Name: "A cup", Visits: 1, Created: 1, Converted: 1, Paid: 1, Volume: 20_00},
	}
	check := func(when string) {
		t.Helper()
		checkByLink(t, g, when, since, byLink)
		checkByProduct(t, g, when, since, byLink[vase.ID], byLink[fair.ID], byLink[cup.ID])
	}
	check("counted")
	rollUp(t, g)
	check("partly rolled up")
	g.Clock.Advance(8 * time.Hour)
	pay(t, g, late)
	f := byLink[vase.ID]
	f.Pending, f.Converted, f.Paid, f.Volume = 0, 2, 2, 100_00
	byLink[vase.ID] = f
	rollUp(t, g)
	check("after a late payment")
	g.Clock.Advance(24 * time.Hour)
	rollUp(t, g)
	check("rolled up")
	// This installation sold before it knew links.
	modelstest.Exec(t, g.DB, "UPDATE payment_link_days SET created = 0, converted = 0, paid = 0, volume = 0")
	modelstest.Exec(t, g.DB, "UPDATE payment_link_days_until SET since = NULL, until = NULL, recorded = NULL")
	check("not rolled up")
	rollUp(t, g)
	check("rolled up back")
	if n := modelstest.One[int](t, g.DB, "SELECT sum(paid)::int FROM payment_link_days"); n != 4 {
		t.Errorf("%d payments are rolled up", n)
	}
	// Only a part of a link's days is rolled up.
	modelstest.Exec(t, g.DB, "DELETE FROM payment_link_days")
	modelstest.Exec(t, g.DB, "UPDATE payment_link_days_until SET since = until")
	ever, err := models.PaymentLinkCounts(t.Context(), g.DB.Pool, g.Test, vase.ID)
	if err != nil || ever[vase.ID] != (models.LinkCounts{Uses: 2, Paid: 2}) {
		t.Errorf("of a part: %+v, %v", ever, err)
	}
}

// Visits that could not be stored wait, and each is stored once.
func TestSaveVisits_Again(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	link := seller(t, g, "vase", 50_00)
	g.VisitPaymentLink(link.ID)
	modelstest.Exec(t, g.DB, "ALTER TABLE payment_link_days RENAME TO away")
	if err := g.SaveVisits(t.Context()); err == nil {
		t.Error("visits were stored in no table")
	}
	modelstest.Exec(t, g.DB, "ALTER TABLE away RENAME TO payment_link_days")
	g.VisitPaymentLink(link.ID)
	for range 2 {
		if err := g.SaveVisits(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	f, err := models.FiguresOfLink(t.Context(), g.DB.Pool, g.Test, link.ID, dayAfter(g).Add(-24*time.Hour), dayAfter(g))
	if want := (models.LinkFigures{Visits: 2}); err != nil || f != want {
		t.Errorf("%+v, %v", f, err)
	}
}

// Figures of links read the days of the links, and of the charges those of the last day and those that are
// pending, by indexes.
func TestLinksFigures_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	fill(t, g, g.Test, 30_000)
	link := seller(t, g, "vase", 50_00)
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET payment_link_id = $1 WHERE left(id, 5) = 'chk_0'", link.ID)
	modelstest.Exec(t, g.DB, "ANALYZE checkouts")
	g.Clock.Advance(24 * time.Hour)
	rollUp(t, g)
	since, until := dayAfter(g).Add(-72*time.Hour), dayAfter(g)
	for name, read := range map[string]func(q models.Querier) (paid int, err error){
		"one": func(q models.Querier) (int, error) {
			f, err := models.FiguresOfLink(t.Context(), q, g.Test, link.ID, since, until)
			return f.Paid, err
		},
		"ever": func(q models.Querier) (int, error) {
			ever, err := models.PaymentLinkCounts(t.Context(), q, g.Test, link.ID)
			return ever[link.ID].Paid, err
		},
		"all": func(q models.Querier) (int, error) {
			all, err := models.FiguresByLink(t.Context(), q, g.Test, since, until, 10)
			return all.Paid, err
		},
	} {
		by := &plans{Querier: g.DB.Pool}
		paid, err := read(by)
		if plan := by.all.String(); err != nil || paid == 0 || strings.Contains(plan, "Seq Scan on checkouts ") {
			t.Errorf("%s: %d paid, %v by\n%s", name, paid, err, plan)
		}
	}
}
