package models

import (
	"context"
	"time"
)

// AccessDraft holds the answers that an account has given so far for a request for production
// access.
type AccessDraft struct {
	ID      string `gorm:"primaryKey"` // the account's id
	Answers []byte // as typed; sealed by package vault
	SavedBy string
	SavedAt time.Time
}

// SaveAccessDraft writes an account's draft and replaces the previous one.
func SaveAccessDraft(tx *Tx, d *AccessDraft) error { return tx.Save(d).Error }

// AccessDraftOf returns an account's draft, or ErrNotFound.
func AccessDraftOf(ctx context.Context, h Handle, accountID string) (*AccessDraft, error) {
	var d AccessDraft
	if err := h.gorm(ctx).Where("id = ?", accountID).Take(&d).Error; err != nil {
		return nil, notFound(err)
	}
	return &d, nil
}

// DeleteAccessDraft deletes an account's draft, if it has one.
func DeleteAccessDraft(tx *Tx, accountID string) error {
	return tx.Where("id = ?", accountID).Delete(&AccessDraft{}).Error
}
