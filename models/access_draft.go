package models

import (
	"time"

	"gorm.io/gorm"
)

// AccessDraft is what an account has answered so far of a request for production access.
type AccessDraft struct {
	ID      string `gorm:"primaryKey"` // of the account
	Answers []byte // as typed; sealed by package vault
	SavedBy string
	SavedAt time.Time
}

// SaveAccessDraft writes an account's draft in place of the one before.
func SaveAccessDraft(tx *Tx, d *AccessDraft) error { return tx.Save(d).Error }

// AccessDraftOf returns an account's draft, or ErrNotFound.
func AccessDraftOf(db *gorm.DB, accountID string) (*AccessDraft, error) {
	var d AccessDraft
	if err := db.Where("id = ?", accountID).Take(&d).Error; err != nil {
		return nil, notFound(err)
	}
	return &d, nil
}

// DeleteAccessDraft deletes an account's draft, if it has one.
func DeleteAccessDraft(tx *Tx, accountID string) error {
	return tx.Exec("DELETE FROM access_drafts WHERE id = ?", accountID).Error
}
