package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// What an installation examines of itself.
const (
	ExaminedAudit = "audit" // flaws are AuditFlaws
	ExaminedBooks = "books" // flaws are as package ledger words them
)

// Examination is what one of them found last.
type Examination struct {
	At    *time.Time // nil: never examined
	Flaws []string   // empty: all is well
}

// maxFlaws bounds how many flaws are kept of an examination.
const maxFlaws = 100

// RecordExamination keeps what was found, the first hundred flaws of it.
func RecordExamination(ctx context.Context, q Querier, kind string, flaws []string, now time.Time) error {
	_, err := q.Exec(ctx, `INSERT INTO examinations (kind, examined_at, flaws) VALUES ($1, $2, coalesce($3::text[], '{}'))
		ON CONFLICT (kind) DO UPDATE SET examined_at = excluded.examined_at, flaws = excluded.flaws`, kind, now, flaws[:min(len(flaws), maxFlaws)])
	return err
}

// LastExamination returns what was found last.
func LastExamination(ctx context.Context, q Querier, kind string) (e Examination, err error) {
	err = q.QueryRow(ctx, "SELECT examined_at, flaws FROM examinations WHERE kind = $1", kind).Scan(&e.At, &e.Flaws)
	if errors.Is(err, pgx.ErrNoRows) {
		return e, nil
	}
	return e, err
}
