package migrations_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"garoupa/models/modelstest"
)

// A charge pays for each index of the tables that it writes, so each of them says what it serves.
func TestIndexes_Reasons(t *testing.T) {
	t.Parallel()
	pool := open(t, modelstest.NewURL(t), 1)
	rows, err := pool.Query(t.Context(), `SELECT indexrelid::regclass::text FROM pg_index
		WHERE indrelid = ANY($1::regclass[]) AND obj_description(indexrelid) IS NULL ORDER BY 1`, []string{"checkouts",
		"bank_charges", "payments", "idempotency_keys", "api_requests", "events", "webhook_deliveries"})
	if err != nil {
		t.Fatal(err)
	}
	without, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range without {
		t.Errorf("%s has no reason: COMMENT ON INDEX, or DROP", name)
	}
}
