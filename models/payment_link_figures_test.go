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
	until := g.Clock.Now().Add(time.Hour).Truncate(time.Hour)
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
	until := g.Clock.Now().Add(time.Hour).Truncate(time.Hour)
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

// Links and products have the same figures before, during and after the roll-up, after a late payment, and when
// a program rolled up that does not know them. Charges without a link are in none.
func TestLinksFigures(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	since := g.Clock.Now().Truncate(time.Hour)
	vase, cup := seller(t, g, "vase", 50_00), seller(t, g, "cup", 20_00)
	fair := linkTo(t, g, "vase", "fair")
	pay(t, g, g.Checkout(t, payments.NewCheckout{Amount: 10_00})) // of no link
	late := use(t, g, vase)
	pay(t, g, use(t, g, vase))
	g.Clock.Advance(time.Hour)
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
	g.Clock.Advance(20 * time.Minute)
	rollUp(t, g)
	check("partly rolled up")
	g.Clock.Advance(2 * time.Hour)
	rollUp(t, g)
	check("rolled up")
	pay(t, g, late)
	rollUp(t, g)
	f := byLink[vase.ID]
	f.Pending, f.Converted, f.Paid, f.Volume = 0, 2, 2, 100_00
	byLink[vase.ID] = f
	check("after a late payment")
	// A program without links rolls up.
	modelstest.Exec(t, g.DB, "UPDATE checkout_hours_until SET linked_until = $1", since)
	modelstest.Exec(t, g.DB, "UPDATE payment_link_hours SET created = 9, converted = 9, paid = 9, volume = 9")
	check("not rolled up for links")
	rollUp(t, g)
	check("rolled up later")
	modelstest.Exec(t, g.DB, "UPDATE checkout_hours_until SET linked_until = NULL, linked_from = NULL")
	rollUp(t, g)
	check("rolled up back")
}

// Visits that could not be stored wait, and each is stored once.
func TestSaveVisits_Again(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	link := seller(t, g, "vase", 50_00)
	g.VisitPaymentLink(link.ID)
	modelstest.Exec(t, g.DB, "ALTER TABLE payment_link_hours RENAME TO away")
	if err := g.SaveVisits(t.Context()); err == nil {
		t.Error("visits were stored in no table")
	}
	modelstest.Exec(t, g.DB, "ALTER TABLE away RENAME TO payment_link_hours")
	g.VisitPaymentLink(link.ID)
	since := g.Clock.Now().Truncate(time.Hour)
	for range 2 {
		if err := g.SaveVisits(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	f, err := models.FiguresOfLink(t.Context(), g.DB.Pool, g.Test, link.ID, since, since.Add(time.Hour))
	if want := (models.LinkFigures{Visits: 2}); err != nil || f != want {
		t.Errorf("%+v, %v", f, err)
	}
}

// Figures of links read the hours of the links, and of the charges those of the last hours and those that are
// pending, by indexes.
func TestLinksFigures_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	began := g.Clock.Now()
	fill(t, g, g.Test, 30_000)
	link := seller(t, g, "vase", 50_00)
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET payment_link_id = $1 WHERE left(id, 5) = 'chk_0'", link.ID)
	modelstest.Exec(t, g.DB, "ANALYZE checkouts")
	g.Clock.Advance(2 * time.Hour)
	rollUp(t, g)
	since, until := began.Add(-24*time.Hour).Truncate(time.Hour), g.Clock.Now().Add(time.Hour).Truncate(time.Hour)
	for name, read := range map[string]func(q models.Querier) (paid int, err error){
		"one": func(q models.Querier) (int, error) {
			f, err := models.FiguresOfLink(t.Context(), q, g.Test, link.ID, since, until)
			return f.Paid, err
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
