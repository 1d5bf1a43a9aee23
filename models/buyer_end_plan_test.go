package models_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// The job that looks for buyers who are no longer needed reads the few charges that were kept, whatever the number of
// all charges.
func TestEndKeptBuyers_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	fill(t, g, g.Test, 20_000)
	modelstest.Exec(t, g.DB, "ANALYZE checkouts")
	var plan []string
	err := models.InPiece(g.DB, t.Context(), func(ctx context.Context, q models.Querier) error {
		rows, err := q.Query(ctx, "EXPLAIN "+models.SQLOfEndKeptBuyers, g.Clock.Now(), 100)
		if err != nil {
			return err
		}
		plan, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if all := strings.Join(plan, "\n"); err != nil || !strings.Contains(all, "checkouts_pkey") ||
		strings.Contains(all, "Seq Scan on checkouts") {
		t.Errorf("%v by\n%s", err, all)
	}
}
