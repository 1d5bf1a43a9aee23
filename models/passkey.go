package models

import (
	"context"
	"time"
)

// Passkey is a key on a person's device with which the person logs in. The table holds the
// public key.
type Passkey struct {
	ID           string `gorm:"primaryKey"`
	UserID       string
	Name         string // chosen by the person
	CredentialID []byte // the id that the device assigned
	PublicKey    []byte
	SignCount    uint32 // of the last signature; always 0 if the device does not count
	Synced       bool   // can be copied to other devices of the person
	CreatedAt    time.Time
	LastUsedAt   *time.Time
}

// PasskeysCredentialUnique is the constraint that allows a passkey only one row.
const PasskeysCredentialUnique = "passkeys_credential_unique"

// InsertPasskey writes a new passkey. If it already exists, it fails with a violation of
// PasskeysCredentialUnique.
func InsertPasskey(tx *Tx, p *Passkey) error { return tx.Create(p).Error }

// UserPasskeys lists the user's passkeys, oldest first.
func UserPasskeys(ctx context.Context, h Handle, userID string) ([]Passkey, error) {
	var all []Passkey
	err := h.gorm(ctx).Where("user_id = ?", userID).Order("created_at, id").Find(&all).Error
	return all, err
}

// PasskeyByCredential returns the passkey with the id that its device assigned, or
// ErrNotFound.
func PasskeyByCredential(ctx context.Context, h Handle, credentialID []byte) (*Passkey, error) {
	var p Passkey
	if err := h.gorm(ctx).Where("credential_id = ?", credentialID).Take(&p).Error; err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// UserPasskey returns one of the user's passkeys by its id, or ErrNotFound.
func UserPasskey(ctx context.Context, h Handle, userID, id string) (*Passkey, error) {
	if !passkeyShape.fits(id) {
		return nil, ErrNotFound
	}
	var p Passkey
	if err := h.gorm(ctx).Where("user_id = ? AND id = ?", userID, id).Take(&p).Error; err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// UsePasskey records a signature and the device's count. It reports false if the device counts
// and the count did not increase, or if the passkey is gone.
func UsePasskey(tx *Tx, id string, signCount uint32, now time.Time) (used bool, err error) {
	return tx.execOne(`UPDATE passkeys SET sign_count = $2, last_used_at = $3
		WHERE id = $1 AND (sign_count < $2 OR sign_count = 0 AND $2 = 0)`, id, signCount, now)
}

// RenamePasskey gives a passkey another name.
func RenamePasskey(tx *Tx, id, name string) error {
	return tx.Model(&Passkey{}).Where("id = ?", id).Update("name", name).Error
}

// DeletePasskey deletes a passkey. It reports false if it is already gone.
func DeletePasskey(tx *Tx, id string) (deleted bool, err error) {
	done := tx.Where("id = ?", id).Delete(&Passkey{})
	return done.RowsAffected == 1, done.Error
}
