package ledger_test

import (
	"encoding/json"
	"testing"

	"garoupa/models/modelstest"
)

// A sum and a list of a range read the pages of that range, and none of the other entries of the book.
func TestRanges_Reads(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	const entries = 20_000
	history(t, db, "payment/", pending, entries)
	const low, high = 20_000, 20_100
	for _, query := range []string{
		"SELECT sum(amount) FROM ledger_moved($1, $2, $3)", "SELECT sum(amount) FROM ledger_changes($1, $2, $3)",
		"SELECT sum(amount) FROM ledger_lines($1, true, $2, $3 + 1, '-infinity', 'infinity', '{}', false, 1000)",
	} {
		var sum, want int
		if err := db.Pool.QueryRow(t.Context(), query, string(pending), low, high).Scan(&sum); err != nil {
			t.Fatal(err)
		}
		err := db.Pool.QueryRow(t.Context(), `SELECT sum(amount) FROM ledger_transfers
			WHERE to_book = $1 AND id > $2 AND id <= $3`, string(pending), low, high).Scan(&want)
		if err != nil || sum != want || sum == 0 {
			t.Errorf("%s: got %d, want %d (%v)", query, sum, want, err)
		}
		var plan []byte
		err = db.Pool.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+query, string(pending), low,
			high).Scan(&plan)
		if err != nil {
			t.Fatal(err)
		}
		var used []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			}
		}
		if err := json.Unmarshal(plan, &used); err != nil {
			t.Fatal(err)
		}
		// The index has over a hundred pages of the book.
		if pages := used[0].Plan.Hit + used[0].Plan.Read; pages > 80 {
			t.Errorf("%s read %d pages:\n%s", query, pages, plan)
		}
	}
}
