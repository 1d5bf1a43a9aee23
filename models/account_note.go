package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// AccountNote is what somebody of staff noted about an account for the others. It is final
// once written, and no merchant sees it.
type AccountNote struct {
	AccountID string
	Text      string
	WrittenBy string
	WrittenAt time.Time
}

// InsertAccountNote writes a note.
func InsertAccountNote(tx *Tx, n AccountNote) error {
	return tx.Exec("INSERT INTO account_notes (account_id, text, written_by, written_at) VALUES (?, ?, ?, ?)", n.AccountID, n.Text, n.WrittenBy, n.WrittenAt).Error
}

// ListedAccountNote is a note with the name of who wrote it.
type ListedAccountNote struct {
	AccountNote
	WriterName string
}

// AccountNotes lists the notes about an account, the latest first, a hundred at most.
func AccountNotes(ctx context.Context, q Querier, accountID string) ([]ListedAccountNote, error) {
	rows, err := q.Query(ctx, `SELECT n.account_id, n.text, n.written_by, n.written_at, u.name
		FROM account_notes n JOIN users u ON u.id = n.written_by WHERE n.account_id = $1 ORDER BY n.id DESC LIMIT 100`, accountID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (n ListedAccountNote, err error) {
		return n, row.Scan(&n.AccountID, &n.Text, &n.WrittenBy, &n.WrittenAt, &n.WriterName)
	})
}
