package models

import (
	"context"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/clause"
)

// SQL text is PostgreSQL's, with $1 for the first argument, and runs on pgx: through a
// Querier, or through these methods of an open transaction.

// Exec runs a statement in the transaction and returns the number of rows that it
// changed.
func (tx *Tx) Exec(sql string, args ...any) (rows int64, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		tag, err := conn.Exec(ctx, sql, args...)
		rows = tag.RowsAffected()
		return err
	})
	return rows, err
}

// Scan reads the first row of a query into the pointers, or returns ErrNotFound.
func (tx *Tx) Scan(sql string, args []any, into ...any) error {
	return tx.PGX(func(ctx context.Context, conn Querier) error {
		return notFound(conn.QueryRow(ctx, sql, args...).Scan(into...))
	})
}

// exec is Tx.Exec for callers that do not need the number of rows.
func (tx *Tx) exec(sql string, args ...any) error {
	_, err := tx.Exec(sql, args...)
	return err
}

// execOne is Tx.Exec for a statement about one row. It reports whether the row changed.
func (tx *Tx) execOne(sql string, args ...any) (changed bool, err error) {
	rows, err := tx.Exec(sql, args...)
	return rows == 1, err
}

// collect returns the rows of a query as structs. A column is stored in the field with its
// name, as user_id in UserID, or with its name as db tag. Columns and fields must match
// exactly.
func collect[T any](ctx context.Context, q Reader, sql string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

// one returns the first row of a query as a struct, see collect, or ErrNotFound.
func one[T any](ctx context.Context, q Reader, sql string, args ...any) (*T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	row, err := pgx.CollectOneRow(rows, pgx.RowToAddrOfStructByName[T])
	return row, notFound(err)
}

// within calls read with the connection of the transaction.
func within[T any](tx *Tx, read func(ctx context.Context, q Querier) (T, error)) (found T, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		found, err = read(ctx, conn)
		return err
	})
	return found, err
}

// forUpdate makes a query of GORM's builder lock its rows until the transaction ends.
var forUpdate = clause.Locking{Strength: clause.LockingStrengthUpdate}
