package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// The kinds of examinations of an installation.
const (
	ExaminedAudit    = "audit"      // flaws are AuditFlaws
	ExaminedBooks    = "books"      // new rows; flaws in the words of package ledger
	ExaminedAllBooks = "books_full" // the whole history; its flaws are stored with ExaminedBooks
)

// Examination is the latest result of one kind of examination.
type Examination struct {
	At    *time.Time // nil if never examined
	Flaws []string   // empty if there are none
	// Reached is the number of the seal up to which CheckAuditTurn has come, 0 if it begins anew and for other kinds.
	Reached int64
}

// maxFlaws limits the stored flaws of an examination.
const maxFlaws = 100

// RecordExamination stores the result of an examination, with at most maxFlaws flaws.
func RecordExamination(ctx context.Context, q Querier, kind string, e Examination) error {
	_, err := q.Exec(ctx, `INSERT INTO examinations (kind, examined_at, flaws, reached)
		VALUES ($1, $2, coalesce($3::text[], '{}'), $4) ON CONFLICT (kind) DO UPDATE
		SET examined_at = excluded.examined_at, flaws = excluded.flaws, reached = excluded.reached`, kind, e.At,
		e.Flaws[:min(len(e.Flaws), maxFlaws)], e.Reached)
	return err
}

// LastExamination returns the latest result of a kind of examination.
func LastExamination(ctx context.Context, q Reader, kind string) (e Examination, err error) {
	err = q.QueryRow(ctx, "SELECT examined_at, flaws, reached FROM examinations WHERE kind = $1", kind).
		Scan(&e.At, &e.Flaws, &e.Reached)
	if errors.Is(err, pgx.ErrNoRows) {
		return e, nil
	}
	return e, err
}
