package models_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// The figures of a period read the hours that are rolled up, and of the charges those of the last
// hours and those that are pending in the period, by indexes.
func TestFigures_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	began := g.Clock.Now()
	fill(t, g, g.Test, 30_000)
	modelstest.Exec(t, g.DB, "ANALYZE checkouts")
	g.Clock.Advance(2 * time.Hour)
	rollUp(t, g)
	hours := &plans{Querier: g.DB.Pool}
	all, err := models.CheckoutHours(t.Context(), hours, g.Test, began.Add(-24*time.Hour).Truncate(time.Hour),
		g.Clock.Now().Add(time.Hour).Truncate(time.Hour))
	if plan := hours.all.String(); err != nil || len(all) != 1 || all[0].Created != 30_000 || all[0].Paid != 300 ||
		strings.Contains(plan, "Seq Scan on checkouts ") || !strings.Contains(plan, "checkout_hours_pkey") {
		t.Errorf("%+v, %v by\n%s", all, err, plan)
	}
	refunds := &plans{Querier: g.DB.Pool}
	_, err = models.RefundedWithin(t.Context(), refunds, g.Test, began.Add(-24*time.Hour), g.Clock.Now())
	if plan := refunds.all.String(); err != nil || strings.Contains(plan, "Seq Scan on checkouts ") {
		t.Errorf("%v by\n%s", err, plan)
	}
	waiting := &plans{Querier: g.DB.Pool}
	pending, err := models.PendingHours(t.Context(), waiting, g.Test, began, began.Add(100*time.Millisecond))
	if plan := waiting.all.String(); err != nil || len(pending) != 1 ||
		pending[began.Truncate(time.Hour).Unix()] != 297 || // of ids 1 to 299, two are paid
		strings.Contains(plan, "Seq Scan on checkouts ") || !strings.Contains(plan, "checkouts_by_status") {
		t.Errorf("%v, %v by\n%s", pending, err, plan)
	}
}
