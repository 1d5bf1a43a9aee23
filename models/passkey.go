package models

import (
	"time"

	"gorm.io/gorm"
)

// Passkey is a key on a device of a person's, which logs them in. The table holds its
// public half.
type Passkey struct {
	ID           string `gorm:"primaryKey"`
	UserID       string
	Name         string // the person's own
	CredentialID []byte // what the device calls it
	PublicKey    []byte
	SignCount    uint32 // of the last signature; 0 for ever where the device does not count
	Synced       bool   // may be copied to other devices of the person
	CreatedAt    time.Time
	LastUsedAt   *time.Time
}

// PasskeysCredentialUnique is the constraint that keeps a passkey to one row.
const PasskeysCredentialUnique = "passkeys_credential_unique"

// InsertPasskey writes a new passkey; one that is there already violates
// PasskeysCredentialUnique.
func InsertPasskey(tx *Tx, p *Passkey) error { return tx.Create(p).Error }

// UserPasskeys lists the user's passkeys, the oldest first.
func UserPasskeys(db *gorm.DB, userID string) ([]Passkey, error) {
	var all []Passkey
	err := db.Where("user_id = ?", userID).Order("created_at, id").Find(&all).Error
	return all, err
}

// PasskeyByCredential returns the passkey that a device calls so, or ErrNotFound.
func PasskeyByCredential(db *gorm.DB, credentialID []byte) (*Passkey, error) {
	var p Passkey
	if err := db.Where("credential_id = ?", credentialID).Take(&p).Error; err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// UserPasskey returns one of the user's passkeys by its id, or ErrNotFound.
func UserPasskey(db *gorm.DB, userID, id string) (*Passkey, error) {
	if !wellFormed(id, "pky_", 20) {
		return nil, ErrNotFound
	}
	var p Passkey
	if err := db.Where("user_id = ? AND id = ?", userID, id).Take(&p).Error; err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// UsePasskey notes a signature, the count of which the device told with it. It reports
// false if the device counts and the count did not grow, or if the passkey is gone.
func UsePasskey(tx *Tx, id string, signCount uint32, now time.Time) (used bool, err error) {
	done := tx.Exec(`UPDATE passkeys SET sign_count = @count, last_used_at = @now
		WHERE id = @id AND (sign_count < @count OR sign_count = 0 AND @count = 0)`,
		map[string]any{"id": id, "count": int64(signCount), "now": now})
	return done.RowsAffected == 1, done.Error
}

// RenamePasskey gives a passkey another name.
func RenamePasskey(tx *Tx, id, name string) error {
	return tx.Exec("UPDATE passkeys SET name = ? WHERE id = ?", name, id).Error
}

// DeletePasskey forgets a passkey. It reports false if it is gone already.
func DeletePasskey(tx *Tx, id string) (deleted bool, err error) {
	done := tx.Exec("DELETE FROM passkeys WHERE id = ?", id)
	return done.RowsAffected == 1, done.Error
}
