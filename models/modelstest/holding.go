package modelstest

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"garoupa/models"
)

// Holding lists the columns of the database in which a text occurs, also as part of a value.
func Holding(t testing.TB, db *models.DB, texts ...string) (columns []string) {
	t.Helper()
	rows, err := db.Pool.Query(t.Context(), `SELECT relname, attname, atttypid = 'bytea'::regtype FROM pg_class
		JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Table, Column string
		Bytes         bool
	}])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		value := fmt.Sprintf("%q::text", c.Column)
		if c.Bytes {
			value = fmt.Sprintf("encode(%q, 'escape')", c.Column)
		}
		for _, text := range texts {
			if One[bool](t, db, fmt.Sprintf("SELECT EXISTS (SELECT FROM %q WHERE strpos(%s, $1) > 0)",
				c.Table, value), text) {
				columns = append(columns, c.Table+"."+c.Column)
			}
		}
	}
	return columns
}
