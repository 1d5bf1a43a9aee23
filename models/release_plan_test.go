package models_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// The calendar of an account reads its own unsettled charges, and none that were paid before its longest delay.
func TestReleases_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	began := g.Clock.Now()
	fill(t, g, g.Test, 12_000)
	fill(t, g, g.Merchant(t, "other@example.com").Test, 3_000)
	modelstest.Exec(t, g.DB, "UPDATE checkouts SET status = 'PAID', paid_at = created_at WHERE status = 'PENDING'")
	modelstest.Exec(t, g.DB, `INSERT INTO payments (id, livemode, end_to_end_id, txid, checkout_id, settles, amount,
		fee, paid_at, recorded_at) SELECT 'pay_' || substr(id, 5), livemode, id, txid, id, true, amount, 0,
			paid_at, paid_at
		FROM checkouts`)
	modelstest.Exec(t, g.DB, "ANALYZE checkouts, payments")
	q := &plans{Querier: g.DB.Pool}
	found, err := models.ReleasesOf(t.Context(), q, g.Account.ID, models.Test, g.Account.ID+"/test/pending",
		models.ReleaseFilter{PaidSince: began.Add(3900 * time.Millisecond), Now: began, Limit: 200})
	plan := q.all.String()
	if err != nil || len(found.Days) != 1 || found.Days[0].Count != 200 || found.Rest() != -200 ||
		!strings.Contains(plan, "checkouts_unsettled") || strings.Contains(plan, "Seq Scan on checkouts") ||
		strings.Contains(plan, "checkouts_by_settlement") || strings.Contains(plan, "Seq Scan on payments") {
		t.Errorf("%+v, %v by\n%s", found, err, plan)
	}
	q = &plans{Querier: g.DB.Pool}
	none, err := models.UncoveredOf(t.Context(), q, g.Account.ID, models.Test, 10)
	if plan := q.all.String(); err != nil || none.Count > 0 || !strings.Contains(plan, "checkouts_uncovered") {
		t.Errorf("%+v, %v by\n%s", none, err, plan)
	}
}
