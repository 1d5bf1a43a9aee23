package models

import (
	"cmp"
	"time"

	"gorm.io/gorm"
)

// Role is what a member may do in an account (decisions, 1).
type Role string

const (
	RoleOwner     Role = "OWNER"
	RoleAdmin     Role = "ADMIN"
	RoleDeveloper Role = "DEVELOPER"
	RoleFinance   Role = "FINANCE"
	RoleViewer    Role = "VIEWER"
)

// StaffRole is what a person of the installation's own staff may do.
type StaffRole string

const (
	StaffReviewer   StaffRole = "REVIEWER"
	StaffSupervisor StaffRole = "SUPERVISOR"
)

// User is a person who logs in.
type User struct {
	ID           string `gorm:"primaryKey"`
	Email        string // lower case
	Name         string
	PasswordHash *string    // nil: the person has passkeys alone
	Language     string     // in which it is written to; "" is written as pt-BR
	StaffRole    *StaffRole // nil: not staff
	CreatedAt    time.Time

	TermsURL        *string    // which terms of use the person accepted when they made their log-in; nil: none
	TermsAcceptedAt *time.Time // nil if TermsURL is
	EmailVerifiedAt *time.Time
	TOTPSecret      []byte     // of the code generator, sealed by package vault
	TOTPSince       *time.Time // when a code of it was first shown; nil: the secret does not count
	TOTPStep        int64      // the last 30 seconds of which a code was taken
}

// UsersEmailUnique is the constraint that keeps an e-mail to one user.
const UsersEmailUnique = "users_email_unique"

// InsertUser writes a new user; a taken e-mail violates UsersEmailUnique. One with neither
// a password nor, when tx ends, a passkey is refused by the database.
func InsertUser(tx *Tx, u *User) error {
	u.Language = cmp.Or(u.Language, "pt-BR")
	return tx.Create(u).Error
}

// SetSessionUserLanguage keeps in which language mails are written to whom the
// session belongs to.
func SetSessionUserLanguage(db *gorm.DB, tokenHash []byte, language string) error {
	return db.Exec("UPDATE users u SET language = ? FROM sessions s WHERE s.token_hash = ? AND u.id = s.user_id", language, tokenHash).Error
}

// UserByEmail returns the user with a lower-case e-mail, or ErrNotFound.
func UserByEmail(db *gorm.DB, email string) (*User, error) {
	var u User
	if err := db.Where("email = ?", email).Take(&u).Error; err != nil {
		return nil, notFound(err)
	}
	return &u, nil
}

// UserByID returns the user, or ErrNotFound.
func UserByID(db *gorm.DB, id string) (*User, error) {
	var u User
	if err := db.Where("id = ?", id).Take(&u).Error; err != nil {
		return nil, notFound(err)
	}
	return &u, nil
}

// LockUser returns a user and keeps others from changing it until tx ends, or
// ErrNotFound.
func LockUser(tx *Tx, id string) (*User, error) {
	var u User
	if err := tx.Raw("SELECT * FROM users WHERE id = ? FOR UPDATE", id).Take(&u).Error; err != nil {
		return nil, notFound(err)
	}
	return &u, nil
}

// SetUserEmail writes another address; a taken one violates UsersEmailUnique.
func SetUserEmail(tx *Tx, id, email string) error {
	return tx.Model(&User{}).Where("id = ?", id).Update("email", email).Error
}

// SetProvenEmail is SetUserEmail for an address at which the user was shown to read mails.
func SetProvenEmail(tx *Tx, id, email string, now time.Time) error {
	return tx.Model(&User{}).Where("id = ?", id).Updates(map[string]any{"email": email, "email_verified_at": now}).Error
}

// SetUserProfile writes a person's name and the language in which mails to them are
// written.
func SetUserProfile(tx *Tx, id, name, language string) error {
	return tx.Model(&User{}).Where("id = ?", id).Updates(map[string]any{"name": name, "language": language}).Error
}

// SetEmailVerified notes that the user reads mails at the address. It reports false if
// that was known.
func SetEmailVerified(tx *Tx, id string, now time.Time) (first bool, err error) {
	done := tx.Exec("UPDATE users SET email_verified_at = ? WHERE id = ? AND email_verified_at IS NULL", now, id)
	return done.RowsAffected == 1, done.Error
}

// SetPasswordHash writes the PHC string of another password.
func SetPasswordHash(tx *Tx, id, hash string) error {
	return tx.Model(&User{}).Where("id = ?", id).Update("password_hash", hash).Error
}
