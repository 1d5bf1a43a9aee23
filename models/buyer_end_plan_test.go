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

// The job that ends the data of buyers reads the charges of its span of time and those that were kept, whatever the
// number of all charges.
func TestEndBuyers_Plan(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	fill(t, g, g.Test, 20_000)
	modelstest.Exec(t, g.DB, "ANALYZE checkouts")
	now := g.Clock.Now()
	for _, tc := range []struct {
		sql, reads string
		args       []any
	}{
		{models.SQLOfEndBuyers, "checkouts_by_page", []any{now, 100, now.AddDate(-1, 0, 0), now.AddDate(-1, 0, 1)}},
		{models.SQLOfEndKeptBuyers, "checkouts_pkey", []any{now, 100}},
	} {
		var plan []string
		err := models.InPiece(g.DB, t.Context(), func(ctx context.Context, q models.Querier) error {
			rows, err := q.Query(ctx, "EXPLAIN "+tc.sql, tc.args...)
			if err != nil {
				return err
			}
			plan, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
		all := strings.Join(plan, "\n")
		if err != nil || !strings.Contains(all, tc.reads) || strings.Contains(all, "Seq Scan on checkouts") {
			t.Errorf("%v by\n%s", err, all)
		}
	}
}
