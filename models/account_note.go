package models

import (
	"context"
	"time"
)

// AccountNote is a note by staff about an account, for other staff. It never changes after it
// is written, and merchants cannot see it.
type AccountNote struct {
	AccountID string
	Text      string
	WrittenBy string
	WrittenAt time.Time
}

// InsertAccountNote writes a note.
func InsertAccountNote(tx *Tx, n AccountNote) error { return tx.Create(&n).Error }

// ListedAccountNote is a note with the name of its author.
type ListedAccountNote struct {
	AccountNote
	WriterName string
}

// AccountNotes lists the latest notes about an account, newest first, at most a hundred.
func AccountNotes(ctx context.Context, q Reader, accountID string) ([]ListedAccountNote, error) {
	return collect[ListedAccountNote](ctx, q, `SELECT n.account_id, n.text, n.written_by, n.written_at,
			u.name AS writer_name
		FROM account_notes n JOIN users u ON u.id = n.written_by
		WHERE n.account_id = $1 ORDER BY n.id DESC LIMIT 100`, accountID)
}
