package models

import (
	"context"
	"time"

	"gorm.io/gorm"
)

// TokenPurpose is what the link of a Token is good for.
type TokenPurpose string

const (
	TokenVerifyEmail   TokenPurpose = "VERIFY_EMAIL"
	TokenResetPassword TokenPurpose = "RESET_PASSWORD"
	TokenChangeEmail   TokenPurpose = "CHANGE_EMAIL"
)

// Token is what a link in a mail stands for. It counts once, until it expires, and as
// long as the person has the address that it was sent to; one that changes the address
// was sent to the new one, and a person has one of them open at a time.
type Token struct {
	ID        string `gorm:"primaryKey"`
	Purpose   TokenPurpose
	UserID    string
	Email     string
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    *time.Time
}

// InsertToken writes a new token.
func InsertToken(tx *Tx, t *Token) error { return tx.Create(t).Error }

// TokenByID returns the token of the purpose, used or not, that has not expired by
// now, or ErrNotFound.
func TokenByID(db *gorm.DB, purpose TokenPurpose, id string, now time.Time) (*Token, error) {
	if !wellFormed(id, "tok_", 20) {
		return nil, ErrNotFound
	}
	var t Token
	err := db.Raw(`SELECT t.* FROM tokens t JOIN users u ON u.id = t.user_id AND (u.email = t.email OR t.purpose = ?)
		WHERE t.id = ? AND t.purpose = ? AND t.expires_at > ?`, TokenChangeEmail, id, purpose, now).Take(&t).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &t, nil
}

// TakeTokens uses up all of the user's tokens of the purpose. It reports whether the
// one with the id was unused until then: of two who bring it, one wins.
func TakeTokens(tx *Tx, t *Token, now time.Time) (taken bool, err error) {
	done := tx.Exec("UPDATE tokens SET used_at = ? WHERE id = ? AND used_at IS NULL", now, t.ID)
	if done.Error != nil || done.RowsAffected == 0 {
		return false, done.Error
	}
	_, err = EndTokens(tx, t.Purpose, t.UserID, now)
	return true, err
}

// EndTokens uses up all of the user's tokens of the purpose, and reports whether one of
// them would have counted.
func EndTokens(tx *Tx, purpose TokenPurpose, userID string, now time.Time) (open bool, err error) {
	err = tx.Raw(`WITH ended AS (
			UPDATE tokens SET used_at = ? WHERE user_id = ? AND purpose = ? AND used_at IS NULL RETURNING expires_at
		) SELECT count(*) > 0 FROM ended WHERE expires_at > ?`, now, userID, purpose, now).Row().Scan(&open)
	return open, err
}

// EmailChange returns the token that would change the user's address, or ErrNotFound.
func EmailChange(db *gorm.DB, userID string, now time.Time) (*Token, error) {
	var t Token
	err := db.Where("user_id = ? AND purpose = ? AND used_at IS NULL AND expires_at > ?", userID, TokenChangeEmail, now).Take(&t).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &t, nil
}

// LatestToken returns the token of the purpose that the user was sent last, or ErrNotFound.
func LatestToken(db *gorm.DB, purpose TokenPurpose, userID string) (*Token, error) {
	var t Token
	if err := db.Where("user_id = ? AND purpose = ?", userID, purpose).Order("created_at DESC").Take(&t).Error; err != nil {
		return nil, notFound(err)
	}
	return &t, nil
}

// TokensSince counts the tokens of the purpose that the user was sent since a time.
func TokensSince(tx *Tx, purpose TokenPurpose, userID string, since time.Time) (n int64, err error) {
	err = tx.Model(&Token{}).Where("purpose = ? AND user_id = ? AND created_at > ?", purpose, userID, since).Count(&n).Error
	return n, err
}

// DeleteEndedTokens deletes tokens, used or not, that expired before a time, and
// reports whether there may be more of them.
func DeleteEndedTokens(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "tokens", "id", "SELECT id FROM tokens WHERE expires_at < $1 ORDER BY expires_at LIMIT $2", before)
}
