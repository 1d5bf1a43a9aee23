package modelstest

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"garoupa/models"
)

// Exec runs a statement, as tests write what the application never does. It uses the pool whose
// statements may take long, because a test writes many rows at once beside other tests.
func Exec(t testing.TB, db *models.DB, sql string, args ...any) {
	t.Helper()
	if _, err := db.Background.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// One returns the value of a query with one column and one row.
func One[T any](t testing.TB, db *models.DB, sql string, args ...any) T {
	t.Helper()
	rows, err := db.Pool.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	value, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// Column returns the values of a query with one column, nil for no rows.
func Column[T any](t testing.TB, db *models.DB, sql string, args ...any) []T {
	t.Helper()
	rows, err := db.Pool.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.AppendRows([]T(nil), rows, pgx.RowTo[T])
	if err != nil {
		t.Fatal(err)
	}
	return values
}
