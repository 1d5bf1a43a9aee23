package migrations_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"garoupa/models/modelstest"
)

// Each write of a charge writes its indexes, so each of them says what it is for.
func TestIndexes_Reasons(t *testing.T) {
	t.Parallel()
	pool := open(t, modelstest.NewURL(t), 1)
	rows, err := pool.Query(t.Context(), `SELECT indexrelid::regclass::text FROM pg_index
		WHERE indrelid = 'checkouts'::regclass AND obj_description(indexrelid) IS NULL`)
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
