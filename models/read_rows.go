package models

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// readRows are rows that have all been received. They keep their connection until they are
// closed, because its types decode them.
type readRows struct {
	pgx.Rows // closed; tells the columns
	conn     *pgxpool.Conn
	rows     [][][]byte
	row      [][]byte // the current one
}

// readAll receives all rows. It releases conn if it fails.
func readAll(conn *pgxpool.Conn, from pgx.Rows) (*readRows, error) {
	all := &readRows{Rows: from, conn: conn}
	for from.Next() {
		all.rows = append(all.rows, cloneRow(from.RawValues()))
	}
	if err := from.Err(); err != nil {
		conn.Release()
		return nil, err
	}
	return all, nil
}

// cloneRow copies the values of a row, which pgx overwrites with the next row.
func cloneRow(values [][]byte) [][]byte {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	row, text := make([][]byte, len(values)), make([]byte, 0, size)
	for i, v := range values {
		if v != nil {
			from := len(text)
			text = append(text, v...)
			row[i] = text[from:len(text):len(text)]
		}
	}
	return row
}

func (r *readRows) Next() bool {
	if len(r.rows) == 0 {
		r.Close()
		return false
	}
	r.row, r.rows = r.rows[0], r.rows[1:]
	return true
}

func (r *readRows) RawValues() [][]byte { return r.row }

func (r *readRows) Scan(into ...any) error {
	if len(into) == 1 {
		if scanner, ok := into[0].(pgx.RowScanner); ok {
			return scanner.ScanRow(r)
		}
	}
	return pgx.ScanRow(r.conn.Conn().TypeMap(), r.FieldDescriptions(), r.row, into...)
}

func (r *readRows) Close() {
	if r.conn != nil {
		r.rows = nil
		r.conn.Release()
		r.conn = nil
	}
}

// readRow is the first of the rows of a query.
type readRow struct {
	rows pgx.Rows
	err  error
}

// Scan implements pgx.Row.
func (r readRow) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		return errors.Join(r.rows.Err(), pgx.ErrNoRows)
	}
	if err := r.rows.Scan(into...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}
