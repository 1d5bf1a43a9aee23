package models

import (
	"cmp"
	"context"
	"time"
)

// User is a person who logs in.
type User struct {
	ID           string `gorm:"primaryKey"`
	Email        string // lower case
	Name         string
	PasswordHash *string    // nil if the person has only passkeys
	Language     string     // of mails to the person; "" means pt-BR
	StaffRole    *StaffRole // nil if not staff
	CreatedAt    time.Time

	TermsURL        *string    // terms of use that the person accepted at sign-up; nil if none
	TermsAcceptedAt *time.Time // nil if TermsURL is nil
	EmailVerifiedAt *time.Time
	TOTPSecret      []byte     // of the code generator, sealed by package vault
	TOTPSince       *time.Time // when the secret was confirmed by a code; nil before that
}

// UsersEmailUnique is the constraint that makes email addresses unique.
const UsersEmailUnique = "users_email_unique"

// InsertUser writes a new user. A taken address violates UsersEmailUnique. The database
// refuses a user that has neither a password nor, when tx ends, a passkey.
func InsertUser(tx *Tx, u *User) error {
	u.Language = cmp.Or(u.Language, "pt-BR")
	return tx.Create(u).Error
}

// SetSessionUserLanguage stores the language of mails to the session's user.
func SetSessionUserLanguage(ctx context.Context, q Querier, tokenHash []byte, language string) error {
	_, err := q.Exec(ctx, `UPDATE users u SET language = $2 FROM sessions s
		WHERE s.token_hash = $1 AND u.id = s.user_id`, tokenHash, language)
	return err
}

// UserByEmail returns the user with an address in lower case, or ErrNotFound.
func UserByEmail(ctx context.Context, h Handle, email string) (*User, error) {
	var u User
	if err := h.gorm(ctx).Where("email = ?", email).Take(&u).Error; err != nil {
		return nil, notFound(err)
	}
	return &u, nil
}

// UserByID returns the user, or ErrNotFound.
func UserByID(ctx context.Context, h Handle, id string) (*User, error) {
	var u User
	if err := h.gorm(ctx).Where("id = ?", id).Take(&u).Error; err != nil {
		return nil, notFound(err)
	}
	return &u, nil
}

// LockUser returns a user and locks the row until tx ends, or returns ErrNotFound.
func LockUser(tx *Tx, id string) (*User, error) {
	var u User
	if err := tx.Clauses(forUpdate).Where("id = ?", id).Take(&u).Error; err != nil {
		return nil, notFound(err)
	}
	return &u, nil
}

// ShareUsers locks users until tx ends, so that they do not change; other transactions may
// share them too. A transaction that needs several users passes all of them in one call: their
// rows are locked in the order of the ids, like those of LockStaff, so that no deadlock can
// occur. Unknown ids are ignored.
func ShareUsers(tx *Tx, ids ...string) error {
	return tx.exec("SELECT FROM users WHERE id = ANY($1) ORDER BY id FOR SHARE", ids)
}

// SetUserEmail changes a user's address. A taken address violates UsersEmailUnique.
func SetUserEmail(tx *Tx, id, email string) error {
	return tx.Model(&User{}).Where("id = ?", id).Update("email", email).Error
}

// SetProvenEmail is SetUserEmail for an address that the user has confirmed.
func SetProvenEmail(tx *Tx, id, email string, now time.Time) error {
	return tx.Model(&User{}).Where("id = ?", id).Updates(map[string]any{"email": email, "email_verified_at": now}).Error
}

// SetUserProfile writes a person's name and the language of mails to the person.
func SetUserProfile(tx *Tx, id, name, language string) error {
	return tx.Model(&User{}).Where("id = ?", id).Updates(map[string]any{"name": name, "language": language}).Error
}

// SetEmailVerified records that the user has confirmed the address. It reports false if that
// was recorded before.
func SetEmailVerified(tx *Tx, id string, now time.Time) (first bool, err error) {
	done := tx.Model(&User{}).Where("id = ? AND email_verified_at IS NULL", id).Update("email_verified_at", now)
	return done.RowsAffected == 1, done.Error
}

// ReplacePasswordHash writes another hash of the same password where the former one is still stored.
func ReplacePasswordHash(tx *Tx, id, former, hash string) error {
	return tx.exec("UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2", id, former, hash)
}

// SetPasswordHash writes a new password's hash as a PHC string.
func SetPasswordHash(tx *Tx, id, hash string) error {
	return tx.Model(&User{}).Where("id = ?", id).Update("password_hash", hash).Error
}
