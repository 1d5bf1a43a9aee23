package modelstest

import (
	"testing"

	"garoupa/internal/money"
	"garoupa/models"
)

// Held returns the balance of a book of the ledger: incoming transfers minus outgoing ones.
func Held[B ~string](t testing.TB, db *models.DB, book B) money.Cents {
	t.Helper()
	var held money.Cents
	err := db.Pool.QueryRow(t.Context(), `
		SELECT (SELECT coalesce(sum(amount), 0) FROM ledger_transfers WHERE to_book = $1)::bigint
			- (SELECT coalesce(sum(amount), 0) FROM ledger_transfers WHERE from_book = $1)::bigint`,
		string(book)).Scan(&held)
	if err != nil {
		t.Fatal(err)
	}
	return held
}
