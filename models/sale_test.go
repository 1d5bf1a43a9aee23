package models_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// allSales reads the sales of a filter page by page.
func allSales(t *testing.T, g *paymentstest.Gateway, scope models.Scope, f models.SaleFilter,
	size int) (all []models.Sale) {
	t.Helper()
	for {
		page, err := models.ReadPage(size, func(limit int) ([]models.Sale, error) {
			f.Limit = limit
			return models.Sales(t.Context(), g.DB.Pool, scope, f)
		})
		if err != nil || len(page.Rows) > size {
			t.Fatalf("%d rows, %v", len(page.Rows), err)
		}
		all = append(all, page.Rows...)
		if f.After = page.Next; f.After == nil {
			return all
		}
	}
}

// Sales are listed by the time of their payments, page by page, also where many were paid at once, and sum up to
// what is listed.
func TestSales(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.SetFee(t, money.Fee{BasisPoints: 100, Fixed: 10})
	start := g.Clock.Now()
	for i := range 9 {
		if i%3 == 0 {
			g.Clock.Advance(time.Minute)
		}
		c := g.Checkout(t, payments.NewCheckout{Amount: money.Cents(10_00 + i)})
		if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, int64(10_00+i),
			g.Clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	g.Checkout(t, payments.NewCheckout{Amount: 99_00}) // not paid
	all := allSales(t, g, g.Test, models.SaleFilter{}, 100)
	if len(all) != 9 || all[0].PaidAt.Before(all[8].PaidAt) {
		t.Fatalf("%+v", all)
	}
	for size := range 5 {
		if got := allSales(t, g, g.Test, models.SaleFilter{}, size+1); !slices.EqualFunc(got, all,
			func(a, b models.Sale) bool { return a.CheckoutID == b.CheckoutID }) {
			t.Errorf("pages of %d: %+v", size+1, got)
		}
	}
	for _, f := range []models.SaleFilter{{}, {From: start.Add(2 * time.Minute)}, {Until: start.Add(2 * time.Minute)},
		{From: start.Add(2 * time.Minute), Until: start.Add(3 * time.Minute)}, {From: start.Add(time.Hour)}} {
		var want models.SaleSum
		for _, s := range allSales(t, g, g.Test, f, 2) {
			want.Count, want.Gross, want.Fee = want.Count+1, want.Gross+s.Gross, want.Fee+s.Fee
		}
		got, err := models.SumSales(t.Context(), g.DB.Pool, g.Test, f)
		if err != nil || got != want {
			t.Errorf("%+v sums to %+v, %v; want %+v", f, got, err, want)
		}
	}
	few, err := models.SumSales(t.Context(), g.DB.Pool, g.Test, models.SaleFilter{Limit: 8})
	if want := (models.SaleSum{Count: 8, More: true}); err != nil || few != want {
		t.Errorf("%+v, %v", few, err)
	}
	for i, status := range []string{"FAILED", "COMPLETED"} {
		modelstest.Exec(t, g.DB, `INSERT INTO refunds (id, payment_id, account_id, livemode, amount, reason, created_by,
			created_at, status) SELECT 'rfd_0000000000000000000' || $1, id, $2, false, 100, 'x', $3, now(), $4
			FROM payments WHERE checkout_id = $5`, fmt.Sprint(i), g.Account.ID, g.Owner.UserID, status,
			all[0].CheckoutID)
		first := allSales(t, g, g.Test, models.SaleFilter{}, 100)[0]
		sum, err := models.SumSales(t.Context(), g.DB.Pool, g.Test, models.SaleFilter{})
		if want := money.Cents(i * 1_00); err != nil || first.Refunded != want || sum.Refunded != want ||
			first.Net() != first.Gross-first.Fee-want {
			t.Errorf("with a refund that is %s: %+v, %+v, %v", status, first, sum, err)
		}
	}
	for _, scope := range []models.Scope{g.Live, g.Merchant(t, "other@example.com").Test} {
		if got := allSales(t, g, scope, models.SaleFilter{}, 10); len(got) > 0 {
			t.Errorf("%+v has %+v", scope, got)
		}
	}
}

// Pages of sales, their sums and their movements are read by index, and no more than their bounds.
func TestSales_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	began := g.Clock.Now()
	fill(t, g, g.Test, 12_000)
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET status = 'PAID', paid_at = created_at WHERE status = 'PENDING'")
	modelstest.Exec(t, g.DB, `INSERT INTO payments (id, livemode, end_to_end_id, txid, checkout_id, settles, amount,
		fee, paid_at, recorded_at) SELECT 'pay_' || substr(id, 5), livemode, id, txid, id, true, amount, 0,
			paid_at, paid_at
		FROM checkouts`)
	modelstest.Exec(t, g.DB, "ANALYZE checkouts, payments")
	after := &models.Position{CreatedAt: began.Add(2 * time.Second), ID: "chk_ffffffffffffffffffff"}
	month := models.SaleFilter{From: began.Add(-time.Hour), Until: began.Add(time.Hour), Limit: 26}
	next := month
	next.After = after
	for _, f := range []models.SaleFilter{{Limit: 26}, month, next} {
		q := &plans{Querier: g.DB.Pool}
		sales, err := models.Sales(t.Context(), q, g.Test, f)
		plan := q.all.String()
		if err != nil || len(sales) != 26 || !strings.Contains(plan, "checkouts_by_paid_at") ||
			strings.Contains(plan, "Seq Scan") || !strings.Contains(plan, "Index Scan Backward") ||
			strings.Contains(plan, " Sort  (") != strings.Contains(plan, "Incremental Sort") {
			t.Errorf("%+v: %d, %v by\n%s", f, len(sales), err, plan)
		}
		var ids []string
		for _, s := range sales {
			ids = append(ids, s.CheckoutID)
		}
		q = &plans{Querier: g.DB.Pool}
		_, err = models.SaleMovements(t.Context(), q, g.Account.ID, models.Test, ids)
		if plan := q.all.String(); err != nil || !strings.Contains(plan, "ledger_fact_once") ||
			strings.Contains(plan, "Seq Scan on payments") || strings.Contains(plan, "Seq Scan on ledger") {
			t.Errorf("%v by\n%s", err, plan)
		}
	}
	q := &plans{Querier: g.DB.Pool}
	month.Limit = 5000
	sum, err := models.SumSales(t.Context(), q, g.Test, month)
	if plan := q.all.String(); err != nil || sum != (models.SaleSum{Count: 5000, More: true}) ||
		!strings.Contains(plan, "checkouts_by_paid_at") || strings.Contains(plan, "Seq Scan") {
		t.Errorf("%+v, %v by\n%s", sum, err, plan)
	}
}
