package models_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// Sums are those of the rows, before, during and after the roll-up, for every filter and to the moment.
func TestSumCheckouts(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	start := g.Clock.Now().Truncate(time.Hour)
	var slow *models.Checkout
	for hour := range 5 { // two charges an hour, of which one is paid
		paid := g.Checkout(t, payments.NewCheckout{Amount: 10_00, ExternalID: "order-1"})
		other := g.Checkout(t, payments.NewCheckout{Amount: money.Cents(1_00 + hour), ExpiresIn: 24 * time.Hour})
		if hour == 1 {
			slow = other
		}
		if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(paid.TxID, 10_00,
			g.Clock.Now())); err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(time.Hour)
	}
	check := func(when string) {
		t.Helper()
		for _, s := range []models.CheckoutSearch{{}, {From: start.Add(time.Hour)}, {From: start.Add(90 * time.Minute)},
			{Until: start.Add(3 * time.Hour)}, {Until: start.Add(200 * time.Minute)},
			{From: start.Add(time.Hour), Until: start.Add(4 * time.Hour)}, {From: start.Add(24 * time.Hour)},
			{Text: "order-1"}, {Text: "10,00", Amount: 10_00}} {
			for _, status := range []models.CheckoutStatus{"", models.CheckoutPaid, models.CheckoutPending} {
				s.Status = status
				var want models.CheckoutSum
				rows := s
				rows.Limit = 100
				found, err := models.SearchCheckouts(t.Context(), g.DB.Pool, g.Test, rows)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range found {
					want.Count, want.Amount = want.Count+1, want.Amount+c.Amount
				}
				got, err := models.SumCheckouts(t.Context(), g.DB.Pool, g.Test, s, g.Clock.Now())
				if err != nil || got != want {
					t.Errorf("%s: %+v sums to %+v, %v; want %+v", when, s, got, err, want)
				}
			}
		}
	}
	check("counted")
	rollUp(t, g)
	check("rolled up")
	// A payment counts at once, and not when the hour of its charge is counted again.
	if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(slow.TxID, int64(slow.Amount),
		g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	check("paid since")
	rollUp(t, g)
	check("counted again")
	// A program without sums rolls up hours.
	modelstest.Exec(t, g.DB, `UPDATE checkout_hours_until SET summed_until = summed_until - interval '2 hours'`)
	modelstest.Exec(t, g.DB, "UPDATE checkout_hours SET created_volume = 0, converted_volume = 0 WHERE hour >= $1",
		start.Add(3*time.Hour))
	check("without sums")
	rollUp(t, g)
	check("summed again")
	modelstest.Exec(t, g.DB, "UPDATE checkout_hours SET created = created + 7, converted_volume = 0")
	got, err := models.SumCheckouts(t.Context(), g.DB.Pool, g.Test, models.CheckoutSearch{}, g.Clock.Now())
	if err != nil || got.Count == 10 {
		t.Errorf("hours that are rolled up were counted again: %+v, %v", got, err)
	}
}

// The roll-up goes back half a year, a day at a time.
func TestSumCheckouts_History(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	old := g.Checkout(t, payments.NewCheckout{Amount: 7_00})
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET created_at = created_at - interval '189 days' WHERE id = $1", old.ID)
	rollUp(t, g)
	if got := modelstest.One[int64](t, g.DB, "SELECT sum(created_volume) FROM checkout_hours"); got != 7_00 {
		t.Errorf("half a year ago the roll-up has %d", got)
	}
	if days := modelstest.One[int64](t, g.DB,
		"SELECT extract(day FROM summed_until - summed_from)::bigint FROM checkout_hours_until"); days != 190 {
		t.Errorf("%d days have sums", days)
	}
}

// plans are the plans of all queries of a call.
type plans struct {
	models.Querier
	all strings.Builder
}

// Query implements models.Querier.
func (p *plans) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	e := explained{Querier: p.Querier}
	rows, err := e.Query(ctx, sql, args...)
	p.all.WriteString(e.plan + "\n")
	return rows, err
}

// QueryRow implements models.Querier.
func (p *plans) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	e := explained{Querier: p.Querier}
	row := e.QueryRow(ctx, sql, args...)
	p.all.WriteString(e.plan + "\n")
	return row
}

// Sums read no more than their bounds, from indexes, whatever the table holds.
func TestSumCheckouts_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	fill(t, g, g.Test, 30_000)
	fill(t, g, g.Live, 2_000)
	modelstest.Exec(t, g.DB, "ANALYZE checkouts")
	check := func(s models.CheckoutSearch, want models.CheckoutSum, reads string) {
		t.Helper()
		q := &plans{Querier: g.DB.Pool}
		got, err := models.SumCheckouts(t.Context(), q, g.Test, s, g.Clock.Now())
		if err != nil || got != want {
			t.Errorf("%+v: %+v, %v; want %+v", s, got, err, want)
		}
		plan := q.all.String()
		if !regexp.MustCompile(reads).MatchString(plan) ||
			strings.Contains(plan, "Seq Scan on checkouts ") || strings.Contains(plan, "Bitmap") {
			t.Errorf("%+v runs as\n%s", s, plan)
		}
	}
	most := models.CheckoutSum{Count: models.SummedCheckouts, More: true}
	check(models.CheckoutSearch{}, most, "Index Only Scan (Backward )?using checkouts_by_page")
	check(models.CheckoutSearch{Status: models.CheckoutPending}, most,
		"Index Scan (Backward )?using checkouts_by_status")
	check(models.CheckoutSearch{Status: models.CheckoutPaid}, models.CheckoutSum{Count: 300, Amount: 300},
		"using checkouts_by_status")
	g.Clock.Advance(2 * time.Hour)
	rollUp(t, g)
	check(models.CheckoutSearch{}, models.CheckoutSum{Count: 30_000, Amount: 30_000},
		"Index Only Scan (Backward )?using checkouts_by_page")
	check(models.CheckoutSearch{Status: models.CheckoutPaid}, models.CheckoutSum{Count: 300, Amount: 300},
		"checkout_hours")
}
